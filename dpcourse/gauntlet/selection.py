"""Bugs of selection: noisy max, exponential mechanism, sparse vector, votes."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.audit import Records, Scores, one_of
from dpcourse.gauntlet.exhibit import Batched, Exhibit, laplace
from dpcourse.privacy import Guarantee, Neighbours

ADDED = Guarantee(1.0)
REPLACED = Guarantee(1.0, 0.0, Neighbours.REPLACE_ONE)


def _above(queries, cutoff, query_scale, threshold_scale, runs, rng):
    """Above 0, or not, until `cutoff` times above: all answers, and which were still given. ε₁ = ε₂ = 1/2."""
    bar = rng.laplace(scale=threshold_scale, size=(runs, 1))
    noise = rng.laplace(scale=query_scale, size=(runs, len(queries))) if query_scale else 0.0
    above = np.asarray(queries) + noise >= bar
    return above, np.cumsum(above, axis=1) - above < cutoff


def _sparse_vector(cutoff: int, query_scale: float, threshold_scale: float) -> Batched:
    """The answers as text, such as "..x"."""

    def batch(queries, runs, rng):
        above, given = _above(queries, cutoff, query_scale, threshold_scale, runs, rng)
        signs = np.where(given, np.where(above, "x", "."), "")
        return signs.view(f"U{len(queries)}")[:, 0].tolist()

    return Batched(batch)


def _many_hits(cutoff: int, query_scale: float, threshold_scale: float) -> Batched:
    """Which queries were said to be above; those after the last hit were not."""

    def batch(queries, runs, rng):
        above, given = _above(queries, cutoff, query_scale, threshold_scale, runs, rng)
        return above & given

    return Batched(batch)


def _largest_value(counts, runs, rng):
    return laplace(runs, counts, 2.0, rng).max(axis=1)


def _largest_name(counts, runs, rng):
    return laplace(runs, counts, 2.0, rng).argmax(axis=1)


def _exponential(factor: float) -> Batched:
    def batch(utilities, runs, rng):
        weights = np.exp(factor * (np.asarray(utilities) - np.max(utilities)))
        return rng.choice(len(weights), p=weights / weights.sum(), size=runs)

    return Batched(batch)


def _overflows(utilities, runs, rng):
    """Weights without subtracting the largest utility: from 710 on they are infinite, and the choice fails."""
    with np.errstate(over="ignore", invalid="ignore"):
        weights = np.exp(np.asarray(utilities) / 2)
        shares = weights / weights.sum()
    if np.isnan(shares).any():
        return ["ValueError: probabilities contain NaN"] * runs
    return [str(i) for i in rng.choice(len(shares), p=shares, size=runs)]


def _steady(utilities, runs, rng):
    return [str(i) for i in _exponential(0.5).batch(utilities, runs, rng)]


def _counted(votes: list[int]) -> np.ndarray:
    return np.bincount(votes, minlength=2).astype(float)


def _votes(scale: float) -> Batched:
    return Batched(lambda votes, runs, rng: laplace(runs, votes, scale, rng))


_TWENTY = np.concatenate([[0.0], np.ones(19)])

EXHIBITS = (
    Exhibit(
        "sparse vector without noise on the queries",
        "Only the threshold is noised, so two queries are compared with each other exactly.",
        "Lyu, Su, Li 2017, arXiv:1603.01699, algorithm 5",
        ADDED,
        math.inf,
        _sparse_vector(1, 0.0, 2.0),
        _sparse_vector(1, 4.0, 2.0),
        (0.0, 1.0),
        (1.0, 0.0),
        runs=2_000,
        datasets=Scores(2),
    ),
    Exhibit(
        "sparse vector, noise not scaled by the number of hits",
        "Twenty yeses are allowed and paid for as one.",
        "Lyu, Su, Li 2017, arXiv:1603.01699, algorithm 4",
        ADDED,
        1 / 2 + 20 * 2 / 4,
        _many_hits(20, 4.0, 2.0),
        _many_hits(20, 80.0, 2.0),
        (0.5,) * 40,
        (-0.5,) * 20 + (1.5,) * 20,
        runs=20_000,
        datasets=Scores(40),
    ),
    Exhibit(
        "noisy max releases its value too",
        "Not only who won leaves, but the noisy score: of ten counts that all move, the largest tells fivefold.",
        "class of StatDP, arXiv:1805.10277",
        ADDED,
        5.0,
        Batched(_largest_value),
        Batched(_largest_name),
        np.ones(10),
        np.zeros(10),
        runs=20_000,
        datasets=Scores(10),
    ),
    Exhibit(
        "exponential mechanism without the 2",
        "Weights exp(εu/Δ) for utilities that can move both ways.",
        "class of bug",
        REPLACED,
        1 + math.log((1 + 19 * math.e) / (math.e + 19)),
        _exponential(1.0),
        _exponential(0.5),
        _TWENTY,
        1 - _TWENTY,
        runs=20_000,
        datasets=Scores(20),
    ),
    Exhibit(
        "exponential mechanism overflows",
        "exp of a large utility is infinite and the choice fails: a crash that depends on the data.",
        "IBM/differential-privacy-library pull request 108 (there all weights underflow)",
        ADDED,
        math.inf,
        Batched(_overflows),
        Batched(_steady),
        (1419.0, 0.0),
        (1420.0, 0.0),
        runs=400,
        datasets=Scores(2),
    ),
    Exhibit(
        "PATE with sensitivity 1",
        "One teacher changes its vote: two counts move, and the noise is for one.",
        "arXiv:2406.13985",
        ADDED,
        2.0,
        _votes(1.0),
        _votes(2.0),
        (8.0, 6.0),
        (7.0, 7.0),
        runs=8_000,
        datasets=Records(one_of(range(2)), Neighbours.REPLACE_ONE, least=1, collect=_counted),
    ),
)
