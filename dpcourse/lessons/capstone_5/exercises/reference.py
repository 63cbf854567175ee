"""The right answers, and what the checks draw: here, where no answer can call them."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from typing import Any

import numpy as np
from scipy.special import expit

from dpcourse.checks.once import between
from dpcourse.checks.plain import only_numbers
from dpcourse.lessons.capstone_5.design import LARGEST, epsilon_of
from dpcourse.mechanisms.additive.gaussian import analytic_noise_multiplier

CANARIES = (np.nan, np.inf, -np.inf, 1e300, -1e300, 1e9, 0.0)


def spread_out(rng: np.random.Generator, low: float, high: float) -> float:
    """A number whose logarithm is uniform; a third of them have one digit, as people write them."""
    return between(rng, low, high)


def whole(rng: np.random.Generator, low: int, high: int) -> int:
    """A whole number whose logarithm is about uniform, both ends possible."""
    return int(min(high, spread_out(rng, low, high + 1)))


def book(rng: np.random.Generator, readings: int) -> tuple[np.ndarray, np.ndarray]:
    """A centre and a spread for each reading: half of the time as people write them, whole or with one decimal."""
    spread = 10 ** rng.uniform(-1, 1.5, readings)
    drawn, decimals = (spread * rng.uniform(4, 12, readings), spread), int(rng.integers(4))
    return written(*drawn, decimals) if decimals < 2 else drawn


def written(centre: np.ndarray, spread: np.ndarray, decimals: int) -> tuple[np.ndarray, np.ndarray]:
    """With so many decimals; no spread is 0."""
    return np.round(centre, decimals), np.maximum(np.round(spread, decimals), 10.0**-decimals)


def ward(rng: np.random.Generator, n: int, centre: np.ndarray, spread: np.ndarray) -> tuple[np.ndarray, ...]:
    """Readings inside ±3, outcomes and patients, of whom about a third come again, in any order."""
    X = centre + spread * np.clip(rng.normal(rng.normal(0, 0.3, len(centre)), 1, (n, len(centre))), -2.99, 2.99)
    who = np.arange(n)
    again = rng.random(n) < 0.4
    who[again] = rng.integers(max(n, 1), size=int(again.sum())) // 2
    numbers = rng.permutation(10 * max(n, 1))[:n]
    return X, (rng.random(n) < 0.3).astype(float), numbers[who] if n else numbers


def no_outcome(rng: np.random.Generator) -> float:
    """A number below, between or above 0 and 1, often near one of them."""
    return float(rng.integers(2) + rng.choice((-1, 1)) * 10 ** rng.uniform(-4, 0))


def soiled(rng: np.random.Generator, ward: Sequence[np.ndarray], what: str = "both") -> tuple[np.ndarray, ...]:
    """The same with missing and impossible "readings", or "outcomes" that nobody wrote down, or with "both"."""
    X, y, patients = (part.copy() for part in ward)
    for canary in CANARIES[:-1]:
        X[rng.random(X.shape) < 0.02 * (what != "outcomes")] = canary
    odd = rng.random(len(y)) < 0.1 * (what != "readings")
    y[odd] = rng.choice((np.nan, 2.0, -1.0, np.inf, no_outcome(rng)), odd.sum())
    return X, y, patients


def rows_of(X: np.ndarray, centre: np.ndarray, spread: np.ndarray, largest: float = LARGEST) -> np.ndarray:
    """Scaled readings, cut at ±3, 0 where one is missing, and the constant."""
    with np.errstate(all="ignore"):
        by_book = np.nan_to_num((X - centre) / spread, nan=0.0)
    return np.hstack([np.clip(by_book, -largest, largest), np.ones((len(X), 1))])


def hospital_sum(
    weights: np.ndarray,
    X: np.ndarray,
    y: np.ndarray,
    patients: np.ndarray,
    centre: np.ndarray,
    spread: np.ndarray,
    clip: float,
    outcomes: Sequence[float] = (0, 1),
    largest: float = LARGEST,
) -> np.ndarray:
    """Milestone 5.2: each patient's gradients added up, cut to norm `clip`, and added.

    With other `outcomes`, or cut at another `largest`, it is a known mistake.
    """
    fine = np.isin(y, outcomes)
    Z, y = rows_of(X[fine], centre, spread, largest), y[fine]
    who, place = np.unique(patients[fine], return_inverse=True)
    parts = np.zeros((len(who), len(weights)))
    np.add.at(parts, place, (expit(Z @ weights) - y)[:, None] * Z)
    return (parts / np.maximum(1, np.linalg.norm(parts, axis=1, keepdims=True) / clip)).sum(axis=0)


def deviation(epsilon: float, delta: float, rounds: int, clip: float, reach: int, shares: int) -> float:
    """Milestone 5.3: of one hospital's noise."""
    return reach * clip * analytic_noise_multiplier(epsilon, delta) * math.sqrt(rounds / shares)


def patient_epsilon(
    at: Set[str],
    arrived: Sequence[Set[str]],
    colluders: Set[str],
    threshold: int,
    share: float,
    clip: float,
    delta: float,
) -> float:
    """Milestone 5.4: what the sums that came out cost one patient."""
    squared = sum(
        (len(at & names) * clip / share) ** 2 / len(names - colluders) for names in arrived if len(names) >= threshold
    )
    return epsilon_of(math.sqrt(squared), 1.0, delta)


def numbers_of(given: Any) -> np.ndarray:
    """An array of floats, whatever was returned; one NaN where it is nothing of the kind."""
    try:
        return np.asarray(only_numbers(given), dtype=float)
    except (TypeError, ValueError):
        return np.array([np.nan])
