"""Composing claims by formula: basic, advanced, in parallel, in groups. Every function takes and returns `Guarantee`.

The claims are fixed in advance; which mechanism is run next may depend on the answers so far. Choosing ε itself after
seeing answers needs a privacy filter instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpcourse.privacy import Guarantee, Neighbours, arguments


def basic(guarantees: Sequence[Guarantee] | Mapping[Guarantee, int]) -> Guarantee:
    """(Σ ε, Σ δ): the price of everything run on the same data.

    Dwork & Roth 2014 (doi:10.1561/0400000042), theorem 3.16.

    Parameters
    ----------
    guarantees : sequence of Guarantee, or mapping from Guarantee to int
        At least one, all under the same relation; a mapping says how often each is used.

    Returns
    -------
    Guarantee
        Under that relation, and under all conditions of the claims. If the δ's add up to 1 or more nothing is promised:
        ε = ∞.

    Examples
    --------
    >>> print(basic([Guarantee(0.5), Guarantee(1.0, 1e-6)]))
    (ε=1.5, δ=1e-06)-DP, adding or removing one record
    """
    neighbours = _relation(guarantees)
    epsilon, delta = _sum(guarantees, lambda g: g.epsilon), _sum(guarantees, lambda g: g.delta)
    return _claim(epsilon, delta, neighbours, conditions(guarantees))


def advanced(
    guarantees: Sequence[Guarantee] | Mapping[Guarantee, int], slack: float, *, tight: bool = False
) -> Guarantee:
    """Advanced composition: ε = √(2 ln(1/δ′)·Σε²) + Σ ε(e^ε − 1), δ = δ′ + Σδ.

    For k equal claims this is the textbook formula (Dwork & Roth 2014, theorem 3.20). For unequal ones, and for
    `tight`, which has ε(e^ε − 1)/(e^ε + 1) in the second sum, it is the third bound of Kairouz, Oh & Viswanath 2017
    (arXiv:1311.0776, theorem 3.5) and what follows from it: their δ, 1 − (1 − δ′)Π(1 − δᵢ), is below δ′ + Σδ. Often
    worse than `basic`: compare at the same δ.

    Parameters
    ----------
    guarantees : sequence of Guarantee, or mapping from Guarantee to int
        At least one, all under the same relation, fixed in advance; a mapping says how often each is used.
    slack : float
        δ′ in (0, 1).
    tight : bool
        Use the smaller second sum.

    Examples
    --------
    >>> round(advanced([Guarantee(0.1)] * 100, 1e-5).epsilon, 5)
    5.85024
    >>> round(advanced([Guarantee(0.1)] * 100, 1e-5, tight=True).epsilon, 3)
    5.298
    """
    slack, neighbours = arguments.probability("slack", slack, zero=False, one=False), _relation(guarantees)
    squares = _sum(guarantees, lambda g: g.epsilon * g.epsilon)
    drift = _sum(guarantees, lambda g: _drift(g.epsilon, tight))
    epsilon = math.sqrt(-2 * math.log(slack) * squares) + drift
    return _claim(epsilon, slack + _sum(guarantees, lambda g: g.delta), neighbours, conditions(guarantees))


def parallel(guarantees: Sequence[Guarantee]) -> Guarantee:
    """(max ε, max δ): each mechanism sees its own part of the data, and no record is in two parts.

    Which part a record belongs to may depend on that record alone. Add-remove neighbours only: a replaced record may
    leave one part and enter another, so that two answers change (ask for `group` of 2 then).

    Examples
    --------
    >>> print(parallel([Guarantee(0.5), Guarantee(1.0)]))
    (ε=1, δ=0)-DP, adding or removing one record
    """
    if _relation(guarantees) is not Neighbours.ADD_REMOVE:
        raise ValueError(f"guarantees must be under add-remove neighbours to compose in parallel, got {guarantees[0]}")
    epsilon, delta = max(g.epsilon for g in guarantees), max(g.delta for g in guarantees)
    return Guarantee(epsilon, delta, Neighbours.ADD_REMOVE, conditions(guarantees))


def group(guarantee: Guarantee, size: int) -> Guarantee:
    """What a claim about one record says about `size` of them: (kε, δ(e^(kε) − 1)/(e^ε − 1)), for k=2 (2ε, (1 + e^ε)δ).

    The relation printed stays that of one step; the claim is about `size` steps.
    """
    arguments.member("guarantee", guarantee, Guarantee)
    size = arguments.integer("size", size, minimum=1)
    epsilon, delta = guarantee.epsilon, guarantee.delta
    if delta > 0 and size > 1:
        if (size - 1) * epsilon > 700:  # e^((k − 1)ε) is no longer a float
            return _claim(math.inf, 0.0, guarantee.neighbours, guarantee.condition)
        ratio = math.expm1(-size * epsilon) / math.expm1(-epsilon) if epsilon > 0 else size
        delta *= math.exp((size - 1) * epsilon) * ratio
    return _claim(size * epsilon, delta, guarantee.neighbours, guarantee.condition)


def conditions(claims: Iterable[Any]) -> str:
    """What must be true for all of these to hold, each condition once, in order.

    >>> conditions([Guarantee(1.0, condition="n is public"), Guarantee(2.0), Guarantee(3.0, condition="n is public")])
    'n is public'
    """
    return " and ".join(dict.fromkeys(filter(None, (getattr(claim, "condition", "") for claim in claims))))


def _relation(guarantees: Sequence[Guarantee] | Mapping[Guarantee, int]) -> Neighbours:
    for guarantee in guarantees:
        arguments.member("guarantees", guarantee, Guarantee)
        if isinstance(guarantees, Mapping):
            arguments.integer("guarantees", guarantees[guarantee], minimum=1)
    relations = {guarantee.neighbours for guarantee in guarantees}
    if len(relations) != 1:
        raise ValueError(f"guarantees must be at least one, all under one relation, got {[str(g) for g in guarantees]}")
    return relations.pop()


def _sum(guarantees: Sequence[Guarantee] | Mapping[Guarantee, int], of: Callable[[Guarantee], float]) -> float:
    """The sum, rounded once; ∞ where no float holds it."""
    try:
        if isinstance(guarantees, Mapping):
            return float(sum(Fraction(of(guarantee)) * times for guarantee, times in guarantees.items()))
        return math.fsum(map(of, guarantees))
    except OverflowError:  # an infinite term has no fraction either
        return math.inf


def _claim(epsilon: float, delta: float, neighbours: Neighbours, condition: str) -> Guarantee:
    epsilon, delta = (epsilon, delta) if delta < 1 else (math.inf, 0.0)
    return Guarantee(epsilon, delta, neighbours, condition)


def _drift(epsilon: float, tight: bool) -> float:
    """The mean of the privacy loss that the formulas allow: ε(e^ε − 1), or that times 1/(e^ε + 1) = ε·tanh(ε/2)."""
    if epsilon > 700:
        return epsilon if tight else math.inf
    return epsilon * (math.tanh(epsilon / 2) if tight else math.expm1(epsilon))
