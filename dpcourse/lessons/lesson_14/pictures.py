"""Pictures of lesson 14: a budget over a quarter, floats that can and cannot come out, what an advantage costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dpcourse.lessons.lesson_14.deployments import PATTERNS, draw_deployments
from dpcourse.lessons.lesson_14.numbers import DAYS, Chooser, Quarter
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREEN, GREY, VERMILION, course_style, series

__all__ = [
    "DAYS",
    "PATTERNS",
    "Chooser",
    "Combs",
    "Quarter",
    "Timeline",
    "draw_combs",
    "draw_deployments",
    "draw_timeline",
]


def quarter_marks(data: Quarter) -> Panel:
    """Total ε against the day of the quarter, one line a method, up to the budget."""
    drawn = []
    for i, (name, total) in enumerate(data.totals.items()):
        last, width = data.last_day[name], 3.4 if name == data.chosen else 1.6
        drawn += [
            marks.line(
                data.days, np.minimum(total, 10 * data.budget), name, colour=i, dash=marks.DASHES[i], width=width
            ),
            marks.points(last if np.isfinite(last) else np.nan, data.budget, name, colour=i, shape="x", size=6),
        ]
    return Panel(
        Axis(0, DAYS, "day of the quarter"),
        Axis(0, 1.35 * data.budget, "total ε of everything so far (↓ more private)"),
        [marks.rule(y=data.budget, name="budget", colour=marks.INK, dash="", width=1.4), *drawn],
    )


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


def chooser_marks(data: Chooser) -> Panel:
    """Error of a published share (percentage points) against the largest advantage of any attacker."""
    drawn = []
    for i, (name, curve) in enumerate(data.curves.items()):
        yours = i == len(data.curves) - 1
        colour, dash, width = (marks.VERMILION, "", 3.2) if yours else (marks.BLUE, marks.DASHES[i], 1.6)
        drawn.append(marks.line(data.advantages, curve, name if yours else f"{name} people", colour=colour, dash=dash,
                                width=width))  # fmt: skip
    return Panel(
        Axis(0, 1, "← more private\u2003\u2003attacker's advantage, at most"),
        Axis(1e-5, 100, "95% error of a share (percentage points, log scale)", log=True),
        [
            *drawn,
            marks.points(data.advantage, data.error, "yours", colour=marks.INK, size=6, drag=("advantage", "x")),
        ],
    )
