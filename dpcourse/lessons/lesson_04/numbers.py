"""Numbers of lesson 04."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpcourse.mechanisms import GaussianMechanism

GRID = np.geomspace(1, 1000, 61)


@dataclass(frozen=True)
class Dimensions:
    """Standard deviation of the noise on each of d counts that one person can all change, for both mechanisms."""

    epsilon: float
    delta: float
    chosen: int
    dimensions: np.ndarray
    laplace: np.ndarray
    gaussian: np.ndarray
    overtakes: int


@lru_cache(maxsize=512)
def multiplier(epsilon: float, delta: float) -> float:
    return GaussianMechanism(epsilon, delta).sigma


def noise_by_dimension(epsilon: float, delta: float, chosen: float) -> Dimensions:
    """Noise on each of d counts that one person can all change: Δ₁ = d for Laplace, Δ₂ = √d for Gaussian.

    Examples
    --------
    >>> noise_by_dimension(1.0, 1e-5, 10).overtakes
    7
    """
    sigma = multiplier(epsilon, delta)
    # √2·d/ε = σ₁·√d at d = (σ₁ε)²/2
    overtakes = math.floor((sigma * epsilon) ** 2 / 2) + 1
    laplace, gaussian = math.sqrt(2) * GRID / epsilon, sigma * np.sqrt(GRID)
    return Dimensions(epsilon, delta, round(chosen), GRID, laplace, gaussian, overtakes)
