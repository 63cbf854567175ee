"""Numbers of lesson 00."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpcourse.mechanisms import GeometricMechanism

WINDOW = 80  # people either side of the truth that the picture shows


@dataclass(frozen=True)
class NoisyCount:
    """What a noisy count publishes: errors in people, how likely each is, and the interval that holds `level` of
    them."""

    epsilon: float
    true_count: int
    level: float
    half_width: int
    errors: np.ndarray
    probabilities: np.ndarray


def noisy_count(epsilon: float, true_count: int = 1000, level: float = 0.95) -> NoisyCount:
    """The distribution of a geometric count's error and the interval that holds a share `level` of it.

    Examples
    --------
    >>> noisy_count(1.0).half_width
    3
    """
    errors = np.arange(-WINDOW, WINDOW + 1)
    probabilities = math.tanh(epsilon / 2) * np.exp(-epsilon * np.abs(errors))
    half_width = GeometricMechanism(epsilon).error_quantile(level)
    return NoisyCount(epsilon, true_count, level, half_width, errors, probabilities)
