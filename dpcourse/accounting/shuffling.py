"""Amplification by shuffling: what n local reports promise once nobody knows whose is whose."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betainc, gammaln

from dpcourse.accounting.solve import safe_root
from dpcourse.privacy import Guarantee, Neighbours, arguments

_MOST_PEOPLE = 10**9  # more are counted as so many: fewer people amplify less
_MOST_TERMS = 2**13
_OUTSIDE = 1e-9  # share of δ that the numbers of clones left out may cost
_UNDERFLOW = 1e-300  # what the rounding to 0 of tiny masses may hide: no smaller δ is found
_BETAINC = 1e-9  # granted to SciPy's incomplete beta function; measured: 1e-13 at 10⁶ people, 2e-11 at 10⁹


def amplify_by_shuffling(epsilon_local: float, n: int, delta: float, method: str = "numerical") -> Guarantee:
    """The central claim of `n` people who each report once by an ε₀-DP randomizer and whose reports are shuffled.

    Whatever the randomizer, each of the others' reports is with probability e^−ε₀ a clone: drawn as if from one of the
    two records that are compared, either with the same chance (Feldman, McMillan & Talwar 2021, arXiv:2012.12803). So
    the records hide among C ~ Bin(n − 1, e^−ε₀) clones, and all is said by the pair

        (A + Δ, C − A + 1 − Δ) against (A + 1 − Δ, C − A + Δ),    A ~ Bin(C, ½), Δ ~ Bernoulli(e^ε₀/(e^ε₀ + 1)).

    Its δ(ε) is summed up here, and every rounding goes to the safe side: the claim is never smaller than what the pair
    has. The same authors' later analysis is sharper still (arXiv:2208.04591) and not used.

    Parameters
    ----------
    epsilon_local : float
        ε₀ > 0 of each report (pure local privacy).
    n : int
        Number of people, ≥ 1, a public fact. Beyond 10⁹ the sum is that of 10⁹, and the formula may prove more.
    delta : float
        δ in (0, 1) of the central claim.
    method : {"numerical", "closed form"}
        "closed form" is the theorem's formula, ε = ln(1 + (e^ε₀ − 1)/(e^ε₀ + 1)·(8√(e^ε₀ ln(4/δ)/n) + 8e^ε₀/n)) for
        ε₀ ≤ ln(n/(16 ln(2/δ))): several times as much. Where that condition fails, or the formula gives more,
        the local claim itself is returned, at the same δ.

    Returns
    -------
    Guarantee
        Under replace-one neighbours: one person's record changes.

    Examples
    --------
    >>> print(amplify_by_shuffling(1.0, 100_000, 1e-6))
    (ε=0.01529, δ=1e-06)-DP, replacing one record
    >>> print(amplify_by_shuffling(1.0, 100_000, 1e-6, method="closed form"))
    (ε=0.07256, δ=1e-06)-DP, replacing one record
    """
    local = arguments.positive("epsilon_local", epsilon_local)
    n = arguments.integer("n", n, minimum=1)
    delta = arguments.probability("delta", delta, zero=False, one=False)
    if method == "numerical":
        central = min(_numerical(local, min(n, _MOST_PEOPLE), delta), _closed_form(local, n, delta))
    elif method == "closed form":
        central = _closed_form(local, n, delta)
    else:
        raise ValueError(f"method must be 'numerical' or 'closed form', got {method!r}")
    return Guarantee(central, delta, Neighbours.REPLACE_ONE)


def _closed_form(local: float, n: int, delta: float) -> float:
    if 16 * math.log(2 / delta) >= n or local > math.log(n / (16 * math.log(2 / delta))):
        return local
    spread = 8 * math.sqrt(math.exp(local) * math.log(4 / delta) / n) + 8 * math.exp(local) / n
    return min(local, math.log1p(math.tanh(local / 2) * spread))


def _numerical(local: float, n: int, delta: float) -> float:
    if local > 500 or delta <= _UNDERFLOW:  # e^−ε₀ is no share of any number of people
        return local
    clones, mass, outside = _clones(n - 1, math.exp(-local), max(_OUTSIDE * delta, _UNDERFLOW))
    # What the logarithms below can be wrong by: a few roundings of numbers up to n ln n.
    slack = 1 + 2.0**-48 * (n * (math.log(n) + 1) + 1)

    def excess(epsilon: float) -> float:
        total = slack * float(mass @ _delta_among(clones, local, epsilon, slack)) + outside
        return math.log(max(total, 1e-300) / delta)

    if excess(0.0) <= 0:
        return 0.0
    return safe_root(excess, 0.0, local, 1e-9 * local)


def _clones(others: int, rate: float, outside: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Numbers of clones and their probabilities, all but a mass of `outside` (Bernstein's inequality on either side).

    Where there are too many numbers, the smallest of a few neighbouring ones stands for all: fewer clones hide less.
    """
    depth, variance = math.log(2 / outside), others * rate * (1 - rate)
    reach = depth / 3 + math.sqrt(depth**2 / 9 + 2 * depth * variance)
    low, high = max(math.floor(others * rate - reach), 0), min(math.ceil(others * rate + reach), others)
    counts = np.arange(low, high + 1.0)
    log_mass = gammaln(others + 1) - gammaln(counts + 1) - gammaln(others - counts + 1)
    log_mass += counts * math.log(rate) + (others - counts) * (math.log1p(-rate) if rate < 1 else 0.0)
    first = np.arange(0, counts.size, math.ceil(counts.size / _MOST_TERMS))
    return counts[first], np.add.reduceat(np.exp(log_mass), first), outside


def _delta_among(clones: np.ndarray, local: float, epsilon: float, slack: float) -> np.ndarray:
    """δ(ε) of the pair for these numbers c of clones, not below the truth.

    The likelihood ratio of seeing a reports of the first kind grows with a and passes e^ε above a·(e^ε₀ − 1)(e^ε + 1) =
    (c + 1)(e^(ε₀ + ε) − 1). With k the next whole number and B ~ Bin(c, ½),

        δ = (e^ε₀ − e^ε)/(e^ε₀ + 1)·P[B = k − 1] − (e^ε − 1)·P[B ≥ k].
    """
    # (e^(ε₀+ε) − 1)/((e^ε₀ − 1)(e^ε + 1)), without a power that overflows
    share = -math.expm1(-local - epsilon) / (-math.expm1(-local) * (1 + math.exp(-epsilon)))
    k = np.minimum(np.floor((clones + 1) * share) + 1, clones + 1)
    log_mass = gammaln(clones + 1) - gammaln(k) - gammaln(clones - k + 2) - clones * math.log(2)
    at_least = np.where(k <= clones, betainc(k, np.maximum(clones - k + 1, 1.0), 0.5), 0.0)
    gain = -math.expm1(epsilon - local) / (1 + math.exp(-local))
    return np.maximum(slack * gain * np.exp(log_mass) - (1 - _BETAINC) * math.expm1(epsilon) * at_least, 0.0)
