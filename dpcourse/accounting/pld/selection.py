"""The dominating pair of selection: a loss whose range, not only its size, is at most ε."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpcourse.accounting.pld.pairs import Tails, between


@dataclass(frozen=True)
class BoundedRange:
    """What dominates every mechanism whose loss on one pair of neighbours stays in an interval of length ε.

    The exponential mechanism is one (Durfee & Rogers 2019; Dong, Durfee & Rogers 2020, arXiv:1909.12830): where one
    utility rises and another falls, the normalising sum takes back what the first gains. An ε-DP mechanism may use the
    interval [−ε, ε], which is twice as long.

    Let the loss lie in [t − ε, t]. No such mechanism is easier to tell apart than the one with the losses t and t − ε
    only. Both masses must add up to 1 under P and under Q, so the loss t has the mass q = (e^−t − e^−ε)/(1 − e^−ε)
    under Q and e^t·q under P, and for t − ε ≤ a ≤ t

        δ_t(a) = e^t·q − e^a·q = (1 − e^(t−ε) − e^(a−t) + e^(a−ε)) / (1 − e^−ε).

    The data decide t, so a pair that dominates all of them needs the largest δ_t at each a. It is at t = (a + ε)/2:

        δ(a) = (1 − e^((a−ε)/2))² / (1 − e^−ε)        for −ε ≤ a ≤ ε.

    As a function of e^a this is convex, so it belongs to a pair; its slopes give the tails below. No single mechanism
    has this δ at every a. Composing the pair therefore covers adaptively chosen mechanisms (each step is dominated
    whatever came before; Zhu, Dong & Wang 2022, arXiv:2106.08567), and is not tight for many steps: a Rényi curve,
    which also takes the worst t but after averaging over the loss, can prove less (`renyi.bounded_range`).
    """

    epsilon: float
    symmetric: ClassVar[bool] = True
    atomic: ClassVar[bool] = False
    step: ClassVar[float | None] = None
    lattice: ClassVar[bool] = False

    @property
    def bounds(self) -> tuple[float, float]:
        return -self.epsilon, self.epsilon

    def upper(self, loss: np.ndarray) -> Tails:
        near, far, whole = self._inner(loss)
        return between(loss < -self.epsilon, loss >= self.epsilon, near / whole, (1 - far) * near / whole)

    def lower(self, loss: np.ndarray) -> Tails:
        near, far, whole = self._inner(loss)
        return between(loss >= self.epsilon, loss < -self.epsilon, (1 - near) * far / whole, far / whole)

    def delta(self, epsilon: np.ndarray) -> np.ndarray:
        """δ(a) for a ≥ 0, as one square: the difference of the tails would lose its digits near ε."""
        return np.expm1((np.minimum(epsilon, self.epsilon) - self.epsilon) / 2) ** 2 / -math.expm1(-self.epsilon)

    def _inner(self, loss: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """1 − e^((l−ε)/2), 1 − e^(−(l+ε)/2) and 1 − e^−ε."""
        inside = np.clip(loss, -self.epsilon, self.epsilon)
        near, far = -np.expm1((inside - self.epsilon) / 2), -np.expm1(-(inside + self.epsilon) / 2)
        return near, far, -math.expm1(-self.epsilon)

    def edges(self, count: int, tail: float) -> np.ndarray:
        return np.linspace(-self.epsilon, self.epsilon, count)

    def twice(self) -> BoundedRange:
        """Two steps make a range of 2ε, and a choice between two candidates reaches all of it."""
        return BoundedRange(2 * self.epsilon)
