"""Pictures of capstone 4: what the opened sum tells, and what noise on chip counts costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcourse.lessons.capstone_4.numbers import Known
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREY, VERMILION, course_style


@dataclass(frozen=True)
class Knowledge:
    """What the opened sum tells, by the number of centres that collude."""

    known: Sequence[Known]


def draw_knowledge(data: Knowledge, *, into: Picture | None = None) -> Picture:
    """A bar for each number of colluders: the share of the others' catches that is certain."""
    picture, places = into, np.arange(len(data.known))
    shares = [100 * one.catches for one in data.known]
    if picture is None:
        with course_style():
            picture = Picture(640, 340)
            axes = picture.subplots()
            picture.parts["bars"] = axes.bar(places, shares, color=VERMILION, width=0.6)
            picture.parts["said"] = [axes.text(float(place), 0, "", ha="center", va="bottom") for place in places]
            names = ["nobody:\nthe server alone", "one centre", "two centres", "three centres"]
            axes.set_xticks(places, names[: len(places)])
            axes.grid(False, axis="x")
            axes.set_xlabel("who looks at the opened sum, and takes off its own cells")
            axes.set_ylabel("catches of each other centre\nknown for certain (%)")
            axes.set_ylim(0, 112)
            picture.parts["title"] = axes.set_title(" ")
    for bar, text, share, place in zip(picture.parts["bars"], picture.parts["said"], shares, places, strict=True):
        bar.set_height(share)
        text.set_position((place, share + 1))
        text.set_text(f"{share:.0f}%")
    picture.parts["title"].set_text("Opened at the end: three centres know the fourth one's matrix")
    picture.alt = (
        "Bars: the share of each other centre's confirmed catches that the opened sum gives away. "
        + "; ".join(f"{one.colluders} colluding: {share:.0f}%" for one, share in zip(data.known, shares, strict=True))
    )
    return picture


@dataclass(frozen=True)
class Coverage:
    """True coverage in several worlds by ε, shape (epsilons, worlds), and of four ways without ε, shape (worlds,)."""

    epsilons: np.ndarray
    private: np.ndarray
    pooled: np.ndarray
    uncounted: np.ndarray
    alone: np.ndarray


_LINES = (("pooled", "pooled, exact counts", BLACK, ":"), ("uncounted", "pooled, no counts", GREY, "--"))


def draw_coverage(data: Coverage, *, into: Picture | None = None) -> Picture:
    """A line over ε, its worlds as dots, and level lines for what needs no ε."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(680, 380)
            axes = picture.subplots()
            for name, label, colour, style in (*_LINES, ("alone", "one centre alone", VERMILION, "-.")):
                picture.parts[name] = axes.axhline(0, color=colour, linestyle=style, label=label)
            (picture.parts["private"],) = axes.plot([], [], color=BLUE, marker="o", label="pooled, noisy counts")
            (picture.parts["worlds"],) = axes.plot([], [], color=BLUE, marker=".", linestyle="none", alpha=0.5)
            axes.set_xscale("log")
            axes.set_xlabel("ε of one failing chip (logarithmic)")
            axes.set_ylabel("failing chips caught")
            picture.parts["title"] = axes.set_title(" ")
            axes.legend(loc="lower right")
    axes, means = picture.axes[0], data.private.mean(axis=1)
    for name in ("pooled", "uncounted", "alone"):
        picture.parts[name].set_ydata([getattr(data, name).mean()] * 2)
    picture.parts["private"].set_data(data.epsilons, means)
    picture.parts["worlds"].set_data(np.repeat(data.epsilons, data.private.shape[1]), data.private.ravel())
    axes.set_xlim(data.epsilons.min() / 1.4, data.epsilons.max() * 1.4)
    low = min(data.private.min(), data.alone.mean(), data.uncounted.mean())
    axes.set_ylim(low - 0.1, 1)  # room for the legend
    axes.set_xticks(data.epsilons, [f"{epsilon:g}" for epsilon in data.epsilons])
    axes.minorticks_off()
    best = int(np.argmax(data.epsilons))
    lost = 100 * float(data.pooled.mean() - means[best])
    title = f"At ε = {data.epsilons[best]:g} the noise costs {max(lost, 0):.1f} points of coverage"
    picture.parts["title"].set_text(title)
    picture.alt = (
        f"Share of failing chips caught against ε, from {data.epsilons.min():g} to {data.epsilons.max():g}: "
        + ", ".join(f"{mean:.3f} at {epsilon:g}" for epsilon, mean in zip(data.epsilons, means, strict=True))
        + f". Exact counts {data.pooled.mean():.3f}, no counts {data.uncounted.mean():.3f}, one centre alone "
        f"{data.alone.mean():.3f}."
    )
    return picture
