"""Discrete Laplace noise of many releases, each of a size and an ε of its own: is it there in all of them?

Other looks ask thousands of times at an ε and a size or two, which an answer can tell from earnest. Here every number
of noise becomes its place in the law that it should have had, whatever its ε: such places are uniform.
"""

from __future__ import annotations

import numpy as np
from scipy import stats


def places(noise: np.ndarray, epsilon: float | np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Where whole numbers lie in P[x] ∝ e^(−ε|x|), shape of `noise`: uniform on [0, 1], as each step is spread evenly.

    Examples
    --------
    >>> found = places(np.zeros(1000), 1.0, np.random.default_rng(0))
    >>> bool(found.min() > 1 / (1 + np.e)) and bool(found.max() < 1 - 1 / (1 + np.e))
    True
    """
    size = np.abs(np.asarray(noise, dtype=float))
    beyond = np.exp(-epsilon * (size + 1)) / (1 + np.exp(-epsilon))  # P[X > size]
    mass = np.tanh(epsilon / 2) * np.exp(-epsilon * size)
    upper = beyond + mass * rng.random(size.shape)
    return np.where(noise < 0, upper, 1 - upper)


def missing(noise: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator, failure: float) -> bool:
    """Whether noise of these ε (one for each number) is too often 0, or of another law.

    Right noise, independent of one number to the next, is refused with probability `failure` at most: half of it is of
    the exact test of Kolmogorov and Smirnov on its places. The other half is of the number that is not 0, a sum of
    independent 0s and 1s: it is below a share k with probability e^(−n KL(k, mean)) at most (Hoeffding 1956 and 1963).
    """
    noise, epsilon = np.ravel(noise), np.ravel(epsilon)
    share, expected = float((noise != 0).mean()), float(1 - np.tanh(epsilon / 2).mean())
    parts = ((share, expected), (1 - share, 1 - expected))
    bound = -len(noise) * sum(some * np.log(some / of) for some, of in parts if some)
    if share < expected and bound < np.log(failure / 2):
        return True
    return bool(stats.kstest(places(noise, epsilon, rng), "uniform").pvalue < failure / 2)
