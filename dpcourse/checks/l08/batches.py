"""Exercises 08.4 and 08.5: Poisson batches, and what a training run costs."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Trial, Wrong
from dpcourse.checks.cases import Equals, Mistake

# 08.4 A Poisson batch


def poisson_batch(answer: Answer, trial: Trial) -> Wrong | None:
    n, q = int(trial.rng.integers(60, 120)), float(trial.rng.uniform(0.15, 0.4))
    runs, counts, sizes, together = 1000, np.zeros(n, dtype=int), [], 0
    for _ in range(runs):
        batch = np.asarray(answer(n, q, rng=trial.rng))
        wrong = _not_indices(batch, n)
        if wrong:
            return wrong
        counts[batch] += 1
        sizes.append(len(batch))
        together += bool(np.isin([0, 1], batch).all())
    return _judge_batches(counts, np.array(sizes), together, runs, q, trial.failure / 4)


def _not_indices(batch: np.ndarray, n: int) -> Wrong | None:
    if batch.dtype == bool:
        return Wrong("That is a mask. The places are wanted.", "np.flatnonzero(mask) gives them.", "mask-for-places")
    if batch.ndim != 1 or (batch.size and batch.dtype.kind not in "iu"):
        return Wrong("An array of whole numbers, the places in the batch, is wanted.", "", "wrong-type")
    if batch.size and (batch.min() < 0 or batch.max() >= n):
        return Wrong(f"Places run from 0 to n − 1 = {n - 1}.", "Is it off by one?", "outside")
    if len(np.unique(batch)) < len(batch):
        return Wrong(
            "An example is twice in one batch: it then counts twice, and the sensitivity is 2C.",
            "Toss one coin for each example; do not draw with replacement.",
            "with-replacement",
        )
    return None


def _judge_batches(
    counts: np.ndarray, sizes: np.ndarray, together: int, runs: int, q: float, failure: float
) -> Wrong | None:
    n, rate = len(counts), sizes.mean() / len(counts)
    if sizes.min() == sizes.max():
        return Wrong(
            f"All {runs:,} batches have {sizes[0]} examples. The amplification that the accountant counts, under "
            "adding or removing an example, is that of independent coins: their number varies.",
            "One coin with probability q for each example.",
            "fixed-size",
        )
    total = stats.binomtest(int(sizes.sum()), runs * n, q).pvalue
    # An independent coin each: sizes are binomial, with variance nq(1 − q). Their fourth moment gives the tolerance.
    spread, variance = sizes.var(), n * rate * (1 - rate)
    tolerance = stats.norm.isf(failure / 2) * variance * math.sqrt((2 + 1 / max(variance, 1.0)) / runs)
    if spread > variance + 1.5 * tolerance:
        return Wrong(
            f"The batches' sizes vary too much (deviation {math.sqrt(spread):.3g}, for coins "
            f"{math.sqrt(variance):.3g}): examples come and go together.",
            "A coin for each example, not one for several.",
            "one-coin-for-several",
        )
    if spread < variance - 1.5 * tolerance:
        return Wrong(
            f"The batches' sizes hardly vary (deviation {math.sqrt(spread):.3g}, for coins {math.sqrt(variance):.3g}).",
            "One coin with probability q for each example.",
            "nearly-fixed-size",
        )
    if total < failure:
        return Wrong(
            f"An example is in a batch {sizes.mean() / n:.1%} of the time; right is {q:.1%}.",
            "What is the probability of `rng.random() < q`?",
            "wrong-rate",
        )
    worst = min(stats.binomtest(int(c), runs, q).pvalue for c in (counts.min(), counts.max()))
    if worst < failure / n or stats.binomtest(together, runs, q * q).pvalue < failure:
        return Wrong(
            "Not every example has the same chance, or two of them are tied to each other.",
            "Independent coins, all alike.",
            "not-alike",
        )
    return None


# 08.5 What a training run costs


def _runs(rng: Generator) -> tuple[float, int, int, int, float, float]:
    batch = int(rng.choice([64, 128, 250]))
    n, epochs = batch * int(rng.integers(30, 120)), int(rng.integers(2, 9))
    return float(rng.uniform(1.5, 4)), batch, n, epochs, float(rng.uniform(0.9, 2.2)), float(rng.choice([1e-5, 1e-6]))


def _priced(rate: float, steps: int, sigma: float, delta: float) -> float:
    from dpcourse.accounting import PrivacyLoss

    loss = PrivacyLoss.gaussian(sigma)
    return (loss if rate == 1 else loss.poisson_subsampled(rate)).self_compose(steps).epsilon(delta)


COST = (
    Equals(
        _runs,
        lambda C, batch, n, epochs, sigma, delta: _priced(batch / n, epochs * n // batch, sigma, delta),
        mistakes=(
            Mistake(
                lambda C, batch, n, epochs, sigma, delta: _priced(batch / n, epochs * n // batch, sigma / C, delta),
                Wrong(
                    "Your ε depends on C. The noise multiplier is already in units of C: noise σC hides a change of C, "
                    "whatever C is.",
                    "The mechanism has sensitivity 1 and noise σ, or sensitivity C and noise σC: not a mixture.",
                    "clip-in-epsilon",
                ),
            ),
            Mistake(
                lambda C, batch, n, epochs, sigma, delta: _priced(batch / n, epochs * n // batch, sigma * C, delta),
                Wrong(
                    "Your ε depends on C. The noise multiplier is already in units of C: noise σC hides a change of C, "
                    "whatever C is.",
                    "The mechanism has sensitivity 1 and noise σ, or sensitivity C and noise σC: not a mixture.",
                    "clip-in-epsilon",
                ),
            ),
            Mistake(
                lambda C, batch, n, epochs, sigma, delta: _priced(batch / n, epochs, sigma, delta),
                Wrong(
                    "You compose once an epoch. Every batch is a release.",
                    "An epoch has n / batch size of them.",
                    "epochs-for-steps",
                ),
            ),
            Mistake(
                lambda C, batch, n, epochs, sigma, delta: _priced(1.0, epochs * n // batch, sigma, delta),
                Wrong(
                    "You count every step as if everybody were in every batch. That is a bound, but a loose one.",
                    "With which probability is an example in a batch? PoissonSubsampled takes it.",
                    "no-amplification",
                ),
            ),
            Mistake(
                lambda C, batch, n, epochs, sigma, delta: _priced(batch / n, n // batch, sigma, delta),
                Wrong("That is the cost of one epoch.", "Where do the epochs come in?", "one-epoch"),
            ),
            Mistake(
                lambda C, batch, n, epochs, sigma, delta: (
                    batch / n * math.sqrt(2 * epochs * n / batch * math.log(1 / delta)) / sigma
                ),
                Wrong(
                    "q√(2T ln(1/δ))/σ is a rule of thumb and no bound; the ε that holds is larger.",
                    "Let an accountant compose the steps.",
                    "formula-not-a-bound",
                ),
            ),
        ),
        rtol=0.02,
        times=3,
    ),
)
