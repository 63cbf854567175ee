"""Sizes at which the course itself uses a function: who is right at the sizes of a check only is not right."""

from __future__ import annotations

from numpy.random import Generator

from dpcourse.checks.once import whole


def up_to_twice(rng: Generator, least: int, real: int) -> int:
    """A whole number from the least to twice the real one, of which a third at least is no smaller than the real one.

    Of 30 such numbers none is so large in 5 of a million cases.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> [up_to_twice(rng, 1, 500) for _ in range(8)]
    [710, 965, 670, 16, 1, 41, 864, 684]
    """
    return whole(rng, real if rng.random() < 1 / 3 else least, 2 * real)
