"""How likely a class wins a vote with noise."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np


def upset(scale: float, gap: float) -> float:
    """P[the loser wins] when both counts get Laplace noise of this scale."""
    return math.exp(-gap / scale) * (2 + gap / scale) / 4


def leads(gaps: np.ndarray) -> float:
    """How often a class wins at most that leads the others by these gaps, in scales of Laplace or Gumbel noise.

    Or of exponential noise on one side, which is permute-and-flip.
    """
    return _leads(gaps.tobytes())


@lru_cache(maxsize=10)
def _leads(of: bytes) -> float:  # the same votes are asked about hundreds of times
    gaps = np.frombuffer(of)
    x = np.linspace(-20 - gaps.max(), 40, 2001)[:, None]
    step = float(x[1, 0] - x[0, 0])
    below = np.where(x + gaps < 0, np.exp(np.minimum(x + gaps, 0)) / 2, 1 - np.exp(-np.maximum(x + gaps, 0)) / 2)
    two_sided = float((np.exp(-np.abs(x[:, 0])) / 2 * below.prod(axis=1)).sum()) * step
    u = np.linspace(0, 1, 2001)[:, None]  # e^(−x) of the noise x
    one_sided = float((1 - u * np.exp(-gaps)).prod(axis=1).mean())
    return min(max(two_sided, one_sided, 1 / (1 + np.exp(-gaps).sum())) + 0.001, 1.0)
