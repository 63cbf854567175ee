"""Numbers of lesson 12."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcourse.datasets import load_fabs, load_grid
from dpcourse.federated import LocalTraining, SecureAggregator, ThresholdNotMet

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
