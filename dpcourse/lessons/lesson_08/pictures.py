"""Pictures of lesson 08: gradients and their norms, who can turn a sum around, scores over ε, the price of batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcourse.lessons.lesson_08.numbers import GradientNorms, Scores
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.picture import Picture
from dpcourse.plots.still import Still
from dpcourse.plots.style import BLACK, GREY, course_style, epsilon_axis, log_axis, series
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


def draw_norms(data: GradientNorms) -> Still:
    """Histogram of gradient norms, with the clip marked and the part beyond it in another colour."""
    alt = (
        f"Histogram of gradient norms {data.stage.lower()}, median {np.median(data.norms):.2g}. A clip at "
        f"C = {data.clip_norm:.3g} cuts {data.clipped_share:.0%} of them."
    )
    return Still(norm_marks(data), alt=alt)


@dataclass(frozen=True)
class Turn:
    """Two-dimensional gradients of a batch, one person's gradient, and what is released without and with it.

    ``released`` maps a way of clipping to the pair (without, with).
    """

    clip_norm: float
    released: dict[str, tuple[np.ndarray, np.ndarray]]


def draw_turn(data: Turn, *, into: Picture | None = None) -> Picture:
    """For each way of clipping: the sum without a person, with that person, and the way between the two."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(760, 300)
            panels = np.ravel(picture.subplots(1, len(data.released), sharey=True))
            reach = max(np.abs(np.ravel(list(data.released.values()))).max(), data.clip_norm) * 1.25
            for axes, name in zip(panels, data.released, strict=True):
                angle = np.linspace(0, 2 * np.pi, 200)
                axes.plot(data.clip_norm * np.cos(angle), data.clip_norm * np.sin(angle), color=GREY, linewidth=1)
                for i, who in enumerate(("without her", "with her")):
                    style = series(i)
                    (picture.parts[name, who],) = axes.plot([], [], markevery=[1], label=who, **style)
                (picture.parts[name, "move"],) = axes.plot([], [], color=BLACK, linestyle=":", linewidth=1.6)
                axes.set_xlim(-reach, reach)
                axes.set_ylim(-0.6 * reach, 0.6 * reach)
                axes.set_aspect("equal")
                axes.set_xlabel("first coordinate")
                picture.parts[name, "title"] = axes.set_title(" ")
            panels[0].set_ylabel("second coordinate")
            panels[0].legend(loc="upper left")
    told = []
    for name, (without, with_her) in data.released.items():
        for who, end in (("without her", without), ("with her", with_her)):
            picture.parts[name, who].set_data([0, end[0]], [0, end[1]])
        picture.parts[name, "move"].set_data([without[0], with_her[0]], [without[1], with_her[1]])
        move = np.linalg.norm(with_her - without) / data.clip_norm
        picture.parts[name, "title"].set_text(f"{name}: moves {move:.2f} C")
        told.append(f"{name}, by {move:.2f} C")
    picture.alt = (
        f"How far one person moves what is released, in clip norms C: {'; '.join(told)}. The circle has radius C."
    )
    return picture


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
            marks.points(at, [data.mean[np.flatnonzero(data.epsilons == e)[0]] for e in at], colour=marks.VERMILION,
                         size=9, hollow=True, drag=("epsilon", "x")),
        ],
    )  # fmt: skip


def draw_scores(data: Scores) -> Still:
    """Mean score over ε with a band of one deviation over models either way, and the score without privacy."""
    alt = f"{data.metric} without privacy {data.plain:.3f}; private: " + ", ".join(
        f"{m:.3f} ± {s:.3f} at ε = {e:g}" for e, m, s in zip(data.epsilons, data.mean, data.spread, strict=True)
    )
    return Still(score_marks(data), alt=f"{alt}.")


@dataclass(frozen=True)
class BatchCost:
    """ε of a training run over the expected batch size, one row of `epsilons` for each label."""

    batch_sizes: np.ndarray
    epsilons: np.ndarray
    labels: Sequence[str]
    delta: float


def draw_batch_cost(data: BatchCost, *, into: Picture | None = None) -> Picture:
    """ε over the batch size, log-log, one line for each way of choosing the noise and the number of steps."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes = picture.subplots()
            for i, label in enumerate(data.labels):
                (picture.parts[label],) = axes.plot([], [], label=label, **series(i))
            log_axis(axes, data.batch_sizes.min() * 0.9, data.batch_sizes.max() * 1.1, label="expected batch size")
            epsilon_axis(
                axes,
                0.7 * np.min(data.epsilons),
                1.4 * np.max(data.epsilons),
                which="y",
                label=f"ε at δ = {data.delta:g}",
            )
            axes.set_title("Larger batches cost more, not less")
            axes.legend(loc="upper left")
    told = []
    for label, row in zip(data.labels, data.epsilons, strict=True):
        picture.parts[label].set_data(data.batch_sizes, row)
        told.append(
            f"{label}: from ε = {row[0]:.3g} at {data.batch_sizes[0]:,} to {row[-1]:.3g} at {data.batch_sizes[-1]:,}"
        )
    picture.alt = "ε over the batch size. " + "; ".join(told) + "."
    return picture
