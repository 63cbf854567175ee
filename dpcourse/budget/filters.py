"""Privacy filters: may one more cost be paid, when it was chosen after seeing all answers so far?

A filter is more than a composition theorem. Its costs are chosen by an analyst who has seen the earlier answers, so the
rule that stops the spending must be valid for adaptively chosen costs. Adding up is (Rogers, Roth, Ullman, Vadhan 2016,
arXiv:1605.08294), and so is adding Rényi divergences at one order fixed in advance (Feldman & Zrnic 2021,
arXiv:2008.11193). Composing privacy-loss distributions is not: it needs the whole plan before the first answer.

Totals are exact: decimals enter as the fractions they were written as, Rényi costs as whole units rounded up.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from dpcourse.accounting import PrivacyAccountant, PrivacyLoss, renyi
from dpcourse.accounting.interface import has_privacy_loss
from dpcourse.accounting.pld import integers, pairs, selection
from dpcourse.accounting.solve import safe_root
from dpcourse.privacy import BudgetExhausted, Guarantee, arguments

UNIT = 2**64  # a Rényi cost is stored as a whole number of 1/UNIT, rounded up


class Filter(Protocol):
    """What a ledger asks of a filter. States and prices are JSON text, so that they can be stored as they are."""

    budget: Guarantee

    def price(self, cost: Any) -> str:
        """What this cost adds to the total; `ValueError` if this filter cannot price it."""

    def zero(self) -> str:
        """The total before anything is spent."""

    def add(self, total: str, price: str) -> str:
        """The total after paying `price`; `BudgetExhausted` if it would leave the budget."""

    def left(self, total: str) -> Guarantee:
        """What is left, as the ledger's `remaining` documents it."""


class BasicFilter:
    """Σε ≤ ε and Σδ ≤ δ, in fractions."""

    def __init__(self, budget: Guarantee) -> None:
        self.budget = budget

    def price(self, cost: Any) -> str:
        """The claim (ε, δ) of this cost, as two fractions."""
        claim = _claim(cost)
        return _dump([as_fraction(claim.epsilon), as_fraction(claim.delta)])

    def zero(self) -> str:
        """Two zeros."""
        return _dump([Fraction(0), Fraction(0)])

    def add(self, total: str, price: str) -> str:
        """Both sums; `BudgetExhausted` if either would leave the budget."""
        spent = [old + new for old, new in zip(_load(total), _load(price), strict=True)]
        limits = [as_fraction(self.budget.epsilon), as_fraction(self.budget.delta)]
        if any(value > limit for value, limit in zip(spent, limits, strict=True)):
            raise BudgetExhausted(f"this would spend (ε={float(spent[0]):.6g}, δ={float(spent[1]):.6g})")
        return _dump(spent)

    def left(self, total: str) -> Guarantee:
        """What neither sum has used."""
        epsilon, delta = _load(total)
        rest = [as_fraction(self.budget.epsilon) - epsilon, as_fraction(self.budget.delta) - delta]
        return Guarantee(float(rest[0]), float(rest[1]), self.budget.neighbours)


class RenyiFilter:
    """Σ D_α ≤ r(α), where (α, r) implies the budget (conversion of Canonne, Kamath, Steinke 2020, arXiv:2004.00010)."""

    def __init__(self, budget: Guarantee, order: float | None = None) -> None:
        if budget.delta == 0:
            raise ValueError("method 'rdp' needs a budget with delta > 0, got 0.0")
        self.budget = budget
        self.order = self._best_order() if order is None else arguments.positive("order", order)
        if self.order <= 1:
            raise ValueError(f"order must be > 1, got {order!r}")
        # Rounded down by more than the formula's own rounding: a total at the limit implies the budget.
        self.limit = math.floor(self._allowance(self.order) * (1 - 1e-12) * UNIT)
        if self.limit <= 0:
            raise ValueError(f"at order {self.order:g} the budget {budget} allows nothing")

    def _allowance(self, order: float) -> float:
        """The largest r for which r + ln(1 − 1/α) − ln(δα)/(α − 1) ≤ ε."""
        budget = self.budget
        return budget.epsilon - math.log1p(-1 / order) + math.log(budget.delta * order) / (order - 1)

    def _best_order(self) -> float:
        """The order that admits most small costs: D_α ≈ αρ, so the largest allowance per α."""
        orders = 1 + np.geomspace(0.05, 1e4, 2000)
        return float(max(orders, key=lambda order: self._allowance(order) / order))

    def price(self, cost: Any) -> str:
        """The cost's Rényi divergence at the filter's order, in units, rounded up."""
        if isinstance(cost, Guarantee):
            if cost.delta:
                raise ValueError(f"method 'rdp' cannot price a bare claim with delta > 0, got {cost}")
            divergence = pure_divergence(cost.epsilon, self.order)
        elif not hasattr(cost, "renyi_divergence"):
            raise ValueError(f"method 'rdp' cannot price a mechanism without .renyi_divergence, got {cost!r}")
        else:
            divergence = float(cost.renyi_divergence(np.array([self.order]))[0])
        if not 0 <= divergence < math.inf:  # a negative price would be a refund
            raise ValueError(f"method 'rdp' cannot price {cost!r}: its Rényi divergence is {divergence}")
        # Relative 1e-12 covers the rounding of the formula itself.
        return json.dumps(math.ceil(divergence * (1 + 1e-12) * UNIT))

    def zero(self) -> str:
        """No units."""
        return json.dumps(0)

    def add(self, total: str, price: str) -> str:
        """The sum of units; `BudgetExhausted` beyond the limit."""
        spent = json.loads(total) + json.loads(price)
        if spent > self.limit:
            raise BudgetExhausted(
                f"this would raise the Rényi divergence at order {self.order:.4g} to {spent / UNIT:.6g}, "
                f"above {self.limit / UNIT:.6g}"
            )
        return json.dumps(spent)

    def left(self, total: str) -> Guarantee:
        """The largest pure ε whose divergence still fits."""
        rest, high = (self.limit - json.loads(total)) / UNIT, 1.0
        while pure_divergence(high, self.order) <= rest:
            high *= 2
        # The divergence grows with ε, so in −ε it is a decreasing function: the ε found is not too large.
        found = safe_root(lambda minus: pure_divergence(abs(minus), self.order) - rest, -high, 0.0, 1e-12 * high)
        return Guarantee(abs(found), 0.0, self.budget.neighbours)


class PlannedFilter:
    """A plan fixed before the first answer, priced as a whole by its privacy-loss distribution.

    Which mechanisms there are, and how often each, is fixed; which question each of them answers, in which order, and
    when to stop may depend on the answers. Stopping early is post-processing of the whole plan, and the losses of the
    plan's mechanisms are independent whatever the order.
    """

    def __init__(self, budget: Guarantee, plan: Iterable[Any]) -> None:
        self.budget = budget
        self.costs: dict[str, Any] = {}
        self.plan: Counter[str] = Counter()
        if not isinstance(plan, Iterable):
            raise TypeError(f"plan must be an iterable of costs or (cost, times) pairs, got {plan!r}")
        for item in plan:
            if isinstance(item, tuple) and len(item) != 2:
                raise TypeError(f"plan must hold costs or (cost, times) pairs, got {item!r}")
            cost, times = item if isinstance(item, tuple) else (item, 1)
            self.costs[_name_of(cost)] = cost
            self.plan[_name_of(cost)] += arguments.integer("times", times, minimum=1)
        if not self.plan:
            raise ValueError("plan must hold at least one cost, got an empty one")
        epsilon = self._epsilon(self.plan)
        if epsilon > budget.epsilon * (1 + 1e-12):  # three times 0.1 in floats is more than 0.3
            raise ValueError(f"plan costs ε={epsilon:.6g} at δ={budget.delta:g}, more than the budget {budget}")

    def _epsilon(self, plan: Counter[str]) -> float:
        accountant = PrivacyAccountant(self.budget.neighbours)
        for name, times in plan.items():
            if times:
                accountant.compose(self.costs[name], times=times)
        return accountant.epsilon(self.budget.delta, method="pld") if +plan else 0.0

    def price(self, cost: Any) -> str:
        """The name of this cost, if the plan has it."""
        name = _name_of(cost)
        if name not in self.plan:
            raise ValueError(f"method 'pld' admits only costs of the plan fixed at opening, got {name}")
        return json.dumps(name)

    def zero(self) -> str:
        """Nothing of the plan."""
        return json.dumps({})

    def add(self, total: str, price: str) -> str:
        """How often each cost was paid; `BudgetExhausted` if the plan has it no more often."""
        spent, name = json.loads(total), json.loads(price)
        spent[name] = spent.get(name, 0) + 1
        if spent[name] > self.plan[name]:
            raise BudgetExhausted(f"the plan has {name} {self.plan[name]} times, and all of them are spent")
        return json.dumps(spent, sort_keys=True)

    def left(self, total: str) -> Guarantee:
        """What the rest of the plan costs on its own."""
        rest = self.plan - Counter(json.loads(total))
        return Guarantee(self._epsilon(rest), self.budget.delta, self.budget.neighbours)


def as_fraction(value: float) -> Fraction:
    """The decimal a float was written as: twenty times 0.05 is 1, which it is not in floats."""
    return Fraction(repr(float(value)))


def pure_divergence(epsilon: float, order: float) -> float:
    """The largest Rényi divergence at this order that an ε-DP mechanism can have."""
    return float(renyi.pure(epsilon, np.array([order]))[0])


def _claim(cost: Any) -> Guarantee:
    claim = cost if isinstance(cost, Guarantee) else getattr(cost, "guarantee", None)
    if not isinstance(claim, Guarantee):
        raise TypeError(f"cost must be a mechanism or a Guarantee, got {cost!r}")
    if math.isinf(claim.epsilon):
        raise ValueError(f"cost must have a finite epsilon, got {cost!r}")
    return claim


def _name_of(cost: Any) -> str:
    """What tells one cost of a plan from another: what it is called and, for a mechanism, all that it leaks.

    The name alone would not do: nothing obliges a mechanism to show its noise in it.
    """
    if isinstance(cost, Guarantee):
        return repr(cost)
    if not has_privacy_loss(cost):
        raise TypeError(f"cost must be a mechanism or a Guarantee, got {cost!r}")
    loss = cost.privacy_loss()
    if not isinstance(loss, PrivacyLoss):
        raise TypeError(f"cost must have a PrivacyLoss, got {loss!r} from {cost!r}")
    name = f"{cost!r}, {loss!r}"
    if all(_shows_all(pair) for pair, _ in loss.parts):
        return name
    return f"{name}, sha256 {hashlib.sha256(_content(loss).encode()).hexdigest()}"


def _shows_all(pair: Any) -> bool:
    """Whether the name of a pair says all of it. That of a `Finite` is an abbreviation."""
    if type(pair) is pairs.Subsampled:
        return _shows_all(pair.base)
    whole = (pairs.Gaussian, pairs.Laplace, integers.DiscreteGaussian, integers.DiscreteLaplace, selection.BoundedRange)
    return type(pair) in whole


def _content(value: Any) -> str:
    """All of a loss as text: to 12 digits, beyond which another machine's logarithms may differ."""
    if dataclasses.is_dataclass(value):
        fields = [getattr(value, field.name) for field in dataclasses.fields(value)]
        return f"{type(value).__qualname__}{_content(fields)}"
    if isinstance(value, tuple | list):
        return f"({', '.join(map(_content, value))})"
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, int | str | Fraction):
        return repr(value)
    raise TypeError(f"cost must have a loss made of dataclasses and numbers, to be told from others, got {value!r}")


def _dump(values: list[Fraction]) -> str:
    return json.dumps([str(value) for value in values])


def _load(text: str) -> list[Fraction]:
    return [Fraction(value) for value in json.loads(text)]
