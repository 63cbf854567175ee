"""Capstone 3.3: hundreds of reports, many times, show coins that hang together and sides that are certain."""

from __future__ import annotations

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.lessons.capstone_3.exercises.places import certain_place
from dpcourse.lessons.capstone_3.exercises.sides import linked_coins, same_side
from dpcourse.lessons.capstone_3.exercises.tools import decades, people
from dpcourse.lessons.capstone_3.exercises.vectors import asked_of


def crowds(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Some hundred rows of few numbers, eighty times: how many are on their side varies, and no side is certain.

    Of rows of length 1 at a small ε the coin that is wrong at times decides, and of short rows at a large ε the coin
    that rounds them.
    """
    rng, failure, told = chance.rng, chance.failure / 3, []
    for kind, times, (least, most) in (("unit", 50, (0.1, 0.6)), ("short", 30, (3.0, 6.0))):
        calls = [
            asked_of(answer, rng, kind, people(rng, 400, 440), people(rng, 2, 4), decades(rng, least, most))
            for _ in range(times)
        ]
        if wrong := linked_coins(calls, failure):
            return wrong
        told += [(one.cosine > 0, same_side(one.lengths, one.epsilon)) for one in calls]
        place = certain_place(told, failure / 2)
        if place is not None:
            seen = f"In {len(told)} calls the report at index {place} is on its row's side (u·g > 0) too often."
            return Diagnosis("no-noise", seen, "Does every device throw its coins, wherever it stands?")
    return None
