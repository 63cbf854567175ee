"""Capstone 2.1: vectors of one number to six, of which a check of long ones has too few to see whether they hide."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import whole
from dpcourse.lessons.capstone_2.design import MODULUS
from dpcourse.lessons.capstone_2.exercises.sharing import Source, combined, few_bits, shares_of, uneven_bits

VECTORS, LONGEST = 200, 6  # of two parties and of three


def hides_few(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Of short vectors of small counts: shares, sums and differences are uniform, in the lowest four bits and the
    highest. At most 22 χ² tests."""
    source, masks = Source(chance.rng), 0
    for parties in (2, 3):
        counts = [chance.rng.poisson(3, whole(chance.rng, 1, LONGEST)) for _ in range(VECTORS)]
        shares = np.hstack([shares_of(answer, some, parties, MODULUS, source) for some in counts])
        masks += shares[1:].size
        for name, found in combined(shares):
            if bits := uneven_bits(found, chance.failure / 22):
                return Diagnosis(
                    "not-uniform-here",
                    f"In vectors of 1 to {LONGEST} counts, modulo 2^32, {name} of {parties} parties is not uniform: "
                    f"{bits}.",
                    "A vector may hold a single number. Where does your function look at how long it is?",
                )
    return few_bits(source.bits, masks * math.log2(MODULUS))
