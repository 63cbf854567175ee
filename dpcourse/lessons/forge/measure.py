"""Measures the grid of "Forge a mechanism": `tools/make_grids.py forge`, about four minutes.

Every audit is the real one, of a count of 61 and of its neighbour 62 plus noise, each over the first so many runs of
one long series. What is published is rounded to 1/1024, so that the last bits of floats tell nothing (lesson 14).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpcourse.audit import audit_outputs
from dpcourse.privacy import Guarantee

SCALES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
RUNS = (100, 300, 1000, 3000, 10_000, 30_000, 100_000)
DELTAS = (0.0, 0.01)
SEEDS = 5
CONFIDENCE = 0.999
FORGETS = 0.02  # how often the forgetful noise is left out

Noise = Callable[[np.random.Generator, int], np.ndarray]


def _forgetful(rng: np.random.Generator, size: int) -> np.ndarray:
    return np.where(rng.random(size) < FORGETS, 0.0, rng.laplace(size=size))


NOISES: dict[str, Noise] = {
    "Laplace": lambda rng, size: rng.laplace(size=size),
    "Gaussian": lambda rng, size: rng.normal(size=size),
    "uniform": lambda rng, size: rng.uniform(-1, 1, size),
    "forgetful Laplace": _forgetful,
}


def publish(noise: str, scale: float, count: int, rng: np.random.Generator, size: int) -> Any:
    """So many published numbers of a count: an array, which the auditor takes as a sequence."""
    return np.round((count + scale * NOISES[noise](rng, size)) * 1024) / 1024


def certified(noise: str, scale: float, seed: int, runs: tuple[int, ...] = RUNS) -> list[list[float]]:
    """The certified ε after each number of runs, a list for each δ."""
    rng = np.random.default_rng([11, seed])
    data, neighbour = (publish(noise, scale, count, rng, max(runs)) for count in (61, 62))
    return [
        [
            round(
                audit_outputs(
                    data[:r], neighbour[:r], claim=Guarantee(1.0, delta), confidence=CONFIDENCE
                ).epsilon_lower,
                3,
            )
            for r in runs
        ]
        for delta in DELTAS
    ]


def measure() -> dict[str, Any]:
    """The tables of the grid by name."""
    return {
        "about": "certified ε by noise, scale, seed, claimed δ and runs on each dataset; confidence 99.9%, add-remove",
        "NOISES": list(NOISES),
        "SCALES": SCALES,
        "RUNS": RUNS,
        "DELTAS": DELTAS,
        "CONFIDENCE": CONFIDENCE,
        "FORGETS": FORGETS,
        "CERTIFIED": [[[certified(noise, s, seed) for seed in range(SEEDS)] for s in SCALES] for noise in NOISES],
    }
