"""Choosing hyper-parameters, paid for: the best of a random number of private runs.

Trying k settings and reporting the cost of the one that was kept is a bug: the choice tells what the others found. With
the number of runs drawn at random and kept secret, the best of them costs two to three runs, and little more where many
runs are expected (Liu & Talwar 2019, arXiv:1811.07971; Papernot & Steinke 2022, arXiv:2110.03620).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import exprel

from dpcourse.accounting import HasPrivacyLoss, PrivacyAccountant, RepeatAndSelect, renyi
from dpcourse.accounting.repeated import ORDERS, check, expected_runs
from dpcourse.privacy import Guarantee


@dataclass(frozen=True)
class PrivateSearch:
    """The best of K runs, K from a truncated negative binomial distribution.

    P[K = k] ∝ (1 − γ)^k · Π (l + η)/(l + 1) over l from 1 to k − 1, for k ≥ 1. Every run draws its setting at random
    from the candidates, independently. η = 1 is the geometric distribution, η = 0 the logarithmic one; a smaller η
    costs less and spreads K more.

    Parameters
    ----------
    gamma : float
        γ in (0, 1): the smaller, the more runs.
    eta : float
        η > −1, and η·ln(1/γ) ≤ 500.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Examples
    --------
    >>> search = PrivateSearch(gamma=0.02, eta=0)
    >>> round(search.expected_runs, 1)
    12.5
    """

    gamma: float
    eta: float = 0.0

    def __post_init__(self) -> None:
        check(self.gamma, self.eta)

    @property
    def expected_runs(self) -> float:
        """E[K]: how many runs to expect."""
        return expected_runs(self.gamma, self.eta)

    def draw_runs(self, *, rng=None) -> int:
        """One K, by inversion. It must stay secret: only the best output may leave."""
        uniform = np.random.default_rng(rng).random()
        log = math.log(1 / self.gamma)
        k, mass, growth = 1, (1 - self.gamma) / (log * float(exprel(self.eta * log))), math.inf
        cumulative = mass
        while uniform >= cumulative and (growth >= 1 or mass > 1e-18):  # the sum may end a rounding short of `uniform`
            growth = (1 - self.gamma) * (k + self.eta) / (k + 1)
            mass *= growth
            k += 1
            cumulative += mass
        return k

    def run(
        self, candidates: Sequence[Any], train: Callable[[Any, np.random.Generator], tuple[float, Any]], *, rng=None
    ):
        """The output with the highest score; a score that is NaN counts as the lowest.

        ``train(candidate, rng) -> (score, output)`` must be private as a whole: a score computed on private data costs
        privacy too, and belongs to the claim of one run.
        """
        if not len(candidates):
            raise ValueError(f"candidates must not be empty, got {candidates!r}")
        rng = np.random.default_rng(rng)
        runs = [train(candidates[rng.integers(len(candidates))], rng) for _ in range(self.draw_runs(rng=rng))]
        return max(runs, key=lambda run: -math.inf if math.isnan(run[0]) else run[0])[1]

    def entry(self, one_run: HasPrivacyLoss | PrivacyAccountant) -> RepeatAndSelect:
        """The whole search as an entry of an accountant, from all that one run of it does."""
        return RepeatAndSelect(one_run, self.gamma, self.eta)

    def guarantee(self, one_run: HasPrivacyLoss | PrivacyAccountant, delta: float) -> Guarantee:
        """The (ε, δ) of the search, from one run of it: a mechanism, or a `PrivacyAccountant` of all that a run does.

        With candidates of different costs, give the costliest. A `Guarantee` alone does not say enough: it takes the
        Rényi curve.

        Examples
        --------
        >>> from dpcourse.mechanisms import GaussianMechanism, PoissonSubsampled
        >>> step = PoissonSubsampled(GaussianMechanism.from_noise_multiplier(5.0), sampling_rate=0.1)
        >>> model = PrivacyAccountant().compose(step, times=200)
        >>> print(model.guarantee(1e-5))
        (ε=1.099, δ=1e-05)-DP, adding or removing one record
        >>> print(PrivateSearch(gamma=0.02, eta=0).guarantee(model, 1e-5))
        (ε=2.144, δ=1e-05)-DP, adding or removing one record
        """
        if isinstance(one_run, Guarantee):
            raise TypeError(f"one_run must be a mechanism or a PrivacyAccountant, got {one_run!r}")
        entry = self.entry(one_run)
        epsilon = renyi.epsilon_from_rdp(ORDERS, entry.renyi_divergence(ORDERS), delta)
        return Guarantee(epsilon, delta, entry.neighbours, entry.condition)
