"""Capstones 8.1 and 8.3: a reading or a few, a day on which all are alike, a home that knows one bucket: each is drawn.

Calls of any size and with readings of all kinds hold few of these.
"""

from __future__ import annotations

import functools

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.few import counted, of_few
from dpcourse.checks.once import whole
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.capstone_8.design import BUCKETS, CAP
from dpcourse.lessons.capstone_8.exercises.averages import truth_probability
from dpcourse.lessons.capstone_8.exercises.buckets import bucket, codes, reported

TRUE = "of the reports are true"
ALIKE = {"0": 0.0, "NaN": np.nan, "below 0": -1.0, "above 24": 30.0}  # what all readings of a call may be


def few_readings(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Of `daily_reports`: one to five readings, of a home or of a day; and tables in which all are alike."""
    rng, level = chance.rng, chance.failure / (1 + len(ALIKE))

    def asked(readings: np.ndarray) -> tuple[np.ndarray, float]:
        epsilon = float(rng.uniform(0.3, 1.5))
        return (reported(answer, readings, epsilon, rng) == bucket(readings)).ravel(), truth_probability(epsilon)

    def of_one(value: float) -> tuple[np.ndarray, float]:
        return asked(np.full((whole(rng, 1, 12), whole(rng, 1, 12)), value))

    def of_some(n: int) -> tuple[np.ndarray, float]:
        return asked(rng.uniform(0, CAP, (n, 1) if rng.random() < 0.5 else (1, n)))

    if wrong := of_few(of_some, level, TRUE, "reading", "readings"):
        return wrong
    for name, value in ALIKE.items():
        wrong = counted(
            functools.partial(of_one, value),
            level,
            f"Where all readings are {name}",
            TRUE,
            "A home that uses nothing has a secret, too. When does your function not draw?",
        )
        if wrong:
            return wrong
    return _at_small_epsilon(answer, rng)


def _at_small_epsilon(answer: Answer, rng: np.random.Generator) -> Diagnosis | None:
    """At two ε below 0.05 and with the same generator, not all reports are the same.

    Their laws hardly differ there, so frequencies of many times as many would not show it. A right report differs with
    probability 0.0016 at least, so all of 12,000 agree once in 10^8 checks.
    """
    for _ in range(12):
        readings, epsilon, seed = rng.uniform(0, CAP, (20, 50)), float(rng.uniform(0.005, 0.0125)), rng.integers(2**63)
        low, high = (reported(answer, readings, e, np.random.default_rng(seed)) for e in (epsilon, 4 * epsilon))
        if not np.array_equal(low, high):
            return None
    return Shared.EPSILON_IGNORED.seen(
        f"Of 1,000 readings your reports at ε = {epsilon:.2g} and at {4 * epsilon:.2g} are the same, one by one, with "
        "generators of the same seed; that came 12 times in a row."
    )


def few_buckets(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Of `memoised`: homes that know each bucket alone, or one to five of them; the first report of each is counted."""
    rng, level = chance.rng, chance.failure / (1 + BUCKETS)

    def asked(known: np.ndarray) -> tuple[np.ndarray, float]:
        epsilon, days = float(rng.uniform(0.3, 1.5)), whole(rng, len(known), 800)
        visited = rng.permutation(np.concatenate([known, rng.choice(known, days - len(known))]))
        kinds, first = np.unique(visited, return_index=True)
        sent = codes(answer(visited, epsilon, rng), visited.shape)
        return sent[first] == kinds, truth_probability(epsilon)

    def of_some(n: int) -> tuple[np.ndarray, float]:
        return asked(rng.choice(BUCKETS, n, replace=False))

    if wrong := of_few(of_some, level, TRUE, "bucket", "buckets"):
        return wrong
    for one in range(BUCKETS):
        wrong = counted(
            functools.partial(asked, np.array([one])),
            level,
            f"Of a home that is always in bucket {one}",
            TRUE,
            "That a home is always in the same bucket is a fact about it. When does your function not draw?",
        )
        if wrong:
            return wrong
    return None
