"""The claim that an answer returns with its release: is it the one that was asked for?"""

from __future__ import annotations

import math
from typing import Any

from dpcourse.checks.diagnosis import Diagnosis, a
from dpcourse.privacy import Guarantee, Neighbours

CHANGE = {Neighbours.ADD_REMOVE: "adding or removing", Neighbours.REPLACE_ONE: "replacing"}


def claimed(
    claim: Any, wanted: Guarantee, record: str, relation: tuple[str, str], fewest: str = ""
) -> Diagnosis | None:
    """What is wrong with a claim; None where it is the wanted one.

    A claim that is not the wanted one may still be true of the answer's noise, so it is never called false here.

    Parameters
    ----------
    claim : object
        What the answer returned.
    wanted : Guarantee
        What was asked for.
    record : str
        What a record is, such as "a lot".
    relation : (str, str)
        What the other relation means for this release, and a question.
    fewest : str, optional
        How much noise is left in the worst case that the brief allows: why a smaller ε does not hold.

    Examples
    --------
    >>> words = "Replaced, a lot leaves one bin and enters another.", "Which change is your noise made for?"
    >>> claimed(Guarantee(0.5), Guarantee(0.5), "a lot", words) is None
    True
    >>> print(claimed(Guarantee(0.4), Guarantee(0.5), "a lot", words).seen)
    You claim (ε, δ) = (0.4, 0). Asked for is (0.5, 0) for adding or removing a lot.
    """
    if not isinstance(claim, Guarantee):
        ask = "Guarantee(epsilon, delta, neighbours): what do the three stand for here?"
        return Diagnosis("claim", f"`claim` is {a(claim)}. A Guarantee is wanted.", ask)
    if claim.condition:
        seen = (
            f"You claim it only if {claim.condition}. Asked for is a claim without a condition, for "
            f"{CHANGE[wanted.neighbours]} {record}."
        )
        return Diagnosis("claim", seen, "Does your claim hold without the condition?")
    numbers = f"(ε, δ) = ({claim.epsilon:.6g}, {claim.delta:.6g})"
    if claim.neighbours is not wanted.neighbours:
        why, ask = relation
        change = CHANGE[wanted.neighbours]
        seen = f"You claim {numbers} for {CHANGE[claim.neighbours]} {record}, and asked for is {change} one. {why}"
        return Diagnosis("claim", seen, ask)
    right_delta = math.isclose(claim.delta, wanted.delta)
    if math.isclose(claim.epsilon, wanted.epsilon) and right_delta:
        return _to_the_last_digit(claim, wanted)
    asked = f"({wanted.epsilon:.6g}, {wanted.delta:.6g}) for {CHANGE[wanted.neighbours]} {record}"
    seen = f"You claim {numbers}. Asked for is {asked}."
    if claim.epsilon >= wanted.epsilon and claim.delta >= wanted.delta:
        return Diagnosis("claim", f"{seen} Yours promises less.", "Which ε and which δ is your noise made for?")
    if not right_delta:
        return Diagnosis("claim", seen, "Where do your ε and δ come from?")
    return Diagnosis("claim", f"{seen} {fewest}".strip(), "Which ε and which δ does the noise give in the worst case?")


def _to_the_last_digit(claim: Guarantee, wanted: Guarantee) -> Diagnosis | None:
    """The same number but for a few units in the last place, as it is after some arithmetic."""
    for name, one, other in (("ε", claim.epsilon, wanted.epsilon), ("δ", claim.delta, wanted.delta)):
        if abs(one - other) > 4 * math.ulp(other):
            seen = f"You claim {name} = {one!r}, and {other!r} is asked for. Such digits can tell about the records."
            return Diagnosis("claim", seen, f"What is your claim made of, besides the {name} that you are given?")
    return None
