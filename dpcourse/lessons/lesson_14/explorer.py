"""The explorers of lesson 14: how long a quarter's budget lasts, and ε from what an attacker may gain."""

from __future__ import annotations

import math

from dpcourse.lessons.lesson_14.numbers import METHODS, Chooser, Quarter, choose, quarter
from dpcourse.lessons.lesson_14.pictures import chooser_marks, quarter_marks
from dpcourse.plots.words import number, one_in, plural
from dpcourse.widgets.base import Explorer, choice, epsilon_slider, log_slider, slider, whole_slider


def _describe_quarter(data: Quarter) -> str:
    name, day = data.chosen, data.last_day[data.chosen]
    when = f"and is spent on day {math.ceil(day)} of 91" if math.isfinite(day) else "and lasts the quarter"
    if not data.queries[name]:
        when = "and refuses the first"
    others = ", ".join(f"{other} {count:,}" for other, count in data.queries.items() if other != name)
    return (
        f"{number(data.rate)} queries a week of ε = {number(data.epsilon)} (Laplace noise, one person added or "
        f"removed): by {name} the budget (ε = {number(data.budget)}, δ = {one_in(data.delta)}) admits "
        f"{plural(data.queries[name], 'query')} {when}. Queries admitted by the others: {others}. Adding up and the "
        "Rényi filter allow costs chosen on the way; the plan must be fixed first."
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
        marks=quarter_marks,
        describe=_describe_quarter,
        site={"rate": 10, "epsilon": 7, "budget": 6},
        answer=(
            "For a few queries adding up is as good as anything. With many small ones the Rényi filter admits more, "
            "and a plan priced as a whole more still, but then nobody may change it on the way. Half the ε a query "
            "buys twice the queries by adding up, and up to four times as many by the other two."
        ),
    )


def _describe_choice(data: Chooser) -> str:
    counts, are = plural(data.counts, "count"), "is" if data.counts == 1 else "are each"
    return (
        f"An attacker who knows everybody else may gain an advantage of at most {number(data.advantage)} (right "
        f"{number((1 + data.advantage) / 2, '%')} of the time instead of 50%): ε = {number(data.epsilon)}, δ = "
        f"{one_in(data.delta)} (a hundredth of 1/n), one person added or removed. {counts} over "
        f"{number(data.n)} people, with Laplace noise, {are} published to within ±{number(data.error, digits=2)} "
        "percentage points 95% of the time."
    )


def explore_choice() -> Explorer:
    """ε from an attacker's advantage: what does it cost, for a small office and for a large one?"""
    return Explorer(
        "What may an attacker gain, and what does that cost?",
        controls={
            "advantage": slider("advantage, at most", 0.02, 0.98, 0.24, step=0.02),
            "n": log_slider("people", 100, 10_000_000, 10_000, whole=True),
            "counts": whole_slider("counts published", 1, 200, 20),
        },
        compute=choose,
        marks=chooser_marks,
        describe=_describe_choice,
        site={"advantage": 13, "n": 13, "counts": 8},
        answer=(
            "The same advantage costs a small office far more error than a large one: ten times the people, a tenth "
            "of the error. Publishing more counts shares one ε among them. In a table of a few hundred people twenty "
            "counts at a small advantage are not worth publishing."
        ),
    )
