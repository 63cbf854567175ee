"""For authors of exercises: is a wrong answer always caught, and a right one always accepted?"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcourse.checks.registry import exercise


@dataclass(frozen=True)
class Rehearsal:
    """How an answer fared over many checks: keys counted, and the slowest check in seconds of processor time."""

    keys: Counter[str]
    slowest: float


def rehearse(
    exercise_id: str, answer: Any, *, times: int = 20, rng: np.random.Generator | int | None = None
) -> Rehearsal:
    """Check one answer `times` times, outside of `progress`, and count the outcomes by their key.

    Examples
    --------
    >>> rehearse("00.1", 9.21, times=3).keys
    Counter({'passed': 3})
    """
    keys: Counter[str] = Counter()
    slowest = 0.0
    for one in np.random.default_rng(rng).spawn(times):
        start = time.process_time()
        keys[exercise(exercise_id).grade(answer, rng=one).key] += 1
        slowest = max(slowest, time.process_time() - start)
    return Rehearsal(keys, slowest)
