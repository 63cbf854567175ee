"""Pictures of capstone 2: one release, and what a unit costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcourse.datasets.suppliers import LARGEST_RATE
from dpcourse.lessons.capstone_2.design import BINS, SUPPLIERS
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREY, SKY, VERMILION, course_style, epsilon_axis


@dataclass(frozen=True)
class Release:
    """Lots by their defects, `counts` and `noisy` of shape (21,), and the best quarter's limit read off `noisy`."""

    counts: np.ndarray
    noisy: np.ndarray
    quartile: int
    epsilon: float


def draw_release(data: Release, *, into: Picture | None = None) -> Picture:
    """True counts as bars, the release as marks, the best quarter's limit as a line."""
    picture, places = into, np.arange(BINS)
    if picture is None:
        with course_style():
            picture = Picture(700, 340)
            axes = picture.subplots()
            picture.parts["bars"] = axes.bar(places, data.counts, color=SKY, label="lots (nobody sees these)")
            (picture.parts["marks"],) = axes.plot(
                [], [], color=VERMILION, marker="x", markersize=8, linestyle="none", label="published"
            )
            picture.parts["line"] = axes.axvline(0, color=BLACK, linestyle="--", linewidth=1.4)
            picture.parts["said"] = axes.text(
                0, 1, " best quarter of lots", transform=axes.get_xaxis_transform(), va="top"
            )
            axes.grid(False, axis="x")
            axes.set_xticks(places, [*map(str, places[:-2]), "", "20+"])
            axes.set_xlabel("defects in a lot of 500 parts")
            axes.set_ylabel("lots")
            picture.parts["title"] = axes.set_title(" ")
            axes.legend(loc="upper right")
    for bar, count in zip(picture.parts["bars"], data.counts, strict=True):
        bar.set_height(count)
    picture.parts["marks"].set_data(places, data.noisy)
    picture.parts["line"].set_xdata([data.quartile + 0.5] * 2)
    picture.parts["said"].set_position((data.quartile + 0.5, 1))
    picture.axes[0].set_ylim(min(0, data.noisy.min()) - 5, 1.12 * max(data.counts.max(), data.noisy.max()))
    worst = int(np.abs(data.noisy - data.counts).max())
    title = f"{data.counts.sum()} lots at ε = {data.epsilon:g} a lot: no count is off by more than {worst}"
    picture.parts["title"].set_text(title)
    picture.alt = (
        f"Bars: lots by their defects, {data.counts.sum()} in all, most of them ({data.counts.max()}) with "
        f"{int(data.counts.argmax())}. Crosses: the published counts, off by {worst} at most. A quarter of the lots "
        f"have {data.quartile} defects or less."
    )
    return picture


@dataclass(frozen=True)
class Units:
    """Mean error of the industry's rate in points, by ε: for the unit supplier and the unit lot."""

    epsilons: np.ndarray
    lots: np.ndarray
    spread: float

    @property
    def suppliers(self) -> np.ndarray:
        """The mean size of Laplace noise on a mean of 15 rates capped at 5%."""
        return 100 * LARGEST_RATE / SUPPLIERS / self.epsilons


def draw_units(data: Units, *, into: Picture | None = None) -> Picture:
    """Two lines over ε, and how much suppliers differ."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(660, 380)
            axes = picture.subplots()
            for name, colour, marker, style in (("suppliers", VERMILION, "s", "--"), ("lots", BLUE, "o", "-")):
                unit = f"unit: one {name[:-1]}"
                (picture.parts[name],) = axes.plot([], [], color=colour, marker=marker, linestyle=style, label=unit)
            picture.parts["spread"] = axes.axhline(1, color=GREY, linewidth=1.4, label="how much suppliers differ")
            axes.set_yscale("log")
            epsilon_axis(axes, data.epsilons.min() / 1.15, data.epsilons.max() * 1.15)
            axes.set_ylabel("error of the industry's rate (points)")
            picture.parts["title"] = axes.set_title(" ")
            axes.legend(loc="upper right")
    axes = picture.axes[0]
    picture.parts["suppliers"].set_data(data.epsilons, data.suppliers)
    picture.parts["lots"].set_data(data.epsilons, data.lots)
    picture.parts["spread"].set_ydata([data.spread] * 2)
    axes.set_ylim(min(data.lots.min(), data.suppliers.min()) / 2, 4 * max(data.suppliers.max(), data.spread))
    ratio = float(np.median(data.suppliers / data.lots))
    picture.parts["title"].set_text(f"Hiding a supplier costs about {ratio:.0f} times the error of hiding a lot")
    first, last = data.epsilons[0], data.epsilons[-1]
    picture.alt = (
        f"Error of the rate against ε, both on logarithmic scales. One supplier as the unit: {data.suppliers[0]:.2g} "
        f"points at ε = {first:g}, {data.suppliers[-1]:.2g} at ε = {last:g}. One lot: {data.lots[0]:.2g} and "
        f"{data.lots[-1]:.2g}. Suppliers differ by {data.spread:.2g} points."
    )
    return picture
