"""Capstone 3.2: readings of a device or a handful, hundreds of times: together they show whether bits are drawn.

One call of so few bits says little, and who answers without chance where there are few devices passes it.
"""

from __future__ import annotations

import math

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.capstone_3.exercises.mean import Asked, mean_wrong, reported, shares
from dpcourse.lessons.capstone_3.exercises.tools import decades, people

CALLS = 500
SIZES = ((1, 1), (2, 5), (6, 20), (21, 200))
ALONE = "What does a bit depend on besides its own reading, `epsilon` and a draw?"


def handful(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Of all bits in calls of about one size: how many are 1, and how many say on which side of ½ the reading is."""
    rng, level = chance.rng, chance.failure / (4 * len(SIZES))
    calls = [reported(answer, rng, "plain", people(rng, 1, SIZES[-1][1]), decades(rng, 0.05, 2)) for _ in range(CALLS)]
    for least, most in SIZES:
        some = [one for one in calls if least <= len(one.bits) <= most]
        if some and (wrong := _of_one_size(some, "one device" if most == 1 else f"{least} to {most} devices", level)):
            return wrong
    return mean_wrong(calls)


def _of_one_size(calls: list[Asked], size: str, level: float) -> Diagnosis | None:
    bits = np.concatenate([one.bits for one in calls])
    p = np.concatenate([shares(one.readings, one.epsilon) for one in calls])
    high = np.concatenate([one.readings > 0.5 for one in calls])
    of_bits = f"In {len(calls)} calls with {size}, {{0:.1%}} of the bits"
    told, right = float(((bits > 0) == high).mean()), float(np.where(high, p, 1 - p).mean())
    if _unlikely(told, right, bits.size, level):
        seen = of_bits.format(told) + f" say whether the reading is above ½; {right:.1%} would be right."
        if told > right:
            return Shared.NO_NOISE.seen(seen, "Does every device draw, however few there are?")
        return Diagnosis("wrong-law", seen, ALONE)
    if _unlikely(float(bits.mean()), float(p.mean()), bits.size, level):
        seen = of_bits.format(bits.mean()) + f" are 1; {p.mean():.1%} would be right."
        return Diagnosis("wrong-law", seen, ALONE)
    return None


def _unlikely(share: float, mean: float, many: int, failure: float) -> bool:
    """Whether so many independent 0s and 1s have this share of 1s by chance, with probability `failure` at most.

    By Hoeffding's bound: a share k or farther on that side has probability e^(−n KL(k, mean)) at most.

    >>> _unlikely(0.6, 0.5, 100, 1e-6), _unlikely(1.0, 0.6, 60, 1e-6)
    (False, True)
    """
    parts = ((share, mean), (1 - share, 1 - mean))
    return many * sum(some * math.log(some / of) for some, of in parts if some) > math.log(2 / failure)
