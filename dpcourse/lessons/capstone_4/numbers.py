"""The numbers of capstone 4: what a cell costs, what an opened sum tells, what tests catch, what a liar can do."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import optimize, sparse

from dpcourse.datasets import Centres, simulate_centres
from dpcourse.federated.secure import DistributedDiscreteLaplace
from dpcourse.lessons.capstone_4.design import FACTORIAL, PARTIES, SHARES, Part
from dpcourse.mechanisms.sampling import laplace_share

BUDGET = 0.002  # of the time of all tests
Choose = Callable[[np.ndarray, np.ndarray, np.ndarray, float], "np.ndarray | None"]


def ciphertexts(tests: int, defects: int, parties: int, slots: int = 1) -> int:
    """How many the server is sent, with so many cells in each.

    Examples
    --------
    >>> ciphertexts(10_000, 500, 4), ciphertexts(10_000, 500, 4, slots=682)
    (20000000, 29328)
    """
    return parties * math.ceil(tests * defects / slots)


@dataclass(frozen=True)
class Known:
    """What the opened sum tells `colluders` centres about the others, besides their own matrices.

    Attributes
    ----------
    catches : float
        Of the others' confirmed catches, the share that is certain, with the name of the centre.
    cells : float
        The same of all cells of the others, empty ones included.
    """

    colluders: int
    catches: float
    cells: float


def known(centres: Centres, colluders: int) -> Known:
    """Mean over all groups of so many centres; 0 is the server alone."""
    catches, cells = [], []
    others = PARTIES - colluders
    for group in itertools.combinations(centres.matrices, colluders):
        rest = np.sum([a for name, a in centres.matrices.items() if name not in group], axis=0, dtype=np.int8)
        all_of_them = np.count_nonzero(rest == others)
        catches.append(others * all_of_them / max(int(rest.sum()), 1))
        cells.append((all_of_them + np.count_nonzero(rest == 0)) / rest.size)
    return Known(colluders, float(np.mean(catches)), float(np.mean(cells)))


def bound(caught: np.ndarray, cost: np.ndarray, weights: np.ndarray, budget: float) -> float:
    """The most weight that tests within the budget can catch, if a test could be run in part: a linear programme.

    No choice of whole tests exceeds it. Negative weights count as zero.

    Examples
    --------
    >>> bound(np.array([[True, False], [True, True]]), np.array([1.0, 2.0]), np.array([3.0, 1.0]), 1.0)
    3.0
    """
    weights = np.maximum(weights, 0.0)
    useful = (weights > 0) & caught.any(axis=0)
    caught, weights = caught[:, useful], weights[useful]
    tests, defects = caught.shape
    if not defects:
        return 0.0
    by_tests = sparse.hstack([-sparse.csr_matrix(caught.T.astype(float)), sparse.eye(defects)])
    time = sparse.csr_matrix(np.concatenate([cost, np.zeros(defects)])[None])
    limits = np.concatenate([np.zeros(defects), [budget]])
    gain = np.concatenate([np.zeros(tests), weights])
    found = optimize.linprog(-gain, sparse.vstack([by_tests, time]).tocsr(), limits, bounds=(0, 1), method="highs")
    return float(-found.fun)


def shared_noise(epsilon: float, size: int, shares: int = PARTIES, *, rng=None) -> np.ndarray:
    """The sum of so many shares of discrete Laplace noise, `SHARES` of which are the whole."""
    return laplace_share(1 / epsilon, SHARES, (shares, size), rng=rng).sum(axis=0)


def compared(choose: Choose, epsilons: Sequence[float], worlds: int, rng=None) -> dict[str, np.ndarray] | None:
    """True coverage by several ways to choose, at the budget of the project, in simulated worlds; shape (worlds,) each.

    None where `choose` does not answer yet.
    """
    found: dict[str, list[float]] = {}
    for one in np.random.default_rng(rng).spawn(worlds):
        centres = simulate_centres(rng=one)
        if choose(centres.caught[:9], centres.cost[:9], centres.weights, 5.0) is None:
            return None
        for name, value in _ways(centres, choose, epsilons, one):
            found.setdefault(name, []).append(value)
    return {name: np.array(values) for name, values in found.items()}


def _ways(centres: Centres, choose: Choose, epsilons: Sequence[float], rng: np.random.Generator):
    cost, budget = centres.cost, BUDGET * centres.cost.sum()
    pooled, counts = centres.total() > 0, centres.counts()

    def reached(caught: np.ndarray, weights: np.ndarray) -> float:
        return centres.coverage(choose(caught, cost, weights, budget))  # type: ignore[arg-type]

    yield "the truth, which nobody has", reached(centres.caught, centres.weights)
    yield "pooled, exact counts", reached(pooled, counts)
    for epsilon in epsilons:
        yield (
            f"pooled, counts at ε = {epsilon:g}",
            reached(pooled, counts + shared_noise(epsilon, len(counts), rng=rng)),
        )
    yield "pooled, no counts", reached(pooled, np.ones(len(counts)))
    alone = zip(centres.matrices.values(), centres.chips.values(), strict=True)
    own = [reached(a, np.bincount(chips, minlength=len(counts))) for a, chips in alone]
    yield "one centre alone", float(np.mean(own))
    yield "cells flipped at ε = 1 each", reached(flipped(centres, 1.0, rng), counts)
    picked = rng.permutation(len(cost))
    yield "tests at random", centres.coverage(picked[np.cumsum(cost[picked]) <= budget])


def flipped(centres: Centres, epsilon: float, rng=None) -> np.ndarray:
    """What is left when every cell of every centre is answered by randomized response: cells where all four say yes."""
    rng = np.random.default_rng(rng)
    lie = 1 / (1 + math.exp(epsilon))
    said = [a ^ (rng.random(a.shape, dtype=np.float32) < lie) for a in centres.matrices.values()]
    return np.all(said, axis=0)


def boasted(centres: Centres, choose: Choose, tests: int, least: int = 1) -> tuple[float, int] | None:
    """True coverage, and how many of its favourites are chosen, when one centre claims that these catch everything.

    The favourites are the `tests` cheapest of those that catch nothing at all. A catch counts where at least `least`
    centres confirm it.
    """
    useless = np.flatnonzero(~centres.caught.any(axis=1))
    favourites = useless[np.argsort(centres.cost[useless])][:tests]
    told = centres.total()
    told[favourites] += 1
    chosen = choose(told >= least, centres.cost, centres.counts(), BUDGET * centres.cost.sum())
    if chosen is None:
        return None
    return centres.coverage(chosen), int(np.isin(favourites, chosen).sum())


def exponents(numbers: Sequence[int]) -> dict[int, int]:
    """4! times Lagrange's coefficients at 0 for these parties: whole numbers.

    Examples
    --------
    >>> exponents([1, 2, 4])
    {1: 64, 2: -48, 4: 8}
    """
    return {
        i: FACTORIAL * math.prod(-j for j in numbers if j != i) // math.prod(i - j for j in numbers if j != i)
        for i in numbers
    }


def forged(parts: Sequence[Part], liars: Sequence[int], wish: int, n: int) -> list[Part]:
    """The partial decryptions with those of the liars changed so that what is opened becomes larger by `wish`.

    A liar multiplies its part by (1 + n)^k. One liar picks k for the first three parties in `parts` that include it.
    Two liars among four pick theirs so that all four triples agree: a polynomial of degree 2 that is zero at the two
    honest parties' numbers.
    """
    numbers = [i for i, _ in parts]
    if len(liars) == 1:
        others = [i for i in numbers if i not in liars][:2]
        by = {liars[0]: pow(2 * exponents([*liars, *others])[liars[0]], -1, n)}
    else:
        one, two = (i for i in numbers if i not in liars)
        at_zero = pow(2 * FACTORIAL * one * two, -1, n)
        by = {i: (i - one) * (i - two) * at_zero for i in liars}
    change = {i: 1 + 4 * FACTORIAL**2 * wish * k % n * n for i, k in by.items()}
    return [(i, value * change.get(i, 1) % n**2) for i, value in parts]


def left_epsilon(epsilon: float, honest: int) -> float:
    """ε of one chip where so many shares of 1/`SHARES` are in the sum and unknown to the onlooker."""
    noise = DistributedDiscreteLaplace(epsilon, 1, SHARES, unit="record")
    return noise.with_clients(honest).guarantee.epsilon
