"""A privacy claim and the relation it speaks about."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass

from dpcourse.privacy import arguments


class Neighbours(enum.Enum):
    """Which two datasets must be hard to tell apart.

    Under ``ADD_REMOVE`` one holds one record more than the other, so the size n is private. Under ``REPLACE_ONE`` both
    have the same size, which is public, and one record differs.
    """

    ADD_REMOVE = "add-remove"
    REPLACE_ONE = "replace-one"

    def __str__(self) -> str:
        return {"add-remove": "adding or removing one record", "replace-one": "replacing one record"}[self.value]


@dataclass(frozen=True)
class Guarantee:
    """An (ε, δ) differential-privacy claim, with the neighbouring relation it holds under.

    For every pair of neighbouring datasets D, D′ and every set S of outputs: P[M(D) ∈ S] ≤ e^ε P[M(D′) ∈ S] + δ
    (Dwork & Roth 2014, doi:10.1561/0400000042, definition 2.4).

    Parameters
    ----------
    epsilon : float
        ε ≥ 0. Infinity is legal and says that nothing is promised.
    delta : float
        δ in [0, 1). Zero is pure differential privacy.
    neighbours : Neighbours
        The relation.
    condition : str
        What must be true of the world for the claim to hold, where something must ("the class labels are public").

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value that is not of this form.

    Examples
    --------
    >>> print(Guarantee(1.0, 1e-5))
    (ε=1, δ=1e-05)-DP, adding or removing one record
    """

    epsilon: float
    delta: float = 0.0
    neighbours: Neighbours = Neighbours.ADD_REMOVE
    condition: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", arguments.nonnegative("epsilon", self.epsilon, infinite=True))
        object.__setattr__(self, "delta", arguments.probability("delta", self.delta, one=False))
        arguments.member("neighbours", self.neighbours, Neighbours)
        arguments.member("condition", self.condition, str)

    def __str__(self) -> str:
        # A printed claim must never be smaller than the claim itself.
        epsilon = "∞" if math.isinf(self.epsilon) else rounded_up(self.epsilon)
        provided = f", provided that {self.condition}" if self.condition else ""
        return f"(ε={epsilon}, δ={rounded_up(self.delta)})-DP, {self.neighbours}{provided}"


def rounded_up(value: float, digits: int = 4) -> str:
    """A number as it is printed in a claim: to `digits` significant digits, and never smaller than it is.

    >>> rounded_up(0.123456), rounded_up(2.0)
    ('0.1235', '2')
    """
    text = f"{value:.{digits}g}"
    if float(text) < value * (1 - 1e-12):  # 0.01 · 1e-5 is a float just above 1e-7, and reads 1e-07
        unit = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
        text = f"{float(text) + unit:.{digits}g}"
    return text


class BudgetExhausted(RuntimeError):
    """The privacy budget is spent: answering again would break the promise already made."""
