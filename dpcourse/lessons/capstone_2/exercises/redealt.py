"""Capstone 2.6: what is published follows from the noisy sum, down to the last digit."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance, Diagnosis
from dpcourse.checks.once import near
from dpcourse.datasets import simulate_suppliers
from dpcourse.lessons.capstone_2.design import BINS, SUPPLIERS
from dpcourse.lessons.capstone_2.exercises.world import NAMES, Message, a_quarter, released


def redealt(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The same lots at other suppliers, in another order, and the same generators: all that is published is the same.

    A right answer's noise and masks do not follow the data, so it gives the same `noisy`; only then is anything else
    compared, and a right answer never fails.
    """
    rng = chance.rng
    for _ in range(3):
        world, (quarter, _), epsilon = simulate_suppliers(SUPPLIERS, rng=rng), a_quarter(rng), near(0.5, rng)
        lots = np.concatenate([world.lots[name] for name in NAMES]).astype(float)
        lots[lots >= BINS] += rng.integers(0, 9)  # all of them in the last bin
        seed, given = int(rng.integers(2**63)), []
        for _ in range(2):
            cuts = np.sort(rng.choice(np.arange(1, len(lots)), SUPPLIERS - 1, replace=False))
            dealt = np.split(rng.permutation(lots), cuts)
            messages: list[Message] = [(name, quarter, some) for name, some in zip(NAMES, dealt, strict=True)]
            given.append(released(answer, messages, quarter, epsilon, np.random.default_rng(seed)))
        one, other = given
        if one is None or other is None:
            return Diagnosis("refuses-all", f"{SUPPLIERS} suppliers sent their lots, and you refuse.")
        if not np.array_equal(one["noisy"], other["noisy"]):
            continue
        for part in ("servers", "rate", "quartile", "shares"):
            if not np.array_equal(_numbers(one[part]), _numbers(other[part]), equal_nan=True):
                return Diagnosis(
                    "beyond-noisy",
                    "Twice the same lots and the same generators, the lots at other suppliers: `noisy` is the same, "
                    f"and `{part}` is not.",
                    "Whatever is published has to follow from the noisy sum alone.",
                )
    return None


def _numbers(part: Any) -> np.ndarray:
    return np.asarray(part, dtype=np.float64)
