"""Pictures of lesson 00: one noisy count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcourse.lessons.lesson_00.numbers import WINDOW, NoisyCount
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel, area, line, rule
from dpcourse.plots.picture import Picture
from dpcourse.plots.still import Still
from dpcourse.plots.style import BLACK, GREY, course_style, series


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


@dataclass(frozen=True)
class CountBySize:
    """The same noise against counts of growing size: shares of the true count, one row an ε."""

    epsilons: tuple[float, ...]
    counts: np.ndarray
    relative_half_widths: np.ndarray


def draw_relative_error(data: CountBySize, *, into: Picture | None = None) -> Picture:
    """The half-width of the 95% interval as a share of the true count, by the count's size.

    Parameters
    ----------
    data : CountBySize
        `relative_half_widths` has shape (ε, counts) and no unit: 0.1 is 10% of the true count.
    into : Picture, optional
        A picture this function made for as many ε.
    """
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes = picture.subplots()
            for i, epsilon in enumerate(data.epsilons):
                (picture.parts[f"line {i}"],) = axes.plot([1], [1], label=f"ε = {epsilon:g}", **series(i))
            axes.axhline(0.05, color=GREY, linewidth=1.2)
            axes.annotate("5% off", (data.counts[0], 0.05), xytext=(2, 4), textcoords="offset points", color=BLACK)
            axes.set(xscale="log", yscale="log", xlim=(data.counts[0], data.counts[-1]), ylim=(5e-5, 50))
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
            axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g}%")
            axes.set_xlabel("true count (people, log scale)")
            axes.set_ylabel("95% interval, ± share of the count")
            axes.set_title("The same noise hides in a large count and drowns a small one")
            axes.legend(loc="upper right")
    for i in range(len(data.epsilons)):
        picture.parts[f"line {i}"].set_data(data.counts, data.relative_half_widths[i])
    first, last = data.relative_half_widths[:, 0], data.relative_half_widths[:, -1]
    picture.alt = "Half-width of the 95% interval as a share of the true count, log-log: " + "; ".join(
        f"at ε = {epsilon:g} it falls from {_percent(a)} of {data.counts[0]:,.0f} people to {_percent(b)} of "
        f"{data.counts[-1]:,.0f}"
        for epsilon, a, b in zip(data.epsilons, first, last, strict=True)
    )
    return picture


def _percent(share: float) -> str:
    return f"{100 * share:,.0f}%" if share >= 1 else f"{100 * share:.3g}%"
