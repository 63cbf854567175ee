"""Numbers of lesson 10."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from dpcourse.accounting import PrivacyLoss
from dpcourse.attacks import auc, best_accuracy, dp_roc_bound, roc_band, tpr_at_fpr
from dpcourse.datasets import load_grid
from dpcourse.plots.words import number

GRID = load_grid("lesson_10")
FLOOR = 1e-3  # where the axes of ROC pictures begin
RATES = np.geomspace(FLOOR, 1.0, 120)


@dataclass(frozen=True)
class Curve:
    """An ROC curve at some false positive rates, ascending, and its band (`low` to `high`; None draws none)."""

    name: str
    fpr: np.ndarray
    tpr: np.ndarray
    low: np.ndarray | None = None
    high: np.ndarray | None = None


@dataclass(frozen=True)
class Rocs:
    """Measured ROC curves, and what a claim allows (`allowed` at `rates`) with the best attack on the mechanism.

    ``band`` says what the bands are. Without a claim `epsilon` is None.
    """

    title: str
    curves: tuple[Curve, ...]
    band: str = ""
    epsilon: float | None = None
    delta: float = 0.0
    rates: np.ndarray = field(default_factory=lambda: np.empty(0))
    allowed: np.ndarray = field(default_factory=lambda: np.empty(0))
    exact: np.ndarray = field(default_factory=lambda: np.empty(0))


def measured_roc(epsilon: float, attack: str = GRID.ATTACKS[1]) -> Rocs:
    """The precomputed curve at the measured ε nearest to `epsilon` (in ratio), and what that ε allows.

    Examples
    --------
    >>> measured_roc(0.9).epsilon
    1.0
    """
    measured = np.array(GRID.EPSILONS)
    i, j = int(np.argmin(np.abs(np.log(measured / epsilon)))), GRID.ATTACKS.index(attack)
    nearest, noise = float(measured[i]), GRID.NOISE[i] / math.sqrt(GRID.STEPS)
    fpr, tpr, low, high = (np.array(row) for row in GRID.RATES[i][j])
    return Rocs(
        f"ε = {nearest:g}, δ = {GRID.DELTA:.5f}, add-remove: {attack}",
        (Curve("measured", fpr, tpr, low, high),),
        "97.5%, pointwise, of the true positive rate, cases taken for independent",
        nearest,
        GRID.DELTA,
        RATES,
        dp_roc_bound(nearest, GRID.DELTA, RATES),
        np.asarray(PrivacyLoss.gaussian(noise).true_positive_rate(RATES)),
    )


def report(scores: np.ndarray, members: np.ndarray) -> dict[str, str]:
    """What an attack on many models achieves; scores and who was in, both of shape (models, people). AUC with two
    standard errors over models, rates with their 95% intervals (`attacks.tpr_at_fpr`)."""
    areas = [auc(one, coins) for one, coins in zip(scores, members, strict=True)]
    at = {f"TPR at {rate:.3g}%": tpr_at_fpr(scores, members, rate / 100, resamples=100, rng=0) for rate in (1, 0.1)}
    return {
        "AUC": f"{np.mean(areas):.3f} ± {2 * np.std(areas, ddof=1) / math.sqrt(len(areas)):.3f}",
        "right": f"{best_accuracy(scores, members):.1%}",
        **{name: str(rate) for name, rate in at.items()},
    }


def measured(name: str, scores: np.ndarray, members: np.ndarray) -> Curve:
    """The ROC curve of an attack where 0.1% to 99.9% of all are accused, with its band."""
    band = roc_band(scores, members, np.quantile(scores, 1 - np.geomspace(FLOOR, 0.999, 24)))
    return Curve(name, band.fpr, band.tpr, band.tpr_low, band.tpr_high)


def under_the_limit(epsilon: float, delta: float, noise_multiplier: float, steps: int, curves: Sequence[Curve]) -> Rocs:
    """Curves, what (ε, δ) allows, and the best attack on so many steps with Gaussian noise on everybody."""
    exact = PrivacyLoss.gaussian(noise_multiplier / math.sqrt(steps)).true_positive_rate(RATES)
    return Rocs(
        f"ε = {epsilon:g}, δ = {number(delta)}, add-remove",
        tuple(curves),
        "97.5%, pointwise, were cases independent",
        epsilon,
        delta,
        RATES,
        dp_roc_bound(epsilon, delta, RATES),
        np.asarray(exact),
    )
