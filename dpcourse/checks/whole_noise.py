"""Discrete Laplace noise of many releases, each of a size and an ε of its own: is it there in all of them?

Other looks ask thousands of times at an ε and a size or two, which an answer can tell from earnest. Here every number
of noise becomes its place in the law that it should have had, whatever its ε: such places are uniform.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from dpcourse.checks.few import unlikely


def never_again(numbers: int, epsilon: float) -> bool:
    """Whether so many draws of discrete Laplace noise are all the same twice with a probability below 1e-10.

    Two draws at ε are the same with probability Σ p² = tanh²(ε/2)/tanh ε.

    >>> never_again(21, 1.0), never_again(21, 2.0), never_again(60, 2.0)
    (True, False, True)
    """
    return numbers * math.log(math.tanh(epsilon / 2) ** 2 / math.tanh(epsilon)) < math.log(1e-10)


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
    return _spread(noise, beyond, mass, rng)


def _spread(noise: np.ndarray, beyond: np.ndarray, mass: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    upper = beyond + mass * rng.random(np.shape(noise))
    return np.where(np.asarray(noise) < 0, upper, 1 - upper)


def missing(noise: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator, failure: float) -> bool:
    """Whether noise of these ε (one for each number) is too often 0, or of another law.

    Right noise, independent of one number to the next, is refused with probability `failure` at most: half of it is of
    the exact test of Kolmogorov and Smirnov on its places. The other half is of the number that is not 0, a sum of
    independent 0s and 1s (`few.unlikely`, on one side).
    """
    noise, epsilon = np.ravel(noise), np.ravel(epsilon)
    return misplaced(noise, np.tanh(epsilon / 2), places(noise, epsilon, rng), failure)


def misplaced(noise: np.ndarray, zero: np.ndarray, found: np.ndarray, failure: float) -> bool:
    """The same, of noise that is 0 with probability `zero`, and was found at these places of its law."""
    share, expected = float((noise != 0).mean()), float(1 - zero.mean())
    if share < expected and unlikely(share, expected, len(noise), failure):
        return True
    return bool(stats.kstest(found, "uniform").pvalue < failure / 2)


def in_shares(
    noise: np.ndarray, epsilon: float, shares: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The probability of 0 for each number, and their places, where so many times the whole noise is added.

    Fifteen shares of which ten make the whole are 1.5. The characteristic function is that power of the whole noise's.

    Examples
    --------
    >>> zero, found = in_shares(np.zeros(1000), 1.0, 1.0, np.random.default_rng(0))
    >>> bool(np.allclose(zero, np.tanh(0.5))) and bool(found.min() > 1 / (1 + np.e))
    True
    """
    most = 2 ** math.ceil(math.log2(80 / min(epsilon, 1.0)))  # beyond, there is less than e^−80
    cosine = np.cos(np.pi * np.arange(most + 1) / most)
    whole = math.expm1(-epsilon) ** 2 / (1 - 2 * math.exp(-epsilon) * cosine + math.exp(-2 * epsilon))
    mass = np.maximum(np.fft.irfft(whole**shares, 2 * most)[:most], 0)
    size = np.minimum(np.abs(noise), len(mass) - 1).astype(int)
    beyond = np.append(np.cumsum(mass[::-1])[::-1][1:], 0)
    return np.full(size.shape, mass[0]), _spread(noise, beyond[size], mass[size], rng)
