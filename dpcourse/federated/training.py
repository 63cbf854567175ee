"""What a client does on its own premises: pure functions ``update(weights, data, rng) -> update``.

The model is a logistic regression, its weights one flat vector of shape (d + 1,), the intercept last. An update is what
to add to the weights, not the new weights: updates can be clipped, weights cannot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from dpcourse.federated.accounting import step, subsampled_gaussian_epsilon
from dpcourse.learning.gradients import Examples, clipped_gradient_sum
from dpcourse.mechanisms import PoissonSubsampled
from dpcourse.privacy import arguments

Data = tuple[np.ndarray, np.ndarray]  # readings X of shape (n, d), labels y of shape (n,) in {0, 1}


def as_data(name: str, data: Any) -> Data:
    """`data` as arrays of finite floats; refused under this name unless it is a pair (X, y) as in `Data`."""
    try:
        X, y = data
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a pair (X, y), got {type(data).__name__}") from None
    X, y = (arguments.finite_array(f"{part} in {name}", values, private=True) for part, values in (("X", X), ("y", y)))
    if X.ndim != 2 or y.shape != X.shape[:1]:
        raise ValueError(f"{name} must be X of shape (n, d) and y of shape (n,), got {X.shape} and {y.shape}")
    if not np.isin(y, (0, 1)).all():
        raise ValueError(f"labels in {name} must be 0 or 1, got others in {arguments.kind_of(y)}")
    return X, y


def gradient(weights: np.ndarray, data: Data) -> np.ndarray:
    """Mean gradient of the logistic loss, shape (d + 1,); zero where there is no record.

    Examples
    --------
    >>> gradient(np.zeros(3), (np.array([[2.0, 4.0]]), np.array([1])))
    array([-1. , -2. , -0.5])
    """
    X, y = data
    miss = expit(X @ weights[:-1] + weights[-1]) - y
    return np.append(miss @ X, miss.sum()) / max(len(y), 1)


def accuracy(weights: np.ndarray, data: Data) -> float:
    """Share of records on the right side of the boundary."""
    X, y = data
    return float(((X @ weights[:-1] + weights[-1] > 0) == (np.asarray(y) == 1)).mean())


@dataclass(frozen=True)
class LocalTraining:
    """`steps` steps of full-batch gradient descent, without privacy: FedAvg's client (arXiv:1602.05629).

    With one step, averaging updates is averaging gradients.

    Parameters
    ----------
    steps : int
        Local steps in each round, ≥ 1.
    learning_rate : float
        Of each step, > 0.

    Examples
    --------
    >>> data = np.array([[1.0], [-1.0]]), np.array([1, 0])
    >>> LocalTraining(steps=1, learning_rate=2.0)(np.zeros(2), data, None)
    array([1., 0.])
    """

    steps: int = 1
    learning_rate: float = 1.0

    def __post_init__(self) -> None:
        arguments.integer("steps", self.steps, minimum=1)
        arguments.positive("learning_rate", self.learning_rate)

    def __call__(self, weights: np.ndarray, data: Data, rng: np.random.Generator | None = None) -> np.ndarray:
        local = weights
        for _ in range(self.steps):
            local = local - self.learning_rate * gradient(local, data)
        return local - weights

    def batched(self, weights: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The updates of m clients at once: X of shape (m, n, d), y of shape (m, n) in, (m, d + 1) out."""
        local = np.repeat(weights[None], len(X), axis=0)
        for _ in range(self.steps):
            miss = expit((X @ local[:, :-1, None])[..., 0] + local[:, -1:]) - y
            local[:, :-1] -= self.learning_rate / X.shape[1] * (miss[:, None] @ X)[:, 0]
            local[:, -1] -= self.learning_rate * miss.mean(axis=1)
        return local - weights


@dataclass(frozen=True)
class PrivateLocalTraining:
    """DP-SGD on the client's own premises: each *record* is hidden, from the server too (arXiv:1607.00133).

    Each step draws a Poisson batch, clips each record's gradient to `clip_norm`, adds Gaussian noise to the sum, and
    divides by the expected batch size. One round costs `steps` subsampled Gaussians under adding or removing one
    record of this client, and rounds add up (`mechanism` composes ``steps × rounds`` times).

    Parameters
    ----------
    dataset_size : int
        The client's public number of records: what divides. It must not be read from private data.
    noise_multiplier : float
        Deviation of the noise on the sum, as a multiple of `clip_norm`, ≥ 1e-150.
    clip_norm, sampling_rate, steps, learning_rate
        As in `dpcourse.learning.DPLogisticRegression`.

    Examples
    --------
    >>> rule = PrivateLocalTraining(dataset_size=400, noise_multiplier=1.0, sampling_rate=0.08, steps=12)
    >>> round(rule.epsilon(rounds=1, delta=1e-5), 1), round(rule.epsilon(rounds=10, delta=1e-5), 1)
    (2.5, 6.1)
    """

    dataset_size: int
    noise_multiplier: float
    clip_norm: float = 1.0
    sampling_rate: float = 0.1
    steps: int = 10
    learning_rate: float = 1.0

    def __post_init__(self) -> None:
        arguments.integer("dataset_size", self.dataset_size, minimum=1)
        arguments.noise("noise_multiplier", self.noise_multiplier)
        arguments.positive("clip_norm", self.clip_norm)
        arguments.probability("sampling_rate", self.sampling_rate, zero=False)
        arguments.integer("steps", self.steps, minimum=1)
        arguments.positive("learning_rate", self.learning_rate)

    def __call__(self, weights: np.ndarray, data: Data, rng: np.random.Generator | None = None) -> np.ndarray:
        rng = np.random.default_rng(rng)
        X, y = data
        examples = Examples.of(X, np.asarray(y)[:, None])
        local, expected = weights[None].astype(float), self.sampling_rate * self.dataset_size
        for _ in range(self.steps):
            batch = examples[np.flatnonzero(rng.random(len(examples)) < self.sampling_rate)]
            total = clipped_gradient_sum(local, batch, self.clip_norm)
            total += rng.normal(scale=self.noise_multiplier * self.clip_norm, size=total.shape)
            local = local - self.learning_rate * total / expected
        return local[0] - weights

    @property
    def mechanism(self) -> PoissonSubsampled:
        """One step, as the accountant sees it."""
        return step(self.noise_multiplier, self.sampling_rate)

    def epsilon(self, *, rounds: int, delta: float) -> float:
        """ε of `rounds` rounds for one record of this client, adding or removing it."""
        times = self.steps * arguments.integer("rounds", rounds, minimum=0)
        return subsampled_gaussian_epsilon(self.noise_multiplier, self.sampling_rate, times, delta)
