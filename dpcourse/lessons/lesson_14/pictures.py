"""Pictures of lesson 14: a budget over a quarter, floats that can and cannot come out, what an advantage costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dpcourse.lessons.lesson_14.numbers import DAYS, Chooser, Quarter
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.still import Still
from dpcourse.plots.words import number


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


def draw_timeline(
    numbers: np.ndarray,
    totals: np.ndarray,
    analysts: Sequence[str],
    budget: float,
    refused: Sequence[tuple[float, float]] = (),
    why: str = "refused",
) -> Still:
    """What a ledger's file holds: the total ε after each entry, one kind of marker an analyst. `refused` is what was
    asked between two entries and not admitted, as (place, total it would have made), and `why` says why."""
    who, last = np.array(analysts), len(numbers) + 1
    names = sorted(set(analysts))
    stairs = np.repeat(totals, 2)
    panel = Panel(
        Axis(0, last, "entry of the ledger, in the order of the file"),
        Axis(0, 1.15 * budget, "total ε so far"),
        [
            marks.rule(y=budget, name="common budget", colour=marks.INK, dash="", label_at="inside"),
            marks.line([0, *np.repeat(numbers, 2), last], [0, 0, *stairs], colour=marks.GREY, width=1.2),
            *(
                marks.points(numbers[who == name], totals[who == name], name, colour=i, shape=marks.SHAPES[i])
                for i, name in enumerate(names)
            ),
            marks.points(
                [at for at, _ in refused], [total for _, total in refused], why, colour=marks.INK, shape="x", size=6
            ),
            *(
                marks.text(
                    numbers[who == name][-1], totals[who == name][-1], name, colour=i, anchor="start", shift=(4, 12)
                )
                for i, name in enumerate(names)
            ),
            *(marks.text(*refused[-1], why, anchor="end", shift=(-4, -8)) for _ in refused[:1]),
        ],
        title="Every admitted spend, once",
    )
    shares = ", ".join(f"{name} {np.sum(who == name)}" for name in names)
    alt = (
        f"The total ε climbs over {len(numbers)} entries ({shares}) to {totals[-1]:.3g}, and never crosses the budget "
        f"of {budget:.3g}."
    )
    return Still(panel, alt=alt + (f" Crosses: {len(refused)} requests, {why}." if refused else ""), height=340)


def draw_combs(floats: np.ndarray, reached: Mapping[str, np.ndarray]) -> Still:
    """Consecutive floats, and a row a source: a tick where this float can come out of it (`reached`: a bool each)."""
    places, gap = np.arange(floats.size), floats[1] - floats[0]
    panel = Panel(
        Axis(
            -1,
            floats.size,
            f"{floats.size} consecutive floats from {floats[0]:.6f} on, {number(gap, digits=2)} apart",
            ticks=(),
        ),
        marks.rows(list(reached)),
        [
            marks.spans(places[can], -i - 0.36, places[can], -i + 0.36, colour=i, width=2.4)
            for i, can in enumerate(reached.values())
        ],
        title="Which of these neighbouring floats can come out?",
    )
    both = np.sum(np.all(list(reached.values())[:2], axis=0))
    shares = "; ".join(f"{name}: {np.sum(can)}" for name, can in reached.items())
    alt = f"Of {floats.size} consecutive floats, as many can come out: {shares}; of the first two together: {both}."
    return Still(panel, alt=alt, width=720, height=270)


def chooser_marks(data: Chooser) -> Panel:
    """Error of a published share (percentage points) against the largest advantage of any attacker."""
    drawn = []
    for i, (name, curve) in enumerate(data.curves.items()):
        yours = i == len(data.curves) - 1
        colour, dash, width = (marks.VERMILION, "", 3.2) if yours else (marks.BLUE, marks.DASHES[i], 1.6)
        drawn.append(
            marks.line(
                data.advantages, curve, name if yours else f"{name} people", colour=colour, dash=dash, width=width
            )
        )
    return Panel(
        Axis(0, 1, "← more private\u2003\u2003attacker's advantage, at most"),
        Axis(1e-5, 100, "95% error of a share (percentage points, log scale)", log=True),
        [*drawn, marks.points(data.advantage, data.error, "yours", colour=marks.INK, size=6, drag=("advantage", "x"))],
    )
