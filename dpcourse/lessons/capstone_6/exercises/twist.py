"""Capstone 6.2, an attack: blinding keeps a point on its curve or on its twist, so one bit of every identifier."""

from __future__ import annotations

from typing import Any

from dpcourse.checks.base import Diagnosis
from dpcourse.checks.cases import Attack
from dpcourse.lessons.capstone_6.numbers import blinded, first_hash, on_curve
from dpcourse.privacy import Guarantee, Neighbours


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


TWIST = (
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
)
