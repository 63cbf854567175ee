"""One randomized answer and tables of them: how often the truth is told, and how far estimates are off."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcourse.lessons.lesson_06.numbers import EPSILON_RANGE, Estimates, TruthTelling
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import course_style, epsilon_axis, log_axis, series
from dpcourse.plots.words import number


def truth_marks(data: TruthTelling) -> Panel:
    """The probability of a true report over ε, and the guess that ignores the report: its end can be dragged."""
    low, high = EPSILON_RANGE
    return Panel(
        marks.epsilon_axis(low, high),
        Axis(0, 1, "share of reports that are true", unit="%"),
        [
            marks.line(data.epsilons, data.truths, "the report is true"),
            marks.line([low, high], [1 / data.k] * 2, "guess", colour=marks.GREY, dash="2 3", label="guess: 1/k"),
            marks.spans(data.epsilon, 0, data.epsilon, data.truth, colour=marks.VERMILION, dash="7 4", width=1.4),
            marks.points(low * 1.12, 1 / data.k, "guess", colour=marks.GREY, shape="s",
                         drag=("k", "y", lambda k: 1 / k)),
            marks.points(data.epsilon, data.truth, "true", colour=marks.VERMILION, size=6, drag=("epsilon", "x")),
            marks.text(data.epsilon, data.truth, f"{number(data.truth, '%')} true", shift=(4, -14)),
            marks.text(data.epsilon, data.each_lie, f"{number(data.each_lie, '%')} each lie", colour=marks.VERMILION,
                       shift=(4, 0)),
            marks.points(data.epsilon, data.each_lie, "each lie", colour=marks.VERMILION, hollow=True),
        ],
    )  # fmt: skip


def estimate_marks(data: Estimates) -> Panel:
    """True counts as bars, estimates with their intervals, and the reports as they came."""
    places = np.arange(len(data.labels), dtype=float)
    n, half = float(np.sum(data.true)), (data.high - data.low) / 2
    # In steps, so that from draw to draw the data move and the scale does not.
    step = next(step for step in (0.5, 1, 2, 5, 10, 20, 50, 100) if step * n >= data.true.max() + 2.2 * half.max())
    top = 1.12 * step * n
    return Panel(
        marks.categories([label.replace("\n", " ") for label in data.labels]),
        Axis((-0.05 if step == 0.5 else -0.4) * step * n, top, "people"),
        [
            marks.bars(places, data.true, "true count", width=0.62, colour=marks.GREY, opacity=0.3),
            marks.rule(y=0, colour=marks.INK, dash="", width=1),
            marks.points(places, data.reported, "reports as they came", colour=marks.VERMILION, shape="x"),
            marks.spans(places, data.low, places, data.high, width=2.6),
            marks.points(places, data.estimated, "estimate"),
            marks.text(-0.48, top, "bars: true counts", colour=marks.GREY, anchor="start", shift=(0, 10)),
            marks.text(1.5, top, f"dots: estimates, {data.level:.0%} intervals", colour=marks.BLUE, anchor="middle",
                       shift=(0, 10)),
            marks.text(3.48, top, "crosses: reports", colour=marks.VERMILION, anchor="end", shift=(0, 10)),
        ],
    )  # fmt: skip


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
