"""Pictures of capstone 7: how many people it takes, and how large the ridge has to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREY, VERMILION, course_style

_LINES = (
    ("popularity", GREY, "", "-"),
    ("item-item, no noise", BLACK, "", ":"),
    ("item-item, ε = 3", BLUE, "o", "-"),
    ("item-item, ε = 1", VERMILION, "s", "--"),
)


@dataclass(frozen=True)
class People:
    """Hit rates by the number of people in a shop, a column for each way, and where ε = 3 and 1 pass popularity."""

    people: np.ndarray
    rates: np.ndarray
    crossings: tuple[float, float]


def draw_people(data: People, *, into: Picture | None = None) -> Picture:
    """A line for each way over the number of people, and rings where the private ones pass popularity."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(700, 380)
            axes = picture.subplots()
            for name, colour, marker, style in _LINES:
                (picture.parts[name],) = axes.plot([], [], color=colour, marker=marker, linestyle=style, label=name)
            for name, colour, _, _ in _LINES[2:]:
                (picture.parts["at " + name],) = axes.plot(
                    [], [], color=colour, marker="o", markersize=15, markerfacecolor="none", linestyle="none"
                )
            axes.set_xscale("log")
            axes.set_xlabel("people whose phones take part (logarithmic)")
            axes.set_ylabel("hit rate at 10")
            picture.parts["title"] = axes.set_title(" ")
            axes.legend(loc="lower right")
    axes = picture.axes[0]
    for (name, *_), rates in zip(_LINES, data.rates.T, strict=True):
        picture.parts[name].set_data(data.people, rates)
    for (name, *_), place in zip(_LINES[2:], data.crossings, strict=True):
        at = np.interp(np.log(place), np.log(data.people), data.rates[:, 0])
        picture.parts["at " + name].set_data([place], [at])
    axes.set_xlim(data.people[0] / 1.1, data.people[-1] * 1.1)
    axes.set_ylim(0, 1.15 * data.rates.max())
    labelled = [n for n in data.people if n != 3000]  # it would touch its neighbour
    axes.set_xticks(labelled, [f"{n:,}" for n in labelled])
    axes.minorticks_off()
    three, one = (f"{round(place, -2):,.0f}" for place in data.crossings)
    picture.parts["title"].set_text(f"Below about {three} people (ε = 3) or {one} (ε = 1) popularity wins")
    ends = "; ".join(
        f"{name} from {rates[0]:.2g} to {rates[-1]:.2g}" for (name, *_), rates in zip(_LINES, data.rates.T, strict=True)
    )
    picture.alt = (
        f"Hit rate over the number of people, {data.people[0]:,} to {data.people[-1]:,}: {ends}. The private models "
        f"pass popularity at about {three} people for ε = 3 and {one} for ε = 1."
    )
    return picture


@dataclass(frozen=True)
class Ridges:
    """Hit rates over the ridge, in units of the noise's largest eigenvalue, by ε; and popularity's."""

    ratios: np.ndarray
    rates: Mapping[float, np.ndarray]
    popularity: float


def draw_ridges(data: Ridges, *, into: Picture | None = None) -> Picture:
    """A line for each ε over the ridge, the noise's largest eigenvalue, and popularity."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(700, 360)
            axes = picture.subplots()
            for epsilon, (_, colour, marker, style) in zip(data.rates, _LINES[2:], strict=True):
                label = f"item-item, ε = {epsilon:g}"
                (picture.parts[f"{epsilon:g}"],) = axes.plot(
                    [], [], color=colour, marker=marker, linestyle=style, label=label
                )
            picture.parts["popularity"] = axes.axhline(0, color=GREY, label="popularity")
            picture.parts["radius"] = axes.axvline(1, color=BLACK, linestyle="--", linewidth=1.2)
            axes.text(1, 0.04, " the noise's largest eigenvalue", transform=axes.get_xaxis_transform())
            axes.set_xscale("log")
            axes.set_xlabel("ridge, in units of the noise's largest eigenvalue (logarithmic)")
            axes.set_ylabel("hit rate at 10")
            picture.parts["title"] = axes.set_title(" ")
            axes.legend(loc="center right")
    axes = picture.axes[0]
    for epsilon, rates in data.rates.items():
        picture.parts[f"{epsilon:g}"].set_data(data.ratios, rates)
    picture.parts["popularity"].set_ydata([data.popularity] * 2)
    axes.set_xlim(data.ratios[0] / 1.1, data.ratios[-1] * 1.1)
    axes.set_ylim(0, 1.2 * max(data.popularity, *(rates.max() for rates in data.rates.values())))
    axes.set_xticks(data.ratios, [f"{ratio:g}" for ratio in data.ratios])
    axes.minorticks_off()
    picture.parts["title"].set_text("The ridge has to be a few times the noise, and then it hardly matters")
    best = "; ".join(
        f"ε = {epsilon:g}: {rates[0]:.2g} at {data.ratios[0]:g}, at most {rates.max():.2g} at "
        f"{data.ratios[rates.argmax()]:g}"
        for epsilon, rates in data.rates.items()
    )
    picture.alt = (
        f"Hit rate over the ridge in units of the noise's largest eigenvalue. {best}. Popularity reaches "
        f"{data.popularity:.2g}."
    )
    return picture
