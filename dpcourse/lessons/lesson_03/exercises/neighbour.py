"""Exercise 03.6: the neighbour that breaks a mean with bounds from the data."""

from __future__ import annotations

from numpy.random import Generator

from dpcourse.checks.cases import Attack
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.privacy import Guarantee, Neighbours

PEOPLE, HIGHEST = 10, 200


def mean_with_its_own_bounds(data: list[int], rng: Generator) -> float:
    """The mean of ten wages; the scale of its noise, at ε = 1, is read from the largest and the smallest of them."""
    return round(sum(data) / PEOPLE + rng.laplace(0, _scale(data)), 2)


def _scale(data: list[int]) -> float:
    return (max(data) - min(data)) / PEOPLE


def _domain(data: list[int]) -> str | None:
    if len(data) != PEOPLE:
        return f"There are {PEOPLE} wages, and yours has {len(data)}."
    strange = [wage for wage in data if wage not in range(HIGHEST + 1)]
    if strange:
        return f"A wage is a whole number from 0 to {HIGHEST}, and yours has {strange[0]!r}."
    if len(set(data)) < PEOPLE:
        twice = next(wage for wage in data if data.count(wage) > 1)
        return f"No two wages are equal, and {twice} is there more than once."
    return None


def _look(data: list[int], neighbour: list[int]) -> Diagnosis:
    here, there = _scale(data), _scale(neighbour)
    if here == there:
        return Diagnosis(
            "same-range",
            f"Smallest and largest wage are the same in both, so the noise has scale {here:.3g} in both, and it covers "
            "the change of the mean.",
            "Which record would have to change for the *noise* to change?",
        )
    moves = abs(sum(data) - sum(neighbour)) / PEOPLE
    return Diagnosis(
        "too-weak",
        f"The noise has scale {here:.3g} on `data` and {there:.3g} on `neighbour`, and the mean moves by {moves:.3g}.",
        "How small can you make the smaller scale, and how far can one record then take the mean?",
    )


NEIGHBOUR = (
    Attack(
        mean_with_its_own_bounds,
        Guarantee(1.0, neighbours=Neighbours.REPLACE_ONE),
        shows=3.0,
        domain=_domain,
        look=_look,
    ),
)
