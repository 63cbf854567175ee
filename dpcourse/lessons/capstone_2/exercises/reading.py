"""Capstone 2.4: rate, best quarter and distribution, all from one noisy histogram."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import NOTHING, Diagnosis, Refused, a
from dpcourse.checks.once import whole
from dpcourse.datasets import simulate_suppliers
from dpcourse.datasets.suppliers import LOT_SIZE
from dpcourse.lessons.capstone_2.design import BINS
from dpcourse.lessons.capstone_2.exercises.histogram import counted
from dpcourse.mechanisms.sampling import discrete_laplace

EPSILON = 0.5
WORLDS, RELEASES = 16, 100
ANY_SIZE = "With as many lots as in the project it was right. What in yours depends on how many there are?"
BIAS = 1e-5  # of the rate, 0.001 points: what is left of a ratio's own


def rate_of(counts: np.ndarray) -> float:
    """Defective parts of all parts."""
    return float(counts @ np.arange(BINS) / (LOT_SIZE * counts.sum()))


def quartile_of(counts: np.ndarray) -> int:
    """The smallest number of defects that a quarter of the lots stay within."""
    return int(np.searchsorted(np.cumsum(counts), counts.sum() / 4))


def answers_of(answer: Answer, noisy: np.ndarray) -> tuple[float, float, np.ndarray]:
    """(rate, quartile, shares) as the answer gives them."""
    given: Any = answer(noisy.copy())
    if given is None:
        raise Refused(NOTHING)
    if not isinstance(given, tuple | list) or len(given) != 3:
        raise Refused(Diagnosis("wrong-shape", f"(rate, quartile, shares) is wanted; you return {a(given)}."))
    shares = np.asarray(given[2], dtype=float)
    if shares.shape != (BINS,) or np.ndim(given[0]) or np.ndim(given[1]):
        what = "two numbers and an array of 21 shares are wanted"
        raise Refused(Diagnosis("wrong-shape", f"{what}; your shares have shape {shares.shape}."))
    return float(given[0]), float(given[1]), shares


def exact(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Without noise every one of the three is a formula."""
    quartiles = []
    for _ in range(6):
        counts = counted(simulate_suppliers(rng=chance.rng).pooled())
        if np.any(np.abs(np.cumsum(counts) - counts.sum() / 4) < 1):
            continue  # a quarter of the lots to the lot: conventions differ there
        rate, quartile, shares = answers_of(answer, counts)
        right = rate_of(counts)
        if not np.isclose(rate, right, rtol=1e-6):
            return _rate(rate, right, counts)
        quartiles.append((quartile, counts))
        if not np.allclose(shares, counts / counts.sum(), atol=1e-9):
            return Diagnosis(
                "wrong-shares",
                f"Without noise your shares add up to {shares.sum():.4g}, and one of them is off by "
                f"{np.abs(shares - counts / counts.sum()).max():.3g}.",
                "A share is a bin's lots, of all lots.",
            )
    return _quartile(quartiles) or _of_any_size(answer, chance) or _just_a_quarter(answer, chance)


def _of_any_size(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The same of a few lots and of twice as many as the project has, all of them whole or with noise taken off."""
    for lots in (1, *(whole(chance.rng, 1, 1500) for _ in range(12)), 1500):
        counts = np.bincount(chance.rng.integers(0, BINS, lots), minlength=BINS)
        rate, quartile, shares = answers_of(answer, counts)
        reached = np.cumsum(counts)
        least, most = (int(np.searchsorted(reached, lots / 4 + way)) for way in (-1e-9, 1e-9))
        seen = f"Without noise, of {lots:,} lots" if lots > 1 else "Without noise, of one lot"
        if not np.isclose(rate, right := rate_of(counts), rtol=1e-6):
            return Diagnosis("wrong-rate", f"{seen} your rate is {rate:.6g}, and {right:.6g} is right.", ANY_SIZE)
        if not least <= quartile <= most:
            return Diagnosis("wrong-quartile", f"{seen} your quartile is {quartile:g}; {least} is right.", ANY_SIZE)
        if not np.allclose(shares, counts / lots, atol=1e-9):
            off = np.abs(shares - counts / lots).max()
            return Diagnosis("wrong-shares", f"{seen} one of your shares is off by {off:.3g}.", ANY_SIZE)
    return None


def _just_a_quarter(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A quarter of the lots in one bin, to the lot, and none below. All shares are exact in floats."""
    for _ in range(4):
        lots, place = 2 ** int(chance.rng.integers(9)), int(chance.rng.integers(BINS - 1))
        counts = np.bincount(chance.rng.integers(place + 1, BINS, 3 * lots), minlength=BINS)
        counts[place] = lots
        quartile = answers_of(answer, counts)[1]
        if quartile != place:
            seen = (
                f"Without noise, {lots:,} of {4 * lots:,} lots have {place} defects, and none has fewer. Your quartile "
            )
            seen += f"is {quartile:g}; {place} is right."
            return Diagnosis(
                "wrong-quartile", seen, "What is the smallest number that *at least* a quarter stay within?"
            )
    return None


def _rate(rate: float, right: float, counts: np.ndarray) -> Diagnosis:
    for factor, diagnosis, key in (
        (100, "It is in percent.", "percent"),
        (LOT_SIZE, f"It is the mean number of defects in a lot, and a lot has {LOT_SIZE} parts.", "per-lot"),
    ):
        if np.isclose(rate, right * factor, rtol=1e-6):
            seen = f"Your rate is {rate:.3g} where {right:.3g} of the parts are defective. {diagnosis}"
            return Diagnosis(key, seen, "A rate is defective parts of all parts. What do you divide by?")
    fine = f"Without noise your rate is {rate:.6g} where {right:.6g} of the parts are defective."
    return Diagnosis("wrong-rate", fine, "How many defects are in bin k, and how many parts in its lots?")


def _quartile(given: list[tuple[float, np.ndarray]]) -> Diagnosis | None:
    """A mistake is named where it explains every world."""
    off = [(quartile, counts) for quartile, counts in given if quartile != quartile_of(counts)]
    if not off:
        return None
    tops = [int(np.searchsorted(np.cumsum(counts), counts.sum() * 0.75)) for _, counts in given]
    if all(quartile == top for (quartile, _), top in zip(given, tops, strict=True)):
        return Diagnosis(
            "wrong-end",
            f"Your quartile is {tops[0]} defects, and three quarters of the lots have that many or fewer. The best "
            "quarter has few defects.",
            "From which end do you count?",
        )
    if any(all(np.isclose(quartile, np.quantile(counts, q)) for quartile, counts in given) for q in (0.25, 0.75)):
        return Diagnosis(
            "quartile-of-counts",
            "Your quartile is that of the 21 counts: a number of lots, not of defects.",
            "How many lots have 0 defects, at most 1, at most 2, …? Where is a quarter of them reached?",
        )
    quartile, counts = off[0]
    return Diagnosis(
        "wrong-quartile",
        f"Without noise your quartile is {quartile:g}; a quarter of the lots have {quartile_of(counts)} defects or "
        "fewer.",
        "Where do the cumulative counts reach a quarter of their total?",
    )


def noisy(answer: Answer, chance: Chance) -> Diagnosis | None:
    """At ε = 0.5: unbiased rate, quartile within one defect, shares that are shares and near the truth.

    In a quarter of the worlds no lot has a defect: there the noise takes the rate below 0 as often as above.
    """
    errors, apart, misses, distances = [], [], 0, []
    for world in range(WORLDS):
        counts = counted(simulate_suppliers(rng=chance.rng).pooled())
        if none := world % 4 == 0:
            counts = counts.sum() * (np.arange(BINS) == 0)
        for _ in range(RELEASES):
            released = counts + discrete_laplace(1 / EPSILON, BINS, rng=chance.rng)
            rate, quartile, shares = answers_of(answer, released)
            if not np.isfinite(shares).all() or shares.min() < -1e-9 or not math.isclose(shares.sum(), 1, abs_tol=1e-6):
                return Diagnosis(
                    "no-shares",
                    f"From a noisy release you make shares that add up to {shares.sum():.3g}, and the smallest is "
                    f"{shares.min():.2g}.",
                    "Noisy counts may be negative; shares may not. What happens to a negative count, and what do you "
                    "divide by?",
                )
            errors.append(rate - rate_of(counts))
            apart.append((rate - rate_of(released), none))
            misses += abs(quartile - quartile_of(counts)) > 1
            distances.append(np.abs(shares - counts / counts.sum()).sum() / 2)
    for truth in (1, 0):  # percent
        off = [one for one, none in apart if none == (truth == 0)]  # from a rate that is right, with the same noise
        bias = float(np.mean(off))
        if abs(bias) < BIAS + 6 * np.std(off) / math.sqrt(len(off)):
            continue
        return Diagnosis(
            "biased-rate",
            f"Over {len(off):,} releases at ε = {EPSILON} your rate is {100 * abs(bias):.3f} points too "
            f"{'high' if bias > 0 else 'low'} on average; the truth is {'near 1%' if truth else '0'}.",
            "Is the rate, or what it is divided by, made from counts that were cut at zero? Cut noise no longer "
            "averages out, and the bins of bad lots weigh most.",
        )
    if np.mean(np.abs(errors)) > 6e-4:
        return Diagnosis(
            "rough-rate",
            f"Your rate is off by {100 * np.mean(np.abs(errors)):.2g} points on average; 0.025 is within reach.",
            "Which counts enter the rate?",
        )
    if misses > 0.06 * len(errors):
        return Diagnosis(
            "rough-quartile",
            f"Your quartile is off by more than one defect in {misses} of {len(errors)} releases.",
            "Which noisy counts do you add up, and against which total?",
        )
    if np.mean(distances) > 0.05:
        return Diagnosis(
            "rough-shares",
            f"Your shares are off by {np.mean(distances):.2g} in total variation on average; 0.03 is within reach.",
            "Which counts enter the shares?",
        )
    return None


def no_lots(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A quarter whose noisy total is zero or negative, with positive counts in some bins or without."""
    drawn = [discrete_laplace(4 / EPSILON, BINS, rng=chance.rng) for _ in range(6)]
    below = [one - max(0, one.sum() + extra) * (np.arange(BINS) == one.argmin()) for extra, one in enumerate(drawn, 1)]
    for released in (np.zeros(BINS, dtype=int), -np.arange(BINS), *below):
        if answer(released.copy()) is not None:
            return Diagnosis(
                "no-lots",
                f"From counts that add up to {released.sum()} you read something off all the same.",
                "What is a rate of no lots, or of fewer than none? Return None.",
            )
    return None


def below_zero(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A count far below zero has no share: cut it, or lower all counts together."""
    for place in chance.rng.permutation(BINS)[:5].tolist():
        counts = chance.rng.integers(40, 90, BINS)
        counts[place] = -counts[place]
        share = answers_of(answer, counts)[2][place]
        if not share < 0.01:
            return Diagnosis(
                "no-shares",
                f"A noisy count is {counts[place]}, of {counts.sum():,} lots, and its bin gets a share of {share:.1%}.",
                "What does noise say of a bin when it takes its count far below zero?",
            )
    return None


READING = (exact, noisy, no_lots, below_zero)
