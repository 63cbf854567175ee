"""What a classifier gains by randomized columns, and what it can guess of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcourse.lessons.lesson_06.numbers import EPSILON_RANGE, TradeOff
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, VERMILION, adjust, bars, course_style, epsilon_axis


def draw_tradeoff(data: TradeOff, *, into: Picture | None = None) -> Picture:
    """A score over ε with the randomized columns, between the lines of the true columns and of no columns at all.

    Bars and dotted lines are two standard errors of the difference, split by split, from the dropped columns.
    """
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes = picture.subplots()
            parts = picture.parts
            (parts["true"],) = axes.plot([], [], color=BLACK, linewidth=1.6, label="true columns")
            (parts["dropped"],) = axes.plot([], [], color=VERMILION, linestyle="--", label="columns dropped")
            (parts["low"],) = axes.plot([], [], color=BLACK, linestyle=":", linewidth=1.0, label="± 2 standard errors")
            (parts["high"],) = axes.plot([], [], color=BLACK, linestyle=":", linewidth=1.0)
            (parts["mean"],) = axes.plot([], [], color=BLUE, linestyle="-", marker="o", label="randomized columns")
            parts["bars"] = axes.vlines(data.epsilons, 0, 0, color=BLUE, linewidth=2)
            (parts["here"],) = axes.plot(
                [], [], color=BLUE, marker="o", markersize=15, fillstyle="none", linestyle="none"
            )
            epsilon_axis(axes, *EPSILON_RANGE)
            axes.ticklabel_format(axis="y", useOffset=False)
            parts["title"] = axes.set_title(" ")
            axes.legend(loc="upper left", bbox_to_anchor=(0.0, 0.88), frameon=True, framealpha=0.9, edgecolor="none")
    parts, ends = picture.parts, np.array(EPSILON_RANGE)
    parts["true"].set_data(ends, [data.true] * 2)
    parts["dropped"].set_data(ends, [data.dropped] * 2)
    parts["low"].set_data(ends, [data.true - 2 * data.true_error] * 2)
    parts["high"].set_data(ends, [data.true + 2 * data.true_error] * 2)
    parts["mean"].set_data(data.epsilons, data.mean)
    spans = zip(data.epsilons, data.mean - 2 * data.error, data.mean + 2 * data.error, strict=True)
    parts["bars"].set_segments([[(e, a), (e, b)] for e, a, b in spans])
    marked = [] if data.at is None else [data.at]
    parts["here"].set_data(marked, [data.mean[np.flatnonzero(data.epsilons == data.at)[0]] for _ in marked])
    everything = np.concatenate([data.mean - 2 * data.error, data.mean + 2 * data.error, [data.true, data.dropped]])
    everything = np.append(everything, data.true + 2 * data.true_error)
    margin = 0.12 * np.ptp(everything)
    axes = picture.axes[0]
    limits = (everything.min() - margin, everything.max() + margin)
    adjust(axes, ylim=limits, ylabel=f"{data.metric} on test people")
    parts["title"].set_text(
        f"{data.metric}: the axis spans {100 * (np.ptp(everything) + 2 * margin):.2g} points in all"
    )
    picture.alt = (
        f"{data.metric} with true columns {data.true:.3g}, with the columns dropped {data.dropped:.3g}; randomized: "
        + ", ".join(f"{m:.3g} at ε = {e:g}" for e, m in zip(data.epsilons, data.mean, strict=True))
        + "."
    )
    return picture


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
