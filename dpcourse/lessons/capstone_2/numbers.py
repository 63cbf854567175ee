"""The numbers of capstone 2: what the first proposal gives, what naming can reach, what lots give, what a liar does."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpcourse.datasets import simulate_suppliers
from dpcourse.datasets.suppliers import LARGEST_RATE, LOT_SIZE
from dpcourse.federated.secure import DistributedDiscreteLaplace
from dpcourse.lessons.capstone_2.design import BINS, SHARES, SUPPLIERS
from dpcourse.mechanisms.sampling import discrete_laplace

GRID = np.arange(0.9, 1.00001, 0.0005)  # yields the exponential mechanism may name: public
RATE_BINS = (0, 0.005, 0.01, 0.015, 0.02, 1)  # of a supplier's defect rate
WORST = 4  # "in the worst quarter" of 15


@dataclass(frozen=True)
class Row:
    """One release: what it is, its error in words with the unit, and what to compare it with."""

    release: str
    error: float
    unit: str
    beside: str = ""

    def __str__(self) -> str:
        shown = f"{self.error:.0%}" if self.unit == "%" else f"{self.error:#.3g} {self.unit}"
        return f"{self.release:<58} {shown:<14} {self.beside}".rstrip()


def observed(worlds: int, rng=None) -> np.ndarray:
    """Each supplier's observed defect rate in simulated quarters, shape (worlds, suppliers)."""
    rng = np.random.default_rng(rng)
    return np.array([simulate_suppliers(SUPPLIERS, rng=one).observed_rates() for one in rng.spawn(worlds)])


def proposal(worlds: int = 1000, rng=None) -> list[Row]:
    """The first proposal with one supplier as the unit (one may be replaced): mean errors over simulated quarters."""
    rng = np.random.default_rng(rng)
    rates = observed(worlds, rng)
    means = rates.mean(axis=1)
    value = f"the mean itself is {100 * means.mean():.2f}"
    rows = []
    for epsilon, cap in ((0.5, LARGEST_RATE), (0.5, 1.0), (2.0, LARGEST_RATE)):
        noise = rng.laplace(0, cap / SUPPLIERS / epsilon, worlds)
        error = 100 * np.abs(np.minimum(rates, cap).mean(axis=1) + noise - means).mean()
        rows.append(Row(f"mean rate, ε = {epsilon:g}, rates capped at {cap:.0%}", error, "points", value))
    for epsilon in (0.5, 2.0):
        error, guess = _quartile_errors(1 - rates, epsilon)
        rows.append(Row(f"top quartile of the yields, ε = {epsilon:g}", error, "points", f"a blind guess: {guess:.2f}"))
    counts = np.array([np.histogram(row, RATE_BINS)[0] for row in rates])
    error = np.abs(rng.laplace(0, 2.0, counts.shape)).sum(axis=1).mean()
    blind = np.abs(counts - SUPPLIERS / len(counts[0])).sum(axis=1).mean()
    rows.append(
        Row("histogram of 15 in 5 bins, ε = 1", error, "suppliers", f"3 in each bin, without data: {blind:.1f}")
    )
    return rows


def _quartile_errors(yields: np.ndarray, epsilon: float) -> tuple[float, float]:
    """Of the exponential mechanism on the grid, and of a uniform guess, in points. One supplier moves a rank by one."""
    below = (yields[:, :, None] < GRID).sum(axis=1)
    weights = np.exp(-epsilon / 2 * np.abs(below - 0.75 * SUPPLIERS))
    off = np.abs(GRID - np.quantile(yields, 0.75, axis=1)[:, None])
    return 100 * float(np.average(off, axis=1, weights=weights).mean()), 100 * float(off.mean())


def naming_bound(epsilon: float, suppliers: int = SUPPLIERS) -> float:
    """The most often any ε-DP mechanism names the one bad supplier, on average over which one it is: e^ε/n.

    Let all suppliers be alike. Whatever is named then, the n suppliers are named with probabilities that add up to at
    most 1. Replace one of them by a bad one: its own probability grows by a factor of e^ε at most. Averaged over which
    one it is, that is e^ε/n.
    """
    return min(1.0, math.exp(epsilon) / suppliers)


def naming_reached(epsilon: float, suppliers: int = SUPPLIERS) -> float:
    """What randomized response on the name reaches when one supplier is the worst: e^ε/(e^ε + n − 1).

    A supplier replaced may make any other the worst, and a name is reported at most e^ε times as often as before.
    """
    return math.exp(epsilon) / (math.exp(epsilon) + suppliers - 1)


def worst_four(epsilon: float, sensitivity: float) -> float:
    """How often the exponential mechanism names one of the worst four, by the utility −|rank − 3|, ranks from 0."""
    weights = np.exp(-epsilon / (2 * sensitivity) * np.abs(np.arange(SUPPLIERS) - 3))
    return float(weights[:WORST].sum() / weights.sum())


def worst_four_bound(epsilon: float) -> float:
    """The most often any ε-DP mechanism that sees ranks alone names one of the worst four, over who they are.

    One supplier replaced makes way for another among the four, and moves no further name in or out. Let a be the mean
    probability of naming a certain one of the four, and b of naming a certain other: a ≤ e^ε b, and 4a + 11b ≤ 1.
    """
    named = WORST * math.exp(epsilon)
    return named / (named + SUPPLIERS - WORST)


def worst_four_costs(epsilon: float) -> float:
    """The exact ε of that mechanism, set up with sensitivity 1, when one supplier is replaced.

    A supplier that is replaced may go from any rank to any other, and those between move by one. Both the weight of a
    name and the sum of all weights count; the sum runs over the same 15 ranks, so it stays what it is.
    """
    return epsilon / 2 * float(np.ptp(np.abs(np.arange(SUPPLIERS) - 3)))


@dataclass(frozen=True)
class LotErrors:
    """What lots as the unit give, over simulated quarters; errors of the rate in points, those of the cap included."""

    epsilon: float
    rate: np.ndarray
    quartile: np.ndarray
    variation: np.ndarray

    def __str__(self) -> str:
        return (
            f"rate off by {self.rate.mean():.3f} points (95%: {np.quantile(self.rate, 0.95):.3f}); "
            f"quartile exact in {np.mean(self.quartile == 0):.1%}, within one in {np.mean(self.quartile <= 1):.1%}; "
            f"total variation {self.variation.mean():.3f} (95%: {np.quantile(self.variation, 0.95):.3f})"
        )


def lot_errors(epsilon: float, worlds: int = 1000, *, stayed: int = SHARES, rng=None) -> LotErrors:
    """Noise of `stayed` shares, `SHARES` of which are the whole, in one histogram of all lots."""
    rng = np.random.default_rng(rng)
    noise = DistributedDiscreteLaplace(epsilon, 1, SHARES, unit="record")
    whole = discrete_laplace(1 / epsilon, (worlds, BINS), rng=rng)
    for _ in range(stayed - SHARES):
        whole += noise.share(worlds * BINS, rng=rng).reshape(worlds, BINS)
    return _errors(epsilon, whole, rng)


def gaussian_errors(sigma: float, worlds: int = 1000, rng=None) -> LotErrors:
    """The same with normal noise."""
    rng = np.random.default_rng(rng)
    return _errors(math.nan, rng.normal(0, sigma, (worlds, BINS)), rng)


def _errors(epsilon: float, noise: np.ndarray, rng: np.random.Generator) -> LotErrors:
    lots = [simulate_suppliers(SUPPLIERS, rng=one).pooled() for one in rng.spawn(len(noise))]
    counts = np.array([np.bincount(np.minimum(some, BINS - 1), minlength=BINS) for some in lots])
    released = counts + noise
    rate = released @ np.arange(BINS) / (LOT_SIZE * released.sum(axis=1))
    right = np.array([some.mean() / LOT_SIZE for some in lots])  # lots with more than 20 defects as they are
    first = [np.argmax(np.cumsum(c, axis=1) >= c.sum(axis=1, keepdims=True) / 4, axis=1) for c in (released, counts)]
    kept = np.maximum(released, 0)
    apart = kept / kept.sum(axis=1, keepdims=True) - counts / counts.sum(axis=1, keepdims=True)
    return LotErrors(epsilon, 100 * np.abs(rate - right), np.abs(first[0] - first[1]), np.abs(apart).sum(axis=1) / 2)


def own_rate_error(epsilon: float, worlds: int = 200, rng=None) -> float:
    """Each supplier's total of defects with noise of its own (lots capped at 20): mean error of its rate, in points."""
    rng = np.random.default_rng(rng)
    parts = np.concatenate(
        [[LOT_SIZE * len(x) for x in simulate_suppliers(SUPPLIERS, rng=one).lots.values()] for one in rng.spawn(worlds)]
    )
    return float(100 * (np.abs(rng.laplace(0, (BINS - 1) / epsilon, len(parts))) / parts).mean())


def stayers_epsilon(epsilon: float, threshold: int, stayed: int) -> float:
    """What one lot's ε is where so many shares of 1/threshold are in the sum and unknown to the onlooker."""
    return DistributedDiscreteLaplace(epsilon, 1, threshold, unit="record").with_clients(stayed).guarantee.epsilon


def lie(counts: np.ndarray, bin_: int, lots: int) -> float:
    """How far the rate moves, in points, when one supplier adds `lots` (or takes away, if negative) in one bin."""
    told = counts.copy()
    told[bin_] += lots
    before, after = (float(c @ np.arange(BINS) / (LOT_SIZE * c.sum())) for c in (counts, told))
    return 100 * (after - before)
