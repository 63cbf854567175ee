"""The design of the project: one noisy Gram matrix of normalised histories, and the item-item model read off it."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from dpcourse.mechanisms.additive.gaussian import analytic_noise_multiplier, gaussian_delta

DELTA = 1e-5
SHARES = 18_000  # of 20,000 phones: 2,000 may drop out or collude
TOP = 10  # recommendations
RIDGE = 4.0  # times the largest eigenvalue of the noise


def sigma(epsilon: float, delta: float = DELTA) -> float:
    """The deviation of normal noise that hides a change of norm 1, adding or removing it."""
    return analytic_noise_multiplier(epsilon, delta)


def epsilon_of(moved: float, deviation: float, delta: float = DELTA) -> float:
    """ε at δ of normal noise of this deviation under a change of norm `moved` (arXiv:1805.06530, theorem 8).

    Examples
    --------
    >>> [round(epsilon_of(moved, sigma(3.0)), 1) for moved in (1, 5, 25, 200)]
    [3.0, 21.1, 237.4, 10955.0]
    """
    mu = moved / deviation
    return float(brentq(lambda e: gaussian_delta(e, 1 / mu) - delta, 0.0, mu * mu / 2 + mu * 12, xtol=1e-10))


def gram(clicked: np.ndarray) -> np.ndarray:
    """The sum over people of x xᵀ/|x|², shape (items, items), for rows of zeros and ones; an empty row adds nothing."""
    x = np.asarray(clicked, dtype=float)
    return (x / np.maximum(x.sum(axis=1, keepdims=True), 1)).T @ x


def symmetric_noise(deviation: float, items: int, *, rng=None) -> np.ndarray:
    """Normal noise whose part in the direction of any symmetric matrix of norm 1 has this deviation.

    That is the deviation itself on the diagonal, and 1/√2 of it elsewhere: an entry off the diagonal stands twice in
    the norm, and its noise is drawn once.
    """
    noise = np.random.default_rng(rng).normal(0, deviation, (items, items))
    return (noise + noise.T) / 2


def packed(matrix: np.ndarray) -> np.ndarray:
    """A symmetric matrix as the vector of m(m+1)/2 numbers that a phone sends: as long as the matrix is in norm.

    Examples
    --------
    >>> packed(np.array([[0.5, 0.5], [0.5, 0.5]])).round(3).tolist()
    [0.5, 0.5, 0.707]
    """
    upper = np.triu_indices(len(matrix), 1)
    return np.concatenate([np.diag(matrix), math.sqrt(2) * matrix[upper]])


def unpacked(vector: np.ndarray) -> np.ndarray:
    """The symmetric matrix of a `packed` vector, or of a sum of them."""
    items = (math.isqrt(8 * len(vector) + 1) - 1) // 2
    matrix = np.zeros((items, items))
    matrix[np.triu_indices(items, 1)] = vector[items:] / math.sqrt(2)
    return matrix + matrix.T + np.diag(vector[:items])


def noise_radius(deviation: float, items: int) -> float:
    """About the largest eigenvalue of `symmetric_noise`: Wigner's 2√m times the deviation off the diagonal."""
    return deviation * math.sqrt(2 * items)


def item_model(gram: np.ndarray, ridge: float) -> np.ndarray:
    """EASE (Steck 2019, arXiv:1905.03375): B = −P/diag(P) column by column, zero on the diagonal, P = (G + λI)⁻¹."""
    inverse = np.linalg.inv(gram + ridge * np.eye(len(gram)))
    model = -inverse / np.diag(inverse)
    np.fill_diagonal(model, 0.0)
    return model
