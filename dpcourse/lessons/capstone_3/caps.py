"""Reports for a large ε: a vector in a small cap around the device's own, most of the time.

PrivUnit of Bhowmick, Duchi, Freudiger, Kapoor & Rogers 2018 (arXiv:1812.00984). With a cap of half the sphere it is the
randomizer of milestone 3.3, which is nearly as good at ε = 1 and three times as noisy at ε = 9.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.special import gammaln


@dataclass(frozen=True)
class Cap:
    """The cap u·v ≥ `above`, how often a report is in it, and the length that makes its mean the vector v."""

    above: float
    chance: float
    length: float


def best_cap(epsilon: float, d: int) -> Cap:
    """The cap with the shortest reports, among a hundred.

    A report is in the cap with probability p = e^ε q/(1 − q + e^ε q), where q is the share of the sphere that the cap
    has, and anywhere in it: so one place is at most e^ε times as likely under one vector as under another.

    Examples
    --------
    >>> [round(best_cap(epsilon, 21).length, 1) for epsilon in (1.0, 4.0, 9.0)]
    [11.4, 3.1, 1.7]
    """
    above = np.linspace(0, 0.99, 100)
    share = stats.beta.sf((1 + above) / 2, (d - 1) / 2, (d - 1) / 2)
    # the mean of c on [above, 1], where c = u·v has a density in proportion to (1 − c²)^((d − 3)/2)
    rest = math.exp(gammaln(d / 2) - gammaln((d - 1) / 2)) / math.sqrt(math.pi)
    part = rest * (1 - above**2) ** ((d - 1) / 2) / (d - 1)
    chance = share / (math.exp(-epsilon) * (1 - share) + share)
    mean = chance * part / share - (1 - chance) * part / (1 - share)
    best = int(np.argmax(mean))
    return Cap(float(above[best]), float(chance[best]), float(1 / mean[best]))


def cap_sum(vectors: np.ndarray, epsilon: float, *, rng=None) -> np.ndarray:
    """The sum of one report a row, shape (d,), for rows of norm 1 at most."""
    rng = np.random.default_rng(rng)
    n, d = vectors.shape
    cap, half = best_cap(epsilon, d), (d - 1) / 2
    norms = np.linalg.norm(vectors, axis=1)
    signs = np.where(rng.random(n) < 0.5 + norms / 2, 1.0, -1.0) / np.maximum(norms, 1e-12)
    directions = vectors * signs[:, None].astype(vectors.dtype)
    low = stats.beta.cdf((1 + cap.above) / 2, half, half)
    inside = rng.random(n) < cap.chance
    ranks = np.where(inside, low + (1 - low) * rng.random(n), low * rng.random(n))
    table = np.linspace(0, 1, 20_001)
    cosine = np.interp(ranks, stats.beta.cdf(table, half, half), table) * 2 - 1
    across = rng.standard_normal((n, d), dtype=np.float32)
    across -= (across * directions).sum(axis=1, keepdims=True) * directions
    across *= (np.sqrt(1 - cosine**2) / np.linalg.norm(across, axis=1))[:, None].astype(np.float32)
    return cap.length * (across.sum(axis=0) + (cosine[:, None] * directions).sum(axis=0)).astype(float)
