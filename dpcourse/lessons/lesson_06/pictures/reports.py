"""One randomized answer and tables of them: how often the truth is told, and how far estimates are off."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcourse.lessons.lesson_06.numbers import EPSILON_RANGE, Estimates, TruthTelling
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREY, VERMILION, adjust, course_style, epsilon_axis, log_axis, series
from dpcourse.plots.style import thousands as in_thousands


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
    adjust(picture.axes[0], ylim=((-0.05 if step == 0.5 else -0.4) * step * n, 1.12 * step * n))
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
