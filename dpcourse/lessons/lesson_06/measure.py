"""Measures the grid that an explorer of lesson 06 draws: `tools/make_grids.py lesson_06`.

Means and standard errors over 20 splits, each with a draw of its own, of models that see the true, the randomized, or
no age and sex column.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpcourse.datasets import load_adult
from dpcourse.lessons.lesson_06.numbers import two_bits
from dpcourse.local.comparison import METRICS, compare_columns

EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0)
SPLITS = 20


def measure() -> dict[str, Any]:
    """The tables of the grid by name."""
    adult = load_adult("uci")
    X, y = adult.encode()
    clear = X[:, [not name.startswith(("age", "sex")) for name in adult.feature_names]]
    codes = 2 * (adult.frame["age"].to_numpy() >= 40) + (adult.frame["sex"].to_numpy() == "Male")
    found = compare_columns(
        clear,
        codes,
        y,
        as_columns=two_bits,
        k=4,
        epsilons=EPSILONS,
        splits=SPLITS,
        rng=6,
    )

    def table(scores: np.ndarray) -> list:
        mean, (gain, error) = scores.mean(axis=-2), found.gain(scores)
        return np.round([mean, gain, error], 5).tolist()

    return {
        "about": "Each table: mean score, mean gain over the dropped columns, its standard error over SPLITS splits, "
        "by metric (for RANDOMIZED by ε, then metric).",
        "EPSILONS": EPSILONS,
        "METRICS": METRICS,
        "SPLITS": SPLITS,
        "TRUE": table(found.true),
        "DROPPED": table(found.dropped),
        "RANDOMIZED": table(found.randomized),
    }
