"""Pictures of lesson 08: gradients and their norms, who can turn a sum around, scores over ε, the price of batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcourse.lessons.lesson_08.numbers import GradientNorms, Scores
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREY, SKY, VERMILION, adjust, course_style, epsilon_axis, log_axis, series

NORM_RANGE = (0.0, 4.0)
BINS = 40


def draw_norms(data: GradientNorms, *, into: Picture | None = None) -> Picture:
    """Histogram of gradient norms, with the clip marked and the part beyond it in another colour."""
    picture = into
    edges = np.linspace(*NORM_RANGE, BINS + 1)
    if picture is None:
        with course_style():
            picture = Picture()
            axes = picture.subplots()
            parts = picture.parts
            empty = np.zeros(BINS)
            parts["whole"] = axes.stairs(empty, edges, fill=True, color=SKY, label="left whole")
            parts["cut"] = axes.stairs(
                empty, edges, baseline=empty, fill=True, facecolor=VERMILION, edgecolor=BLACK, linewidth=0.9,
                label="cut to C",
            )  # fmt: skip
            parts["clip"] = axes.axvline(1.0, color=BLACK, linestyle="--", linewidth=1.6, label="C")
            axes.set_xlim(*NORM_RANGE)
            axes.set_ylim(0, 0.6)
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
            axes.grid(False, axis="x")
            axes.set_xlabel("norm of an example's gradient")
            axes.set_ylabel("share of examples")
            parts["title"] = axes.set_title(" ")
            axes.legend(loc="upper right")
    parts = picture.parts
    shown, inside = np.minimum(data.norms, NORM_RANGE[1] - 1e-9), data.norms <= data.clip_norm
    whole, cut = (np.histogram(shown[chosen], edges)[0] / len(shown) for chosen in (inside, ~inside))
    parts["whole"].set_data(whole)
    parts["cut"].set_data(whole + cut, baseline=whole)  # in the bin of C, one part stands on the other
    parts["clip"].set_xdata([min(data.clip_norm, NORM_RANGE[1])] * 2)
    parts["title"].set_text(f"{data.stage}: C = {data.clip_norm:.3g} cuts {data.clipped_share:.0%} of the gradients")
    picture.alt = (
        f"Histogram of gradient norms {data.stage.lower()}, median {np.median(data.norms):.2g}. A clip at "
        f"C = {data.clip_norm:.3g} cuts {data.clipped_share:.0%} of them."
    )
    return picture


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


def draw_scores(data: Scores, *, into: Picture | None = None) -> Picture:
    """Mean score over ε with a band of one deviation over models either way, and the score without privacy."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes = picture.subplots()
            parts = picture.parts
            (parts["plain"],) = axes.plot([], [], color=BLACK, linewidth=1.6, label="scikit-learn, no privacy")
            (parts["mean"],) = axes.plot([], [], color=BLUE, marker="o", linestyle="-", label="private, mean")
            for name in ("low", "high"):
                (parts[name],) = axes.plot([], [], color=BLUE, linestyle=":", linewidth=1.2)
            parts["low"].set_label("± one deviation over models")
            (parts["here"],) = axes.plot(
                [], [], color=VERMILION, marker="o", markersize=15, fillstyle="none", linestyle="none",
                markeredgewidth=2,
            )  # fmt: skip
            epsilon_axis(axes, 0.85 * data.epsilons.min(), 1.15 * data.epsilons.max())
            axes.yaxis.set_major_formatter("{x:.3f}")
            parts["title"] = axes.set_title(" ")
            parts["legend"] = axes.legend(loc="lower right")
    parts = picture.parts
    parts["plain"].set_data([data.epsilons.min(), data.epsilons.max()], [data.plain] * 2)
    parts["mean"].set_data(data.epsilons, data.mean)
    parts["low"].set_data(data.epsilons, data.mean - data.spread)
    parts["high"].set_data(data.epsilons, data.mean + data.spread)
    marked = [] if data.at is None else [data.at]
    parts["here"].set_data(marked, [data.mean[np.flatnonzero(data.epsilons == data.at)[0]] for _ in marked])
    everything = np.concatenate([data.mean - data.spread, data.mean + data.spread, [data.plain]])
    margin = 0.1 * np.ptp(everything)
    axes = picture.axes[0]
    limits = (everything.min() - margin, everything.max() + margin)
    adjust(axes, ylim=limits, ylabel=f"{data.metric} on test people")
    falls = data.metric.startswith("Brier")
    parts["legend"].set_loc("upper right" if falls else "lower right")
    better = "lower is better" if falls else "higher is better"
    parts["title"].set_text(f"{data.metric} ({better}); the axis spans {100 * 1.2 * np.ptp(everything):.2g} points")
    picture.alt = f"{data.metric} without privacy {data.plain:.3f}; private: " + ", ".join(
        f"{m:.3f} ± {s:.3f} at ε = {e:g}" for e, m, s in zip(data.epsilons, data.mean, data.spread, strict=True)
    )
    picture.alt += "."
    return picture


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
