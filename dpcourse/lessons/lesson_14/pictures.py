"""Pictures of lesson 14: a budget over a quarter, floats that can and cannot come out, what an advantage costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dpcourse.lessons.lesson_14.deployments import PATTERNS, draw_deployments
from dpcourse.lessons.lesson_14.numbers import DAYS, Chooser, Quarter
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREEN, GREY, VERMILION, adjust, course_style, log_axis, series

__all__ = [
    "DAYS",
    "PATTERNS",
    "Chooser",
    "Combs",
    "Quarter",
    "Timeline",
    "draw_chooser",
    "draw_combs",
    "draw_deployments",
    "draw_quarter",
    "draw_timeline",
]


def draw_quarter(data: Quarter, *, into: Picture | None = None) -> Picture:
    """Total ε against the day of the quarter, one line a method, up to the budget."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(660, 420)
            axes, parts = picture.subplots(), picture.parts
            parts["budget"] = axes.axhline(1, color=BLACK, linewidth=1.4)
            for i, name in enumerate(data.totals):
                (parts[name],) = axes.plot([0], [0], label=name, markevery=13, **series(i))
                (parts[name, "end"],) = axes.plot(
                    [0], [0], linestyle="none", marker="X", markersize=11, color=series(i)["color"]
                )
            axes.set_xlim(0, DAYS)
            axes.set_xlabel("day of the quarter")
            axes.set_ylabel("more private ↓        total ε of everything so far")
            axes.yaxis.set_label_coords(-0.1, 0.5)  # room for wider numbers, which come with other limits
            axes.legend(loc="lower right")
            parts["title"] = axes.set_title(" ")
    parts, axes = picture.parts, picture.axes[0]
    for name, total in data.totals.items():
        parts[name].set_data(data.days, np.minimum(total, 10 * data.budget))
        parts[name].set_linewidth(3.2 if name == data.chosen else 1.6)
        last = data.last_day[name]
        parts[name, "end"].set_data([last] if np.isfinite(last) else [], [data.budget] if np.isfinite(last) else [])
    parts["budget"].set_ydata([data.budget] * 2)
    adjust(axes, ylim=(0, 1.35 * data.budget))
    parts["title"].set_text(f"{data.rate:.3g} queries a week of ε = {data.epsilon:.3g}; the budget is the black line")
    ends = "; ".join(
        f"{name} admits {data.queries[name]:,} queries and " + _runs_out(data.last_day[name]) for name in data.totals
    )
    picture.alt = (
        f"Total ε over 91 days at {data.rate:.3g} queries a week of ε = {data.epsilon:.3g}, budget ε = "
        f"{data.budget:.3g} "
        f"at δ = {data.delta:.0e}: {ends}. A cross marks where each line meets the budget."
    )
    return picture


def _runs_out(day: float) -> str:
    return f"refuses on day {day:.0f}" if np.isfinite(day) else "lasts the quarter"


@dataclass(frozen=True)
class Timeline:
    """What a ledger's file holds: the total after each entry, and who spent. `refused` holds what was asked between two
    entries and not admitted, as (place, total it would have made), and `why` says why."""

    numbers: np.ndarray
    totals: np.ndarray
    analysts: Sequence[str]
    budget: float
    refused: Sequence[tuple[float, float]] = ()
    why: str = "refused"


def draw_timeline(data: Timeline, *, into: Picture | None = None) -> Picture:
    """Total ε after each entry of a ledger, a marker an entry, one kind of marker an analyst."""
    picture = into
    names = sorted(set(data.analysts))
    if picture is None:
        with course_style():
            picture = Picture(660, 340)
            axes, parts = picture.subplots(), picture.parts
            parts["budget"] = axes.axhline(1, color=BLACK, linewidth=1.4)
            (parts["steps"],) = axes.step([0], [0], where="post", color=GREY, linewidth=1.2, zorder=1)
            for i, name in enumerate(names):
                (parts[name],) = axes.plot([0], [0], label=name, **series(i, line=False))
            if data.refused:
                (parts["refused"],) = axes.plot(
                    [0], [0], linestyle="none", marker="x", markersize=9, markeredgewidth=2, color=BLACK, label=data.why
                )
            axes.set_xlabel("entry of the ledger, in the order of the file")
            axes.set_ylabel("total ε so far")
            axes.legend(loc="lower right", title="who spent")
            axes.set_title("Every admitted spend, once; the black line is the common budget")
    axes, parts = picture.axes[0], picture.parts
    parts["budget"].set_ydata([data.budget] * 2)
    parts["steps"].set_data(np.concatenate([[0], data.numbers]), np.concatenate([[0], data.totals]))
    who = np.array(data.analysts)
    for name in names:
        parts[name].set_data(data.numbers[who == name], data.totals[who == name])
    if data.refused:
        parts["refused"].set_data(*zip(*data.refused, strict=True))
    axes.set(xlim=(0, len(data.numbers) + 1), ylim=(0, 1.15 * data.budget))
    shares = ", ".join(f"{name} {np.sum(who == name)}" for name in names)
    picture.alt = (
        f"The total ε climbs over {len(data.numbers)} entries ({shares}) to {data.totals[-1]:.3g}, and never crosses "
        f"the budget of {data.budget:.3g}."
    )
    if data.refused:
        picture.alt += f" Crosses: {len(data.refused)} requests, {data.why}."
    return picture


@dataclass(frozen=True)
class Combs:
    """Consecutive floats, and for each source whether it can produce them."""

    floats: np.ndarray
    reached: Mapping[str, np.ndarray]  # name -> bool of the shape of `floats`


def draw_combs(data: Combs, *, into: Picture | None = None) -> Picture:
    """One row a source: a tick where this float can come out of it."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(760, 300)
            axes = picture.subplots()
            axes.grid(False)
            colours = [BLUE, VERMILION, GREEN]
            for row, name in enumerate(data.reached):
                lines = axes.vlines([0], 0, 1, color=colours[row % 3], linewidth=2.2)
                picture.parts[name] = lines
            count = len(data.reached)
            axes.set_yticks([count - 1 - row for row in range(count)], labels=list(data.reached))
            axes.set_ylim(-0.6, count - 0.4)
            axes.set_title("Which of these neighbouring floats can come out?")
    axes = picture.axes[0]
    places = np.arange(data.floats.size)
    count = len(data.reached)
    for row, (name, can) in enumerate(data.reached.items()):
        y = count - 1 - row
        picture.parts[name].set_segments([[(x, y - 0.36), (x, y + 0.36)] for x in places[can]])
    axes.set_xlim(-1, data.floats.size)
    gap = data.floats[1] - data.floats[0]
    axes.set_xlabel(f"{data.floats.size} consecutive floats from {data.floats[0]:.6f} on, {gap:.2g} apart")
    both = np.sum(np.all(list(data.reached.values())[:2], axis=0))
    shares = "; ".join(f"{name}: {np.sum(can)}" for name, can in data.reached.items())
    picture.alt = (
        f"Of {data.floats.size} consecutive floats, as many can come out: {shares}; of the first two together: {both}."
    )
    return picture


def draw_chooser(data: Chooser, *, into: Picture | None = None) -> Picture:
    """Error of a published share (percentage points) against the largest advantage of any attacker."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(680, 430)
            axes, parts = picture.subplots(), picture.parts
            for i, name in enumerate(data.curves):
                (parts[i],) = axes.plot([0], [1], label=name, **series(i, marker=False))
            (parts["here"],) = axes.plot([0], [1], marker="o", markersize=10, color=BLACK, linestyle="none", zorder=5)
            axes.set_xlim(0, 1)
            axes.set_xlabel("← more private        attacker's advantage, at most")
            log_axis(axes, 1e-5, 100, which="y", label="95% error of a share (percentage points, log scale)")
            axes.minorticks_off()
            parts["legend"] = axes.legend(loc="lower left", title="people in the table", ncols=2)
            parts["title"] = axes.set_title(" ")
    parts = picture.parts
    for i, (name, curve) in enumerate(data.curves.items()):
        parts[i].set_data(data.advantages, curve)
        parts["legend"].get_texts()[i].set_text(name)
    parts["here"].set_data([data.advantage], [data.error])
    parts["title"].set_text(f"ε = {data.epsilon:.3g}, δ = {data.delta:.1g} for {data.counts} counts together")
    curves = "; ".join(f"{name} {curve[0]:.2g} falling to {curve[-1]:.2g}" for name, curve in data.curves.items())
    picture.alt = (
        f"95% error of a share against the attacker's advantage, from {data.advantages[0]:.2g} to "
        f"{data.advantages[-1]:.2g}: {curves}. The black dot: advantage {data.advantage:.2g}, {data.n:,.0f} people, "
        f"error "
        f"{data.error:.2g} percentage points."
    )
    return picture
