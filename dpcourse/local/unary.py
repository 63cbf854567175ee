"""Unary encoding: an answer among k becomes k bits, one of them set, and every bit is flipped at random."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpcourse.accounting import PrivacyLoss
from dpcourse.local import report_loss
from dpcourse.local.estimate import CountEstimate, estimate_counts
from dpcourse.local.response import checked_codes, local_epsilon
from dpcourse.privacy import Guarantee, Neighbours, arguments

_BLOCK = 1 << 18  # bits at a time
_ROUNDING = 2.0**-51


@dataclass(frozen=True)
class UnaryEncoding:
    """One answer among k, reported as k noisy bits: ε-DP for each person.

    A bit is reported set with probability p if it is the person's own, q if not; two people differ in two bits, so
    e^ε = p(1−q)/((1−p)q). *Optimized*: p = 1/2, q = 1/(e^ε + 1), which has the smallest variance for rare answers
    (Wang et al. 2017, arXiv:1705.04421). *Symmetric*: p = 1 − q = e^(ε/2)/(e^(ε/2) + 1), as in RAPPOR's permanent
    response (Erlingsson, Pihur, Korolova 2014, arXiv:1407.6981).

    Parameters
    ----------
    epsilon : float
        ε in [1e-12, 30].
    k : int
        Number of answers, ≥ 2.
    optimized : bool
        Which of the two.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Notes
    -----
    Replace-one neighbours. Bits are drawn with probabilities rounded by 2^-51 to the side of privacy.

    Examples
    --------
    >>> unary = UnaryEncoding(epsilon=1.0, k=4)
    >>> unary.truth_probability, round(unary.lie_probability, 3)
    (0.5, 0.269)
    >>> unary.randomize(np.array([0, 3]), rng=0).shape
    (2, 4)
    """

    epsilon: float
    k: int
    optimized: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", local_epsilon(self.epsilon))
        object.__setattr__(self, "k", arguments.integer("k", self.k, minimum=2))
        if not isinstance(self.optimized, bool | np.bool_):
            raise TypeError(f"optimized must be True or False, got {self.optimized!r}")

    @property
    def neighbours(self) -> Neighbours:
        """Replace-one: a person gives another answer; that they answer is public."""
        return Neighbours.REPLACE_ONE

    @property
    def guarantee(self) -> Guarantee:
        """(ε, 0) of one report, all its k bits together, for the person who gives it."""
        return Guarantee(self.epsilon, 0.0, Neighbours.REPLACE_ONE)

    @property
    def truth_probability(self) -> float:
        """p, of reporting the person's own bit as set."""
        return 0.5 if self.optimized else 1 / (1 + math.exp(-self.epsilon / 2))

    @property
    def lie_probability(self) -> float:
        """q, of reporting any other bit as set."""
        return 1 / (1 + math.exp(self.epsilon if self.optimized else self.epsilon / 2))

    def randomize(self, codes: np.ndarray, *, rng=None) -> np.ndarray:
        """Each person's k bits, bool of shape (n, k), for true answers `codes` in 0..k−1 of shape (n,)."""
        rng = np.random.default_rng(rng)
        codes = checked_codes("codes", codes, self.k)
        if codes.ndim != 1:
            raise ValueError(f"codes must have shape (n,), got {codes.shape}")
        own = self.truth_probability if self.optimized else self.truth_probability - _ROUNDING
        other = self.lie_probability + _ROUNDING
        reports = np.empty((codes.size, self.k), dtype=bool)
        rows = max(_BLOCK // self.k, 1)
        for start in range(0, codes.size, rows):
            mine = codes[start : start + rows, None] == np.arange(self.k)
            reports[start : start + rows] = rng.random(mine.shape) < np.where(mine, own, other)
        return reports

    def estimate(self, reports: np.ndarray) -> CountEstimate:
        """Unbiased counts of the true answers, shape (k,), from reports of shape (n, k). They need not add up to n."""
        reports = np.asarray(reports)
        if reports.ndim != 2 or reports.shape[1] != self.k:
            raise ValueError(f"reports must have shape (n, {self.k}), got {reports.shape}")
        bits = checked_codes("reports", reports, 2)
        reported = bits.sum(axis=0, dtype=np.int64)
        return estimate_counts(reported, len(bits), self.truth_probability, self.lie_probability, self.guarantee)

    def _likely_and_unlikely(self) -> tuple[float, float]:
        """P[own bit set, the other's not] and the reverse, for two people with different answers."""
        p, q = self.truth_probability, self.lie_probability
        return p * (1 - q), (1 - p) * q

    def privacy_loss(self) -> PrivacyLoss:
        """The loss of one report, for two people with different answers."""
        return report_loss.privacy_loss(*self._likely_and_unlikely())

    def renyi_divergence(self, orders: np.ndarray) -> np.ndarray:
        """Rényi divergence at each order α > 1."""
        return report_loss.renyi_divergence(orders, *self._likely_and_unlikely())

    @property
    def zcdp(self) -> float:
        """The ρ of one report."""
        return report_loss.zcdp(self.epsilon, *self._likely_and_unlikely())
