"""Exercise 08.4: a Poisson batch."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import TWICE, Diagnosis
from dpcourse.checks.once import between, fresh, whole
from dpcourse.checks.scores import Asked, score_of, where_off
from dpcourse.checks.vocabulary import Shared

RUNS = 1000  # at a rate of 0.03, an example is in no batch of so many with probability 6e-14


def poisson_batch(answer: Answer, chance: Chance) -> Diagnosis | None:
    n, q = int(chance.rng.integers(60, 120)), float(chance.rng.uniform(0.15, 0.4))
    failure = chance.failure / 16
    return _judged(answer, n, q, chance.rng, failure) or _few(answer, chance.rng, failure)


def _judged(answer: Answer, n: int, q: float, rng: Generator, failure: float) -> Diagnosis | None:
    """A thousand batches: their sizes, and who is in which."""
    drawn = np.zeros((RUNS, n), dtype=bool)
    for row in drawn:
        batch = np.asarray(answer(n, q, rng=rng))
        wrong = _not_indices(batch, n)
        if wrong:
            return wrong
        row[batch.astype(int)] = True
    return _judge_sizes(drawn, q, failure) or _judge_coins(drawn, q, failure)


def batches_everywhere(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Two batches for each of many n and q: their sizes, who is in both, and from which half or places they come.

    Given the sizes, all of these are hypergeometric. And a thousand batches, smaller shares of more examples than
    those of `poisson_batch`.
    """
    answer.renew()
    rng, asked = chance.rng, []
    for _ in range(80):
        n, q = whole(rng, 1, 100_000), between(rng, 0.001, 0.9)
        one, other = (np.asarray(answer(n, q, rng=fresh(rng))) for _ in range(2))
        wrong = _not_indices(one, n) or _not_indices(other, n)
        if wrong:
            return wrong.led_by(f"For n = {n:,} and q = {q:.3g}: ")
        size, most = one.size, stats.binom(n, q)
        seen = (
            (most, size),
            (most, other.size),
            (stats.hypergeom(n, size, other.size), np.intersect1d(one, other).size),
            (stats.hypergeom(n, n // 2, size), (one < n // 2).sum()),
            (stats.hypergeom(n, n // 2, other.size), (other % 2 == 1).sum()),
        )
        asked.append(Asked({"n": n, "q": q}, np.array([score_of(law, int(count), rng) for law, count in seen])))
    where, _ = where_off(asked, chance.failure / 2)
    if not where:
        return _judged(answer, whole(rng, 130, 1000), between(rng, 0.03, 0.15), rng, chance.failure / 16)
    return Shared.NOT_EVERYWHERE.seen(
        f"{where}, your batches are not what coins give. We looked at the sizes of two batches, at who is in both, and "
        "at which places are taken.",
        "One coin for each example: for which n and q does yours do something else?",
    )


def listens(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The same generator gives the same batch. This comes last: an answer that remembers differs too."""
    n, q, seed = 200, float(chance.rng.uniform(0.3, 0.5)), int(chance.rng.integers(2**32))
    if len({np.sort(answer(n, q, rng=np.random.default_rng(seed))).tobytes() for _ in range(3)}) == 1:
        return None
    return TWICE


def _not_indices(batch: np.ndarray, n: int) -> Diagnosis | None:
    if batch.dtype == bool:
        return Diagnosis(
            "mask-for-places", "That is a mask. The places are wanted.", "np.flatnonzero(mask) gives them."
        )
    if batch.ndim != 1 or (batch.size and batch.dtype.kind not in "iu"):
        return Diagnosis("wrong-type", "An array of whole numbers, the places in the batch, is wanted.")
    if batch.size and (batch.min() < 0 or batch.max() >= n):
        place = batch.min() if batch.min() < 0 else batch.max()
        return Diagnosis(
            "outside",
            f"Place {place} is in a batch, and places run from 0 to n − 1 = {n - 1}.",
            "Do you count from 0, and are there n of them?",
        )
    if len(np.unique(batch)) < len(batch):
        return Diagnosis(
            "with-replacement",
            "An example is in one batch more than once. It counts each time, so the sensitivity is 2C or more.",
            "Toss one coin for each example; do not draw with replacement.",
        )
    return None


def _judge_sizes(drawn: np.ndarray, q: float, failure: float) -> Diagnosis | None:
    (runs, n), sizes = drawn.shape, drawn.sum(axis=1)
    rate = sizes.mean() / n
    if sizes.min() == sizes.max():
        if runs > 1 and sizes[0] < n and (drawn == drawn[0]).all():
            return Diagnosis(
                "fixed-seed",
                f"All {runs:,} batches are the same: whoever is in one is in all of them.",
                "Are the coins tossed anew in every call, with the `rng` you are given?",
            )
        return Diagnosis(
            "fixed-size",
            f"All {runs:,} batches have {sizes[0]} examples. The amplification that the accountant counts, under "
            "adding or removing an example, is that of independent coins: their number varies.",
            "One coin with probability q for each example.",
        )
    total = stats.binomtest(int(sizes.sum()), runs * n, q).pvalue
    # An independent coin each: sizes are binomial, with variance nq(1 − q). Their fourth moment gives the tolerance.
    spread, variance = sizes.var(), n * rate * (1 - rate)
    tolerance = stats.norm.isf(failure / 2) * variance * math.sqrt((2 + 1 / max(variance, 1.0)) / runs)
    if spread > variance + 1.5 * tolerance:
        return Diagnosis(
            "one-coin-for-several",
            f"The batches' sizes vary too much (deviation {math.sqrt(spread):.3g}, for coins "
            f"{math.sqrt(variance):.3g}): examples come and go together.",
            "A coin for each example, not one for several.",
        )
    if spread < variance - 1.5 * tolerance:
        return Diagnosis(
            "nearly-fixed-size",
            f"The batches' sizes hardly vary (deviation {math.sqrt(spread):.3g}, for coins {math.sqrt(variance):.3g}).",
            "One coin with probability q for each example.",
        )
    if total < failure:
        if stats.binomtest(int(sizes.sum()), runs * n, 1 - q).pvalue > failure:
            return Diagnosis(
                "wrong-rate",
                f"An example is in a batch {rate:.1%} of the time. That is 1 − q: you keep those who should be left "
                f"out, and right is q = {q:.1%}.",
                "What is the probability of `rng.random() < q`?",
            )
        return Diagnosis(
            "wrong-rate",
            f"An example is in a batch {rate:.1%} of the time; right is {q:.1%}.",
            "What is the probability of `rng.random() < q`?",
        )
    return None


def _judge_coins(drawn: np.ndarray, q: float, failure: float) -> Diagnosis | None:
    """Whether all coins are alike, two people's are independent, and a person's coin forgets the last batch."""
    runs, n = drawn.shape
    coins = drawn.astype(float)
    counts, pairs = coins.sum(axis=0), (coins.T @ coins)[np.triu_indices(n, 1)]
    if _unlikely(counts, runs, q, failure):
        return Diagnosis(
            "not-alike",
            "Not every example has the same chance: some are in more batches than coins explain.",
            "Coins that are all alike.",
        )
    if _unlikely(pairs, runs, q * q, failure):
        return Diagnosis(
            "tied",
            "Two examples are tied to each other: they are in a batch together more often, or less often, than two "
            "coins would be.",
            "Independent coins: a draw of its own for each example.",
        )
    # Shuffling and dealing out: whoever was in this batch is not in the next, and all are dealt equally often.
    again = (coins[:-1] * coins[1:]).sum()
    deviation = math.sqrt((runs - 1) * n * q * q * ((1 - q * q) + 2 * q * (1 - q)))
    even = (counts - runs * q).var() / (runs * q * (1 - q))
    if abs(again - (runs - 1) * n * q * q) > stats.norm.isf(failure / 2) * deviation or (
        even * n < stats.chi2.ppf(failure, n - 1)
    ):
        return Diagnosis(
            "remembers",
            "One batch depends on the one before: whoever was in it comes back less often, or more often, than by a "
            "new coin. Shuffled people who are dealt out batch by batch look like this, and the accountant's number "
            "does not hold for them.",
            "New coins for everybody in every call, whatever happened before.",
        )
    return None


def _few(answer: Answer, rng: Generator, failure: float) -> Diagnosis | None:
    """Few people: the sizes' own distribution shows, and that a batch may be empty or hold everybody.

    Four people and a small q, because there a rounded normal number is furthest from a count of coins.
    """
    runs = 3000
    for n, q in ((6, float(rng.uniform(0.3, 0.5))), (4, float(rng.uniform(0.08, 0.13)))):
        sizes = np.bincount([len(np.asarray(answer(n, q, rng=rng))) for _ in range(runs)], minlength=n + 1)
        shares = stats.binom.pmf(np.arange(n + 1), n, q)
        for size in range(n + 1):
            if stats.binomtest(int(sizes[size]), runs, shares[size]).pvalue < failure / 2 / (n + 1):
                return Diagnosis(
                    "wrong-sizes",
                    f"Of {n} examples, batches hold {size} in {sizes[size] / runs:.1%} of the runs; coins with "
                    f"q = {q:.2f} do so in {shares[size]:.1%}.",
                    "A coin for each example, and whatever comes out is the batch: an empty one too."
                    if not sizes[0]
                    else "How do you decide how many are in a batch? Toss a coin for each example instead.",
                )
    return None


def _unlikely(counts: np.ndarray, runs: int, probability: float, failure: float) -> bool:
    """Whether the smallest or the largest of these counts contradicts this probability (exact, Bonferroni)."""
    ends = (counts.min(), counts.max())
    return min(stats.binomtest(int(c), runs, probability).pvalue for c in ends) < failure / len(counts)
