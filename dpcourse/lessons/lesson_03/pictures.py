"""Pictures of lesson 03: noise of two widths, clipping against noise, a table with its intervals."""

from __future__ import annotations

import numpy as np

from dpcourse.lessons.lesson_03.numbers import MeanError, Spread, Widths
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREY, VERMILION, course_style, thousands

_PAPER = {"facecolor": "white", "linewidth": 0, "pad": 1.5}


def draw_widths(data: Widths) -> Picture:
    """One panel a scale: what is published with the person and without, each hill as high as the panel."""
    reach = 3.2 * data.sensitivity
    with course_style():
        picture = Picture(720, 240 * len(data.scales))
        panels = picture.subplots(len(data.scales), 1, sharex=True, squeeze=False)[:, 0]
        for axes, scale, x, here, there in zip(
            panels, data.scales, data.x, data.without, data.with_person, strict=True
        ):
            axes.plot(x, here, color=BLUE)
            axes.plot(x, there, color=VERMILION, linestyle="--")
            axes.text(-0.12 * data.sensitivity, 1.02, "without Ana", color=BLUE, ha="right", va="top")
            axes.text(1.12 * data.sensitivity, 1.02, "with Ana", color=VERMILION, va="top")
            axes.set(xlim=(-reach, reach + data.sensitivity), ylim=(0, 1.08), yticks=[])
            axes.set_title(f"Laplace noise of scale {scale:,.0f}")
        thousands(panels[-1].xaxis)
        panels[-1].set_xlabel("published total, in dollars above the true total without Ana")
    picture.alt = (
        f"Hills of Laplace noise around two totals that are {data.sensitivity:,.0f} dollars apart, without Ana and "
        "with her. " + " ".join(_at_scale(data.sensitivity, scale) for scale in data.scales)
    )
    return picture


def _at_scale(sensitivity: float, scale: float) -> str:
    if sensitivity > 20 * scale:
        return f"At scale {scale:,.0f} they are two needles far apart."
    ratio = np.exp(sensitivity / scale)
    return f"At scale {scale:,.0f} they overlap, and neither is more than {ratio:.3g} times as high as the other."


def draw_spread(data: Spread) -> Picture:
    """One row a bound: each dot is one release; the arrow is the bias."""
    rows = np.arange(len(data.bounds))
    shift = (np.arange(data.published.shape[1]) * 0.618 % 1 - 0.5) * 0.34  # apart, and the same every time
    edge = 3.8 * data.noise.max()
    with course_style():
        picture = Picture(760, 400)
        axes = picture.subplots()
        axes.axvline(data.truth, color=BLACK, linewidth=1.4)
        axes.text(data.truth, -0.62, f"  true mean {dollars(data.truth)}", va="center")
        for row, centre, noise, total in zip(rows, data.clipped, data.noise, data.total, strict=True):
            axes.plot(data.published[row], row + shift, ".", color=BLUE, alpha=0.45, markersize=5)
            bias = data.truth - centre
            if bias > 0.02 * edge:
                arrow = {"arrowstyle": "->", "color": VERMILION, "linewidth": 1.8, "shrinkA": 0, "shrinkB": 0}
                axes.annotate("", (centre, row + 0.3), (data.truth, row + 0.3), arrowprops=arrow)
            words = f"bias {dollars(bias)}, noise {dollars(noise)}: typically {dollars(total)} off"
            axes.text(data.truth + 0.05 * edge, row + 0.3, words, va="center", bbox=_PAPER)
        axes.set_yticks(rows, [f"U = {dollars(bound)}" for bound in data.bounds])
        axes.set(xlim=(data.truth - edge, data.truth + 1.15 * edge), ylim=(len(rows) - 0.45, -0.85))
        axes.grid(visible=False, axis="y")
        thousands(axes.xaxis)
        axes.set_xlabel(f"published mean, in dollars; {data.published.shape[1]} releases for each bound, one dot each")
        axes.set_title("A low bound misses to one side, a high one to both")
    picture.alt = (
        f"Releases of the mean of {data.people:,} people at ε = {data.epsilon:g} (δ = 0, replacing one of them); the "
        f"true mean is {dollars(data.truth)}. "
        + " ".join(
            f"With the bound {dollars(bound)} they lie around {dollars(centre)}, with a standard deviation of "
            f"{dollars(noise)}: typically {dollars(total)} off."
            for bound, centre, noise, total in zip(data.bounds, data.clipped, data.noise, data.total, strict=True)
        )
    )
    return picture


def dollars(amount: float) -> str:
    """An amount in words of at most a few digits.

    Examples
    --------
    >>> dollars(5664.2), dollars(56.64), dollars(0.003), dollars(3e-14)
    ('$5,664', '$56.6', 'less than a cent', '$0')
    """
    if amount < 0.005:
        return "$0" if amount < 1e-9 else "less than a cent"
    return f"${amount:,.0f}" if amount >= 100 else f"${amount:.3g}"


def _round(value: float, up: bool) -> float:
    """The next of 1, 2, 5, 10, 20, … above or below, for the ends of a logarithmic axis."""
    decade = 10.0 ** np.floor(np.log10(value))
    steps = decade * np.array([1, 2, 5, 10])
    return float(steps[steps >= value].min() if up else steps[steps <= value].max())


def clipping_marks(data: MeanError) -> Panel:
    """Bias, noise and both together against the bound, which can be dragged."""
    best = int(np.argmin(data.total))
    here, least = float(np.interp(data.bound, data.bounds, data.total)), float(data.total[best])
    bottom, top = _round(0.4 * least, up=False), _round(float(data.total.max()), up=True)
    middle = int(np.argmin(np.abs(np.log(data.bounds / 1000))))
    return Panel(
        Axis(
            data.bounds[0], data.bounds[-1], "upper bound; gains above it count as it (log scale)", log=True, unit="$"
        ),
        Axis(bottom, top, "error of the mean (log scale)", log=True, unit="$"),
        [
            marks.line(data.bounds, data.total, "both together", colour=marks.GREY, width=7, label=""),
            marks.line(data.bounds, data.bias, "bias of clipping", label="bias", label_at="start", shift=(0, 14)),
            marks.line(data.bounds, data.noise, "noise", colour=marks.VERMILION, dash="7 4"),
            marks.text(
                data.bounds[middle], float(data.total[middle]), "both together", colour=marks.GREY, shift=(0, -16)
            ),
            marks.rule(x=data.bound, name="your bound", colour=marks.INK, width=1),
            marks.points(data.bounds[best], least, "best bound", colour=marks.GREEN, shape="s", size=7, hollow=True),
            marks.points(data.bound, here, "your bound", colour=marks.INK, size=6, drag=("bound", "x")),
            marks.text(data.bound, here, dollars(here), shift=(8, -20)),
            marks.text(float(data.bounds[best]), least, "best", colour=marks.GREEN, shift=(12, -22)),
        ],
    )


def draw_table(
    categories: tuple[str, ...], released: np.ndarray, half_width: float, truth: np.ndarray, title: str
) -> Picture:
    """Released counts with intervals, category by category; counts have shape (categories,)."""
    rows, wide = np.arange(len(categories)), half_width
    with course_style():
        picture = Picture(720, 480)
        axes = picture.subplots()
        axes.axvline(0, color=GREY, linewidth=1)
        axes.hlines(rows, released - wide, released + wide, color=BLUE, linewidth=5, alpha=0.35)
        axes.plot(released, rows, "o", color=BLUE)
        axes.plot(truth, rows, "x", color=VERMILION, markersize=8, markeredgewidth=2)
        legend = ("● published, with its interval", BLUE), ("× true count, which readers do not see", VERMILION)
        for down, (words, colour) in enumerate(legend):  # beside the first two categories, which are small
            axes.text(0.98, 0.96 - 0.06 * down, words, color=colour, ha="right", va="center", transform=axes.transAxes)
        axes.set_yticks(rows, categories)
        axes.invert_yaxis()
        axes.set_xlim(min(released.min() - 1.5 * wide, -wide), max(released.max(), truth.max()) + 1.5 * wide)
        thousands(axes.xaxis)
        axes.set_xlabel("people")
        axes.set_title(title)
    outside = int((np.abs(released - truth) > wide).sum())
    picture.alt = (
        f"{len(categories)} published counts, each with an interval of ±{wide:.3g} people, and the "
        f"true counts: {outside or 'none'} of them lies outside its interval. "
        + ", ".join(f"{name} {value:,.0f}" for name, value in zip(categories, released, strict=True))
        + "."
    )
    return picture
