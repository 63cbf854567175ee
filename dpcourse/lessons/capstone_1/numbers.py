"""The numbers of capstone 1: private training over fabs in several ways, and what each of them costs a wafer."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import norm

from dpcourse.accounting import PrivacyAccountant, calibrate_noise_multiplier
from dpcourse.datasets.fabs import Fabs, Wafers
from dpcourse.mechanisms import GaussianMechanism, PoissonSubsampled

DELTA = 1e-5
ROUNDS = 50
CLIP = 1.0
SHARES = 4  # of six: two fabs may drop out or collude
FAB_CLIP = 0.1  # of a fab's mean gradient, where the record is a fab
WEIGHTS = 21  # twenty readings and a constant
RATE, MOMENTUM = 2.0, 0.9


def clipped_sum(weights: np.ndarray, X: np.ndarray, y: np.ndarray, clip: float = CLIP) -> np.ndarray:
    """Sum of the wafers' logistic gradients, each clipped to L2 norm `clip`; broken rows count as zero."""
    Z = np.hstack([X, np.ones((len(X), 1))])
    fine = np.isfinite(Z).all(axis=1)
    Z, y = Z[fine], y[fine]
    gradients = (expit(Z @ weights) - y)[:, None] * Z
    return (gradients / np.maximum(1, np.linalg.norm(gradients, axis=1, keepdims=True) / clip)).sum(axis=0)


@functools.cache
def noise_multiplier(epsilon: float, delta: float = DELTA, rounds: int = ROUNDS) -> float:
    """σ/C of a Gaussian that `rounds` releases of (ε, δ) together need, adding or removing one record."""
    return calibrate_noise_multiplier(epsilon, delta, 1.0, rounds)


def gaussian_delta(epsilon: float, mu: float) -> float:
    """δ(ε) of Gaussian releases with Σ (Δ/σ)² = μ² (Balle & Wang 2018, arXiv:1805.06530)."""
    return float(norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu))


def epsilon_with(honest: int, epsilon: float, shares: int = SHARES, delta: float = DELTA) -> float:
    """A wafer's ε where so many shares of 1/`shares` are in every round's sum and unknown to the onlooker."""
    mu = math.sqrt(ROUNDS * shares / honest) / noise_multiplier(epsilon, delta)
    return float(brentq(lambda e: gaussian_delta(e, mu) - delta, 0.0, 60.0))


def local_epsilon(n: int, batch: int, epochs: int, z: float, rounds: int, delta: float = DELTA) -> float:
    """DP-SGD at home on n wafers: Poisson batches of expected size `batch`, epochs · n/batch steps a round."""
    step = GaussianMechanism.from_noise_multiplier(z)
    sampled = PoissonSubsampled(step, batch / n) if batch < n else step
    return PrivacyAccountant().compose(sampled, times=round(rounds * epochs * n / batch)).epsilon(delta, method="pld")


def train(
    fabs: Sequence[Wafers], deviations: Sequence[float] | np.ndarray, rng=None, *, per_fab: float | None = None
) -> np.ndarray:
    """Full-batch steps on the sum of the fabs' clipped sums, to which each fab adds normal noise of its deviation.

    With `per_fab`, a fab's *mean* gradient is clipped to that norm instead, so that the record is a fab. The weights of
    the second half of the rounds are averaged.
    """
    rng = np.random.default_rng(rng)
    size = sum(len(data.y) for data in fabs) if per_fab is None else len(fabs)
    model = Model(ROUNDS, size)
    for _ in range(ROUNDS):
        total = np.zeros(WEIGHTS)
        for data, deviation in zip(fabs, deviations, strict=True):
            part = clipped_sum(model.weights, *data)
            if per_fab is not None:
                part = part / len(data.y)
                part /= max(1.0, float(np.linalg.norm(part)) / per_fab)
            total += part + rng.normal(0, deviation, WEIGHTS)
        model.step(total)
    return model.average


class Model:
    """Weights that take a step on each round's sum: momentum, and the mean of the weights of the later rounds."""

    def __init__(self, rounds: int, size: float) -> None:
        self.rounds, self.size, self.taken = rounds, size, 0
        self.weights, self.velocity, self.average = np.zeros((3, WEIGHTS))

    def step(self, total: np.ndarray) -> None:
        """One step of `RATE` along the noisy sum over the declared number of records."""
        self.velocity = MOMENTUM * self.velocity + total / self.size
        self.weights = self.weights - RATE * self.velocity
        if self.taken >= self.rounds // 2:
            self.average += self.weights / (self.rounds - self.rounds // 2)
        self.taken += 1


def right(weights: np.ndarray, data: Wafers) -> np.ndarray:
    """Which wafers a model answers right, bool of shape (n,)."""
    return (data.X @ weights[:-1] + weights[-1] > 0) == data.y


WAYS: Mapping[str, Callable[[Sequence[Wafers], float, np.random.Generator], list[np.ndarray]]] = {
    "one pool, no noise": lambda fabs, z, rng: [train(fabs, np.zeros(6))],
    "each fab alone, no noise": lambda fabs, z, rng: [train([data], [0.0]) for data in fabs],
    "together, noise shared": lambda fabs, z, rng: [train(fabs, np.full(6, z / math.sqrt(SHARES)), rng)],
    "together, each its own noise": lambda fabs, z, rng: [train(fabs, np.full(6, z), rng)],
    "each fab alone, private": lambda fabs, z, rng: [train([data], [z], rng) for data in fabs],
    "together, the unit is a fab": lambda fabs, z, rng: [
        train(fabs, np.full(6, FAB_CLIP * z / math.sqrt(SHARES)), rng, per_fab=FAB_CLIP)
    ],
}


def accuracies(worlds: Sequence[Fabs], epsilon: float, rng=None) -> dict[str, np.ndarray]:
    """Accuracy on the shared test set for each way to train and each world; for fabs alone, their mean."""
    rng, z = np.random.default_rng(rng), noise_multiplier(epsilon)
    return {
        way: np.array(
            [
                np.mean([right(model, world.test).mean() for model in fit(list(world.clients.values()), z, rng)])
                for world in worlds
            ]
        )
        for way, fit in WAYS.items()
    }
