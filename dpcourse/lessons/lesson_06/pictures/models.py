"""What a classifier gains by randomized columns, and what it can guess of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcourse.lessons.lesson_06.numbers import EPSILON_RANGE, TradeOff
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.picture import Picture
from dpcourse.plots.still import Still
from dpcourse.plots.style import BLACK, bars, course_style


def tradeoff_marks(data: TradeOff) -> Panel:
    """A score over ε with the randomized columns, between the lines of the true columns and of no columns at all.

    Bars and dotted lines are two standard errors of the difference, split by split, from the dropped columns.
    """
    low, high = EPSILON_RANGE
    ends, error = [low, high], 2 * data.error
    reach = np.concatenate([data.mean - error, data.mean + error, [data.true + 2 * data.true_error, data.dropped]])
    margin = 0.12 * np.ptp(reach)
    at = [] if data.at is None else [data.at]
    return Panel(
        marks.epsilon_axis(low, high),
        Axis(float(reach.min() - margin), float(reach.max() + margin), f"{data.metric} on test people"),
        [
            marks.line(ends, [data.true] * 2, "true columns", colour=marks.INK, width=1.6),
            marks.line(ends, [data.true - 2 * data.true_error] * 2, colour=marks.INK, dash="2 3", width=1),
            marks.line(ends, [data.true + 2 * data.true_error] * 2, colour=marks.INK, dash="2 3", width=1),
            marks.line(ends, [data.dropped] * 2, "dropped", colour=marks.VERMILION, dash="7 4"),
            marks.line(data.epsilons, data.mean, "randomized"),
            marks.spans(data.epsilons, data.mean - error, data.epsilons, data.mean + error),
            marks.points(data.epsilons, data.mean, "randomized"),
            marks.points(at, [data.mean[np.flatnonzero(data.epsilons == e)[0]] for e in at], size=9, hollow=True,
                         drag=("epsilon", "x")),
        ],
    )  # fmt: skip


def draw_tradeoff(data: TradeOff) -> Still:
    """A score over ε with the randomized columns, the true ones and none."""
    alt = (
        f"{data.metric} with true columns {data.true:.3g}, with the columns dropped {data.dropped:.3g}; randomized: "
        + ", ".join(f"{m:.3g} at ε = {e:g}" for e, m in zip(data.epsilons, data.mean, strict=True))
        + "."
    )
    return Still(tradeoff_marks(data), alt=alt)


@dataclass(frozen=True)
class Gains:
    """Gain over the dropped columns in points, signed, with its standard error: rows are variants, columns metrics."""

    variants: Sequence[str]
    metrics: Sequence[str]
    points: np.ndarray
    errors: np.ndarray


def draw_gains(data: Gains, *, into: Picture | None = None) -> Picture:
    """Bars of the gain, in points, for each variant and metric, with two standard errors either way."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes = picture.subplots()
            width = 0.8 / len(data.metrics)
            places = np.arange(len(data.variants))
            for j, metric in enumerate(data.metrics):
                x = places + (j - (len(data.metrics) - 1) / 2) * width
                picture.parts[metric] = axes.bar(x, data.points[:, j], 0.92 * width, label=metric, **bars(j))
                picture.parts[f"error {metric}"] = axes.vlines(x, 0, 0, color=BLACK, linewidth=1.5)
            axes.axhline(0, color=BLACK, linewidth=0.9)
            axes.set_xticks(places, data.variants)
            axes.grid(False, axis="x")
            axes.set_ylabel("gain over no columns (points)")
            axes.set_title("Gain over dropping: randomized columns, and the true ones")
            axes.legend(loc="upper left", ncols=len(data.metrics))
            top, bottom = (data.points + 2 * data.errors).max(), (data.points - 2 * data.errors).min()
            axes.set_ylim(min(bottom, 0) - 0.05 * top, 1.25 * top)
    for j, metric in enumerate(data.metrics):
        centres = []
        for bar, height in zip(picture.parts[metric], data.points[:, j], strict=True):
            bar.set_height(height)
            centres.append(bar.get_x() + bar.get_width() / 2)
        low, high = data.points[:, j] - 2 * data.errors[:, j], data.points[:, j] + 2 * data.errors[:, j]
        picture.parts[f"error {metric}"].set_segments(
            [[(x, a), (x, b)] for x, a, b in zip(centres, low, high, strict=True)]
        )
    picture.alt = "Gain over no columns in points: " + "; ".join(
        f"{variant}: " + ", ".join(f"{metric} {value:.2f}" for metric, value in zip(data.metrics, row, strict=True))
        for variant, row in zip((name.replace("\n", " ") for name in data.variants), data.points, strict=True)
    )
    picture.alt += "."
    return picture


@dataclass(frozen=True)
class Leak:
    """How often someone guesses an attribute right: shares, one entry an attribute."""

    attributes: Sequence[str]
    majority: np.ndarray
    from_report: np.ndarray
    from_rest: np.ndarray
    rest_error: np.ndarray
    epsilon: float


def draw_leak(data: Leak, *, into: Picture | None = None) -> Picture:
    """Guessing an attribute without looking, from the randomized report alone, and from the columns left in clear."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes = picture.subplots()
            places = np.arange(len(data.attributes))
            believed = f"believing the report (ε = {data.epsilon:g})"
            names = ("always the larger group", believed, "the columns left in clear")
            for j, (key, label) in enumerate(zip(("majority", "from_report", "from_rest"), names, strict=True)):
                drawn = axes.bar(places + 0.27 * (j - 1), getattr(data, key), 0.25, label=label, **bars((5, 0, 1)[j]))
                picture.parts[key] = drawn
                axes.bar_label(drawn, [f"{value:.0%}" for value in getattr(data, key)], padding=3)
            axes.set_xticks(places, data.attributes)
            axes.grid(False, axis="x")
            axes.set_ylim(0, 1.15)
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}" if value <= 1.001 else "")
            axes.set_ylabel("people guessed right")
            axes.set_title("The lock is on one drawer; the others stand open")
            axes.legend(loc="upper right", ncols=1)
    for key in ("majority", "from_report", "from_rest"):
        for bar, height in zip(picture.parts[key], getattr(data, key), strict=True):
            bar.set_height(height)
    picture.alt = "Share of people guessed right. " + "; ".join(
        f"{name}: {a:.0%} by always naming the larger group, {b:.0%} by believing the report at ε = {data.epsilon:g}, "
        f"{c:.0%} from the columns left in clear"
        for name, a, b, c in zip(data.attributes, data.majority, data.from_report, data.from_rest, strict=True)
    )
    picture.alt += "."
    return picture
