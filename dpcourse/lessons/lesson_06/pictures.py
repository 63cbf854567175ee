"""Pictures of lesson 06: how often the truth is told, estimates with their intervals, and what a classifier gains."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpcourse.lessons.lesson_06.numbers import EPSILON_RANGE, Estimates, TradeOff, TruthTelling
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.still import Still
from dpcourse.plots.words import number, share


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
            marks.points(
                low * 1.12, 1 / data.k, "guess", colour=marks.GREY, shape="s", drag=("k", "y", lambda k: 1 / k)
            ),
            marks.points(data.epsilon, data.truth, "true", colour=marks.VERMILION, size=6, drag=("epsilon", "x")),
            marks.text(data.epsilon, data.truth, f"{share(data.truth)} true", shift=(4, -14)),
            marks.text(
                data.epsilon,
                data.each_lie,
                f"{number(data.each_lie, '%')} each lie",
                colour=marks.VERMILION,
                shift=(4, 0),
            ),
            marks.points(data.epsilon, data.each_lie, "each lie", colour=marks.VERMILION, hollow=True),
        ],
    )


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
            marks.bars(places, data.true, "true count", width=0.62, colour=marks.GREY, opacity=0.7),
            marks.rule(y=0, colour=marks.INK, dash="", width=1),
            marks.points(places, data.reported, "reports as they came", colour=marks.VERMILION, shape="x"),
            marks.spans(places, data.low, places, data.high, width=2.6),
            marks.points(places, data.estimated, "estimate"),
            marks.text(-0.48, top, "bars: true counts", colour=marks.GREY, anchor="start", shift=(0, 10)),
            marks.text(
                1.5,
                top,
                f"dots: estimates, {data.level:.0%} intervals",
                colour=marks.BLUE,
                anchor="middle",
                shift=(0, 10),
            ),
            marks.text(3.48, top, "crosses: reports", colour=marks.VERMILION, anchor="end", shift=(0, 10)),
        ],
    )


def draw_errors(
    epsilons: np.ndarray,
    l1: np.ndarray,
    l2: np.ndarray,
    formula_epsilons: np.ndarray,
    formula_l1: np.ndarray,
    formula_l2: np.ndarray,
) -> Still:
    """L1 and L2 error of the table of counts (people) over ε: measured as points, by formula as lines, log-log."""
    panel = Panel(
        marks.epsilon_axis(*EPSILON_RANGE),
        Axis(0.7 * formula_l2.min(), 1.4 * formula_l1.max(), "error of the table (people, log scale)", log=True),
        [
            *marks.lines(formula_epsilons, {"L1": formula_l1, "L2": formula_l2}),
            marks.points(epsilons, l1, "L1, measured"),
            marks.points(epsilons, l2, "L2, measured", colour=marks.VERMILION, shape="s"),
            marks.text(1.3, formula_l1.max() / 2, "points: measured; lines: by formula", anchor="start"),
        ],
        title="Below ε = 1, half the ε is a little more than twice the error",
    )
    alt = "Error of the table of counts, in people: " + "; ".join(
        f"at ε = {e:g} L1 {number(a)} and L2 {number(b)}" for e, a, b in zip(epsilons, l1, l2, strict=True)
    )
    return Still(panel, alt=alt + ". The formulas pass through the measured points.")


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
            marks.points(
                at,
                [data.mean[np.flatnonzero(data.epsilons == e)[0]] for e in at],
                size=9,
                hollow=True,
                drag=("epsilon", "x"),
            ),
        ],
    )


def draw_gains(variants: Sequence[str], metrics: Sequence[str], gains: np.ndarray, errors: np.ndarray) -> Still:
    """Gain over the dropped columns in points, with two standard errors either way: a panel a metric, a row a variant;
    `gains` and `errors` have shape (variants, metrics)."""
    places, low, high = -np.arange(len(variants)), gains - 2 * errors, gains + 2 * errors
    reach = (min(1.1 * float(low.min()), 0.0), 1.1 * float(high.max()))
    panels = [
        Panel(
            Axis(*reach, "points"),
            marks.rows(variants if j == 0 else [""] * len(variants)),
            [
                marks.rule(x=0, colour=marks.INK, dash="", width=1),
                marks.bars(places, gains[:, j], metric, across=True, width=0.5),
                marks.spans(low[:, j], places, high[:, j], places, colour=marks.INK),
            ],
            title=metric,
            share=1.35 if j == 0 else 1.0,
        )
        for j, metric in enumerate(metrics)
    ]
    alt = "Gain over no columns in points: " + "; ".join(
        f"{variant}: " + ", ".join(f"{metric} {value:.2f}" for metric, value in zip(metrics, row, strict=True))
        for variant, row in zip(variants, gains, strict=True)
    )
    return Still(
        panels, alt=f"{alt}.", title="Gain over dropping the columns: randomized ones, and the true ones", height=270
    )


def draw_leak(
    attributes: Sequence[str], majority: np.ndarray, from_report: np.ndarray, from_rest: np.ndarray, epsilon: float
) -> Still:
    """Shares guessed right, by attribute: without looking, from the randomized report, from the columns in clear."""
    ways = {
        "always the larger group": majority,
        f"believing the report (ε = {epsilon:g})": from_report,
        "the columns left in clear": from_rest,
    }
    panel = Panel(
        marks.categories(attributes),
        Axis(0, 1.15, "people guessed right", ticks=(0, 0.25, 0.5, 0.75, 1), unit="%"),
        marks.beside(ways, "{:.0%}".format, said_at=(1.48, 1.1)),
        title="The lock is on one drawer; the others stand open",
    )
    alt = "Share of people guessed right. " + "; ".join(
        f"{name}: {a:.0%} by always naming the larger group, {b:.0%} by believing the report at ε = {epsilon:g}, "
        f"{c:.0%} from the columns left in clear"
        for name, a, b, c in zip(attributes, majority, from_report, from_rest, strict=True)
    )
    return Still(panel, alt=f"{alt}.")
