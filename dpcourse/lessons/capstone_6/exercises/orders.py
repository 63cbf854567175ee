"""Capstone 6.3: whether the orders of short lists follow one another, by the exact law of pairs that change sides."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from dpcourse.checks.once import whole


def short(rng: Generator) -> list[int]:
    """How long short lists are: the shortest first, as an order may be kept where there are few only."""
    return [2, 3, whole(rng, 4, 6), whole(rng, 7, 12), whole(rng, 13, 30)]


def calls(size: int, failure: float) -> int:
    """How many lists say enough: after the first, all in its order, or backwards, are rarer than `failure`."""
    return 1 + math.ceil(math.log(2 / failure) / math.lgamma(size + 1))


def follow(orders: Sequence[np.ndarray], failure: float) -> bool:
    """Whether orders go with the first one, forwards or backwards, or nearly.

    Of pairs of things some stand the other way round than in the first. Where each order is drawn anew, so many do in
    all with a known probability: of k things as many as numbers below 2, 3, …, k add up to, each drawn alike.

    Parameters
    ----------
    orders : sequence of arrays
        For each call, where the same things stand, or others that are named alike.
    failure : float
        How often independent orders are taken for such.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> follow([rng.permutation(12) for _ in range(3)], 1e-7), follow([np.arange(12)] * 3, 1e-7)
    (False, True)
    """
    first, law, turned = np.argsort(orders[0]), np.ones(1), 0
    for order in orders[1:]:
        sequence = np.asarray(order)[first]
        turned += int(np.triu(sequence[:, None] > sequence[None, :], 1).sum())
        for below in range(2, len(first) + 1):
            law = np.convolve(law, np.full(below, 1 / below))
    return bool(min(law[: turned + 1].sum(), law[turned:].sum()) < failure / 2)
