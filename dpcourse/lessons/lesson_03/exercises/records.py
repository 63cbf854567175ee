"""What 03.2 and 03.4 are asked about: records between public bounds, and one record more.

Answers draw Laplace noise in floats, so audits look at rounded outputs: the hole in the low bits is lesson 14's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Audited, either_order
from dpcourse.checks.cases.known import Pairs
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.privacy import Guarantee

CLAIM = Guarantee(1.0)


def records(rng: Generator, low: float, high: float) -> np.ndarray:
    return rng.uniform(low, high, int(rng.integers(5, 60)))


def bounds(rng: Generator, kind: str) -> tuple[float, float]:
    size = float(rng.uniform(20, 200))
    return {
        "from zero": (0.0, size),
        "negative": (-size, size / 10),
        "both signs": (-size, 0.9 * size),
        "far from zero": (0.9 * size, size),
    }[kind]


def reach(rng: Generator) -> float:
    """How far records go beyond their bounds, in widths of these: a little, or a third of the time up to a hundred."""
    return 0.2 if rng.random() < 2 / 3 else float(10 ** rng.uniform(-0.7, 2))


def with_record(kind: str, record: Callable[[float, float], float]):
    """Neighbours: one more record, whose value follows from the bounds."""

    def pairs(rng: Generator) -> tuple[Any, Any]:
        low, high = bounds(rng, kind)
        values = records(rng, low, high)
        more = np.insert(values, rng.integers(len(values) + 1), record(low, high))
        return either_order((values, low, high), (more, low, high), rng)

    return pairs


def somebody(rng: Generator) -> tuple[np.ndarray, float, float]:
    low, high = bounds(rng, "far from zero")
    return records(rng, low, high), low, high


def call_at_one(answer: Answer, data: Any, rng: Generator) -> Any:
    return answer(*data, 1.0, rng=rng)


def call_at(answer: Answer, data: Any, epsilon: float, rng: Generator) -> Any:
    return answer(*data, epsilon, rng=rng)


def _coarse(output: Any) -> float:
    return round(float(output), 3)


def tells(
    pairs: Pairs,
    key: str,
    hint: str,
    runs: int = 1000,
    diagnose: Callable[[Answer, Chance, Any], Diagnosis | None] | None = None,
) -> Audited:
    """The auditor at ε = 1 on such neighbours: values and bounds."""
    return Audited(pairs, CLAIM, call=call_at_one, view=_coarse, runs=runs, diagnose=diagnose, hint=hint, key=key)
