"""Pictures of lesson 03: two neighbours under Laplace noise, clipping against noise, a table with its intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcourse.lessons.lesson_03.numbers import MeanError
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.picture import Picture
from dpcourse.plots.still import Still
from dpcourse.plots.style import BLUE, GREY, VERMILION, adjust, course_style, series, thousands


@dataclass(frozen=True)
class TwoReleases:
    """The densities of a release on two neighbouring datasets, at the same outputs."""

    epsilon: float
    outputs: np.ndarray
    here: np.ndarray
    there: np.ndarray
    unit: str


def draw_two_releases(data: TwoReleases, *, into: Picture | None = None) -> Picture:
    """Densities above, the logarithm of their ratio below; all arrays have shape (outputs,)."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(660, 460)
            top, bottom = picture.subplots(2, 1, sharex=True, height_ratios=(3, 2))
            (picture.parts["here"],) = top.plot([], [], label="with the person", **series(0, marker=False))
            (picture.parts["there"],) = top.plot([], [], label="without", **series(1, marker=False))
            (picture.parts["loss"],) = bottom.plot([], [], color=BLUE)
            for sign in (-1, 1):
                bottom.axhline(sign * data.epsilon, color=GREY, linewidth=1.2, linestyle=":")
            bottom.annotate("+ε", (1, data.epsilon), (4, -4), ("axes fraction", "data"), "offset points")
            bottom.annotate("−ε", (1, -data.epsilon), (4, -4), ("axes fraction", "data"), "offset points")
            top.legend(loc="upper right")
            top.set_ylabel("density")
            top.set_title("At every output the curves differ by a factor e^ε at most")
            bottom.set_xlabel(f"published answer ({data.unit})")
            bottom.set_ylabel("log of the ratio")
            bottom.set_ylim(-1.5 * data.epsilon, 1.5 * data.epsilon)
            top.set_xlim(data.outputs[0], data.outputs[-1])
            top.set_ylim(0, 1.15 * float(data.here.max()))
    loss = np.log(data.here / data.there)
    picture.parts["here"].set_data(data.outputs, data.here)
    picture.parts["there"].set_data(data.outputs, data.there)
    picture.parts["loss"].set_data(data.outputs, loss)
    picture.alt = (
        f"Two Laplace densities, one for each of two neighbouring datasets, and below them the logarithm of their "
        f"ratio: it runs from {loss.min():.3g} to {loss.max():.3g} and never leaves the band of ±ε = ±{data.epsilon:g}."
    )
    return picture


def dollars(amount: float) -> str:
    """An amount in words of at most a few digits.

    Examples
    --------
    >>> dollars(5664.2), dollars(56.64), dollars(3e-14)
    ('$5,664', '$56.6', '$0')
    """
    if amount < 0.005:
        return "$0"
    return f"${amount:,.0f}" if amount >= 100 else f"${amount:.3g}"


def clipping_marks(data: MeanError) -> Panel:
    """Bias, noise and both together against the bound, which can be dragged."""
    best = int(np.argmin(data.total))
    here, least = float(np.interp(data.bound, data.bounds, data.total)), float(data.total[best])
    bottom, top = (10.0 ** f(np.log10(v)) for f, v in ((np.floor, 0.5 * least), (np.ceil, data.total.max())))
    return Panel(
        Axis(
            data.bounds[0], data.bounds[-1], "upper bound; gains above it count as it (log scale)", log=True, unit="$"),
        Axis(float(bottom), float(top), "error of the mean (log scale)", log=True, unit="$"),
        [
            marks.line(data.bounds, data.total, "both together", colour=marks.GREY, width=6, label=""),
            marks.line(data.bounds, data.bias, "bias of clipping", label="bias", label_at="start", shift=(0, -12)),
            marks.line(data.bounds, data.noise, "noise", colour=marks.VERMILION, dash="7 4"),
            marks.rule(x=data.bound, colour=marks.INK, width=1),
            marks.points(data.bounds[best], least, "best bound", colour=marks.GREEN, shape="s", size=7, hollow=True),
            marks.points(data.bound, here, "your bound", colour=marks.INK, size=6, drag=("bound", "x")),
            marks.text(data.bound, here, dollars(here), shift=(4, -14)),
            marks.text(float(data.bounds[best]), float(bottom), "best (peeks at the data)", colour=marks.GREEN,
                       shift=(0, -12)),
        ],
    )  # fmt: skip


def draw_clipping(data: MeanError) -> Still:
    """Bias, noise and total error against the clipping bound."""
    total = data.total
    here, best = float(np.interp(data.bound, data.bounds, total)), int(np.argmin(total))
    alt = (
        f"Error of a private mean of capital gains against the clipping bound, log-log, at ε = {data.epsilon:.3g} and "
        f"{data.people:,} people. The bias falls to {dollars(data.bias[-1])} as the bound rises, the noise grows "
        f"to {dollars(data.noise[-1])}. At the chosen bound of {dollars(data.bound)} the typical error is "
        f"{dollars(here)}; the least is {dollars(total[best])}, at {dollars(data.bounds[best])}."
    )
    return Still(clipping_marks(data), alt=alt)


@dataclass(frozen=True)
class Table:
    """A released histogram with the half-width of its intervals, and the truth that only this lesson may show."""

    categories: tuple[str, ...]
    released: np.ndarray
    half_width: float
    truth: np.ndarray
    title: str


def draw_table(data: Table, *, into: Picture | None = None) -> Picture:
    """Released counts with intervals, category by category; counts have shape (categories,)."""
    picture, rows = into, np.arange(len(data.categories))
    if picture is None:
        with course_style():
            picture = Picture(680, 480)
            axes = picture.subplots()
            picture.parts["bars"] = axes.hlines(rows, 0, 1, color=BLUE, linewidth=5, alpha=0.35)
            (picture.parts["released"],) = axes.plot([], [], "o", color=BLUE, label="published, with its interval")
            (picture.parts["truth"],) = axes.plot([], [], "x", color=VERMILION, markersize=8, label="true count")
            axes.set_yticks(rows, data.categories)
            axes.invert_yaxis()
            axes.axvline(0, color=GREY, linewidth=1)
            thousands(axes.xaxis)
            axes.set_xlabel("people")
            axes.set_title(data.title)
            axes.legend(loc="lower right")
    ends = np.stack([data.released - data.half_width, data.released + data.half_width], axis=1)
    spans = np.stack([ends, np.repeat(rows[:, None], 2, axis=1)], axis=2)
    picture.parts["bars"].set_segments(spans)
    picture.parts["released"].set_data(data.released, rows)
    picture.parts["truth"].set_data(data.truth, rows)
    edge = max(data.released.max(), data.truth.max()) + 1.5 * data.half_width
    adjust(picture.axes[0], xlim=(min(data.released.min() - 1.5 * data.half_width, -data.half_width), edge))
    outside = int((np.abs(data.released - data.truth) > data.half_width).sum())
    picture.alt = (
        f"{len(data.categories)} published counts, each with an interval of ±{data.half_width:.3g} people, and the "
        f"true counts: {outside or 'none'} of them lies outside its interval. "
        + ", ".join(f"{name} {value:,.0f}" for name, value in zip(data.categories, data.released, strict=True))
        + "."
    )
    return picture
