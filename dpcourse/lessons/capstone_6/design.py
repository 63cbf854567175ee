"""What the project is given: public numbers, randomness of the operating system, and what stands between the banks."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import special

from dpcourse.datasets.customers import FEATURES, NAMES

BANKS = len(NAMES)
COLUMNS = BANKS * FEATURES + 2  # all features, a constant, and the label
BITS = 16  # a number x travels as the whole number nearest to x · 2^16
HONEST = 3  # so many banks' noise makes the whole
DELTA = 1e-6
FEWEST = 100  # with fewer common customers nothing is published
MOST = 50_000  # points that a bank accepts in one list
LIE = 2**30  # what a lying bank adds to one masked number, in units of 1
PRIME = 2**255 - 19  # coordinates of points are numbers modulo this

Shares = np.ndarray  # uint64, the first axis over banks
# Its number, which no other has, and shares of uniform masks M, (n, p), and N, (n, q), and of MᵀN, for one product.
Triple = tuple[int, Shares, Shares, Shares]


def uniform(shape: Any) -> np.ndarray:
    """Whole numbers in [0, 2^64) from the operating system's cryptographic generator, uint64 of this shape.

    Examples
    --------
    >>> uniform((2, 3)).shape
    (2, 3)
    """
    size = int(np.prod(shape))
    return np.frombuffer(secrets.token_bytes(8 * size), dtype="<u8").astype(np.uint64).reshape(shape)


def normal(shape: Any) -> np.ndarray:
    """Standard normal numbers, made from the same source by the inverse of the distribution function.

    2^52 different floats, the largest 8.2. `DistributedDiscreteGaussian` samples whole numbers exactly.

    Examples
    --------
    >>> bool(np.abs(normal(1000)).max() < 8.3)
    True
    """
    return special.ndtri(((uniform(shape) >> np.uint64(12)).astype(float) + 0.5) * 2.0**-52)


def opened(shares: Shares) -> np.ndarray:
    """The whole numbers in [−2^63, 2^63) that the shares add up to, int64 of shape shares.shape[1:].

    Raises
    ------
    TypeError
        If the shares are no whole numbers of 64 bits.
    """
    given = np.asarray(shares)
    if given.dtype not in (np.uint64, np.int64):
        raise TypeError(f"shares are whole numbers of 64 bits (uint64), and these are {given.dtype}")
    return given.astype(np.uint64).sum(axis=0, dtype=np.uint64).view(np.int64)


@dataclass
class Run:
    """What stands between the banks in a run: two services of the statistics office, and the banks' own board.

    The office aligns and deals (`align`, `deal`). The board is read by the five banks only (`open`, `fresh`): the
    office knows the masks, so whoever deals must never see what is opened under them.

    Parameters
    ----------
    aligned : callable
        ``aligned(ids) -> rows``: for each bank's list of identifiers, the rows of the common customers in one order.
    draw : callable
        Uniform numbers, by their shape.

    Attributes
    ----------
    board : list of ndarray
        Everything that was opened, in order: what all five banks have seen.
    used : set of int
        The numbers of triples that are gone.

    Examples
    --------
    >>> run = Run(lambda ids: [np.arange(len(one)) for one in ids])
    >>> number, left, right, product = run.deal(4, 2, 3)
    >>> left.shape, product.shape, run.fresh(number), run.fresh(number)
    ((5, 4, 2), (5, 2, 3), True, False)
    >>> bool((opened(left).T @ opened(right) == opened(product)).all())
    True
    """

    aligned: Callable[[list[list[str]]], list[np.ndarray]]
    draw: Callable[[Any], np.ndarray] = uniform
    board: list[np.ndarray] = field(default_factory=list)
    used: set[int] = field(default_factory=set)
    _numbers: Any = field(default_factory=itertools.count)

    def align(self, ids: Sequence[Sequence[str]]) -> list[np.ndarray]:
        """The rows of the common customers at each bank, in one order."""
        return self.aligned([list(one) for one in ids])

    def deal(self, n: int, p: int, q: int) -> Triple:
        """A fresh triple for the product of an (n, p) matrix, transposed, and an (n, q) matrix."""
        left, right = self.draw((BANKS, n, p)), self.draw((BANKS, n, q))
        product = self.draw((BANKS, p, q))
        whole = times(left.sum(axis=0, dtype=np.uint64), right.sum(axis=0, dtype=np.uint64))
        product[-1] = whole - product[:-1].sum(axis=0, dtype=np.uint64)
        return next(self._numbers), left, right, product

    def fresh(self, number: int) -> bool:
        """Whether no triple of this number was used; from now on one is."""
        if number in self.used:
            return False
        self.used.add(number)
        return True

    def open(self, shares: Shares) -> np.ndarray:
        """Every bank puts its share on the board; their sum modulo 2^64, as int64."""
        self.board.append(opened(shares))
        return self.board[-1].copy()

    def tools(self, normal: Callable[[Any], np.ndarray]) -> dict[str, Callable[..., Any]]:
        """All that a run of the protocol may call, by name."""
        return {
            "align": self.align,
            "deal": self.deal,
            "fresh": self.fresh,
            "open": self.open,
            "draw": self.draw,
            "normal": normal,
        }


@dataclass
class LyingRun(Run):
    """A run in which bank A adds 2^30, in units of 1, to its share of one number, the first that is opened."""

    def open(self, shares: Shares) -> np.ndarray:
        if not self.board:
            shares = np.array(shares)
            shares[(0,) * shares.ndim] += np.uint64(LIE << BITS)
        return super().open(shares)


def times(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """leftᵀ · right modulo 2^64, shape (p, q), of uint64 arrays of shapes (n, p) and (n, q)."""
    return np.einsum("np,nq->pq", left, right, dtype=np.uint64)


def meet(start: Any, again: Any, common: Any) -> Callable[[list[list[str]]], list[np.ndarray]]:
    """Let the banks' own functions find the common customers: what `Run` wants as `aligned`.

    Every bank draws a key, blinds its own list (`start`), and sends it round the ring: each of the other four blinds it
    once more (`again`), and the last sends it to the office, which compares (`common`).
    """

    def aligned(ids: list[list[str]]) -> list[np.ndarray]:
        keys = [secrets.token_bytes(32) for _ in ids]
        lists, rows = [], []
        for bank, (own, key) in enumerate(zip(ids, keys, strict=True)):
            points, order = start(own, key)
            for other in keys[bank + 1 :] + keys[:bank]:
                points = again(points, other)
                if points is None:
                    raise ValueError(f"a bank refuses the list of bank {NAMES[bank]}")
            lists.append(points)
            rows.append(np.asarray(order, dtype=int))
        places = common(lists)
        return [order[np.asarray(place, dtype=int)] for order, place in zip(rows, places, strict=True)]

    return aligned
