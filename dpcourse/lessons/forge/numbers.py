"""What the auditor certifies of a mechanism of the reader's making, and what is true of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpcourse.accounting import PrivacyLoss
from dpcourse.datasets import load_grid

GRID = load_grid("forge")
_CELL = 1 / 1024  # published numbers are rounded to this


@dataclass(frozen=True)
class Audits:
    """Audits of one mechanism against one claim.

    `certified` has shape (seeds, runs): the ε that each audit certifies after so many runs on each of two neighbouring
    datasets, at the claim's δ (add-remove, confidence 99.9%). `truth` is the smallest ε with which the claim would be
    true at this δ, infinite where there is none.
    """

    noise: str
    scale: float
    claim: float
    delta: float
    runs: int
    all_runs: np.ndarray
    certified: np.ndarray
    truth: float

    @property
    def now(self) -> np.ndarray:
        """What each audit certifies after the runs chosen."""
        return self.certified[:, int(np.flatnonzero(self.all_runs == self.runs)[0])]

    @property
    def caught(self) -> int:
        """How many audits refute the claim."""
        return int((self.now > self.claim).sum())


def forged(noise: str, scale: float, claim: float, delta: float, runs: int) -> Audits:
    """Audits of a count with this noise, measured beforehand.

    Examples
    --------
    >>> forged("Laplace", 0.5, 1.0, 0.0, 10_000).caught, forged("Laplace", 1.0, 1.0, 0.0, 100_000).caught
    (5, 0)
    """
    row = GRID.CERTIFIED[GRID.NOISES.index(noise)][GRID.SCALES.index(scale)]
    certified = np.array(row)[:, GRID.DELTAS.index(delta)]
    truth = true_epsilon(noise, scale, delta)
    return Audits(noise, scale, claim, delta, runs, np.array(GRID.RUNS), certified, truth)


def true_epsilon(noise: str, scale: float, delta: float) -> float:
    """The smallest ε with which a count with this noise is (ε, δ)-DP, adding or removing one person.

    Examples
    --------
    >>> true_epsilon("Laplace", 0.5, 0.0), true_epsilon("Gaussian", 1.0, 0.0), true_epsilon("uniform", 8.0, 0.01)
    (2.0, inf, inf)
    """
    if noise == "Laplace":
        return 1 / scale if delta == 0 else float(PrivacyLoss.laplace(1 / scale).epsilon(delta))
    if noise == "Gaussian":
        return math.inf if delta == 0 else float(PrivacyLoss.gaussian(scale).epsilon(delta))
    if noise == "uniform":  # a number at the edge comes from one dataset only, with probability 1/(2·scale)
        return math.inf if delta < min(1.0, 1 / (2 * scale)) else 0.0
    # Forgetful: the exact count comes with probability F, beside what Laplace noise rounds to it.
    forgets, half = GRID.FORGETS, _CELL / (2 * scale)
    own, other = -math.expm1(-half), math.sinh(half) * math.exp(-1 / scale)
    return math.log((forgets + (1 - forgets) * own - delta) / ((1 - forgets) * other))
