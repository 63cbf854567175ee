"""Pictures of lesson 08: gradients and their norms, who can turn a sum around, scores over ε, the price of batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dpcourse.lessons.lesson_08.numbers import GradientNorms, Scores
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.still import WIDTH, Still
from dpcourse.plots.words import number

NORM_RANGE = (0.0, 4.0)
BINS = 40


def norm_marks(data: GradientNorms) -> Panel:
    """Histogram of gradient norms, with the clip, which can be dragged, and the part beyond it in another colour."""
    edges = np.linspace(*NORM_RANGE, BINS + 1)
    shown, inside = np.minimum(data.norms, NORM_RANGE[1] - 1e-9), data.norms <= data.clip_norm
    whole, cut = (np.histogram(shown[chosen], edges)[0] / len(shown) for chosen in (inside, ~inside))
    middles, width = (edges[1:] + edges[:-1]) / 2, edges[1] - edges[0]
    return Panel(
        Axis(*NORM_RANGE, "norm of an example's gradient"),
        Axis(0, 0.6, "share of examples", unit="%"),
        [
            marks.bars(middles, whole, "left whole", width=0.94 * width),
            # In the bin of C, one part stands on the other.
            marks.bars(middles, whole + cut, "cut to C", width=0.94 * width, base=whole, colour=marks.VERMILION),
            marks.rule(x=data.clip_norm, colour=marks.INK, name=f"C = {number(data.clip_norm)}"),
            marks.points(data.clip_norm, 0.03, "C", colour=marks.INK, shape="d", size=7, drag=("clip_norm", "x")),
            marks.text(NORM_RANGE[1], 0.52, "left whole", colour=marks.BLUE, anchor="end"),
            marks.text(
                NORM_RANGE[1], 0.48, f"cut to C: {data.clipped_share:.0%}", colour=marks.VERMILION, anchor="end"
            ),
        ],
        title=data.stage,
    )


def draw_turn(clip_norm: float, released: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> Still:
    """For each way of clipping two-dimensional gradients, what is released (without, with) one person: two arrows, the
    way between their ends, and the circle of radius `clip_norm`."""
    reach = 1.25 * max(float(np.abs(list(released.values())).max()), clip_norm)
    angle, panels, told = np.linspace(0, 2 * np.pi, 200), [], []
    for name, ends in released.items():
        move = float(np.linalg.norm(ends[1] - ends[0]) / clip_norm)
        told.append(f"{name}, by {move:.2f} C")
        drawn = [
            marks.line(clip_norm * np.cos(angle), clip_norm * np.sin(angle), colour=marks.GREY, width=1),
            marks.line(*np.transpose(ends), colour=marks.INK, dash="2 3", width=1.6),
        ]
        for i, (who, (x, y)) in enumerate(zip(("without her", "with her"), ends, strict=True)):
            drawn += [
                marks.line([0, x], [0, y], who, colour=i, dash=marks.DASHES[i], label=""),
                marks.points(x, y, who, colour=i, shape=marks.SHAPES[i]),
                marks.text(x, y, who, colour=i, anchor="middle", shift=(0, -14 if i else 16)),
            ]
        across, up = Axis(-reach, reach, "first coordinate"), Axis(-0.6 * reach, 0.6 * reach, "second coordinate")
        # Margins and height make a unit as long upright as across.
        panels.append(Panel(across, up, drawn, title=f"{name}: moves {move:.2f} C", left=36, right=14))
    alt = f"How far one person moves what is released, in clip norms C: {'; '.join(told)}. The circle has radius C."
    return Still(panels, alt=alt, height=90 + 0.6 * (WIDTH / len(panels) - 50))


def score_marks(data: Scores) -> Panel:
    """Mean score over ε with a band of one deviation over models either way, and the score without privacy."""
    low, high = 0.85 * data.epsilons.min(), 1.15 * data.epsilons.max()
    reach = np.concatenate([data.mean - data.spread, data.mean + data.spread, [data.plain]])
    margin = 0.1 * np.ptp(reach)
    better = "lower is better" if data.metric.startswith("Brier") else "higher is better"
    at = [] if data.at is None else [data.at]
    return Panel(
        marks.epsilon_axis(low, high),
        Axis(float(reach.min() - margin), float(reach.max() + margin), f"{data.metric} on test people ({better})"),
        [
            marks.area(data.epsilons, data.mean - data.spread, data.mean + data.spread),
            marks.line([low, high], [data.plain] * 2, "no privacy", colour=marks.INK, width=1.6),
            marks.line(data.epsilons, data.mean, "private, mean", label="private"),
            marks.points(data.epsilons, data.mean, "private"),
            marks.points(
                at,
                [data.mean[np.flatnonzero(data.epsilons == e)[0]] for e in at],
                colour=marks.VERMILION,
                size=9,
                hollow=True,
                drag=("epsilon", "x"),
            ),
        ],
    )


def draw_scores(data: Scores) -> Still:
    """Mean score over ε with a band of one deviation over models either way, and the score without privacy."""
    alt = f"{data.metric} without privacy {data.plain:.3f}; private: " + ", ".join(
        f"{m:.3f} ± {s:.3f} at ε = {e:g}" for e, m, s in zip(data.epsilons, data.mean, data.spread, strict=True)
    )
    return Still(score_marks(data), alt=f"{alt}.")


def draw_batch_cost(batch_sizes: np.ndarray, epsilons: np.ndarray, labels: Sequence[str], delta: float) -> Still:
    """ε of a training run over the expected batch size, log-log; `epsilons` has a row for each way of choosing the
    noise and the number of steps."""
    rows = dict(zip(labels, epsilons, strict=True))
    panel = Panel(
        Axis(0.9 * batch_sizes[0], 1.1 * batch_sizes[-1], "expected batch size (log scale)", log=True),
        Axis(
            0.7 * np.min(epsilons),
            1.4 * np.max(epsilons),
            f"ε at δ = {number(delta)} (log scale; ↓ more private)",
            log=True,
        ),
        marks.lines(batch_sizes, rows, dots=4),
        title="Larger batches cost more, not less",
    )
    alt = "; ".join(
        f"{label}: from ε = {row[0]:.3g} at {batch_sizes[0]:,} to {row[-1]:.3g} at {batch_sizes[-1]:,}"
        for label, row in rows.items()
    )
    return Still(panel, alt=f"ε over the batch size. {alt}.")
