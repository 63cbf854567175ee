"""Exercise 13.4: children of a few people, in all or with each parent, and in tables of counts far below one."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.few import of_few
from dpcourse.checks.once import whole
from dpcourse.checks.vocabulary import Shared

_CALLS = 25


def conditional(table: np.ndarray) -> np.ndarray:
    """The shares of children given their parent: a row's positive counts, or all alike where there are none."""
    positive = np.maximum(table, 0).astype(float)
    positive[positive.sum(axis=1) == 0] = 1
    return positive / positive.sum(axis=1, keepdims=True)


def _table(rng: Generator) -> np.ndarray:
    return rng.normal(0.5, 1.0, (whole(rng, 1, 6), whole(rng, 2, 6)))


def _twice(answer: Answer, people: int, rng: Generator) -> tuple[np.ndarray, np.ndarray]:
    """Whether each of so many people gets the same child in two calls, and with which probability they should."""
    table = 10 * _table(rng)
    parents = rng.integers(len(table), size=people)
    first, second = (np.asarray(answer(parents, table, rng=rng)) for _ in range(2))
    return first == second, (conditional(table) ** 2).sum(axis=1)[parents]


def _asked(answer: Answer, apiece: int, size: float, rng: Generator) -> tuple[np.ndarray, np.ndarray]:
    """Whether each of so many people a parent gets the likeliest child, and with which probability they should."""
    table = size * _table(rng)
    shares, parents = conditional(table), rng.permutation(np.repeat(np.arange(len(table)), apiece))
    likely = shares.argmax(axis=1)[parents]
    return np.asarray(answer(parents, table, rng=rng)) == likely, shares.max(axis=1)[parents]


def few_people(answer: Answer, chance: Chance) -> Diagnosis | None:
    """How many get the likeliest child, against the law of a sum of independent yes and no."""
    questions = [(f"{apiece} people a parent", apiece, 10.0) for apiece in (2, 3, whole(chance.rng, 4, 12))]
    questions += [("one person a parent", 1, 10.0), ("counts of about 0.05", 6, 0.05)]
    for where, apiece, size in questions:
        calls = [_asked(answer, apiece, size, chance.rng) for _ in range(_CALLS)]
        got, likely = (np.concatenate(some) for some in zip(*calls, strict=True))
        law, came = _law_of_sum(likely), int(got.sum())
        if min(law[: came + 1].sum(), law[came:].sum()) < chance.failure / (4 * len(questions)):
            return Shared.NOT_EVERYWHERE.seen(
                f"In {_CALLS} calls with {where}, {came} of {got.size} people get the likeliest child of their parent. "
                f"Right is about {likely.sum():.0f}.",
                "For which tables, or for how many people, do you do something else?",
            )
    return of_few(
        lambda people: _twice(answer, people, chance.rng),
        chance.failure / 2,
        "get the same child of two calls",
    )


def _law_of_sum(chances: np.ndarray) -> np.ndarray:
    law = np.ones(1)
    for one in chances:
        law = np.convolve(law, (1 - one, one))
    return law
