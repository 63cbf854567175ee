"""The public numbers of the project, and what is the same in every way to train: scaled readings, patients, scores."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.stats import rankdata

from dpcourse.datasets.hospitals import READINGS, Hospitals
from dpcourse.mechanisms.additive.gaussian import gaussian_delta

HOSPITALS = 50
THRESHOLD = 45  # hospitals whose vectors have to arrive, or there is no sum: five may drop out in each round
SHARES = 40  # so many hospitals' noise makes the whole: of those that arrive, five may collude
DELTA = 1e-6
ROUNDS = 50
CLIP = 1.0
WEIGHTS = READINGS + 1  # the constant is the last
LARGEST = 3.0  # a scaled reading is cut there


def epsilon_of(moved: float, deviation: float, delta: float = DELTA) -> float:
    """ε at δ of normal noise of this deviation under a change of norm `moved` (arXiv:1805.06530, theorem 8).

    Examples
    --------
    >>> round(epsilon_of(1.0, 3.730632, 1e-5), 4)
    1.0
    >>> epsilon_of(0.0, 1.0)
    0.0
    """
    mu = moved / deviation
    if mu == 0 or gaussian_delta(0.0, 1 / mu) <= delta:  # δ alone is enough
        return 0.0
    return float(brentq(lambda e: gaussian_delta(e, 1 / mu) - delta, 0.0, mu * mu / 2 + mu * 12, xtol=1e-10))


def scaled(X: np.ndarray, world: Hospitals) -> np.ndarray:
    """Readings by the textbooks' centre and spread, cut at ±3, 0 where one is missing; a column of ones behind."""
    by_book = np.nan_to_num((X - world.centre) / world.spread, nan=0.0)
    return np.hstack([np.clip(by_book, -LARGEST, LARGEST), np.ones((len(X), 1))])


@dataclass(frozen=True)
class Rows:
    """All stays of a world, a hospital after the other, the stays of one patient in it side by side.

    Attributes
    ----------
    Z : ndarray, shape (n, 31)
        Scaled readings and the constant.
    y : ndarray, shape (n,)
    hospital : ndarray of int, shape (n,)
    starts : ndarray of int, shape (parts,)
        Where the stays of one patient in one hospital begin.
    """

    Z: np.ndarray
    y: np.ndarray
    hospital: np.ndarray
    starts: np.ndarray

    @classmethod
    def of(cls, world: Hospitals) -> Rows:
        sizes = [len(stays.y) for stays in world.stays.values()]
        hospital = np.repeat(np.arange(len(sizes)), sizes)
        patients = np.concatenate([stays.patients for stays in world.stays.values()])
        order = np.lexsort((patients, hospital))
        hospital, patients = hospital[order], patients[order]
        new = np.append(True, (np.diff(hospital) != 0) | (np.diff(patients) != 0))
        X = np.vstack([stays.X for stays in world.stays.values()])[order]
        y = np.concatenate([stays.y for stays in world.stays.values()])[order]
        return cls(scaled(X, world), y, hospital, np.flatnonzero(new))

    def only(self, hospital: int) -> Rows:
        """The rows of one hospital."""
        mine = np.flatnonzero(self.hospital == hospital)
        starts = self.starts[(self.starts >= mine[0]) & (self.starts <= mine[-1])] - mine[0]
        return Rows(self.Z[mine], self.y[mine], self.hospital[mine], starts)


def auc(weights: np.ndarray, Z: np.ndarray, y: np.ndarray) -> float:
    """How often a stay that ended in intensive care scores higher than one that did not; ties count half.

    Examples
    --------
    >>> auc(np.array([1.0]), np.array([[0.1], [0.2], [0.3], [0.4]]), np.array([0, 1, 0, 1]))
    0.75
    """
    sick = int(y.sum())
    ranks = rankdata(Z @ weights)[y == 1].sum()
    return float((ranks - sick * (sick + 1) / 2) / (sick * (len(y) - sick)))


def share(whole: float, shares: int = SHARES) -> float:
    """The deviation of one of so many equal independent shares: variances add up."""
    return whole / math.sqrt(shares)
