"""Exercise 08.4: the person who moves everybody else to another pair."""

from __future__ import annotations

from numpy.random import Generator

from dpcourse.checks.cases import Attack
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.privacy import Guarantee

PEOPLE, LONGEST = 100, 100


def sum_of_pairs(data: list[int], rng: Generator) -> float:
    """Gradients of one dimension, sorted by length, clipped in pairs and added up. The noise covers a move of 2."""
    return round(_total(data) + rng.laplace(0, 2), 2)


def _total(data: list[int]) -> int:
    ordered = sorted(data, key=abs, reverse=True)
    pairs = (ordered[start : start + 2] for start in range(0, len(ordered), 2))
    return sum(max(-1, min(1, sum(pair))) for pair in pairs)


def _domain(data: list[int]) -> str | None:
    if len(data) > PEOPLE:
        return f"There are {PEOPLE} people at most, and yours has {len(data)}."
    strange = [gradient for gradient in data if gradient not in range(-LONGEST, LONGEST + 1)]
    if strange:
        return f"A gradient is a whole number from −{LONGEST} to {LONGEST}, and yours has {strange[0]!r}."
    return None


def _look(data: list[int], neighbour: list[int]) -> Diagnosis:
    here, there = _total(data), _total(neighbour)
    seen = f"The clipped pairs add up to {here} on `data` and to {there} on `neighbour`."
    if abs(here - there) <= 2:
        return Diagnosis(
            "too-weak",
            f"{seen} The noise covers such a move.",
            "Where in the sorted list does the new person stand, and who is paired with whom after that?",
        )
    return Diagnosis(
        "too-weak",
        f"{seen} That is more than 2, and too little for ε ≥ 3.",
        "How many pairs can change from +1 to −1 when everybody moves up by one place?",
    )


SHIFTED = (Attack(sum_of_pairs, Guarantee(1.0), shows=3.0, domain=_domain, look=_look),)
