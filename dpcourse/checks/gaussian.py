"""Clipped rows and Gaussian noise: what an answer of lesson 08 or 12 should give, as a hypothesis about its outputs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats


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
        return self.misfit(outputs, failure) == ""

    def misfit(self, outputs: np.ndarray, failure: float) -> str:
        """What does not fit: "mean", "spread" or "shape" (independence included); empty if all of it fits."""
        runs, d = outputs.shape
        if self.deviation == 0:
            return "" if np.allclose(outputs, self.mean) else "mean"
        standard = (outputs - self.mean) / self.deviation
        tests = (
            ("mean", runs * (standard.mean(axis=0) ** 2).sum(), d),  # of each coordinate
            ("spread", (standard**2).sum(), runs * d),
            ("shape", d * (standard.mean(axis=1) ** 2).sum(), runs),  # coordinates that move together show here
        )
        half = failure / (2 * (len(tests) + 2))
        for name, value, k in tests:
            if not stats.chi2.ppf(half, k) <= value <= stats.chi2.isf(half, k):
                return name
        # Half of a Gaussian lies within its quartiles; of a Laplace law with the same deviation, more does.
        inside, all_of = int((np.abs(standard) < stats.norm.ppf(0.75)).sum()), runs * d
        if not stats.binom.ppf(half, all_of, 0.5) <= inside <= stats.binom.isf(half, all_of, 0.5):
            return "shape"
        return "" if stats.kstest(standard.ravel(), stats.norm.cdf).pvalue > half else "shape"


def not_gaussian(outputs: np.ndarray, right: GaussianLaw) -> bool:
    """Whether mean and deviation of outputs that `right` does not explain are right, and the shape is what is wrong."""
    if right.misfit(outputs, 1e-6) == "shape":
        return True
    spread, off = outputs - outputs.mean(axis=0), np.linalg.norm(outputs.mean(axis=0) - right.mean)
    deviation = spread.std()
    if abs(deviation / right.deviation - 1) > 0.1 or off > 3 * right.deviation * np.sqrt(
        outputs[0].size / len(outputs)
    ):
        return False
    return bool(stats.kstest((spread / deviation).ravel(), stats.norm.cdf).pvalue < 1e-9)


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
