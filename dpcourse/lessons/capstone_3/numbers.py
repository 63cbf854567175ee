"""The numbers of capstone 3: how good a model is that was trained in three kinds of trust, and what a liar can do."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from dpcourse.datasets.telemetry import WIDTH, Telemetry
from dpcourse.lessons.capstone_3.caps import best_cap, cap_sum
from dpcourse.lessons.capstone_3.design import (
    DELTA,
    MOMENTUM,
    RATE,
    ROUNDS,
    START,
    auc,
    deviation,
    shuffled_epsilon,
)
from dpcourse.mechanisms.additive.gaussian import GaussianMechanism

Randomizer = Callable[[np.ndarray, float, np.random.Generator], np.ndarray]
SOURCE_DELTA = 1e-5  # of the proposal


def start() -> np.ndarray:
    """Weights before anybody was asked: the public log odds of a failure, nothing else."""
    weights = np.zeros(WIDTH)
    weights[-1] = START * math.sqrt(WIDTH)
    return weights


def exact_gradient(world: Telemetry, weights: np.ndarray) -> np.ndarray:
    """The sum over devices of (σ(x·w) − y)·x, shape (21,)."""
    weights = weights.astype(np.float32)
    each = ((expit(world.rows[some] @ weights) - world.failed[some]) @ world.rows[some] for some in _parts(world))
    return np.sum(list(each), axis=0, dtype=float)


def descent(
    world: Telemetry,
    noise: float,
    *,
    rounds: int = ROUNDS,
    rate: float = RATE,
    lie: float = 0.0,
    fleet: float = 1.0,
    rng=None,
) -> np.ndarray:
    """Weights after so many noisy sums of gradients: momentum, and the average of the second half.

    One device lies: it sends a vector of norm `lie` against the sum. `fleet` times as many devices as there are rows
    are asked, and the rows stand for all of them.
    """
    rng = np.random.default_rng(rng)
    weights, speed, later = start(), np.zeros(WIDTH), np.zeros(WIDTH)
    for number in range(rounds):
        total = fleet * exact_gradient(world, weights)
        total -= lie * total / np.linalg.norm(total)
        total += rng.normal(0, noise, WIDTH)
        speed = MOMENTUM * speed + total / (fleet * len(world.rows))
        weights = weights - rate * speed
        later += weights * (number >= rounds // 2)
    return later / (rounds - rounds // 2)


def _judged(world: Telemetry, weights: np.ndarray) -> float:
    return auc(world.tested_rows @ weights.astype(np.float32), world.tested_failed)


def fitted(world: Telemetry) -> float:
    """AUC of the logistic regression without any noise, by Newton's method with a tiny ridge."""
    weights = start()
    for _ in range(6):
        slope, curved = np.zeros(WIDTH), 1e-3 * np.eye(WIDTH)
        for part in _parts(world):
            rows = world.rows[part]
            risk = expit(rows @ weights.astype(np.float32))
            slope += (risk - world.failed[part]) @ rows
            curved += (rows * (risk * (1 - risk))[:, None]).T @ rows
        weights = weights - np.linalg.solve(curved, slope)
    return _judged(world, weights)


def _parts(world: Telemetry) -> Iterator[slice]:
    """All rows, fifty thousand at a time: what is computed on the way stays small."""
    return (slice(first, first + 50_000) for first in range(0, len(world.rows), 50_000))


def accuracy_of_never(world: Telemetry) -> float:
    """How often "this device will not fail" is right."""
    return float(1 - world.tested_failed.mean())


def proposal(
    world: Telemetry, *, rounds: int = 10, paid_for: int = 1, fleet: float = 1.0, loud: bool = True, rng=None
) -> float:
    """AUC where each device noises each of its gradients: (1, 1e-5) for `paid_for` of the rounds together.

    The sum holds the noise of all devices, or with `loud=False` none.
    """
    own = deviation(1.0, SOURCE_DELTA, moved=2 * math.sqrt(paid_for))
    noise = own * math.sqrt(fleet * len(world.rows)) if loud else 0.0
    return _judged(world, descent(world, noise, rounds=rounds, rate=20.0, fleet=fleet, rng=rng))


def proposal_epsilons(rounds: tuple[int, ...]) -> list[float]:
    """ε of the proposal's reports over so many rounds, each (1, 1e-5), at δ = 1e-5."""
    noise = deviation(1.0, SOURCE_DELTA, moved=1.0)
    return [
        GaussianMechanism.from_noise_multiplier(noise / math.sqrt(many), delta=SOURCE_DELTA).guarantee.epsilon
        for many in rounds
    ]


def aggregated(
    world: Telemetry, epsilon: float, delta: float = DELTA, *, sums: float = 1.0, lie: float = 0.0, rng=None
) -> float:
    """AUC where the noise for a whole campaign is in each of `sums` secure sums, into which the devices are split."""
    noise = deviation(epsilon, delta, moved=2 * math.sqrt(ROUNDS)) * math.sqrt(sums)
    return _judged(world, descent(world, noise, lie=lie, rng=rng))


def lied(world: Telemetry, strength: float, rng=None) -> float:
    """AUC where one device sends a vector of norm `strength` in each round, against what all others send."""
    return aggregated(world, 1.0, lie=strength, rng=rng)


def first_gradient(world: Telemetry) -> float:
    """AUC of the exact mean gradient at the start as a model: what one report a device could reach without noise."""
    return _judged(world, -exact_gradient(world, start()))


def one_report(world: Telemetry, randomizer: Randomizer, epsilon: float, *, rng=None) -> float:
    """AUC where each device sends its gradient at the start once, through `randomizer`; the mean is the model."""
    rng = np.random.default_rng(rng)
    return _judged(world, -_summed(world, lambda rows: np.asarray(randomizer(rows, epsilon, rng)).sum(axis=0)))


def shuffled(world: Telemetry, epsilon: float, delta: float = DELTA, *, rng=None) -> float:
    """AUC where a shuffler mixes one report a device, each in a cap, at the largest ε that it may then have."""
    rng, own = np.random.default_rng(rng), shuffled_epsilon(len(world.rows), epsilon, delta)
    return _judged(world, -_summed(world, lambda rows: cap_sum(rows, own, rng=rng)))


def _summed(world: Telemetry, total: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """What `total` gives for all gradients at the start, part by part."""
    found = np.zeros(WIDTH)
    for part in _parts(world):
        rows = world.rows[part]
        found += total(rows * (expit(rows @ start().astype(np.float32)) - world.failed[part])[:, None])
    return found


@dataclass(frozen=True)
class Remaining:
    """Lengths, per device: of the mean gradient at the start, and of the noise in it, by the kind of trust."""

    signal: float
    local: float
    shuffled: float
    aggregated: float


def remaining(world: Telemetry, epsilon: float, randomizer: Randomizer, rng=None) -> Remaining:
    """The first mean gradient and the noise in it: measured for local reports, computed for caps and for a sum."""
    rng, n = np.random.default_rng(rng), len(world.rows)
    signal = np.linalg.norm(exact_gradient(world, start())) / n
    reports = np.asarray(randomizer(np.zeros((10_000, WIDTH)), epsilon, rng))
    return Remaining(
        signal=float(signal),
        local=float(np.sqrt((reports**2).sum(axis=1).mean() / n)),
        shuffled=best_cap(shuffled_epsilon(n, epsilon, DELTA), WIDTH).length / math.sqrt(n),
        aggregated=deviation(epsilon, DELTA, moved=2 * math.sqrt(ROUNDS)) * math.sqrt(WIDTH) / n,
    )
