"""Privacy amplification: an observer who does not know whose record was used learns less."""

from __future__ import annotations

import math
from dataclasses import replace

from dpcourse.privacy import Guarantee, Neighbours, arguments


def amplify_by_sampling(guarantee: Guarantee, sampling_rate: float) -> Guarantee:
    """(ln(1 + q(e^ε − 1)), qδ): a claim about a sample, turned into one about the data it was drawn from.

    For Poisson sampling under add-remove neighbours, or a fixed-size sample without replacement under replace-one
    (Balle, Barthe & Gaboardi 2018, arXiv:1807.01647). Not for shuffled batches, and not for Poisson sampling under
    replace-one.

    Parameters
    ----------
    guarantee : Guarantee
        Of the mechanism on the sample.
    sampling_rate : float
        q in [0, 1]: the probability that a given record is in the sample.

    Returns
    -------
    Guarantee
        Under the same relation and condition.

    Examples
    --------
    >>> print(amplify_by_sampling(Guarantee(1.0, 1e-5), 0.25))
    (ε=0.3574, δ=2.5e-06)-DP, adding or removing one record
    """
    arguments.member("guarantee", guarantee, Guarantee)
    rate = arguments.probability("sampling_rate", sampling_rate)
    epsilon = guarantee.epsilon
    if rate == 0:
        return Guarantee(0.0, 0.0, guarantee.neighbours)
    if epsilon < 700:
        amplified = math.log1p(_times(rate, math.expm1(epsilon)))
    else:
        amplified = epsilon + math.log(rate) + math.log1p((1 - rate) * math.exp(-epsilon - math.log(rate)))
    return replace(guarantee, epsilon=amplified, delta=_times(rate, guarantee.delta))


def _times(rate: float, value: float) -> float:
    """rate · value, but no 0 by underflow: an approximate claim never becomes a pure one."""
    return max(rate * value, math.ulp(0.0)) if value > 0 else 0.0


def amplify_by_shuffling(epsilon_local: float, n: int, delta: float) -> Guarantee:
    """The central claim of `n` people who each report once by an ε₀-DP randomizer and whose reports are shuffled.

    ε = ln(1 + (e^ε₀ − 1)/(e^ε₀ + 1)·(8√(e^ε₀ ln(4/δ)/n) + 8e^ε₀/n)) for ε₀ ≤ ln(n/(16 ln(2/δ))) (Feldman, McMillan &
    Talwar 2021, arXiv:2012.12803). Where that condition fails, or the formula gives more, the local claim
    itself is returned, at the same δ. Simple, not sharp: exact computations are several times smaller.

    Parameters
    ----------
    epsilon_local : float
        ε₀ > 0 of each report (pure local privacy).
    n : int
        Number of people, ≥ 1, a public fact.
    delta : float
        δ in (0, 1) of the central claim.

    Returns
    -------
    Guarantee
        Under replace-one neighbours: one person's record changes.

    Examples
    --------
    >>> print(amplify_by_shuffling(1.0, 100_000, 1e-6))
    (ε=0.07256, δ=1e-06)-DP, replacing one record
    """
    local = arguments.positive("epsilon_local", epsilon_local)
    n = arguments.integer("n", n, minimum=1)
    delta = arguments.probability("delta", delta, zero=False, one=False)
    central = local
    if 16 * math.log(2 / delta) < n and local <= math.log(n / (16 * math.log(2 / delta))):
        spread = 8 * math.sqrt(math.exp(local) * math.log(4 / delta) / n) + 8 * math.exp(local) / n
        central = min(local, math.log1p(math.tanh(local / 2) * spread))
    return Guarantee(central, delta, Neighbours.REPLACE_ONE)
