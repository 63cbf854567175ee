"""Pictures of lesson 06: how often the truth is told, estimates with their intervals, and what a classifier loses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREY, VERMILION, bars, course_style, epsilon_axis, log_axis, series
from dpcourse.plots.style import thousands as in_thousands

EPSILON_RANGE = (0.08, 8.0)


@dataclass(frozen=True)
class TruthTelling:
    """How often an answer is the truth, over ε and at one ε: shares of all answers."""

    epsilon: float
    k: int
    truth: float
    each_lie: float
    epsilons: np.ndarray
    truths: np.ndarray


def draw_truth(data: TruthTelling, *, into: Picture | None = None) -> Picture:
    """The probability of a true report over ε, with the reader's ε marked, and the guess that ignores the report."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes = picture.subplots()
            parts = picture.parts
            (parts["truth"],) = axes.plot([], [], label="the report is true", **series(0, marker=False))
            (parts["guess"],) = axes.plot([], [], color=GREY, linestyle=":", label="a guess without any report")
            (parts["here"],) = axes.plot([], [], color=VERMILION, marker="o", markersize=9, linestyle="none")
            (parts["stem"],) = axes.plot([], [], color=VERMILION, linestyle="--", linewidth=1.4)
            parts["note"] = axes.annotate(
                "", (0, 0), xytext=(10, -4), textcoords="offset points", va="top", color=BLACK
            )
            epsilon_axis(axes, *EPSILON_RANGE)
            axes.set_ylim(0, 1.02)
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
            axes.set_ylabel("share of reports that are true")
            parts["title"] = axes.set_title(" ")
            axes.legend(loc="upper left")
    parts = picture.parts
    parts["truth"].set_data(data.epsilons, data.truths)
    parts["guess"].set_data(EPSILON_RANGE, [1 / data.k] * 2)
    parts["here"].set_data([data.epsilon], [data.truth])
    parts["stem"].set_data([data.epsilon] * 2, [0, data.truth])
    late = data.epsilon > 3.2  # no room to the right of the stem; to its left, low enough for the curve
    parts["note"].xy = (data.epsilon, 0.2 if late else data.truth)
    parts["note"].set_text(f"{data.truth:.1%} true\n{data.each_lie:.1%} each lie")
    parts["note"].set_position((-10 if late else 10, 0 if late else -12))
    parts["note"].set_horizontalalignment("right" if late else "left")
    parts["title"].set_text(f"{data.k} possible answers, ε = {data.epsilon:.3g}: {data.truth:.1%} of reports are true")
    picture.alt = (
        f"The share of true reports among {data.k} possible answers rises with ε from about {1 / data.k:.0%} towards "
        f"100%. At ε = {data.epsilon:.3g} it is {data.truth:.1%}, and each of the other answers is reported "
        f"{data.each_lie:.1%} of the time."
    )
    return picture


@dataclass(frozen=True)
class Estimates:
    """Counts by category, in people; `low` and `high` are the ends of the intervals at `level`."""

    epsilon: float
    labels: Sequence[str]
    true: np.ndarray
    reported: np.ndarray
    estimated: np.ndarray
    low: np.ndarray
    high: np.ndarray
    level: float = 0.95


def draw_estimates(data: Estimates, *, into: Picture | None = None) -> Picture:
    """True counts as bars, estimates with their intervals, and the reports as they came."""
    picture = into
    places = np.arange(len(data.labels))
    if picture is None:
        with course_style():
            picture = Picture()
            axes = picture.subplots()
            parts = picture.parts
            parts["true"] = axes.bar(places, data.true, width=0.62, color="#c9dcea", label="true count")
            (parts["reported"],) = axes.plot(
                [], [], color=VERMILION, marker="x", markersize=9, linestyle="none", markeredgewidth=2,
                label="reports as they came",
            )  # fmt: skip
            parts["interval"] = axes.vlines(places, 0, 0, color=BLUE, linewidth=2.6)
            (parts["estimated"],) = axes.plot([], [], color=BLUE, marker="o", markersize=5, linestyle="none")
            parts["estimated"].set_label(f"estimate, {data.level:.0%} interval")
            axes.axhline(0, color=BLACK, linewidth=0.8)
            axes.set_xticks(places, data.labels)
            axes.grid(False, axis="x")
            in_thousands(axes.yaxis)
            axes.set_ylabel("people")
            parts["title"] = axes.set_title(" ")
            axes.legend(loc="upper right", ncols=3, columnspacing=1.2, handletextpad=0.4)
    parts = picture.parts
    for bar, height in zip(parts["true"], data.true, strict=True):
        bar.set_height(height)
    parts["reported"].set_data(places, data.reported)
    parts["estimated"].set_data(places, data.estimated)
    parts["interval"].set_segments([[(x, a), (x, b)] for x, a, b in zip(places, data.low, data.high, strict=True)])
    n = float(np.sum(data.true))
    half = (data.high - data.low) / 2
    # In steps, so that from draw to draw the data move and the scale does not.
    step = next(step for step in (0.5, 1, 2, 5, 10, 20, 50, 100) if step * n >= data.true.max() + 2.2 * half.max())
    picture.axes[0].set_ylim((-0.05 if step == 0.5 else -0.4) * step * n, 1.12 * step * n)
    parts["title"].set_text(
        f"ε = {data.epsilon:.3g}: each estimate within about ±{half.mean():,.0f} of {n:,.0f} people"
    )
    rows = (
        f"{label}: true {t:,.0f}, reported {r:,.0f}, estimated {e:,.0f} ({a:,.0f} to {b:,.0f})"
        for label, t, r, e, a, b in zip(
            (label.replace("\n", " ") for label in data.labels),
            data.true, data.reported, data.estimated, data.low, data.high, strict=True,
        )
    )  # fmt: skip
    picture.alt = f"Counts of {len(places)} groups at ε = {data.epsilon:.3g}. " + "; ".join(rows) + "."
    return picture


@dataclass(frozen=True)
class ErrorByEpsilon:
    """Errors of the whole table in people: measured at some ε, and by formula over ε."""

    epsilons: np.ndarray
    l1: np.ndarray
    l2: np.ndarray
    formula_epsilons: np.ndarray
    formula_l1: np.ndarray
    formula_l2: np.ndarray


def draw_errors(data: ErrorByEpsilon, *, into: Picture | None = None) -> Picture:
    """L1 and L2 error of the table of counts over ε, measured (points) and by formula (lines), log-log."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes = picture.subplots()
            for i, name in enumerate(("L1", "L2")):
                style = series(i)
                marker, line = style.pop("marker"), style.pop("linestyle")
                (picture.parts[f"formula {name}"],) = axes.plot(
                    [], [], linestyle=line, label=f"{name}, formula", **style
                )
                (picture.parts[name],) = axes.plot(
                    [], [], linestyle="none", marker=marker, label=f"{name}, measured", **style
                )
            epsilon_axis(axes, *EPSILON_RANGE)
            low, high = data.formula_l2.min(), data.formula_l1.max()
            log_axis(
                axes,
                10 ** np.floor(np.log10(low)),
                10 ** np.ceil(np.log10(high)),
                label="error of the table (people, log scale)",
                which="y",
            )
            axes.set_title("Below ε = 1, half the ε is about twice the error")
            axes.legend(loc="upper right")
    parts = picture.parts
    parts["formula L1"].set_data(data.formula_epsilons, data.formula_l1)
    parts["formula L2"].set_data(data.formula_epsilons, data.formula_l2)
    parts["L1"].set_data(data.epsilons, data.l1)
    parts["L2"].set_data(data.epsilons, data.l2)
    picture.alt = "Error of the table of counts, in people: " + "; ".join(
        f"at ε = {e:g} L1 {a:,.3g} and L2 {b:,.3g}" for e, a, b in zip(data.epsilons, data.l1, data.l2, strict=True)
    )
    picture.alt += ". The formulas pass through the measured points."
    return picture


@dataclass(frozen=True)
class TradeOff:
    """A score of a classifier by ε: means and standard errors over splits; `at` marks one ε (or none)."""

    metric: str
    epsilons: np.ndarray
    mean: np.ndarray
    error: np.ndarray
    true: float
    dropped: float
    dropped_error: float
    at: float | None = None


def draw_tradeoff(data: TradeOff, *, into: Picture | None = None) -> Picture:
    """A score over ε with the randomized columns, between the lines of the true columns and of no columns at all.

    Bands are two standard errors of the paired difference from the true columns.
    """
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes = picture.subplots()
            parts = picture.parts
            (parts["true"],) = axes.plot([], [], color=BLACK, linewidth=1.6, label="true columns")
            (parts["dropped"],) = axes.plot([], [], color=VERMILION, linestyle="--", label="columns dropped")
            (parts["low"],) = axes.plot(
                [], [], color=VERMILION, linestyle=":", linewidth=1.0, label="± 2 standard errors"
            )
            (parts["high"],) = axes.plot([], [], color=VERMILION, linestyle=":", linewidth=1.0)
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
    parts["low"].set_data(ends, [data.dropped - 2 * data.dropped_error] * 2)
    parts["high"].set_data(ends, [data.dropped + 2 * data.dropped_error] * 2)
    parts["mean"].set_data(data.epsilons, data.mean)
    spans = zip(data.epsilons, data.mean - 2 * data.error, data.mean + 2 * data.error, strict=True)
    parts["bars"].set_segments([[(e, a), (e, b)] for e, a, b in spans])
    marked = [] if data.at is None else [data.at]
    parts["here"].set_data(marked, [data.mean[np.flatnonzero(data.epsilons == data.at)[0]] for _ in marked])
    everything = np.concatenate([data.mean - 2 * data.error, data.mean + 2 * data.error, [data.true, data.dropped]])
    everything = np.append(everything, data.dropped - 2 * data.dropped_error)
    margin = 0.12 * np.ptp(everything)
    axes = picture.axes[0]
    axes.set_ylim(everything.min() - margin, everything.max() + margin)
    axes.set_ylabel(f"{data.metric} on test people")
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
class Drops:
    """Loss against the true columns in points, signed, with standard errors: rows are variants, columns metrics."""

    variants: Sequence[str]
    metrics: Sequence[str]
    points: np.ndarray
    errors: np.ndarray


def draw_drops(data: Drops, *, into: Picture | None = None) -> Picture:
    """Bars of the loss, in points, for each variant and metric, with two standard errors either way."""
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
            axes.set_ylabel("loss against the true columns (points)")
            axes.set_title("What a classifier loses, and what it loses without the columns")
            axes.legend(loc="upper right", ncols=len(data.metrics))
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
    picture.alt = "Loss against the true columns in points: " + "; ".join(
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
