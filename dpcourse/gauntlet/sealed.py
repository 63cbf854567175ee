"""Eight mechanisms whose inside is not shown: some keep what they claim, some do not. For the labs of lesson 11.

Sealed means that a mechanism's name, repr and public attributes tell nothing; whoever reads this file, or looks into
the closure, breaks the seal and learns less.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcourse.gauntlet.exhibit import Batch, gaussian, laplace
from dpcourse.mechanisms import GaussianMechanism
from dpcourse.privacy import Guarantee, Neighbours

ADDED, REPLACED = Neighbours.ADD_REMOVE, Neighbours.REPLACE_ONE


class Sealed:
    """A mechanism, its claim and two neighbours; called as ``sealed(data, rng)``, or many times at once by ``.batch``.

    Attributes
    ----------
    name : str
        A letter.
    claim : Guarantee
    data, neighbour : object
        Neighbours under the claim's relation.
    """

    __slots__ = ("__run", "claim", "data", "name", "neighbour")

    def __init__(self, name: str, claim: Guarantee, data: Any, neighbour: Any, run: Batch) -> None:
        self.name, self.claim, self.data, self.neighbour, self.__run = name, claim, data, neighbour, run

    def batch(self, data: Any, runs: int, rng: np.random.Generator) -> Any:
        """`runs` outputs on `data`."""
        return self.__run(data, runs, rng)

    def behind(self, secret: int) -> Sealed:
        """The same, which draws from a generator made of the one it is given and of this number.

        Whoever calls it with a generator of the same state has the same outputs, and does not know what was drawn.
        """

        def run(data: Any, runs: int, rng: np.random.Generator) -> Any:
            return self.__run(data, runs, np.random.default_rng([secret, int(rng.integers(2**63))]))

        return Sealed(self.name, self.claim, self.data, self.neighbour, run)

    def __call__(self, data: Any, rng: np.random.Generator) -> Any:
        return self.__run(data, 1, rng)[0]

    def __repr__(self) -> str:
        return f"<Sealed mechanism {self.name}: claims {self.claim}>"


@dataclass(frozen=True)
class _Kind:
    """How to make one: claim and neighbours, the right mechanism, and the broken one."""

    claim: Guarantee
    data: Any
    neighbour: Any
    right: Batch
    broken: Batch


def _count(epsilon: float) -> _Kind:
    """A count, or one with noise of scale ε instead of 1/ε (claims below 1/2)."""

    def noisy(scale: float) -> Batch:
        return lambda x, runs, rng: laplace(runs, float(len(x)), scale, rng)

    people = np.ones(30)
    return _Kind(Guarantee(epsilon, 0.0, ADDED), people, people[1:], noisy(1 / epsilon), noisy(epsilon))


def _sum(epsilon: float, bound: float) -> _Kind:
    """A clipped sum, or one whose noise is that of a count."""

    def noisy(scale: float) -> Batch:
        return lambda x, runs, rng: laplace(runs, np.clip(x, 0, bound).sum(), scale, rng)

    people = np.array([bound / 2, bound / 3])
    claim = Guarantee(epsilon, 0.0, ADDED)
    return _Kind(claim, np.append(people, bound), people, noisy(bound / epsilon), noisy(1 / epsilon))


def _answer(epsilon: float, k: int) -> _Kind:
    """Randomized response with k answers, or one that lies about as often as is right for a larger ε."""

    def told(truth: float) -> Batch:
        def run(x, runs, rng):
            lie = (int(x) + rng.integers(1, k, runs)) % k
            return np.where(rng.random(runs) < truth, int(x), lie)

        return run

    def truth(epsilon: float) -> float:
        return math.exp(epsilon) / (math.exp(epsilon) + k - 1)

    return _Kind(Guarantee(epsilon, 0.0, REPLACED), 0, 1, told(truth(epsilon)), told(truth(3 * epsilon)))


def _winner(epsilon: float) -> _Kind:
    """Noisy max with noise of scale 2/ε, or with the deviation of another library's parameter, 0.3/ε."""

    def winner(scale: float) -> Batch:
        return lambda scores, runs, rng: laplace(runs, scores, scale, rng).argmax(axis=1)

    claim = Guarantee(epsilon, 0.0, REPLACED)
    return _Kind(claim, (3.0, 2.0, 2.0), (2.0, 3.0, 2.0), winner(2 / epsilon), winner(0.3 / epsilon))


def _vector(epsilon: float, d: int) -> _Kind:
    """d counts, all of which one person moves, with noise for all the changes together, or for one of them."""

    def noisy(scale: float) -> Batch:
        return lambda x, runs, rng: laplace(runs, np.full(d, float(x)), scale, rng)

    claim = Guarantee(epsilon, 0.0, ADDED)
    return _Kind(claim, 7, 6, noisy(d / epsilon), noisy(1 / epsilon))


def _mean(epsilon: float) -> _Kind:
    """A Gaussian sum, or one divided, noise and all, by the true number of people."""
    sigma = GaussianMechanism(epsilon, 1e-5).sigma

    def total(x, runs, rng):
        return gaussian(runs, np.full(200, np.clip(x, 0, 1).sum() / 10), sigma * math.sqrt(200) / 10, rng)

    def own_size(x, runs, rng):
        value = np.clip(x, 0, 1).sum() / len(x)
        return gaussian(runs, np.full(200, value), sigma * math.sqrt(200) / len(x), rng)

    people = np.full(11, 0.5)
    return _Kind(Guarantee(epsilon, 1e-5, ADDED), people, people[1:], total, own_size)


def _empty(epsilon: float) -> _Kind:
    """The mean of a group, or one that fails when the group is empty."""

    def mean(x, runs, rng):
        return laplace(runs, (np.clip(x, 0, 1).sum(), len(x)), 2 / epsilon, rng)

    def fails(x, runs, rng):
        return mean(x, runs, rng) if len(x) else [None] * runs

    return _Kind(Guarantee(epsilon, 0.0, ADDED), np.array([0.4]), np.array([]), mean, fails)


def _seeded(epsilon: float) -> _Kind:
    """Two counts with noise of their own each, or with the same noise."""

    def own(x, runs, rng):
        return laplace(runs, (len(x), x.sum()), 2 / epsilon, rng)

    def shared(x, runs, rng):
        return np.array([len(x), x.sum()]) + laplace(runs, np.zeros(1), 2 / epsilon, rng)

    return _Kind(Guarantee(epsilon, 0.0, ADDED), np.array([1.0, 0.0]), np.array([1.0]), own, shared)


def _kinds(rng: np.random.Generator) -> list[_Kind]:
    return [
        _count(float(rng.uniform(0.25, 0.4))),
        _sum(float(rng.uniform(0.5, 1.0)), float(rng.uniform(8, 15))),
        _answer(float(rng.uniform(0.5, 1.0)), int(rng.integers(3, 6))),
        _winner(float(rng.uniform(0.5, 0.8))),
        _vector(float(rng.uniform(0.4, 0.6)), 16),
        _mean(float(rng.uniform(0.5, 1.0))),
        _empty(float(rng.uniform(0.5, 1.0))),
        _seeded(float(rng.uniform(0.5, 1.0))),
    ]


def seal(rng: np.random.Generator | int | None = None) -> tuple[tuple[Sealed, ...], Callable[[], dict[str, bool]]]:
    """Eight sealed mechanisms, from three to five of them broken, in random order; and a function that opens the seals.

    Parameters
    ----------
    rng : Generator, int or None
        Draws what is broken, the order and all parameters.

    Returns
    -------
    sealed : tuple of Sealed, named A to H
    open_seals : callable
        Gives the truth: name → whether it is broken.

    Examples
    --------
    >>> sealed, open_seals = seal(11)
    >>> len(sealed), 3 <= sum(open_seals().values()) <= 5
    (8, True)
    """
    rng = np.random.default_rng(rng)
    kinds = _kinds(rng)
    order = rng.permutation(len(kinds))
    broken = np.zeros(len(kinds), dtype=bool)
    broken[rng.permutation(len(kinds))[: rng.integers(3, 6)]] = True
    truth = {"ABCDEFGH"[i]: bool(broken[i]) for i in range(len(kinds))}
    sealed = []
    for name, which in zip(truth, order, strict=True):
        kind = kinds[which]
        run = kind.broken if truth[name] else kind.right
        sealed.append(Sealed(name, kind.claim, kind.data, kind.neighbour, run))
    return tuple(sealed), lambda: dict(truth)
