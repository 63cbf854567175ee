"""Exercise 03.4 on new datasets of all sizes; and what its looks share: the two parts, and what is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.linked import SAME
from dpcourse.checks.links import Draws, repeated
from dpcourse.checks.noise_laws import geometric, laplace
from dpcourse.checks.once import LOOKS, ask, ask_often
from dpcourse.checks.placing import Question, crowded, misplaced
from dpcourse.checks.plain import only_numbers
from dpcourse.checks.release import Release
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.lesson_03.exercises.records import bounds, call_at, reach


def two(output: Any) -> tuple[float, float]:
    total, count = only_numbers(output)
    return float(total), float(count)


def total_of(values: np.ndarray, low: float, high: float) -> float:
    return float((np.clip(values, low, high) - (low + high) / 2).sum())


def crowd(rng: Generator) -> tuple[np.ndarray, float, float]:
    """A hundred records or more, most of them in the upper half of the bounds, some beyond."""
    low, high = bounds(rng, "far from zero")
    return rng.uniform((low + high) / 2, 2 * high - low, int(rng.integers(100, 200))), low, high


def shared(when: str) -> Diagnosis:
    return Shared.LINKED_NOISE.seen(
        f"{when} total and count share their noise. Boris subtracts one from the other, in the right units, and the "
        "noise is gone.",
        "How many draws does your function make there? Is that so at every ε?",
    )


def _any_bounds(rng: Generator) -> tuple[np.ndarray, float, float]:
    """Some records between any bounds, shares or incomes, some of them beyond; now and then all are whole numbers."""
    kind = str(rng.choice(["from zero", "negative", "both signs", "far from zero"]))
    by = 10 ** rng.uniform(-3, 3) if rng.random() < 0.5 else 1.0
    low, high = (float(by * bound) for bound in bounds(rng, kind))
    over = reach(rng) * (high - low)
    values = rng.uniform(low - over, high + over, 100)
    return (values, low, high) if rng.random() < 0.6 or high - low < 2 else (np.rint(values), round(low), round(high))


_PARTS = Release(
    data=(crowd,),
    anew=_any_bounds,
    truth=lambda values, low, high: (total_of(values, low, high), len(values)),
    sensitivity=lambda values, low, high: high - low,  # of the total, twice, as it has half of ε; of the count it is 2
    nobody=(np.zeros(0), 0.0, 1.0),
    call=lambda answer, arguments, epsilon, rng: two(call_at(answer, arguments, epsilon, rng)),
)


def once(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Both parts asked about new datasets of all sizes, as every release is, and whether one tells about the other.

    Two independent errors are as good as equal with probability 1e-9: three times in 400 calls with 1e-20.
    """
    answer.renew()
    asked, each, places = list(ask(_PARTS, answer, chance.rng)), Chance(chance.rng, 0.45 * chance.failure), []
    for part, laws, words in _EACH:
        wrong, its = misplaced(_of_part(asked, part), laws, each)
        if wrong:
            return wrong.led_by(words)
        places.append(its)
    sizes = (np.abs([one.errors[0] / one.scale for one in _of_part(asked, part)]) for part in (0, 1))
    if int((np.abs(np.subtract(*sizes)) < SAME).sum()) >= 3 or repeated(list(map(Draws.of_places, places)), 1e-9):
        return shared("In some calls")
    each = Chance(chance.rng, 0.05 * chance.failure / LOOKS)
    for asked in ask_often(_PARTS, answer, chance.rng):
        for part, laws, words in _EACH:
            found = crowded(_of_part(asked, part), laws, each)
            if found:
                return found.led_by(words)
    return None


_EACH = ((0, (laplace,), "The total. "), (1, (laplace, geometric), "The count. "))


def _of_part(asked: Sequence[Question], part: int) -> list[Question]:
    return [
        replace(one, results=one.results[[part]], errors=one.errors[[part]], scale=(one.scale, 2 / one.epsilon)[part])
        for one in asked
    ]
