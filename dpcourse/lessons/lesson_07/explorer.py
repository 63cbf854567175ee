"""The explorer of lesson 07: which local protocol has the least error for k answers and ε."""

from __future__ import annotations

import math

from dpcourse.lessons.lesson_07.numbers import Protocols, protocols
from dpcourse.lessons.lesson_07.pictures import draw_protocols
from dpcourse.widgets.base import Explorer, epsilon_slider, log_slider

_PEOPLE = 45_222  # a published constant; only the readout uses it


def _describe(numbers: Protocols) -> str:
    best = min(numbers.here, key=lambda name: numbers.here[name])
    people = math.sqrt(_PEOPLE)
    errors = ", ".join(f"{name} {people * value:,.3g}" for name, value in numbers.here.items())
    side = "below" if numbers.k < 3 * math.exp(numbers.epsilon) + 2 else "at or above"
    return (
        f"With {numbers.k:,} possible answers and ε = {numbers.epsilon:.3g} a report (replacing one person's answer) "
        f"the standard error of a rare answer's count among {_PEOPLE:,} people is, in people: {errors}. Best: {best}. "
        f"k is {side} 3e^ε + 2 = {3 * math.exp(numbers.epsilon) + 2:,.3g}."
    )


def explore_protocols() -> Explorer:
    """Move ε and the number of answers, and see which local protocol has the least error."""
    return Explorer(
        "Which local protocol for k answers?",
        controls={
            "epsilon": epsilon_slider(0.1, 6.0, 1.0),
            "k": log_slider("answers k", 2, 1000, 16),
        },
        compute=protocols,
        draw=draw_protocols,
        describe=_describe,
    )
