"""Gaussian laws as hypotheses about outputs, and what is wrong with outputs that none explains."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.links import mapped
from dpcourse.checks.noise_laws import normal
from dpcourse.checks.vocabulary import Shared


def clipped(rows: np.ndarray, C: float) -> np.ndarray:
    """Each row, shape (..., d), brought to length C if it is longer."""
    return rows * np.minimum(1, C / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-300))


@dataclass(frozen=True)
class GaussianLaw:
    """A Gaussian with independent coordinates, as a hypothesis about an answer's outputs."""

    mean: np.ndarray
    deviation: float

    def explains(self, outputs: np.ndarray, failure: float) -> bool:
        """Whether mean, spread, independence and shape of outputs, shape (runs, d), fit; a true law is refused with
        probability `failure` at most."""
        runs, d = outputs.shape
        if self.deviation == 0:
            return bool(np.allclose(outputs, self.mean))
        standard, half = (outputs - self.mean) / self.deviation, failure / 10
        tests = (
            (runs * (standard.mean(axis=0) ** 2).sum(), d),  # the mean of each coordinate
            ((standard**2).sum(), runs * d),  # the spread
        )
        return all(stats.chi2.ppf(half, k) <= value <= stats.chi2.isf(half, k) for value, k in tests) and not _odd(
            standard, half
        )


def _odd(standard: np.ndarray, half: float) -> bool:
    """Whether standardised outputs, shape (runs, d), are not independent or not Gaussian."""
    runs, d = standard.shape
    together = d * (standard.mean(axis=1) ** 2).sum()  # coordinates that move together show here
    if not stats.chi2.ppf(half, runs) <= together <= stats.chi2.isf(half, runs):
        return True
    # Half of a Gaussian lies within its quartiles; of a Laplace law with the same deviation, more does.
    inside, all_of = int((np.abs(standard) < stats.norm.ppf(0.75)).sum()), runs * d
    if not stats.binom.ppf(half, all_of, 0.5) <= inside <= stats.binom.isf(half, all_of, 0.5):
        return True
    return bool(stats.kstest(standard.ravel(), stats.norm.cdf).pvalue <= half)


def linked(standard: np.ndarray, failure: float) -> bool:
    """Whether coordinates of standardised outputs, shape (runs, d), are linked: some direction has less noise, or more,
    or one follows from another.

    Singular values of independent standard Gaussians stay within √runs ± (√d + t) except with probability 2e^(−t²/2)
    (Vershynin 2010, arXiv:1011.3027, corollary 5.35).
    """
    runs, d = standard.shape
    reach = math.sqrt(d) + math.sqrt(2 * math.log(4 / failure))
    values = np.linalg.svd(standard, compute_uv=False)
    turned = values[-1] < math.sqrt(runs) - reach or values[0] > math.sqrt(runs) + reach
    return bool(turned or mapped(list(stats.norm.cdf(standard)), failure / 2))


def noise_ends(standard: np.ndarray, failure: float) -> Diagnosis | None:
    """What is wrong with Gaussian noise, shape (runs,) in its deviations, that is never large, or too seldom.

    By its largest draw, and by its fourth moment, whose deviation is √(24/runs). Of 5,000 draws it is too small less
    often than a normal number would be: of 40,000 samples none lay below −3.72 deviations, 4 would.
    """
    ask = (
        "Beyond a bound one of two neighbours is left, and that takes more than δ. Where is your noise cut, drawn "
        "again, or made of a few numbers that have an end?"
    )
    runs, largest = len(standard), float(np.abs(standard).max())
    if normal(1.0).ends(standard, failure / 2):
        return Shared.NOISE_ENDS.seen(
            f"None of {runs:,} draws of your noise is larger than {largest:.3g} deviations. Of normal noise about "
            f"{2 * runs * stats.norm.sf(largest):,.0f} would be.",
            ask,
        )
    moment = 3 + float(stats.kurtosis(standard))
    if runs >= 5000 and moment < 3 - stats.norm.isf(failure / 2) * math.sqrt(24 / runs):
        return Shared.NOISE_ENDS.seen(
            f"Large draws of your noise are too rare: the mean fourth power of {runs:,} of them is {moment:.3g} times "
            "the square of their variance, and 3 times is right.",
            ask,
        )
    return None


def not_gaussian(outputs: np.ndarray, right: GaussianLaw) -> bool:
    """Whether mean and deviation of outputs that `right` does not explain are right, and the shape is what is wrong."""
    spread, off = outputs - outputs.mean(axis=0), np.linalg.norm(outputs.mean(axis=0) - right.mean)
    deviation = spread.std()
    if abs(deviation / right.deviation - 1) > 0.1 or off > 3 * right.deviation * np.sqrt(
        outputs[0].size / len(outputs)
    ):
        return False
    return _odd(spread / deviation, 1e-7)


def compared(outputs: np.ndarray, right: GaussianLaw) -> str:
    """Mean and deviation of outputs beside the right ones; where the lengths agree, the direction."""
    mean, deviation = outputs.mean(axis=0), (outputs - outputs.mean(axis=0)).std()
    norm, wanted = np.linalg.norm(mean), np.linalg.norm(right.mean)
    cosine = float(mean @ right.mean / max(norm * wanted, 1e-300))
    if cosine < 0.9 and abs(norm / wanted - 1) < 0.1 and abs(deviation / right.deviation - 1) < 0.1:
        return (
            "Length and noise of your result are about right, but it points elsewhere: the cosine between its mean "
            f"and the right one is {cosine:.2f}."
        )
    return (
        f"On average your result has norm {norm:.4g} and its noise deviation {deviation:.4g}; right are {wanted:.4g} "
        f"and {right.deviation:.4g}. The cosine between the two means is {cosine:.2f}."
    )
