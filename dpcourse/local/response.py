"""k-ary randomized response: tell the truth with probability p, else one of the other k − 1 answers at random."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpcourse.accounting import PrivacyLoss
from dpcourse.local import report_loss
from dpcourse.local.estimate import CountEstimate, estimate_counts
from dpcourse.privacy import Guarantee, Neighbours, arguments

_BLOCK = 1 << 16  # people at a time, so that the work arrays stay in the cache
_ROUNDING = 2.0**-51  # more than p's rounding and the 2^-53 steps of rng.random() together
_LARGEST_EPSILON = 30.0  # beyond, a lie is rarer than the steps of rng.random() can draw well


@dataclass(frozen=True)
class RandomizedResponse:
    """One answer among k, with plausible deniability: ε-DP for each person, on their own device.

    P[truth] = p = e^ε/(e^ε + k − 1), and q = 1/(e^ε + k − 1) for each of the other answers, so p/q = e^ε (Kairouz,
    Bonawitz, Ramage 2016, arXiv:1602.07387; Warner 1965, doi:10.1080/01621459.1965.10480775, for k = 2).

    Parameters
    ----------
    epsilon : float
        ε in [1e-12, 30]: what one report says about the person who gives it.
    k : int
        Number of answers, ≥ 2 and at most 2^51·ε: with more, p and q differ by less than the rounding.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Notes
    -----
    Replace-one neighbours: one person's answer changes, how many people answer is public. The truth is drawn with
    probability 2^-51 less than p, so that rounding is on the side of privacy; as k ≤ 2^51·ε, it is not so rare that a
    lie would be more than e^ε times as likely.

    Examples
    --------
    >>> response = RandomizedResponse(epsilon=1.0, k=4)
    >>> round(response.truth_probability, 3), round(response.lie_probability, 3)
    (0.475, 0.175)
    >>> response.randomize(np.array([0, 0, 1, 2, 3]), rng=0)
    array([0, 2, 3, 3, 0])
    >>> print(response.guarantee)
    (ε=1, δ=0)-DP, replacing one record
    """

    epsilon: float
    k: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", local_epsilon(self.epsilon))
        object.__setattr__(self, "k", arguments.integer("k", self.k, minimum=2))
        if self.k * _ROUNDING > self.epsilon:
            raise ValueError(f"k must be at most 2^51 times epsilon ({self.epsilon!r}), got {self.k!r}")

    @property
    def neighbours(self) -> Neighbours:
        """Replace-one: a person gives another answer; that they answer is public."""
        return Neighbours.REPLACE_ONE

    @property
    def guarantee(self) -> Guarantee:
        """(ε, 0) of one report, for the person who gives it."""
        return Guarantee(self.epsilon, 0.0, Neighbours.REPLACE_ONE)

    @property
    def truth_probability(self) -> float:
        """p = e^ε/(e^ε + k − 1)."""
        return math.exp(self.epsilon) / (math.exp(self.epsilon) + self.k - 1)

    @property
    def lie_probability(self) -> float:
        """q = 1/(e^ε + k − 1), of each other answer: all lies together have (k − 1)q = 1 − p."""
        return 1 / (math.exp(self.epsilon) + self.k - 1)

    def randomize(self, codes: np.ndarray, *, rng=None) -> np.ndarray:
        """Each person's report: integers of the shape of `codes`, all in 0..k−1.

        Parameters
        ----------
        codes : array of int, any shape
            True answers in 0..k−1. Others raise: this runs on a respondent's own device, where nobody watches.
        """
        rng = np.random.default_rng(rng)
        codes = checked_codes("codes", codes, self.k)
        reports = codes.ravel().astype(np.int64)
        truth = self.truth_probability - _ROUNDING
        for start in range(0, reports.size, _BLOCK):
            block = reports[start : start + _BLOCK]
            # A lie goes 1..k−1 answers further round the circle, each equally likely: it never lands on the truth.
            steps = rng.integers(1, self.k, block.size)
            steps *= rng.random(block.size) >= truth
            block += steps
            block -= self.k * (block >= self.k)
        return reports.reshape(codes.shape)

    def estimate(self, reports: np.ndarray) -> CountEstimate:
        """Unbiased counts of the true answers, shape (k,), from the reports of n people."""
        reports = checked_codes("reports", reports, self.k).ravel()
        reported = np.bincount(reports, minlength=self.k)
        return estimate_counts(reported, reports.size, self.truth_probability, self.lie_probability, self.guarantee)

    def privacy_loss(self) -> PrivacyLoss:
        """The loss of one report, for two people with different answers."""
        return report_loss.privacy_loss(self.truth_probability, self.lie_probability)

    def renyi_divergence(self, orders: np.ndarray) -> np.ndarray:
        """Rényi divergence at each order α > 1."""
        return report_loss.renyi_divergence(orders, self.truth_probability, self.lie_probability)

    @property
    def zcdp(self) -> float:
        """The ρ of one report: tighter than ε²/2, the more so the larger k is."""
        return report_loss.zcdp(self.epsilon, self.truth_probability, self.lie_probability)


def local_epsilon(value: float) -> float:
    """ε of one report as a float in [1e-12, 30]; anything else is refused by name."""
    epsilon = arguments.positive("epsilon", value)
    if not 1e-12 <= epsilon <= _LARGEST_EPSILON:
        raise ValueError(f"epsilon must be in [1e-12, {_LARGEST_EPSILON:g}], got {value!r}")
    return epsilon


def checked_codes(name: str, codes: np.ndarray, k: int) -> np.ndarray:
    """`codes` as an integer array with all values in 0..k−1."""
    array = np.asarray(codes)
    if array.dtype.kind not in "biu":
        raise TypeError(f"{name} must be integers in 0..{k - 1}, got an array of {array.dtype}")
    if array.size and not (0 <= int(array.min()) and int(array.max()) < k):
        worst = int(array.min()) if int(array.min()) < 0 else int(array.max())
        raise ValueError(f"{name} must be in 0..{k - 1}, got {worst}")
    return array
