"""Numbers as people write them: a δ of 1e-5, an ε of 2. A drawn number is never round, and so never one of these."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from numpy.random import Generator


def as_written(arguments: tuple[Any, ...], rng: Generator, fine: Callable[..., Any]) -> tuple[Any, ...]:
    """The same arguments with most numbers rounded to a digit or two, half of those above 1 to an `int`, and every 0.

    As they were, where `fine` raises or gives None for the others: they are not in the domain.
    """
    written = tuple(_written(value, rng) if isinstance(value, float) else value for value in arguments)
    try:
        return arguments if fine(*written) is None else written
    except Exception:  # the right function stumbles over what it is not for
        return arguments


def _written(value: float, rng: Generator) -> float | int:
    """A number rounded so that what is below 1, or above, stays there.

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> [_written(x, rng) for x in (2.7182, 0.98, 1.23e-5, np.inf)]
    [3.0, 0.98, 1e-05, inf]
    """
    digits = int(rng.choice((1, 1, 2, 17)))
    if not math.isfinite(value):
        return value
    if value == 0:
        return 0
    if abs(value) >= 1 and rng.random() < 0.5:
        return round(value)
    rounded = float(f"{value:.{digits}g}")
    return value if (abs(rounded) < 1) != (abs(value) < 1) else rounded
