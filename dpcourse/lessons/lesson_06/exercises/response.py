"""What the exercises share: the probabilities of randomized response, written without the package, and people."""

from __future__ import annotations

import math

import numpy as np


def truth_probability(epsilon: float, k: int) -> float:
    return math.exp(epsilon) / (math.exp(epsilon) + k - 1)


def transition_matrix(truth: float, k: int) -> np.ndarray:
    """P[report | true answer] with the given diagonal and the rest shared alike."""
    return np.full((k, k), (1 - truth) / (k - 1)) + (truth - (1 - truth) / (k - 1)) * np.eye(k)


def people(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    """Codes of n people in shares nobody can guess, every code among them."""
    codes = rng.choice(k, size=n, p=rng.dirichlet(np.full(k, 3.0)))
    codes[:k] = np.arange(k)
    return rng.permutation(codes)
