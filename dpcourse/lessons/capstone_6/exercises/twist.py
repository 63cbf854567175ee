"""Capstone 6.2, an attack: blinding keeps a point on its curve or on its twist, so one bit of every identifier."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Attack
from dpcourse.checks.diagnosis import Diagnosis, Refused, a
from dpcourse.lessons.capstone_6.design import PRIME
from dpcourse.lessons.capstone_6.exercises.parts import Part
from dpcourse.lessons.capstone_6.numbers import blinded, first_hash, on_curve
from dpcourse.privacy import Guarantee, Neighbours

PARTS = ("on_curve", "attack")


def _domain(records: list[Any]) -> str | None:
    if len(records) == 1 and isinstance(records[0], str) and len(records[0]) == 9 and records[0].isdigit():
        return None
    return 'A list holds one identifier of nine digits, such as ["483920175"].'


def _same_side(data: list[str], neighbour: list[str]) -> Diagnosis | None:
    sides = [on_curve(int.from_bytes(first_hash(one[0]), "little")) for one in (data, neighbour)]
    if sides[0] != sides[1]:
        return None
    where = "on the curve" if sides[0] else "on its twist"
    return Diagnosis(
        "same-side",
        f"The hashes of {data[0]} and {neighbour[0]} are both {where}.",
        "Blinding keeps a point where it is. Can you find two identifiers that start on different sides?",
    )


def _told(answer: Answer, u: int) -> bool:
    given = answer(u)
    if isinstance(given, bool | np.bool_):
        return bool(given)
    ask = "Which comparison says whether the number is a square?"
    raise Refused(Diagnosis("wrong-type", f"on_curve({u}) is {a(given)}; True or False is wanted.", ask))


def on_which(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Whether a number belongs to the curve: small numbers, so that a wrong one can be shown, and large ones."""
    small = [int(u) for u in chance.rng.permutation(np.arange(1, 100))[:40]]
    tried = small + [int.from_bytes(chance.rng.bytes(32), "little") % PRIME for _ in range(60)]
    right, given = [on_curve(u) for u in tried], [_told(answer, u) for u in tried]
    if given == right:
        return None
    if given == [not one for one in right]:
        ask = "x^((P−1)/2) = 1 modulo P says that x is a square. Is a point of the curve wanted, or of the twist?"
        return Diagnosis("turned", "it says True on the twist, and False on the curve.", ask)
    if given == [pow(u, (PRIME - 1) // 2, PRIME) == 1 for u in tried]:
        seen = "it says whether u itself is a square modulo P."
        return Diagnosis("u-for-v", seen, "On the curve v² = u³ + 486662u² + u. Which number has to be a square?")
    if len(set(given)) == 1:
        seen = f"it says {given[0]} for all {len(tried)} numbers tried."
        return Diagnosis("same-for-all", seen, "Print x^((P−1)/2) modulo P for a few u. Which values does it have?")
    wrong = min(u for u, one, two in zip(tried, given, right, strict=True) if one != two)
    count = sum(one != two for one, two in zip(given, right, strict=True))
    seen = f"on_curve({wrong}) has to be {on_curve(wrong)}. You are wrong for {count} of {len(tried)} numbers."
    return Diagnosis("wrong-side", seen, "Is u³ + 486662u² + u a square modulo P? Python's `pow(x, k, P)` tells.")


TWIST = (
    Part(PARTS, "on_curve", on_which),
    Part(
        PARTS,
        "attack",
        Attack(
            blinded,
            Guarantee(0.01, neighbours=Neighbours.REPLACE_ONE),
            shows=3.0,
            wants="attack",
            domain=_domain,
            runs=1000,
            look=_same_side,
            question="Try the event on `project.blinded(data, rng)`. What about the point is the same in every run?",
        ),
    ),
)
