"""Capstone 3.2: readings of a device or a handful, hundreds of times: together they show whether bits are drawn.

One call of so few bits says little, and who answers without chance where there are few devices passes it.
"""

from __future__ import annotations

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.few import unlikely
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.capstone_3.exercises.mean import Asked, mean_wrong, reported, shares
from dpcourse.lessons.capstone_3.exercises.tools import decades, people

CALLS = 500
SIZES = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 6), (7, 20), (21, 200))
ALONE = "What does a bit depend on besides its own reading, `epsilon` and a draw?"


def handful(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Of all bits in calls of about one size: how many are 1, and how many say on which side of ½ the reading is."""
    rng, level = chance.rng, chance.failure / (4 * len(SIZES))
    calls = [reported(answer, rng, "plain", people(rng, 1, SIZES[-1][1]), decades(rng, 0.05, 2)) for _ in range(CALLS)]
    for least, most in SIZES:
        some = [one for one in calls if least <= len(one.bits) <= most]
        if some and (wrong := _of_one_size(some, _named(least, most), level)):
            return wrong
    return mean_wrong(calls)


def _named(least: int, most: int) -> str:
    """How many devices, in words.

    >>> _named(1, 1), _named(3, 3), _named(5, 6)
    ('one device', '3 devices', '5 to 6 devices')
    """
    if most == 1:
        return "one device"
    return f"{most} devices" if least == most else f"{least} to {most} devices"


def _of_one_size(calls: list[Asked], size: str, level: float) -> Diagnosis | None:
    bits = np.concatenate([one.bits for one in calls])
    p = np.concatenate([shares(one.readings, one.epsilon) for one in calls])
    high = np.concatenate([one.readings > 0.5 for one in calls])
    of_bits = f"In {len(calls)} calls with {size}, {{0:.1%}} of the bits"
    told, right = float(((bits > 0) == high).mean()), float(np.where(high, p, 1 - p).mean())
    if unlikely(told, right, bits.size, level):
        seen = of_bits.format(told) + f" say whether the reading is above ½; {right:.1%} would be right."
        if told > right:
            return Shared.NO_NOISE.seen(seen, "Does every device draw, however few there are?")
        return Diagnosis("wrong-law", seen, ALONE)
    if unlikely(float(bits.mean()), float(p.mean()), bits.size, level):
        seen = of_bits.format(bits.mean()) + f" are 1; {p.mean():.1%} would be right."
        return Diagnosis("wrong-law", seen, ALONE)
    return None
