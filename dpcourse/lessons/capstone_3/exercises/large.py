"""Capstone 3.4: what is added up, in a fleet as large as the project's."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.lessons.capstone_3.exercises.sums import DEVICES, EXACT, LOUD, LOUD_DELTA, counted, few, summed
from dpcourse.lessons.capstone_3.exercises.tools import people


def large(answer: Answer, chance: Chance) -> Diagnosis | None:
    """All that at once, in a fleet as large as the project's or up to twice as large."""
    rng = chance.rng
    (devices, updates), n, threshold = few(rng, "plain", people(rng, DEVICES, 2 * DEVICES), d=21)
    for odd in (np.nan, np.inf, 1e6, 0.0):
        updates[rng.random(len(devices)) < 0.01, rng.integers(21)] = odd
    devices = np.append(devices, rng.integers(-1000, n + 1000, 3000))
    updates = np.concatenate((updates, rng.normal(size=(3000, 21))))
    order = rng.permutation(len(devices))
    messages = devices[order], updates[order]
    given, seen = summed(answer, messages, n, LOUD, LOUD_DELTA, 1, threshold, rng), f"With {n:,} devices"
    if given is None:
        return Diagnosis("refuses-all", f"{seen}, of whom {threshold:,} are enough and there, you refuse.")
    off = float(np.abs(given - counted(messages, n)[0]).max())
    if off < EXACT:
        return None
    how = f"is off by {off:.3g}" if math.isfinite(off) else "has NaN or infinity in it"
    seen += ", some updates too long, NaN or infinite, and some messages repeated or of strangers, your sum"
    ask = "With few devices each of these was right. What depends on how many there are?"
    return Diagnosis("large", f"{seen} {how}. At epsilon = 1e9 there is hardly any noise.", ask)
