"""Amplification by sampling: an observer who does not know whether a record was used learns less."""

from __future__ import annotations

import math
from dataclasses import replace

from dpcourse.privacy import Guarantee, arguments


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
        return replace(guarantee, epsilon=0.0, delta=0.0)
    if epsilon < 700:
        amplified = math.log1p(_times(rate, math.expm1(epsilon)))
    else:
        amplified = epsilon + math.log(rate) + math.log1p((1 - rate) * math.exp(-epsilon - math.log(rate)))
    return replace(guarantee, epsilon=amplified, delta=_times(rate, guarantee.delta))


def _times(rate: float, value: float) -> float:
    """rate · value, but no 0 by underflow: an approximate claim never becomes a pure one."""
    return max(rate * value, math.ulp(0.0)) if value > 0 else 0.0
