"""Whether draws that should be independent hang together: neighbours that share a coin, or a call that repeats another.

What a draw is off from its mean, times what another one is off, is nothing on average, and a sum of such products is
bounded by Bernstein's inequality, whatever the law of the draws. So it is asked of each call about all distances and
all mirror images, and of all calls together, from the smallest up, about those that people might take. Where one draw
is a function of another, no product need be large: so pairs of them are counted by where both lie (`alike`). And where
each hardly depends on any other one, but all on all, as in a lottery without blanks, their sum varies too little
(`balanced`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy import special
from scipy.stats import rankdata

MOST = 2**20  # draws of one call that are looked at, from its first on
FAR = 3  # distances that are asked about of all calls together
GRID = 16  # parts of a law that `mapped` tells apart
SUMS = 400  # calls whose sums `balanced` looks at: those that vary most
VARIED = 25.0  # and as much at least, so that a sum of independent draws is nearly normal
RANKED = 64  # in calls with so many draws or more, ranks are as good as places in a law


@dataclass(frozen=True)
class Draws:
    """The draws of one call in their order: what each is off from its mean, 1 at most, and their variances."""

    off: np.ndarray
    variance: np.ndarray

    @classmethod
    def of_signs(cls, noise: np.ndarray) -> Draws:
        """The signs of noise that is as likely above 0 as below. What is 0 is known, and does not vary."""
        return cls(np.sign(noise), np.abs(np.sign(noise)))

    @classmethod
    def of_places(cls, places: np.ndarray) -> Draws:
        """Places in a law, uniform between 0 and 1."""
        return cls(2 * places - 1, np.full(len(places), 1 / 3))


MIRRORED = "at mirrored places"
BALANCED = "those of one call, which add up to nearly the same each time,"
Sums = tuple[np.ndarray, np.ndarray]  # of products, and their variances


def apart(one: Draws) -> Sums:
    """Pairs of draws that are 0, 1, 2, … apart."""
    return _apart(one.off), _apart(one.variance)


def _apart(values: np.ndarray) -> np.ndarray:
    spectrum = np.fft.rfft(values, 2 * len(values))
    return np.fft.irfft(np.abs(spectrum) ** 2, 2 * len(values))[: len(values)]


def mirrored(one: Draws) -> Sums:
    """Pairs of draws whose places add up to 0, 1, 2, …, each pair once."""
    return _mirrored(one.off), _mirrored(one.variance)


def _mirrored(values: np.ndarray) -> np.ndarray:
    sums = np.fft.irfft(np.fft.rfft(values, 2 * len(values)) ** 2, 2 * len(values))[:-1]
    sums[::2] -= values**2
    return sums / 2


def unlikely(sums: np.ndarray, variances: np.ndarray, failure: float) -> np.ndarray:
    """Where a sum of products is larger than chance makes any of them, but with this probability.

    Pairs in which each draw is once or twice, and that make no circle, are two sets of independent products. No product
    is above 1.
    """
    depth = math.log(4 * max(len(sums), 1) / failure)
    reach = depth / 3 + np.sqrt(depth**2 / 9 + 2 * depth * np.maximum(variances, 0) / 2)
    return np.abs(sums) > 2 * reach + 1e-6


def _steps(k: int) -> str:
    return f"{k} apart" if k > 1 else "next to each other"


def which(linked: str) -> str:
    """Of such words the draws alone, wherever they are.

    >>> which("in a call with 5,250 of them, those next to each other")
    'those next to each other'
    """
    return linked.rsplit(", ", 1)[-1]


def linked(calls: Sequence[Draws], failure: float) -> str:
    """Which draws of a call hang together, in words; "" if none do. Of right ones, some do with this probability."""
    if balanced(calls, failure / 4):
        return f"in many calls, {BALANCED}"
    some = [Draws(one.off[:MOST], one.variance[:MOST]) for one in calls if len(one.off) > 1]
    some.sort(key=lambda one: len(one.off))
    pooled: dict[str, list[tuple[float, float]]] = {}
    for one in some:
        n, (by, by_variance), (at, at_variance) = len(one.off), apart(one), mirrored(one)
        for sums, variances, words in ((by[1:], by_variance[1:], _steps), (at, at_variance, lambda _: MIRRORED)):
            wrong = unlikely(sums, variances, failure / (4 * len(some)))
            if wrong.any():
                return f"in a call with {n:,} of them, those {words(int(wrong.argmax()) + 1)}"
        pairs = {_steps(k): (by, by_variance, k) for k in range(1, FAR + 1)}
        pairs |= {"half of all apart": (by, by_variance, n // 2), MIRRORED: (at, at_variance, n - 1)}
        for name, (sums, variances, place) in pairs.items():
            if 0 < place < len(sums):
                pooled.setdefault(name, []).append((float(sums[place]), float(variances[place])))
    for name, found in pooled.items():
        sums, variances = np.cumsum(found, axis=0).T
        if unlikely(sums, variances, failure / (4 * len(pooled))).any():
            return f"in many calls, those {name}"
    return ""


def balanced(calls: Sequence[Draws], failure: float) -> bool:
    """Whether the draws of a call always add up to nearly the same; right ones do with this probability.

    Sums of many are nearly normal. As they may lie on a grid, of a step of 2 at most, each is taken to be one farther
    off. In calls of few draws, products of all pairs add up to nothing on average (Bernstein's inequality).

    >>> u = np.random.default_rng(1).random((40, 600))
    >>> drawn = (np.argsort(u, axis=1) + u) / 600
    >>> [balanced(list(map(Draws.of_places, some)), 1e-9) for some in (u, drawn)]
    [False, True]
    """
    found = [(float(one.variance.sum()), abs(float(one.off.sum()))) for one in calls]
    few = [one for one, (variance, _) in zip(calls, found, strict=True) if variance < VARIED and len(one.off) > 1]
    if few and _pairs_are_opposite(few, failure / 2):
        return True
    some = sorted(((variance, off) for variance, off in found if variance >= VARIED), reverse=True)[:SUMS]
    if not some:
        return False
    variances, off = np.array(some).T
    squares = (off + 1) ** 2 / variances
    near = -2 * np.log(special.erf(np.sqrt(squares / 2))).sum()
    return bool(min(special.chdtrc(2 * len(some), near), special.chdtr(len(some), squares.sum())) < failure / 4)


def _pairs_are_opposite(calls: Sequence[Draws], failure: float) -> bool:
    """Whether products of all pairs in a call, none above 1, add up to less than chance explains in all calls."""
    sums = np.array([one.off.sum() ** 2 - (one.off**2).sum() for one in calls]) / 2
    variances = np.array([one.variance.sum() ** 2 - (one.variance**2).sum() for one in calls]) / 2
    most, depth = max(len(one.off) * (len(one.off) - 1) / 2 for one in calls), -math.log(failure)
    reach = most * depth / 3 + math.sqrt((most * depth / 3) ** 2 + 2 * depth * variances.sum())
    return bool(sums.sum() < -reach)


def mapped(calls: Sequence[np.ndarray], failure: float) -> str:
    """Which draws of a call follow from others by some function, in words; "" if none do.

    Draws are given by their places in a law, uniform between 0 and 1. A function may leave no product large, as
    |2u − 1| does. One that is not as steep as a hash shows in a grid of 16 by 16.

    >>> u = np.random.default_rng(1).random((50, 20))
    >>> mapped(u, 1e-9), mapped(np.stack([u, np.abs(2 * u - 1)], axis=-1).reshape(50, -1), 1e-9)
    ('', 'in many calls, those next to each other')
    """
    return alike([np.minimum((one * GRID).astype(int), GRID - 1) for one in calls], GRID, failure)


def alike(calls: Sequence[np.ndarray], kinds: int, failure: float) -> str:
    """Which draws of a call hang together where each is of so many kinds, all as likely, or negative: no draw at all.

    Pairs, each draw in one of them at most, are counted by their two kinds, in order. Of right draws, too many are of
    some two kinds with probability `failure` at most (exact, Bonferroni).
    """
    pooled: dict[tuple[str, int], list[np.ndarray]] = {}
    for call in calls:
        some = call[:MOST]
        n, half = len(some), len(some) // 2
        pairs = {("half of all apart", 0): (some[:half], some[half:]), (MIRRORED, 0): (some[:half], some[::-1])}
        for k in range(1, FAR + 1):
            places = np.arange(max(n - k, 0))
            for turn in (0, 1):
                first = places[places // k % 2 == turn]
                pairs[_steps(k), turn] = some[first], some[first + k]
        for which_pairs, (one, other) in pairs.items():
            both = (one >= 0) & (other[: len(one)] >= 0)
            pooled.setdefault(which_pairs, []).append((one * kinds + other[: len(one)])[both])
    for (name, _), found in pooled.items():
        counts = np.bincount(np.concatenate(found), minlength=kinds**2)
        if special.bdtrc(counts.max() - 1, counts.sum(), kinds**-2) * kinds**2 < failure / len(pooled):
            return f"in many calls, those {name}"
    return ""


def shared(noise: Sequence[np.ndarray], failure: float, order: str = "", *, even: bool = False) -> str:
    """What symmetric noise of several calls has in common, in a sentence; "" if nothing.

    By signs alone, unless the noise of each call is `even`, all of one law. Where the only call is a whole training,
    `order` says how its draws follow each other: "round, fab and number".
    """
    noise = list(map(np.ravel, noise))
    draws = list(map(Draws.of_signs, noise))
    where = "in one call and in the next, those at the same place" if repeated(draws, failure / 2) else ""
    where, how = where or linked(draws, failure / 4), "have the same sign, or opposite signs, more often than by chance"
    if even and not where:
        where = mapped([rankdata(one) / (len(one) + 1) for one in noise if len(one) >= RANKED], failure / 4)
        how = "hang together"
    if where and order:
        return f"Of the draws of a training, by {order}, {which(where)} {how}."
    return where and f"Pairs of your draws {how}: {where}."


def same_side(one: np.ndarray, other: np.ndarray, rng: Generator) -> float:
    """Where it lies in its law how many draws are on the same side of 0 in two calls: small where too many are.

    It is uniform between 0 and 1 if those of one call are fair coins given the other. What is 0 says nothing.

    >>> noise = np.array([0.3, -2.0, 1.0])
    >>> rng = np.random.default_rng(0)
    >>> same_side(noise, noise, rng) < 1 / 8 < 7 / 8 < same_side(noise, -noise, rng)
    True
    """
    products = np.sign(one) * np.sign(other)
    same, of = int((products > 0).sum()), int((products != 0).sum())
    more, or_as_many = special.bdtrc([same, same - 1], of, 0.5)
    return float(more + rng.random() * (or_as_many - more))


def repeated(calls: Sequence[Draws], failure: float) -> bool:
    """Whether draws hang together with those at their places in the next call; right ones do with this probability."""
    if len(calls) < 2:
        return False
    found = [_products(one, other) for one, other in zip(calls, calls[1:], strict=False)]
    order = np.argsort([variance for _, variance in found])
    sums, variances = np.array(found)[order].T
    each = unlikely(sums, variances, failure / 2)
    together = unlikely(np.cumsum(sums), np.cumsum(variances), failure / 2)
    return bool(each.any() or together.any())


def stays(equal: np.ndarray, chances: np.ndarray, failure: float) -> bool:
    """Whether too many people's results are the same in two calls with generators that have nothing in common.

    ``equal`` says of whom, ``chances`` how likely it is for each; shape (people,). Asked where the variance of their
    number is 100 or more, by Bernstein's inequality.
    """
    variance, more = float((chances * (1 - chances)).sum()), float(equal.sum() - chances.sum())
    if variance < 100 or more <= 0:
        return False
    return math.exp(-(more**2) / 2 / (variance + more / 3)) < failure


def _products(one: Draws, other: Draws) -> tuple[float, float]:
    m = min(len(one.off), len(other.off))
    return float(one.off[:m] @ other.off[:m]), float(one.variance[:m] @ other.variance[:m])


def uneven_bit(numbers: np.ndarray, bits: int, failure: float) -> int | None:
    """The lowest bit that is 1 too often or too rarely in uniform numbers, along the last axis; None where none is.

    Of right ones some bit is with probability `failure` at most, by Hoeffding's inequality.

    >>> uneven_bit(np.arange(256) & 247, 8, 1e-9)
    3
    """
    ones = np.stack([(numbers >> numbers.dtype.type(bit) & numbers.dtype.type(1)).sum(axis=-1) for bit in range(bits)])
    many = numbers.shape[-1]
    uneven = np.abs(ones - many / 2) > math.sqrt(many * math.log(2 * ones.size / failure) / 2)
    wrong = uneven.reshape(bits, -1).any(axis=1)
    return int(wrong.argmax()) if wrong.any() else None
