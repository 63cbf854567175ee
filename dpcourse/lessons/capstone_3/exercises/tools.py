"""What the checks of capstone 3 share: settings drawn over decades, bounds on counts."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.checks.once import between, whole


def decades(rng: np.random.Generator, low: float, high: float) -> float:
    """A number between, each decade as likely as another; a third of them have one digit, as people write them."""
    return between(rng, low, high)


def people(rng: np.random.Generator, low: int, high: int) -> int:
    """A whole number between, each decade as likely as another."""
    return whole(rng, low, high)


def reach(variance: float, failure: float) -> float:
    """How far a sum of independent zeros and ones of this variance may be from its mean (Bernstein's inequality)."""
    depth = math.log(2 / failure)
    return depth / 3 + math.sqrt(depth**2 / 9 + 2 * depth * variance)


def leaning(own: np.ndarray, came: np.ndarray, p: np.ndarray, failure: float) -> float:
    """How far independent zeros and ones follow numbers of their own otherwise than chances `p` do, from 0 to 1 each.

    In units of what chance allows, where their sum is right: who gives each of them the mean of these numbers is far.
    """
    own = own - own.mean()
    return abs(float(own @ (came - p))) / reach(float(own**2 @ (p * (1 - p))), failure)


def of_millions(rng: np.random.Generator) -> int:
    """A fleet of the brief's size, or of twice as many."""
    return people(rng, 10**6, 2 * 10**6)


def some_of(n: int, rng: np.random.Generator) -> tuple[int, int]:
    """How many devices are enough, and how many are there at most: of millions a hundred, which a check can make."""
    if n >= 10**6:
        return people(rng, 2, 60), 100
    return int(rng.integers(n // 2, max(n * 9 // 10, n // 2 + 1))), n
