"""Capstone 8.1: two reports of one reading, of other days, homes or calls, agree as often as by chance."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.lessons.capstone_8.design import BUCKETS, CAP
from dpcourse.lessons.capstone_8.exercises.averages import truth_probability
from dpcourse.lessons.capstone_8.exercises.buckets import bucket, reported


def possible(k: int, n: int, p: float, failure: float) -> bool:
    return stats.binom.cdf(k, n, p) > failure and stats.binom.sf(k - 1, n, p) > failure


def possible_together(told: int, draws: Sequence[tuple[int, float]], failure: float) -> bool:
    """The same of independent draws, so many with each chance; what lies beyond twelve deviations is left out."""
    law, least = np.ones(1), 0
    for n, p in draws:
        reach = 12 * math.sqrt(n * p * (1 - p)) + 1
        counts = np.arange(max(math.floor(n * p - reach), 0), min(math.ceil(n * p + reach), n) + 1)
        law, least = np.convolve(law, stats.binom.pmf(counts, n, p)), least + int(counts[0])
    at = told - least
    return bool(law[: max(at + 1, 0)].sum() > failure and law[max(at, 0) :].sum() > failure)


def _pairs(answer: Answer, chance: Chance) -> tuple[float, list[tuple[str, np.ndarray, np.ndarray, str]], float]:
    """ε, pairs of reports of the same reading, and how often two would agree by the answer's own frequencies."""
    epsilon = float(chance.rng.uniform(0.2, 1.5))
    homes = np.repeat(chance.rng.permutation(np.repeat(CAP / BUCKETS * (np.arange(BUCKETS) + 0.5), 15)), 2)
    readings = np.repeat(homes[:, None], 2 * int(chance.rng.integers(8, 16)), axis=1)
    one, other = (reported(answer, readings, epsilon, chance.rng) for _ in range(2))
    pairs = [
        ("remembered", one[:, ::2], one[:, 1::2], "of one home on two days with the same reading"),
        ("shared-noise", one[::2], one[1::2], "of two homes with the same reading, in neighbouring rows, on one day"),
        ("state", one, other, "of one home and day in two calls, each with a generator of its own,"),
    ]
    away = np.bincount(((np.stack([one, other]) - bucket(readings)) % BUCKETS).ravel(), minlength=BUCKETS)
    return epsilon, pairs, float(((away / away.sum()) ** 2).sum())


def _alike(key: str, share: float, right: float, what: str, epsilon: float) -> Diagnosis:
    ask = {
        "remembered": "Every day needs a draw of its own. Which draw do the two days share?",
        "shared-noise": "Every home needs a draw of its own. Which draw do the two homes share?",
        "state": "Each call is given an `rng` of its own. Where do your draws come from?",
    }[key]
    seen = f"At ε = {epsilon:.2g}, two reports {what} agree in {share:.0%} of cases; {right:.0%} is right."
    return Diagnosis(key, seen, ask)


def apart(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Reports of the same reading agree about as often as the answer's own frequencies say."""
    epsilon, pairs, own = _pairs(answer, chance)
    right = truth_probability(epsilon) ** 2 + (1 - truth_probability(epsilon)) ** 2 / (BUCKETS - 1)
    key, first, second, what = max(pairs, key=lambda pair: float((pair[1] == pair[2]).mean()))
    share = float((first == second).mean())
    return _alike(key, share, right, what, epsilon) if share > own + 0.25 else None


def independent(answer: Answer, chance: Chance) -> Diagnosis | None:
    """They agree just as often as independent ones do: exact tests, once the law is known to be right."""
    epsilon, pairs, _ = _pairs(answer, chance)
    right = truth_probability(epsilon) ** 2 + (1 - truth_probability(epsilon)) ** 2 / (BUCKETS - 1)
    for key, first, second, what in pairs:
        if not possible(int((first == second).sum()), first.size, right, chance.failure / 6):
            return _alike(key, float((first == second).mean()), right, what, epsilon)
    return None
