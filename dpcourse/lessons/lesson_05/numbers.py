"""Numbers of lesson 05."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpcourse.accounting import PrivacyLoss, renyi

_KS = np.array([1, 4, 16, 64, 256, 1024, 4096, 10_000])
_NAMES = ("basic", "advanced", "zCDP", "Rényi", "loss distribution")
_ORDERS = np.array(renyi.DEFAULT_ORDERS)
NOISES = {"Laplace noise": "Laplace noise", "the worst noise of this ε₀": "worst case"}


@dataclass(frozen=True)
class Prices:
    """The total ε of 1 to 10,000 answers by each method (curves over `ks`), and at the chosen `k`."""

    epsilon: float
    k: int
    delta: float
    noise: str
    ks: np.ndarray
    curves: Mapping[str, np.ndarray]
    here: Mapping[str, float]


def five_prices(epsilon: float, k: float, delta: float, noise: str = "Laplace noise") -> Prices:
    """The total ε of k answers by each of the five methods, all at the same total δ ("advanced": the textbook form).

    Parameters
    ----------
    epsilon : float
        ε₀ > 0 of one answer (pure), under either neighbouring relation; the total is under the same.
    k : float
        Number of answers, rounded to a whole number ≥ 1.
    delta : float
        δ in (0, 1) of the total.
    noise : {"Laplace noise", "worst case"}
        What the Rényi divergences and the privacy-loss distribution are taken of: Laplace noise of scale 1/ε₀, or
        randomized response, which is the worst among all ε₀-DP mechanisms.

    Examples
    --------
    >>> prices = five_prices(0.1, 100, 1e-5)
    >>> {name: round(value, 2) for name, value in prices.here.items()}
    {'basic': 10.0, 'advanced': 5.85, 'zCDP': 4.73, 'Rényi': 4.53, 'loss distribution': 4.22}
    """
    k = max(1, round(k))
    curves = dict(zip(_NAMES, _curves(epsilon, delta, noise), strict=True))
    here = dict(zip(_NAMES, _prices(epsilon, k, delta, noise), strict=True))
    return Prices(epsilon, k, delta, noise, _KS, curves, here)


@functools.lru_cache(maxsize=64)
def _curves(epsilon: float, delta: float, noise: str) -> np.ndarray:
    """One row a method; kept, because moving k alone does not change them."""
    return np.array([_prices(epsilon, int(k), delta, noise) for k in _KS]).T


def _prices(epsilon: float, k: int, delta: float, noise: str) -> tuple[float, ...]:
    advanced = epsilon * math.sqrt(2 * k * math.log(1 / delta)) + k * epsilon * math.expm1(epsilon)
    zcdp = renyi.epsilon_from_zcdp(k * epsilon**2 / 2, delta)
    laplace = noise == "Laplace noise"
    moments = renyi.epsilon_from_rdp(_ORDERS, k * (renyi.laplace if laplace else renyi.pure)(epsilon, _ORDERS), delta)
    one = PrivacyLoss.laplace(epsilon) if laplace else PrivacyLoss.pure(epsilon)
    return k * epsilon, advanced, zcdp, moments, one.self_compose(k).epsilon(delta)


def where_advanced_pays(delta: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For some ε₀ from 0.01 to 1: beyond how many answers advanced composition beats adding up, in the textbook's form
    (∞: never) and in the tighter one, at this total δ.

    Both solve √(2k ln(1/δ)) + k·drift = k for k, where drift is e^ε₀ − 1, divided by e^ε₀ + 1 in the tighter form.
    """
    epsilons = np.geomspace(0.01, 1, 200)
    left = 2 - np.exp(epsilons)
    textbook = np.divide(2 * math.log(1 / delta), left**2, out=np.full_like(left, np.inf), where=left > 0)
    return epsilons, textbook, math.log(1 / delta) * (np.exp(epsilons) + 1) ** 2 / 2
