"""The explorers of lesson 14: how long a quarter's budget lasts, and ε from what an attacker may gain."""

from __future__ import annotations

import math

from dpcourse.lessons.lesson_14.numbers import (
    METHODS,
    Chooser,
    Quarter,
    choose,
    quarter,
)
from dpcourse.lessons.lesson_14.pictures import draw_chooser, draw_quarter
from dpcourse.widgets.base import Explorer, choice, epsilon_slider, log_slider, slider, whole_slider


def _describe_quarter(data: Quarter) -> str:
    name, day = data.chosen, data.last_day[data.chosen]
    when = f"is spent on day {day:.0f} of 91" if math.isfinite(day) else "lasts the quarter"
    others = ", ".join(f"{other} {count:,}" for other, count in data.queries.items() if other != name)
    return (
        f"{data.rate:.3g} queries a week of ε = {data.epsilon:.3g} (Laplace noise, one person added or removed): by "
        f"{name} the budget (ε = {data.budget:.3g}, δ = {data.delta:.0e}) admits {data.queries[name]:,} queries and "
        f"{when}. "
        f"Queries admitted by the others: {others}. Adding up and the Rényi filter allow costs chosen on the way; the "
        "plan must be fixed first."
    )


def explore_quarter() -> Explorer:
    """How long does a budget last? Query rate, ε per query and method against the day it runs out."""
    return Explorer(
        "How long does the quarter's budget last?",
        controls={
            "rate": log_slider("queries a week", 0.5, 300, 3),
            "epsilon": epsilon_slider(0.005, 0.5, 0.05),
            "budget": log_slider("budget ε", 0.25, 8, 1),
            "method": choice("method", METHODS),
        },
        compute=quarter,
        draw=draw_quarter,
        describe=_describe_quarter,
    )


def _describe_choice(data: Chooser) -> str:
    return (
        f"An attacker who knows everybody else may gain an advantage of at most {data.advantage:.2g} (right "
        f"{(1 + data.advantage) / 2:.1%} of the time instead of 50%): ε = {data.epsilon:.3g}, δ = {data.delta:.1g} "
        f"(a hundredth of 1/n), one person added or removed. {data.counts} counts over {data.n:,.0f} people, with "
        f"Laplace noise, are each published to within ±{data.error:.2g} percentage points 95% of the time."
    )


def explore_choice() -> Explorer:
    """ε from an attacker's advantage: what does it cost, for a small office and for a large one?"""
    return Explorer(
        "What may an attacker gain, and what does that cost?",
        controls={
            "advantage": slider("advantage, at most", 0.02, 0.98, 0.24, step=0.02),
            "n": log_slider("people", 100, 1e7, 1e4),
            "counts": whole_slider("counts published", 1, 200, 20),
        },
        compute=choose,
        draw=draw_chooser,
        describe=_describe_choice,
    )
