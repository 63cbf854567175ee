"""The explorer of lesson 05: k, ε₀ and δ against the total ε by five methods."""

from __future__ import annotations

import functools
import math

import numpy as np

from dpcourse.accounting import PrivacyLoss, renyi
from dpcourse.plots.l05 import Prices, draw_methods
from dpcourse.widgets.base import Explorer, choice, epsilon_slider, log_slider

_KS = np.array([1, 4, 16, 64, 256, 1024, 4096, 10_000])
_NAMES = ("basic", "advanced", "zCDP", "Rényi", "loss distribution")
_ORDERS = np.array(renyi.DEFAULT_ORDERS)
NOISES = {"Laplace noise": "Laplace noise", "the worst noise of this ε₀": "worst case"}


def five_prices(epsilon: float, k: float, delta: float, noise: str = "Laplace noise") -> Prices:
    """The total ε of k answers by each of the five methods, all at the same total δ.

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
    {'basic': 10.0, 'advanced': 5.85, 'zCDP': 5.3, 'Rényi': 4.53, 'loss distribution': 4.22}
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
    zcdp = renyi.epsilon_from_zcdp(k * epsilon**2 / 2, delta, loose=True)
    laplace = noise == "Laplace noise"
    moments = renyi.epsilon_from_rdp(_ORDERS, k * (renyi.laplace if laplace else renyi.pure)(epsilon, _ORDERS), delta)
    one = PrivacyLoss.laplace(epsilon) if laplace else PrivacyLoss.pure(epsilon)
    return k * epsilon, advanced, zcdp, moments, one.self_compose(k).epsilon(delta)


def _describe(prices: Prices) -> str:
    values = ", ".join(f"{name} {value:.3g}" for name, value in prices.here.items())
    better = prices.here["advanced"] < prices.here["basic"]
    verdict = f"Advanced composition {'beats adding up' if better else 'is worse than adding up'} here."
    return (
        f"{prices.k:,} answers of ε₀ = {prices.epsilon:.3g} each cost, at δ = {prices.delta:.0e}, ε = {values}. "
        f"{verdict} Each is a true statement at its δ; basic holds at δ = 0 too."
    )


def explore_composition() -> Explorer:
    """Move the number of answers, ε₀ and δ, and see what five methods say the total is."""
    return Explorer(
        "What do k answers cost together?",
        controls={
            "epsilon": epsilon_slider(0.01, 2.0, 0.1),
            "k": log_slider("answers k", 1, 10_000, 100),
            "delta": choice("total δ", {f"{d:.0e}": d for d in (1e-3, 1e-5, 1e-7, 1e-9)}, 1e-5),
            "noise": choice("noise", NOISES),
        },
        compute=five_prices,
        draw=draw_methods,
        describe=_describe,
    )
