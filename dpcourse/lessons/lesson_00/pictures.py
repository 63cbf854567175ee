"""Pictures of lesson 00: one noisy count, on one day and on two."""

from __future__ import annotations

import numpy as np

from dpcourse.lessons.lesson_00.numbers import WINDOW, NoisyCount, TwoDays
from dpcourse.plots import marks
from dpcourse.plots.marks import DASHES, Axis, Panel, area, line, rule, text
from dpcourse.plots.still import Still


def count_marks(count: NoisyCount) -> Panel:
    """How far the published count lands from the true one."""
    peak = float(count.probabilities.max())
    reach = count.half_width + 0.5
    return Panel(
        Axis(-WINDOW, WINDOW, "published count minus true count (people)"),
        Axis(0, 1.15 * peak, "probability of each error"),
        [
            area([-reach, reach], 0, 1.15 * peak, colour=marks.BLUE, opacity=0.14),
            line(count.errors, count.probabilities, "published count", step=True, label_at="top", shift=(14, 30)),
            rule(x=0, name="true count", colour=marks.VERMILION, shift=(0, 2)),
        ],
        title=f"At least {count.level:.0%} of answers within ±{count.half_width} people (shaded)",
    )


def draw_count(data: NoisyCount) -> Still:
    """The explorer's picture, once: the distribution of a noisy count's error, and the band that holds most of it."""
    alt = (
        f"Probability of each error of a noisy count at ε = {data.epsilon:.3g}: a peak of "
        f"{data.probabilities.max():.2g} at no error, falling alike on both sides; a band from {-data.half_width} to "
        f"{data.half_width} people holds at least {data.level:.0%} of the answers."
    )
    return Still(count_marks(data), alt=alt)


def draw_relative_error(epsilons: tuple[float, ...], counts: np.ndarray, relative_half_widths: np.ndarray) -> Still:
    """The half-width of the 95% interval as a share of the true count, by the count's size.

    Parameters
    ----------
    relative_half_widths : ndarray
        Of shape (ε, counts) and without a unit: 0.1 is 10% of the true count.
    """
    first, last = relative_half_widths[:, 0], relative_half_widths[:, -1]
    lines = [
        line(counts, shares, f"ε = {epsilon:g}", colour=colour, dash=dash)
        for epsilon, shares, colour, dash in zip(
            epsilons, relative_half_widths, (marks.BLUE, marks.VERMILION, marks.GREEN), DASHES, strict=False
        )
    ]
    panel = Panel(
        Axis(counts[0], counts[-1], "true count (people)", log=True),
        Axis(
            last.min() / 1.5,
            first.max() * 1.5,
            "half-width of the 95% interval, as a share of the count",
            log=True,
            unit="%",
        ),
        [*lines, rule(y=0.05, name="5% off", label_at="right")],
        title="The noise is the same: a large share of a small count, a small share of a large one",
        left=64,
    )
    alt = "Half-width of the 95% interval as a share of the true count, log-log: " + "; ".join(
        f"at ε = {epsilon:g} it falls from {_percent(a)} of {counts[0]:,.0f} people to {_percent(b)} of "
        f"{counts[-1]:,.0f}"
        for epsilon, a, b in zip(epsilons, first, last, strict=True)
    )
    return Still(panel, alt=alt)


def draw_two_days(data: TwoDays) -> Still:
    """What may be published on Monday, with Ana, and on Tuesday, without her."""
    top = float(data.monday.max())
    window = float(data.published[-1])
    one = 1.0  # where the two steps are compared: one person above Monday's true count
    step = [float(day[data.published == one][0]) for day in (data.tuesday, data.monday)]
    panel = Panel(
        Axis(-window, window, "published count minus Monday's true count (people)"),
        Axis(0, 1.2 * top, "probability of each number"),
        [
            line(data.published, data.tuesday, "Tuesday, without Ana", step=True, label=""),
            line(
                data.published, data.monday, "Monday, with Ana", colour=marks.VERMILION, dash="7 4", step=True, label=""
            ),
            line(data.fine, data.smooth, "Laplace noise", colour=marks.GREY, dash="2 3", width=1.6, label=""),
            text(-1.6, 1.04 * top, "Tuesday, without Ana", colour=marks.BLUE, anchor="end"),
            text(0.6, 1.04 * top, "Monday, with Ana", colour=marks.VERMILION, anchor="start"),
            text(1.0, 0.5 * top, "dotted: Laplace noise on Monday", colour=marks.GREY, anchor="start"),
            line([one, one], step, colour=marks.INK, width=1.6),
            text(
                one + 0.65,
                float(np.mean(step)),
                f"{step[1] / step[0]:.3g} times as high",
                colour=marks.INK,
                anchor="start",
            ),
        ],
        title=f"What may be published at ε = {data.epsilon:g}",
    )
    ratio = data.monday / data.tuesday
    alt = (
        f"Two hills of steps at ε = {data.epsilon:g}: Monday's peaks at Monday's true count, Tuesday's one person "
        "lower. "
        f"Each number is between {ratio.min():.2f} and {ratio.max():.2f} times as likely on Monday as on Tuesday. A "
        "dotted curve of Laplace noise follows Monday's steps."
    )
    return Still(panel, alt=alt)


def _percent(share: float) -> str:
    return f"{100 * share:,.0f}%" if share >= 1 else f"{100 * share:.3g}%"
