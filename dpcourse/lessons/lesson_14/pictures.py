"""Pictures of lesson 14: a budget over a quarter, floats that can and cannot come out, what an advantage costs."""

from __future__ import annotations

from collections.abc import Mapping

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
