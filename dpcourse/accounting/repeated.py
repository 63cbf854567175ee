"""The price of repeat-and-select: a private run done a random number of times, of which only the best is shown."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.special import exprel

from dpcourse.accounting import composition
from dpcourse.accounting.accountant import PrivacyAccountant
from dpcourse.accounting.interface import HasPrivacyLoss
from dpcourse.accounting.pld import PrivacyLoss
from dpcourse.privacy import Guarantee, Neighbours, arguments

#: The orders at which the price of choosing is looked for.
ORDERS = 1 + np.geomspace(0.05, 1e4, 400)


def expected_runs(gamma: float, eta: float) -> float:
    """E[K] = η(1 − γ) / (γ(1 − γ^η)); at η = 0 its limit (1/γ − 1) / ln(1/γ).

    >>> round(expected_runs(0.02, 0.0), 1)
    12.5
    """
    log = math.log(1 / gamma)
    return (1 / gamma - 1) / (log * float(exprel(-eta * log)))  # exprel(x) = (eˣ − 1)/x, and 1 at 0


def best_of_runs(
    one_run: Callable[[np.ndarray], np.ndarray], gamma: float, eta: float, orders: np.ndarray
) -> np.ndarray:
    """ε′(α) = ε(α) + (1 + η)·min over β ≥ 1 of [(1 − 1/β) ε(β) + ln(1/γ)/β] + ln E[K]/(α − 1), for α > 1.

    Papernot & Steinke 2022 (arXiv:2110.03620), theorem 2; `one_run` is the Rényi curve ε of one run.
    """
    orders = np.asarray(orders, dtype=float)
    choice = np.min((1 - 1 / ORDERS) * one_run(ORDERS) + math.log(1 / gamma) / ORDERS)
    return one_run(orders) + (1 + eta) * choice + math.log(expected_runs(gamma, eta)) / (orders - 1)


@dataclass(frozen=True)
class RepeatAndSelect:
    """The best of K runs, as an entry of an accountant. K is drawn at random and stays secret.

    K follows the truncated negative binomial distribution with η and γ (`learning.search.PrivateSearch` draws it). The
    price is that of Papernot & Steinke 2022 (arXiv:2110.03620, theorem 2); Liu & Talwar 2019 (arXiv:1811.07971) were
    first. If one run is ε-DP the whole is (2 + η)ε-DP: that is the theorem where both orders tend to infinity.

    A claim, not a release.

    Parameters
    ----------
    one_run : mechanism, Guarantee without δ, or PrivacyAccountant
        All that one run does, its score included; with candidates of different costs, the costliest.
    gamma : float
        γ in (0, 1): the smaller, the more runs.
    eta : float
        η > −1, and η·ln(1/γ) ≤ 500. η = 1 is the geometric distribution, η = 0 the logarithmic one.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Examples
    --------
    >>> from dpcourse.mechanisms import GaussianMechanism, LaplaceMechanism
    >>> search = RepeatAndSelect(GaussianMechanism.from_noise_multiplier(4.0), gamma=0.02)
    >>> accountant = PrivacyAccountant().compose(search).compose(LaplaceMechanism(0.1))
    >>> print(accountant.guarantee(1e-5))
    (ε=1.889, δ=1e-05)-DP, adding or removing one record
    >>> print(RepeatAndSelect(LaplaceMechanism(0.1), gamma=0.02).guarantee)
    (ε=0.2, δ=0)-DP, adding or removing one record
    """

    one_run: HasPrivacyLoss | Guarantee | PrivacyAccountant
    gamma: float
    eta: float = 0.0
    _run: PrivacyAccountant = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check(self.gamma, self.eta)
        if isinstance(self.one_run, PrivacyAccountant):
            entries = [(entry.source, entry.times) for entry in self.one_run.ledger]
        else:
            entries = [(self.one_run, 1)]
        try:
            run = PrivacyAccountant(self.one_run.neighbours)  # type: ignore[union-attr]
            for source, times in entries:
                run.compose(source, times)
        except (AttributeError, TypeError):
            raise TypeError(f"one_run must be a mechanism or a PrivacyAccountant, got {self.one_run!r}") from None
        object.__setattr__(self, "_run", run)

    @property
    def neighbours(self) -> Neighbours:
        """The relation of one run."""
        return self._run.neighbours

    @property
    def condition(self) -> str:
        """What must be true for the claim of one run to hold."""
        return composition.conditions(entry.source for entry in self._run.ledger)

    @property
    def guarantee(self) -> Guarantee:
        """((2 + η)ε, 0) where one run is ε-DP; else `ValueError`: ask an accountant at some δ."""
        return Guarantee(self._pure(), 0.0, self.neighbours, self.condition)

    def privacy_loss(self) -> PrivacyLoss:
        """The worst loss of a (2 + η)ε-DP mechanism, where one run is ε-DP; else `ValueError`."""
        return PrivacyLoss.pure(self._pure())

    def renyi_divergence(self, orders: np.ndarray) -> np.ndarray:
        """The curve of the whole from that of one run: `best_of_runs`."""
        return best_of_runs(self._run.renyi_divergence, self.gamma, self.eta, orders)

    @property
    def zcdp(self) -> float:
        """Raises `ValueError`: the logarithms in the curve do not shrink with the order."""
        raise ValueError(f"repeat-and-select has no useful zCDP bound, got {self!r}")

    def _pure(self) -> float:
        epsilon = self._run.epsilon(0.0)
        if math.isinf(epsilon):
            raise ValueError("one run has no finite ε at δ = 0: ask an accountant for ε at some δ")
        return (2 + self.eta) * epsilon


def check(gamma: float, eta: float) -> None:
    """Refuse, by name, what is no γ in (0, 1) or no η > −1 with η·ln(1/γ) ≤ 500."""
    arguments.probability("gamma", gamma, zero=False, one=False)
    if not -1 < arguments.real("eta", eta) < math.inf:
        raise ValueError(f"eta must be in (-1, ∞), got {eta!r}")
    if eta * math.log(1 / gamma) > 500:  # the mass of K = 1 is about exp of minus that
        raise ValueError(f"eta·ln(1/gamma) must be ≤ 500, got eta {eta!r} and gamma {gamma!r}")
