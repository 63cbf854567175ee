"""What the mean of a power has above 1: Rényi divergences that lose no digits however small they are.

Between close distributions E[r^α] is 1 + 1e-20, say, which is 1 in floats, and any number of runs would seem to cost
nothing. The likelihood ratio r has mean 1, so r^α may be replaced by r^α − 1 − α(r − 1), which is never negative and
has the mean E[r^α] − 1.
"""

from __future__ import annotations

import numpy as np


def log_excess(log_ratio: np.ndarray, alpha: float | np.ndarray) -> np.ndarray:
    """ln(r^α − 1 − α(r − 1)) of r = e^log_ratio, for α > 1, correct in nearly all digits however close r is to 1."""
    log_ratio, alpha = np.broadcast_arrays(log_ratio, alpha)
    answer, near = np.empty(log_ratio.shape), alpha * np.abs(log_ratio) < 0.1
    u, power = np.expm1(log_ratio[near]), alpha[near]
    series = np.ones(u.shape)  # Σ_{k≥2} C(α, k) u^k, over its first term
    for k in range(16, 2, -1):
        series = 1 + (power - k + 1) / k * u * series
    answer[near] = np.log(power * (power - 1) / 2 * series) + 2 * np.log(np.maximum(np.abs(u), 1e-300))
    far, power = log_ratio[~near], alpha[~near]
    down, more = np.expm1(-np.abs(far)), power - 1
    steep = np.expm1(-more * np.abs(far))
    scaled = np.where(far > 0, more * (1 + steep) * down - steep, (1 + down) * steep - more * down)
    answer[~near] = np.maximum(power * far, 0.0) + np.log(scaled)
    return answer


def divergence(log_mean: np.ndarray, orders: np.ndarray) -> np.ndarray:
    """The Rényi divergence ln(1 + e^log_mean)/(α − 1), of the logarithm of a mean excess at each order α > 1."""
    return np.logaddexp(0.0, log_mean) / (orders - 1)
