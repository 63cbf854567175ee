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
            return Diagnosis("not-additive", seen, "Which step of yours is right for 2^32, or for powers of two, only?")
        got = np.asarray(answer.part(1)(shares, modulus), dtype=float)
        if not np.array_equal(got, values):
            seen = f"{_of_one(got, values, modulus)} Values from {_said(-half)} to {_said(half - 1)} have to come back."
            ask = "Does your function compute modulo `modulus`, and which sums does it take for negative numbers?"
            return Diagnosis("wrong-sum", seen, ask)
    return None


def _of_one(got: np.ndarray, values: np.ndarray, modulus: int) -> str:
    """What came back, where one value is wrong or the shape is."""
    yours = f"Modulo {modulus:,} your `reconstruct` gives"
    if got.shape != values.shape:
        return f"{yours} a result of shape {got.shape} where {len(values)} values were shared."
    place = int(np.flatnonzero(got != values)[0])
    return f"{yours} {_said(got[place])} where {_said(values[place])} was shared."


def _said(number: float) -> str:
    """A number with all its digits.

    >>> _said(-3.0), _said(2**40), _said(0.5), _said(np.nan)
    ('−3', '1,099,511,627,776', '0.5', 'nan')
    """
    number = float(number)
    return (f"{number:,.0f}" if number.is_integer() else repr(number)).replace("-", "−")
