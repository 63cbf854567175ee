"""The design of the project: one claim, one measure, and what each kind of trust makes of the noise."""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import rankdata

from dpcourse.accounting import amplify_by_shuffling
from dpcourse.mechanisms.additive.gaussian import GaussianMechanism, analytic_noise_multiplier

EPSILON, DELTA = 1.0, 1e-8  # replacing all that one device holds
ROUNDS, RATE, MOMENTUM = 30, 80.0, 0.9
START = math.log(0.03 / 0.97)  # log odds of a failure, known from earlier products


def auc(scores: np.ndarray, failed: np.ndarray) -> float:
    """How often a device that failed has a higher score than one that did not; ties count half.

    Examples
    --------
    >>> auc(np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True]))
    0.75
    """
    ranks, positive = rankdata(scores), int(failed.sum())
    return float((ranks[failed].sum() - positive * (positive + 1) / 2) / (positive * (len(failed) - positive)))


def deviation(epsilon: float, delta: float, *, moved: float) -> float:
    """The deviation of normal noise that hides a change of norm `moved`."""
    return moved * analytic_noise_multiplier(epsilon, delta)


def left_epsilon(honest: int, threshold: int, epsilon: float, delta: float, *, devices: int = 1) -> float:
    """ε at δ for so many devices together, where only `honest` of the shares are unknown to the onlooker.

    The noise was made for one device, with `threshold` shares, at (epsilon, delta).

    Examples
    --------
    >>> [round(left_epsilon(honest, 800, 1.0, 1e-8), 2) for honest in (800, 400, 1)]
    [1.0, 1.44, 45.81]
    """
    noise = analytic_noise_multiplier(epsilon, delta) * math.sqrt(honest / threshold) / devices
    return GaussianMechanism.from_noise_multiplier(noise, delta=delta).guarantee.epsilon


def shuffled_epsilon(devices: int, epsilon: float, delta: float) -> float:
    """The largest ε of a report (to 0.01) with which so many shuffled reports together have (epsilon, delta)."""
    low, high = 0.0, 20.0
    while high - low > 0.01:
        middle = (low + high) / 2
        if amplify_by_shuffling(middle, devices, delta).epsilon <= epsilon:
            low = middle
        else:
            high = middle
    return max(low, epsilon)
