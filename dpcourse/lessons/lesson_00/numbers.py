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


@dataclass(frozen=True)
class TwoDays:
    """One count on two days, with Ana on Monday and without her on Tuesday.

    `published` has shape (k,), in people from Monday's true count, as have the chances of each number on either day.
    `smooth` is the density of Laplace noise of scale 1/ε around Monday's count at the places `fine`.
    """

    epsilon: float
    published: np.ndarray
    monday: np.ndarray
    tuesday: np.ndarray
    fine: np.ndarray
    smooth: np.ndarray


def two_days(epsilon: float, window: int = 6) -> TwoDays:
    """Whole-number noise at ε on two days (δ = 0, adding or removing one person).

    Examples
    --------
    >>> shown = two_days(1.0)
    >>> round(float((shown.monday / shown.tuesday).max()), 3)  # e
    2.718
    """
    published, fine = np.arange(-window, window + 1), np.linspace(-window, window, 481)
    monday, tuesday = (math.tanh(epsilon / 2) * np.exp(-epsilon * np.abs(published - true)) for true in (0, -1))
    return TwoDays(epsilon, published, monday, tuesday, fine, epsilon / 2 * np.exp(-epsilon * np.abs(fine)))
