"""Pictures of lesson 00: one noisy count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcourse.lessons.lesson_00.numbers import WINDOW, NoisyCount
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREY, VERMILION, adjust, course_style, series


def draw_count(data: NoisyCount, *, into: Picture | None = None) -> Picture:
    """How far the published count lands from the true one.

    Parameters
    ----------
    data : NoisyCount
        Errors are whole people, shape (2·WINDOW + 1,), with their probabilities.
    into : Picture, optional
        A picture this function made, to draw again.
    """
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes = picture.subplots()
            parts = picture.parts
            parts["band"] = axes.axvspan(-1, 1, color=BLUE, alpha=0.15, linewidth=0)
            (parts["noise"],) = axes.plot([], [], drawstyle="steps-mid", color=BLUE, label="published count")
            axes.axvline(0, color=VERMILION, linestyle="--", linewidth=1.6, label="true count")
            parts["band"].set_label(" ")
            parts["legend"] = axes.legend(loc="upper right")
            axes.set_xlim(-WINDOW, WINDOW)
            axes.set_xlabel("published count minus true count (people)")
            axes.set_ylabel("probability of each error")
            axes.yaxis.set_label_coords(-0.1, 0.5)  # room for wider numbers, which come with other limits
            parts["title"] = axes.set_title(" ")
    peak = float(data.probabilities.max())
    parts = picture.parts
    parts["noise"].set_data(data.errors, data.probabilities)
    parts["band"].set_x(-data.half_width - 0.5)
    parts["band"].set_width(2 * data.half_width + 1)
    adjust(picture.axes[0], ylim=(0, 1.12 * peak))
    share = f"at least {data.level:.0%} of answers"
    parts["legend"].get_texts()[0].set_text(share)
    parts["title"].set_text(f"ε = {data.epsilon:.3g}: {share} within ±{data.half_width} people")
    picture.alt = (
        f"Probability of each error of a noisy count at ε = {data.epsilon:.3g}: a peak of {peak:.2g} at no error, "
        f"falling alike on both sides; a band from {-data.half_width} to {data.half_width} people holds at least "
        f"{data.level:.0%} of the answers."
    )
    return picture


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
