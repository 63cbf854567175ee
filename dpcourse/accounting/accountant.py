"""`PrivacyAccountant`: a ledger of what was run on the data, and what it costs by each method."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpcourse.accounting import composition, renyi
from dpcourse.accounting.pld import PrivacyLoss
from dpcourse.privacy import Guarantee, Neighbours, arguments


@dataclass(frozen=True)
class LedgerEntry:
    """One line of the ledger: a mechanism or a bare claim, run `times` times.

    ``converted`` says that an add-remove claim is being read as one about replacing a record: two steps instead of one.
    """

    source: Any
    times: int
    converted: bool = False

    def guarantee(self, neighbours: Neighbours) -> Guarantee:
        """The claim of one run under the accountant's relation; `ValueError` if the mechanism has none."""
        claim = self.source if isinstance(self.source, Guarantee) else self.source.guarantee
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
            return self.times * renyi.pure(self._pure("rdp"), orders)
        curve = self.source.renyi_divergence
        return self.times * (renyi.group_of_two(curve, orders) if self.converted else np.asarray(curve(orders)))

    def zcdp(self) -> float:
        """ρ of all runs: ε²/2 for a pure claim; two records cost four times the ρ of one (arXiv:1605.02065)."""
        if isinstance(self.source, Guarantee):
            epsilon = self._pure("zcdp")
            return self.times * (epsilon * epsilon) / 2
        return self.times * self.source.zcdp * (4 if self.converted else 1)

    def _pure(self, method: str) -> float:
        if self.source.delta > 0:
            raise ValueError(f"method {method!r} cannot price a bare claim with δ > 0, got {self.source}")
        return self.source.epsilon * (2 if self.converted else 1)

    def __str__(self) -> str:
        note = ", read as replacing one record (two steps)" if self.converted else ""
        return f"{self.times} × {self.source}{note}"


class PrivacyAccountant:
    """What everything run on the same data costs together.

    The ledger must be fixed in advance: mechanisms may depend on earlier answers, their costs may not (see `budget` for
    those).

    Parameters
    ----------
    neighbours : Neighbours
        The relation of the total. A claim under the other relation is refused, except that an add-remove claim may be
        read as one about replacing a record: removing one and adding another are two steps, so it costs what a group of
        two costs.

    Examples
    --------
    >>> accountant = PrivacyAccountant().compose(Guarantee(0.1), times=100)
    >>> for method in ("pld", "rdp", "zcdp", "advanced", "basic"):
    ...     print(f"{method:9}{accountant.epsilon(1e-5, method=method):.3f}")
    pld      4.307
    rdp      4.615
    zcdp     4.728
    advanced 5.850
    basic    10.000
    """

    METHODS = ("pld", "rdp", "zcdp", "advanced", "basic")

    def __init__(self, neighbours: Neighbours = Neighbours.ADD_REMOVE) -> None:
        self.neighbours = arguments.member("neighbours", neighbours, Neighbours)
        self._entries: list[LedgerEntry] = []

    def compose(self, mechanism_or_guarantee: Any, times: int = 1) -> PrivacyAccountant:
        """Enter a mechanism, or a `Guarantee`, run `times` times; returns the accountant itself.

        Raises
        ------
        TypeError
            If it is neither.
        ValueError
            If it speaks about another relation and cannot be converted, or `times` is below 1.
        """
        source, times = mechanism_or_guarantee, arguments.integer("times", times, minimum=1)
        relation = getattr(source, "neighbours", None)
        if not isinstance(source, Guarantee) and (isinstance(source, type) or not hasattr(source, "privacy_loss")):
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

    def epsilon(self, delta: float, method: str = "pld") -> float:
        """The smallest ε that the method can prove at this δ; ∞ if it proves none.

        Parameters
        ----------
        delta : float
            δ in [0, 1) of the total.
        method : {"pld", "rdp", "zcdp", "advanced", "basic"}
            Privacy-loss distributions (nearly exact); Rényi divergences; zero-concentrated DP; the advanced composition
            formula with δ′ = δ − Σδᵢ (`composition.advanced`, the textbook form, not capped by "basic"); adding up.

        Raises
        ------
        ValueError
            If the method cannot price an entry: "rdp" and "zcdp" a bare claim with δ > 0, "zcdp" a mechanism without
            ρ, "advanced" and "basic" one without a claim.
        """
        delta = arguments.probability("delta", delta, one=False)
        if method not in self.METHODS:
            raise ValueError(f"method must be one of {', '.join(self.METHODS)}, got {method!r}")
        if not self._entries:
            return 0.0
        if method == "pld":
            return self.privacy_loss().epsilon(delta)
        if method == "rdp":
            orders = np.array(renyi.DEFAULT_ORDERS)
            curve = np.sum([entry.renyi_divergence(orders) for entry in self._entries], axis=0)
            return renyi.epsilon_from_rdp(orders, curve, delta)
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

    def delta(self, epsilon: float | np.ndarray) -> float | np.ndarray:
        """The smallest δ at this ε ≥ 0 (or these), by privacy-loss distributions."""
        return self.privacy_loss().delta(epsilon)

    def guarantee(self, delta: float, method: str = "pld") -> Guarantee:
        """The total as a claim at this δ, under all conditions of what was entered."""
        condition = composition.conditions(entry.source for entry in self._entries)
        return Guarantee(self.epsilon(delta, method), delta, self.neighbours, condition)

    def __str__(self) -> str:
        lines = [f"privacy accountant, {self.neighbours}", *(f"  {entry}" for entry in self._entries)]
        return "\n".join(lines)

    __repr__ = __str__
