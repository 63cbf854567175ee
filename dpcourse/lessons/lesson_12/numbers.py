"""Numbers of lesson 12."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcourse.accounting import calibrate_noise_multiplier
from dpcourse.datasets import load_fabs, load_grid
from dpcourse.federated import (
    FederatedClient,
    FederatedServer,
    LocalTraining,
    PrivateLocalTraining,
    SecureAggregator,
    ThresholdNotMet,
    run_rounds,
)

GRID = load_grid("lesson_12")

SCALE, BITS, FABS = 2**16, 32, 6


@dataclass(frozen=True)
class Masking:
    """One number of each fab's update, what the server receives instead, and the sum it gets.

    ``masked`` holds shares of the modulus in [0, 1). ``total`` is None where too few are left; ``left`` is the sum of
    those who stayed.
    """

    names: Sequence[str]
    values: np.ndarray
    masked: np.ndarray
    dropped: tuple[bool, ...]
    threshold: int
    left: float
    total: float | None
    uncorrected: float  # what adding up the masked vectors alone gives, as a share of the modulus


@dataclass(frozen=True)
class Tradeoff:
    """Accuracy and ε at one noise multiplier and sampling rate, one point for each number of rounds; `at` is marked.

    ``spread`` is one deviation, over trainings, of what noise and sampling change; ``without_noise`` the mean accuracy
    of the same rounds without noise.
    """

    noise_multiplier: float
    sampling_rate: float
    rounds: np.ndarray
    accuracy: np.ndarray
    spread: np.ndarray
    without_noise: np.ndarray
    epsilon: np.ndarray
    pooled: float
    at: int
    clients: int
    delta: float


def compared(worlds: int) -> tuple[list[str], np.ndarray]:
    """Accuracy of six ways to train on six fabs, twenty rounds of ten local steps each.

    Returns
    -------
    ways : list of str
        Alone (the mean of six models), together with ε = 3 for a fab, the same without its noise, together with ε = 3
        for a wafer (each for the whole training, δ = 1e-5, adding or removing one), together without noise, one pool.
    scores : ndarray, shape (6, worlds)
        On the test set of all six fabs' wafers; world s is ``load_fabs(heterogeneity=1.0, rng=s)``.
    """
    walk, delta, rounds, rate = LocalTraining(steps=10, learning_rate=2.0), 1e-5, 20, 0.1
    for_fabs = {"clip_norm": 0.5, "noise_multiplier": calibrate_noise_multiplier(3.0, delta, 1.0, rounds)}
    for_wafers = calibrate_noise_multiplier(3.0, delta, rate, rounds * 10)

    def final(clients, seed, test, **settings):
        server = FederatedServer(np.zeros(21), test=test, **settings)
        return run_rounds(server, clients, rounds, rng=seed)[-1].accuracy

    found: dict[str, list[float]] = {}
    for seed in range(worlds):
        world = load_fabs(heterogeneity=1.0, rng=seed)
        plain = [FederatedClient(name, data, walk) for name, data in world.clients.items()]
        private = [
            FederatedClient(name, data, PrivateLocalTraining(len(data.y), for_wafers, sampling_rate=rate, steps=10))
            for name, data in world.clients.items()
        ]
        pool = [FederatedClient("pool", world.pooled(), walk)]
        scores = {
            "alone, mean of six": np.mean([final([client], seed, world.test) for client in plain]),
            "together, ε = 3 for a fab": final(plain, seed, world.test, total_weight=FABS, **for_fabs),
            "together, clip and equal votes": final(plain, seed, world.test, total_weight=FABS, clip_norm=0.5),
            "together, ε = 3 for a wafer": final(private, seed, world.test, weighting="sizes"),
            "together, no noise": final(plain, seed, world.test, weighting="sizes"),
            "one pool of all wafers": final(pool, seed, world.test),
        }
        for way, score in scores.items():
            found.setdefault(way, []).append(float(score))
    return list(found), np.array(list(found.values()))


def gains_at_home(worlds: int, epsilon: float | None = None) -> np.ndarray:
    """Points of accuracy that each fab gains, on its own kind of wafers, by training with the others.

    Shape (worlds, 6), in the order of ``load_fabs``; twenty rounds of ten local steps against 200 steps alone. With
    ``epsilon`` each fab trains privately in the rounds: ε of one wafer, adding or removing it, δ = 1e-5.
    """
    alone, gains = LocalTraining(steps=200, learning_rate=2.0), []
    noise = epsilon and calibrate_noise_multiplier(epsilon, 1e-5, 0.1, 200)

    def rule(size):
        if noise is None:
            return LocalTraining(steps=10, learning_rate=2.0)
        return PrivateLocalTraining(size, noise, sampling_rate=0.1, steps=10)

    for seed in range(worlds):
        world = load_fabs(heterogeneity=1.0, rng=seed)
        server = FederatedServer(np.zeros(21), weighting="sizes")
        clients = [FederatedClient(name, data, rule(len(data.y))) for name, data in world.clients.items()]
        run_rounds(server, clients, 20, rng=seed)
        row = []
        for name, data in world.clients.items():
            own = world.test_fabs == name
            X, y = world.test.X[own], world.test.y[own]
            models = server.weights, alone(np.zeros(21), data)
            together, single = (np.mean((X @ theta[:-1] + theta[-1] > 0) == y) for theta in models)
            row.append(100 * (together - single))
        gains.append(row)
    return np.array(gains)


@functools.cache
def updates() -> dict[str, np.ndarray]:
    """Four weights of each fab's first update."""
    fabs, rule = load_fabs(heterogeneity=1.0, rng=12), LocalTraining(steps=5)
    return {name: rule(np.zeros(21), data)[-4:] for name, data in fabs.clients.items()}


def masked_sum(*dropped: bool, threshold: int = 4) -> Masking:
    """One secure aggregation of the fabs' updates, without those that drop out after the keys were shared.

    Examples
    --------
    >>> here = masked_sum(False, True, False, False, False, False)
    >>> abs(here.total - here.left) < 1e-3
    True
    >>> masked_sum(True, True, True, False, False, False).total is None
    True
    """
    names, vectors = list(updates()), list(updates().values())
    aggregator = SecureAggregator(FABS, threshold, BITS, SCALE, rng=12)  # a seed: for a picture, never for real
    sent = [aggregator.mask(i, vector) for i, vector in enumerate(vectors)]
    stay = [i for i in range(FABS) if not dropped[i]]
    gone = {i for i in range(FABS) if dropped[i]}
    try:
        total = float(aggregator.aggregate({i: sent[i] for i in stay}, gone)[-1])
    except ThresholdNotMet:
        total = None
    shares = np.array([int(vector[-1]) / 2**BITS for vector in sent])
    values = np.array([vector[-1] for vector in vectors])
    uncorrected = sum(int(sent[i][-1]) for i in stay) % 2**BITS / 2**BITS
    left = math.fsum(values[i] for i in stay)
    return Masking(names, values, shares, tuple(dropped), threshold, left, total, uncorrected)


def tradeoff(noise_multiplier: float = 16.0, sampling_rate: float = 0.3, rounds: int = 20) -> Tradeoff:
    """The precomputed grid at one noise multiplier and one sampling rate, with one number of rounds marked.

    Examples
    --------
    >>> here = tradeoff(8.0, 0.1, 50)
    >>> here.at, len(here.rounds) == len(here.accuracy) == len(here.epsilon)
    (50, True)
    """
    z, q = GRID.NOISE.index(noise_multiplier), GRID.RATES.index(sampling_rate)
    return Tradeoff(
        noise_multiplier,
        sampling_rate,
        np.array(GRID.ROUNDS),
        np.array(GRID.MEAN[z][q]),
        np.array(GRID.SPREAD[z][q]),
        np.array(GRID.MEAN[0][q]),
        np.array(GRID.EPSILON[z - 1][q]),
        GRID.POOLED,
        rounds,
        GRID.CLIENTS,
        GRID.DELTA,
    )
