"""The explorer of lesson 07: which local protocol has the least error for k answers and ε."""

from __future__ import annotations

import math

from dpcourse.lessons.lesson_07.numbers import Protocols, protocols
from dpcourse.lessons.lesson_07.pictures import protocol_marks
from dpcourse.plots.words import number
from dpcourse.widgets.base import Explorer, epsilon_slider, log_slider

_PEOPLE = 45_222  # a published constant; only the readout uses it


def _describe(numbers: Protocols) -> str:
    best = min(numbers.here, key=lambda name: numbers.here[name])
    people = math.sqrt(_PEOPLE)
    errors = ", ".join(f"{name} {number(people * value)}" for name, value in numbers.here.items())
    side = "below" if numbers.k < 3 * math.exp(numbers.epsilon) + 2 else "at or above"
    return (
        f"With {numbers.k:,} possible answers and ε = {number(numbers.epsilon)} a report (δ = 0, replacing one "
        f"person's answer), the standard error of a rare answer's count among {_PEOPLE:,} people is, in people: "
        f"{errors}. Best: {best}. k is {side} 3e^ε + 2 = {number(3 * math.exp(numbers.epsilon) + 2)}."
    )


def explore_protocols() -> Explorer:
    """Move ε and the number of answers, and see which local protocol has the least error."""
    return Explorer(
        "Which local protocol is best for k answers?",
        controls={"epsilon": epsilon_slider(0.1, 6.0, 1.0), "k": log_slider("answers k", 2, 1000, 16, whole=True)},
        compute=protocols,
        marks=protocol_marks,
        describe=_describe,
        site={"epsilon": 20, "k": 25},
        answer=(
            "With up to five answers randomized response is best at every ε. With more its error grows, and at a small "
            "ε it explodes, while SUE and OUE do not care how many there are. The dotted line is where randomized "
            "response and OUE change places: at k = 3e^ε + 2."
        ),
    )
