"""Choosing hyper-parameters, paid for: the best of a random number of private runs.

Trying k settings and reporting the cost of the one that was kept is a bug: the choice tells what the others found. With
the number of runs drawn at random and kept secret, the best of them costs little more than two runs, however many
there were (Liu & Talwar 2019, arXiv:1811.07971; Papernot & Steinke 2022, arXiv:2110.03620).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcourse.accounting import renyi
from dpcourse.privacy import Guarantee, arguments

ORDERS = 1 + np.geomspace(0.05, 1e4, 400)


@dataclass(frozen=True)
class PrivateSearch:
    """The best of K runs, K from a truncated negative binomial distribution: P[K = k] ∝ (1 − γ)^k Π (l + η)/(l + 1).

    Every run draws its setting at random from the candidates, independently. η = 1 is the geometric distribution, η = 0
    the logarithmic one; a smaller η costs less and spreads K more.

    Parameters
    ----------
    gamma : float
        γ in (0, 1): the smaller, the more runs.
    eta : float
        η > −1.

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
        arguments.probability("gamma", self.gamma, zero=False, one=False)
        if not -1 < arguments.real("eta", self.eta) < math.inf:
            raise ValueError(f"eta must be in (-1, ∞), got {self.eta!r}")

    @property
    def expected_runs(self) -> float:
        """E[K]."""
        gamma, eta = self.gamma, self.eta
        if eta == 0:
            return (1 / gamma - 1) / math.log(1 / gamma)
        return eta * (1 - gamma) / (gamma * -math.expm1(eta * math.log(gamma)))

    def draw_runs(self, *, rng=None) -> int:
        """One K, by inversion. It must stay secret: only the best output may leave."""
        gamma, eta = self.gamma, self.eta
        uniform = np.random.default_rng(rng).random()
        first = 1 / math.log(1 / gamma) if eta == 0 else eta / math.expm1(-eta * math.log(gamma))
        k, mass = 1, (1 - gamma) * first
        cumulative = mass
        while uniform >= cumulative and mass > 1e-18:
            mass *= (1 - gamma) * (k + eta) / (k + 1)
            k += 1
            cumulative += mass
        return k

    def run(
        self, candidates: Sequence[Any], train: Callable[[Any, np.random.Generator], tuple[float, Any]], *, rng=None
    ):
        """The output with the highest score. ``train(candidate, rng) -> (score, output)`` must be private as a whole:
        a score computed on private data costs privacy too, and belongs to the claim of one run."""
        if not len(candidates):
            raise ValueError(f"candidates must not be empty, got {candidates!r}")
        rng = np.random.default_rng(rng)
        runs = [train(candidates[rng.integers(len(candidates))], rng) for _ in range(self.draw_runs(rng=rng))]
        return max(runs, key=lambda run: run[0])[1]

    def renyi_divergence(self, one_run: Callable[[np.ndarray], np.ndarray], orders: np.ndarray) -> np.ndarray:
        """Rényi curve of the whole search from that of one run (Papernot & Steinke 2022, theorem 2).

        ε′(α) = ε(α) + (1 + η)·min over β of [(1 − 1/β) ε(β) + ln(1/γ)/β] + ln E[K]/(α − 1).
        """
        orders = np.asarray(orders, dtype=float)
        choice = np.min((1 - 1 / ORDERS) * one_run(ORDERS) + math.log(1 / self.gamma) / ORDERS)
        return one_run(orders) + (1 + self.eta) * choice + math.log(self.expected_runs) / (orders - 1)

    def guarantee(self, one_run: Any, delta: float) -> Guarantee:
        """The (ε, δ) of the search, from the mechanism that one run is."""
        curve = self.renyi_divergence(one_run.renyi_divergence, ORDERS)
        return Guarantee(renyi.epsilon_from_rdp(ORDERS, curve, delta), delta, one_run.neighbours)
