"""Capstone 2.1 at other moduli than the project's: all values of each, the most negative one among them."""

from __future__ import annotations

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import whole
from dpcourse.lessons.capstone_2.exercises.sharing import Source, shares_of


def other_moduli(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A dozen even moduli, of which every other is a power of two: what is shared comes back."""
    rng = chance.rng
    for place in range(12):
        modulus = 2 ** whole(rng, 2, 40) if place % 2 else 2 * whole(rng, 2, 2**40)
        parties, half = whole(rng, 2, 9), modulus // 2
        values = np.append(rng.integers(-half, half, whole(rng, 1, 100)), (-half, half - 1))
        shares = shares_of(answer, values, parties, modulus, Source(rng))
        if ((shares.sum(axis=0) - values) % modulus).any():
            seen = f"Modulo {modulus:,} your shares do not add up to the values."
            return Diagnosis("not-additive", seen, "Modulo which number do you compute?")
        got = np.asarray(answer.part(1)(shares, modulus), dtype=float)
        if not np.array_equal(got, values):
            seen = f"Modulo {modulus:,} `reconstruct` does not give back values from {-half:,} to {half - 1:,}."
            return Diagnosis("wrong-sum", seen, "Modulo which number do you compute? Which sums stand for −1 and less?")
    return None
