"""Numbers of lesson 10."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from dpcourse.accounting import PrivacyLoss
from dpcourse.attacks import dp_roc_bound
from dpcourse.datasets import load_grid

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
