"""Numbers as data hold them: whole or of a decimal or two, some of them alike and some 0. A drawn number never is."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator


def as_measured(values: np.ndarray, rng: Generator) -> np.ndarray:
    """The same numbers, half the time rounded to the first or the second digit of the largest.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> [as_measured(np.array([0.0312, -0.187, 0.244]), rng).tolist() for _ in range(3)]
    [[0.0312, -0.187, 0.244], [0.0, -0.2, 0.2], [0.03, -0.19, 0.24]]
    """
    largest = float(np.abs(values).max(initial=0))
    digits = int(rng.choice((0, 0, 1, 2)))
    if not digits or not np.isfinite(largest) or not largest:
        return values
    return np.round(values, digits - 1 - int(np.floor(np.log10(largest)))).astype(values.dtype)


def to_decimals(values: np.ndarray, rng: Generator, most: int = 1) -> np.ndarray:
    """The same numbers, half the time rounded to so many decimals at most, as often to none as to each other number.

    They stay between ends that are whole.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> [to_decimals(np.array([-0.31, 62.18]), rng).tolist() for _ in range(3)]
    [[-0.3, 62.2], [-0.31, 62.18], [-0.31, 62.18]]
    """
    decimals = int(rng.integers(2 * most + 2))
    return values if decimals > most else np.round(values, decimals) + 0.0  # no −0


def in_a_file(values: np.ndarray, rng: Generator) -> np.ndarray:
    """The same records, every fourth time in order, as many a file is."""
    return values if rng.random() < 0.75 else np.sort(values, axis=0)
