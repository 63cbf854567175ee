"""`PrivacyAccountant`: a ledger of what was run on the data, and what it costs by each method."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpcourse.accounting import composition, renyi
from dpcourse.accounting.interface import HasPrivacyLoss, has_privacy_loss
from dpcourse.accounting.pld import PrivacyLoss
from dpcourse.accounting.pld.loss import MOST_RUNS
from dpcourse.privacy import Guarantee, Neighbours, arguments

_ORDERS = np.array(renyi.DEFAULT_ORDERS)


@dataclass(frozen=True)
class LedgerEntry:
    """One line of the ledger: a mechanism or a bare claim, run `times` times.

    ``converted`` says that an add-remove claim is being read as one about replacing a record: two steps instead of one.
    """

    source: HasPrivacyLoss | Guarantee
    times: int
    converted: bool = False

    def guarantee(self, neighbours: Neighbours) -> Guarantee:
        """The claim of one run under the accountant's relation; `ValueError` if the mechanism has none."""
        claim = self.source if isinstance(self.source, Guarantee) else self._ask("guarantee")
        claim = composition.group(claim, 2) if self.converted else claim
        return replace(claim, neighbours=neighbours)

    def loss(self) -> PrivacyLoss:
        """The loss of all runs."""
        source = self.source
        one = PrivacyLoss.from_guarantee(source) if isinstance(source, Guarantee) else source.privacy_loss()
        return (one.replacing_one() if self.converted else one).self_compose(self.times)

    def renyi_divergence(self, orders: np.ndarray) -> np.ndarray:
        """The Rényi curve of all runs."""
        if isinstance(self.source, Guarantee):
            return self.times * renyi.pure(self._pure(self.source, "rdp"), orders)
        curve = self._ask("renyi_divergence")
        return self.times * (renyi.group_of_two(curve, orders) if self.converted else np.asarray(curve(orders)))

    def zcdp(self) -> float:
        """ρ of all runs: ε²/2 for a pure claim; two records cost four times the ρ of one (arXiv:1605.02065)."""
        if isinstance(self.source, Guarantee):
            epsilon = self._pure(self.source, "zcdp")
            return self.times * (epsilon * epsilon) / 2
        return self.times * self._ask("zcdp") * (4 if self.converted else 1)

    def _ask(self, name: str) -> Any:
        """What the mechanism says of itself beyond its loss; `ValueError` if it says nothing."""
        try:
            return getattr(self.source, name)
        except AttributeError:
            raise ValueError(f"only method 'pld' can price a mechanism without .{name}, got {self.source!r}") from None

    def _pure(self, claim: Guarantee, method: str) -> float:
        if claim.delta > 0:
            raise ValueError(f"method {method!r} cannot price a bare claim with δ > 0, got {claim}")
        return claim.epsilon * (2 if self.converted else 1)

    def __str__(self) -> str:
        note = ", read as replacing one record (two steps)" if self.converted else ""
        return f"{self.times} × {self.source}{note}"


class PrivacyAccountant:
    """What everything run on the same data costs together.

    The ledger must be fixed in advance: mechanisms may depend on earlier answers, their costs may not (see `budget` for
    those). Then every method's ε is a true claim about the whole, and so is the least of them.

    Parameters
    ----------
    neighbours : Neighbours
        The relation of the total. A claim under the other relation is refused, except that an add-remove claim may be
        read as one about replacing a record: removing one and adding another are two steps, so it costs what a group of
        two costs.

    Examples
    --------
    >>> from dpcourse.mechanisms import ExponentialMechanism
    >>> claims = PrivacyAccountant().compose(Guarantee(0.1), times=100)
    >>> choices = PrivacyAccountant().compose(ExponentialMechanism(0.1), times=100)
    >>> for method in ("best", "pld", "rdp", "zcdp", "advanced", "basic"):
    ...     print(f"{method:9}{claims.epsilon(1e-5, method):.3f}   {choices.epsilon(1e-5, method):.3f}")
    best     4.307   2.152
    pld      4.307   2.321
    rdp      4.615   2.152
    zcdp     4.728   2.166
    advanced 5.850   5.850
    basic    10.000   10.000
    """

    METHODS = ("pld", "rdp", "zcdp", "advanced", "basic")  # those that "best" chooses from

    def __init__(self, neighbours: Neighbours = Neighbours.ADD_REMOVE) -> None:
        self.neighbours = arguments.member("neighbours", neighbours, Neighbours)
        self._entries: list[LedgerEntry] = []

    def compose(self, mechanism_or_guarantee: HasPrivacyLoss | Guarantee, times: int = 1) -> PrivacyAccountant:
        """Enter a mechanism, or a `Guarantee`, run `times` times; returns the accountant itself.

        Raises
        ------
        TypeError
            If it is neither.
        ValueError
            If it speaks about another relation and cannot be converted, or `times` is not in 1..2^53.
        """
        source, times = mechanism_or_guarantee, arguments.integer("times", times, minimum=1, maximum=MOST_RUNS)
        relation = getattr(source, "neighbours", None)
        if not isinstance(source, Guarantee) and not has_privacy_loss(source):
            raise TypeError(f"mechanism_or_guarantee must be a mechanism or a Guarantee, got {source!r}")
        arguments.member("mechanism_or_guarantee.neighbours", relation, Neighbours)
        if self.neighbours is Neighbours.ADD_REMOVE and relation is not self.neighbours:
            raise ValueError(
                f"mechanism_or_guarantee must be a claim about {self.neighbours}, got {source}: "
                "a claim about replacing one record says nothing about datasets of different sizes"
            )
        self._entries.append(LedgerEntry(source, times, converted=relation is not self.neighbours))
        return self

    @property
    def ledger(self) -> tuple[LedgerEntry, ...]:
        """The entries so far, in order."""
        return tuple(self._entries)

    def privacy_loss(self) -> PrivacyLoss:
        """The loss of everything in the ledger."""
        total = PrivacyLoss.identity()
        for entry in self._entries:
            total = total.compose(entry.loss())
        return total

    def epsilon(self, delta: float, method: str = "best") -> float:
        """The smallest ε that the method can prove at this δ; ∞ if it proves none.

        Parameters
        ----------
        delta : float
            δ in [0, 1) of the total.
        method : {"best", "pld", "rdp", "zcdp", "advanced", "basic"}
            The least of all that can price every entry; privacy-loss distributions (`PrivacyLoss` says how exact: for
            one pair that no mechanism attains everywhere, as for selections, composing it is a bound only); Rényi
            divergences; zero-concentrated DP; the advanced composition formula with δ′ = δ − Σδᵢ
            (`composition.advanced`, the textbook form, not capped by "basic"); adding up.

        Raises
        ------
        ValueError
            If the method cannot price an entry: "pld" a mechanism that knows no loss, "rdp" and "zcdp" a bare claim
            with δ > 0, "zcdp" a mechanism without ρ, "advanced" and "basic" one without a claim. "best" raises what
            "pld" says where no method can.
        """
        delta = arguments.probability("delta", delta, one=False)
        if method == "best":
            # At δ = 0 a divergence proves nothing, unless it is 0; and a small one may only have been rounded to that.
            silent = ("rdp", "zcdp") if delta == 0 else ()
            return self._least(lambda m: math.inf if m in silent else self.epsilon(delta, m), self.METHODS)
        if method not in self.METHODS:
            raise ValueError(f"method must be one of best, {', '.join(self.METHODS)}, got {method!r}")
        if not self._entries:
            return 0.0
        if method == "pld":
            return self.privacy_loss().epsilon(delta)
        if method == "rdp":
            return renyi.epsilon_from_rdp(_ORDERS, self.renyi_divergence(_ORDERS), delta)
        if method == "zcdp":
            return renyi.epsilon_from_zcdp(math.fsum(e.zcdp() for e in self._entries), delta)
        claims: Counter[Guarantee] = Counter()
        for entry in self._entries:
            claims[entry.guarantee(self.neighbours)] += entry.times
        total = composition.basic(claims)
        if method == "basic":
            return total.epsilon if total.delta <= delta * (1 + 1e-12) else math.inf
        slack = delta - total.delta
        return composition.advanced(claims, slack).epsilon if slack > 1e-12 * delta else math.inf

    def delta(self, epsilon: float | np.ndarray, method: str = "best") -> Any:
        """The smallest δ at this ε ≥ 0 (or these) by "pld", "rdp", "zcdp" or the "best" of them."""
        if method == "best":
            return self._least(lambda method: self.delta(epsilon, method), ("pld", "rdp", "zcdp"))
        if method not in ("pld", "rdp", "zcdp"):
            raise ValueError(f"method must be one of best, pld, rdp, zcdp, got {method!r}")
        if method == "pld" or not self._entries:
            return self.privacy_loss().delta(epsilon)
        if method == "rdp":
            one = functools.partial(renyi.delta_from_rdp, _ORDERS, self.renyi_divergence(_ORDERS))
        else:
            one = functools.partial(renyi.delta_from_zcdp, math.fsum(entry.zcdp() for entry in self._entries))
        answer = np.vectorize(one, otypes=[float])(epsilon)
        return answer if answer.ndim else float(answer)

    def _least(self, price: Callable[[str], Any], methods: tuple[str, ...]) -> Any:
        """The least price of the methods that have one."""
        prices, refusals = [], []
        for method in methods:
            try:
                prices.append(price(method))
            except (ValueError, OverflowError) as refusal:  # what no float holds proves nothing
                refusals.append(refusal)
        if not prices:
            raise refusals[0]
        return functools.reduce(np.minimum, prices) if isinstance(prices[0], np.ndarray) else min(prices)

    def renyi_divergence(self, orders: np.ndarray) -> np.ndarray:
        """The Rényi curve of everything in the ledger at orders > 1; `ValueError` where an entry has none."""
        return np.sum([entry.renyi_divergence(orders) for entry in self._entries], axis=0) + np.zeros(np.shape(orders))

    def guarantee(self, delta: float, method: str = "best") -> Guarantee:
        """The total as a claim at this δ, under all conditions of what was entered."""
        condition = composition.conditions(entry.source for entry in self._entries)
        return Guarantee(self.epsilon(delta, method), delta, self.neighbours, condition)

    def __str__(self) -> str:
        lines = [f"privacy accountant, {self.neighbours}", *(f"  {entry}" for entry in self._entries)]
        return "\n".join(lines)

    __repr__ = __str__
