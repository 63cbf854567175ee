"""The exercise on stating the claims of three releases that are described in words."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import Any

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, a
from dpcourse.privacy import Neighbours


@dataclass(frozen=True)
class Claim:
    """What is true of one release, and what those say who make a known mistake: (part, value) -> words."""

    epsilon: float
    delta: float
    relation: Neighbours
    mistakes: tuple[tuple[str, float | str, Diagnosis], ...]


def _upside_down(name: str, values: tuple[float, ...]) -> list[tuple[str, float | str, Diagnosis]]:
    wrong = Diagnosis(
        f"{name}-upside-down",
        f"{name}: by your ε, noise of twice the scale would be less private.",
        "Which of the two belongs on top of the fraction: what a patient changes, or the scale?",
    )
    return [("epsilon", value, wrong) for value in values]


RELEASES = {
    "A": Claim(
        0.75,
        0.0,
        Neighbours.ADD_REMOVE,
        (
            (
                "epsilon",
                0.25,
                Diagnosis("A-per-visit", "A: ε = 1/4 protects one visit.", "How many visits can a patient take along?"),
            ),
            (
                "epsilon",
                1.5,
                Diagnosis(
                    "A-twice",
                    "A: with the patient go at most three visits, so the count changes by at most 3.",
                    "What is ε when the count changes by 3 and the noise has scale 4?",
                ),
            ),
            *_upside_down("A", (12.0, 4.0, 4 / 3)),
            (
                "epsilon",
                math.inf,
                Diagnosis(
                    "A-infinite",
                    "A: with an ε of infinity nothing is promised.",
                    "However often a patient comes: how many rows of this patient are in the table at most?",
                ),
            ),
        ),
    ),
    "B": Claim(
        0.5,
        0.0,
        Neighbours.REPLACE_ONE,
        (
            (
                "relation",
                "add-remove",
                Diagnosis(
                    "B-relation",
                    "B: the 100 is published exactly.",
                    "Under adding or removing, could an attacker tell 100 patients from 99? Which relation is left?",
                ),
            ),
            (
                "epsilon",
                0.25,
                Diagnosis(
                    "B-one-count", "B: one changed answer moves both counts.", "By how much do they change in all?"
                ),
            ),
            *_upside_down("B", (8.0, 4.0, 2.0)),
        ),
    ),
    "C": Claim(
        0.5,
        1e-6,
        Neighbours.ADD_REMOVE,
        (
            (
                "delta",
                0.0,
                Diagnosis(
                    "C-no-delta",
                    "C: sometimes the whole table is published, and no ε covers that.",
                    "How often does it happen?",
                ),
            ),
            (
                "delta",
                1 - 1e-6,
                Diagnosis(
                    "C-complement", "C: your δ is the probability that all goes well.", "What does δ make room for?"
                ),
            ),
            (
                "epsilon",
                math.inf,
                Diagnosis(
                    "C-infinite",
                    "C: with an ε of infinity nothing is promised. The mishap is rare, and δ may cover it.",
                    "What is promised when there is no mishap?",
                ),
            ),
            *_upside_down("C", (2.0,)),
        ),
    ),
}

_CHANGE = {
    Neighbours.ADD_REMOVE: "one patient comes or goes",
    Neighbours.REPLACE_ONE: "one patient's answer changes",
}
_FORM = 'Write claims = {"A": (ε, δ, relation), "B": …, "C": …}, each relation "add-remove" or "replace-one".'


def stated(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The three claims are true of the releases described, and as small as the description allows."""
    claims = answer.value
    if not isinstance(claims, dict):
        return Diagnosis("wrong-type", f"A dictionary is wanted, and this is {a(claims)}.", _FORM)
    if missing := [name for name in RELEASES if name not in claims]:
        return Diagnosis("wrong-shape", f"There is nothing for {' and '.join(missing)}.", _FORM)
    for name, truth in RELEASES.items():
        wrong = _form(name, claims[name]) or _content(name, claims[name], truth)
        if wrong:
            return wrong
    return None


def _form(name: str, claim: object) -> Diagnosis | None:
    if not isinstance(claim, tuple | list) or len(claim) != 3:
        return Diagnosis("wrong-shape", f"{name}: three things are wanted, and this is {claim!r}.", _FORM)
    epsilon, delta, relation = claim
    if isinstance(relation, Neighbours):
        relation = relation.value
    if relation not in ("add-remove", "replace-one"):
        return Diagnosis("wrong-type", f"{name}: {relation!r} is no relation.", _FORM)
    numeric = all(isinstance(x, numbers.Real) and not isinstance(x, bool) for x in (epsilon, delta))
    return (
        None
        if numeric
        else Diagnosis("wrong-type", f"{name}: ε and δ are numbers; these are {epsilon!r}, {delta!r}.", _FORM)
    )


def _content(name: str, claim: tuple, truth: Claim) -> Diagnosis | None:
    given: dict[str, Any] = {"epsilon": float(claim[0]), "delta": float(claim[1]), "relation": claim[2]}
    given["relation"] = getattr(given["relation"], "value", given["relation"])
    for part, value, wrong in truth.mistakes:
        if given[part] == value or (part != "relation" and math.isclose(given[part], float(value), rel_tol=0.01)):
            return wrong
    if given["relation"] != truth.relation.value:
        return Diagnosis(
            f"{name}-relation",
            f"{name}: the relation is not the one asked for.",
            "Is the number of patients published? Where both relations have a finite ε, adding or removing is wanted.",
        )
    if truth.delta and math.isclose(given["epsilon"], truth.delta) and math.isclose(given["delta"], truth.epsilon):
        return Diagnosis(
            f"{name}-exchanged", f"{name}: you claim ε = {given['epsilon']:g} and δ = {given['delta']:g}.", _FORM
        )
    for part, symbol in (("epsilon", "ε"), ("delta", "δ")):
        if not math.isclose(given[part], getattr(truth, part), rel_tol=0.01):
            return Diagnosis(
                f"{name}-{part}",
                f"{name}: {symbol} = {given[part]:g} is "
                + ("not the smallest that is true." if given[part] > getattr(truth, part) else "too small to be true."),
                f"What changes when {_CHANGE[truth.relation]}, by how much, and what is the scale of the noise?"
                if part == "epsilon"
                else "Is there any output that only one of two neighbours can produce, and how likely is it?",
            )
    return None


CLAIMS = (stated,)
