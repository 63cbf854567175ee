"""Is independent normal noise as large everywhere in its array, and do sums over it vary as they should?

One deviation over all numbers misses one entry of twenty with half the noise, and sums that are exact: noise that adds
up to 0 over the rounds, or over all entries, has the right deviation in each of them. Both looks compare sums of
squares of independent normal numbers with each other, so that what the deviation should be plays no part.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from scipy import stats


def uneven(noise: np.ndarray, names: Sequence[str], failure: float) -> str:
    """Where along an axis the noise is smaller, in words, or larger and smaller; "" if it is even.

    The axes are called `names`, such as "round", and an axis without a name is left out. Of right noise something is
    said with probability `failure`: half of it is of F tests of each slice, and half of Bartlett's test of them all,
    which is nearly exact from a hundred numbers a slice on.

    >>> noise = np.random.default_rng(1).normal(size=(50, 6, 21))
    >>> uneven(noise, ("round", "fab", "number"), 1e-9)
    ''
    >>> noise[:, :, -1] /= 2
    >>> uneven(noise, ("round", "fab", "number"), 1e-9)
    'number 21 of 21 has 0.27 times the variance that the others have'
    """
    axes = [(axis, name) for axis, name in enumerate(names) if name and noise.shape[axis] > 1]
    for axis, name in axes:
        squares = np.moveaxis(noise, axis, 0).reshape(noise.shape[axis], -1) ** 2
        least = quietest(
            squares.sum(axis=1), squares.shape[1], float(squares.sum()), noise.size, failure / 2 / len(axes)
        )
        if least is not None:
            others = np.delete(squares, least, axis=0).mean()
            part = f"{squares[least].mean() / others:.2g} times the variance that the others have"
            return f"{name} {least + 1} of {len(squares)} has {part}"
        if _bartlett(squares) < failure / 2 / len(axes):
            ends = np.sort(squares.mean(axis=1) / squares.mean())[[0, -1]]
            return f"by {name}, the variance is between {ends[0]:.2g} and {ends[1]:.2g} times its mean"
    return ""


def quietest(sums: np.ndarray, count: int, total: float, of: int, failure: float) -> int | None:
    """Which sum of `count` squares is too small beside the others, if one is.

    They are part of a `total` of so many independent normal numbers' squares, and may have some in common.
    """
    others = np.maximum(total - sums, np.finfo(float).tiny) / (of - count)
    least = int(sums.argmin())
    below = stats.f.cdf(sums[least] / count / others[least], count, of - count)
    return least if below < failure / len(sums) else None


def _bartlett(squares: np.ndarray) -> float:
    """The probability that variances are as unlike each other as those of these rows, whose mean is known to be 0."""
    slices, count = squares.shape
    found = squares.mean(axis=1)
    unlike = count * (slices * math.log(found.mean()) - np.log(found).sum())
    return float(stats.chi2.sf(unlike / (1 + (slices + 1) / (3 * slices * count)), slices - 1))


def unlike_sums(noise: np.ndarray, names: Sequence[str], failure: float) -> str:
    """Over which axes the noise adds up to too little, or too much, in words; "" if it does not.

    Sums over some axes and what is left of the numbers are independent, and their sizes follow the F law: exact.

    >>> noise = np.random.default_rng(1).normal(size=(50, 6, 21))
    >>> unlike_sums(noise, ("rounds", "fabs", "numbers"), 1e-9)
    ''
    >>> unlike_sums(noise - noise.mean(axis=0), ("rounds", "fabs", "numbers"), 1e-9)
    'summed over all rounds, it has 1e-30 times the variance of independent noise'
    """
    axes = [axis for axis in range(noise.ndim) if noise.shape[axis] > 1]
    some = [over for many in range(1, len(axes) + 1) for over in itertools.combinations(axes, many)]
    total = float((noise**2).sum())
    for over in some:
        added = math.prod(noise.shape[axis] for axis in over)
        of_sums = float((noise.sum(axis=over) ** 2).sum()) / added
        count = noise.size // added
        part = of_sums / count / (max(total - of_sums, np.finfo(float).tiny) / (noise.size - count))
        if 2 * min(stats.f.cdf(part, count, noise.size - count), stats.f.sf(part, count, noise.size - count)) < (
            failure / len(some)
        ):
            what = " and ".join(names[axis] for axis in over)
            return f"summed over all {what}, it has {max(part, 1e-30):.2g} times the variance of independent noise"
    return ""
