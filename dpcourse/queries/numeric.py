"""Private sums and means."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpcourse.mechanisms import GeometricMechanism
from dpcourse.privacy import Guarantee, Neighbours, arguments
from dpcourse.queries.estimate import Estimate
from dpcourse.queries.records import Steps, declared, middle, numbers_in


def private_sum(
    values: Any,
    *,
    epsilon: float,
    bounds: tuple[float, float],
    neighbours: Neighbours = Neighbours.ADD_REMOVE,
    missing: float | None = None,
    rng=None,
) -> Estimate:
    """The sum of the records, each clipped to `bounds`, with discrete Laplace noise: ε-DP.

    Each record is clipped and rounded to a whole number of tiny steps; the steps add up in integers, so the sensitivity
    is exact: ``max(|L|, |U|)`` under add-remove, U − L under replace-one (where n is public, and only what exceeds the
    middle of the bounds is noised).

    Parameters
    ----------
    values : sequence of n records
        Private. Infinities are clipped; a record that is no number counts as `missing`. Nothing they hold raises.
    epsilon : float
        ε in [1e-12, ∞).
    bounds : (float, float)
        Public (L, U), L < U, in the units of the records. Not to be read off the data.
    neighbours : Neighbours
        The relation of the guarantee.
    missing : float, optional
        Public, within the bounds; their middle unless given.
    rng : None, int or numpy.random.Generator
        Leave it at None for a real release.

    Returns
    -------
    Estimate
        Of the sum of the *clipped* records.

    Raises
    ------
    TypeError, ValueError
        For a public argument, naming it and its value.

    Examples
    --------
    >>> estimate = private_sum([20, 35, 1000, float("nan")], epsilon=1.0, bounds=(0, 100), rng=3)
    >>> round(estimate.standard_error)
    141
    """
    low, high = declared(bounds)
    place = middle((low, high), missing)
    epsilon = arguments.positive("epsilon", epsilon)
    arguments.member("neighbours", neighbours, Neighbours)
    records = numbers_in(values, (low, high), place)
    # With n public, n times the centre is too; what is left has the smallest reach, and sums of it round least.
    centre = 0.0 if neighbours is Neighbours.ADD_REMOVE else low / 2 + high / 2
    steps = Steps((low, high), centre, epsilon)
    mechanism = GeometricMechanism(epsilon, steps.sensitivity(neighbours), neighbours)
    total = int(mechanism.release(steps.total(records), rng=rng))
    return Estimate(
        total * steps.size + len(records) * centre,
        math.sqrt(mechanism.variance) * steps.size,
        mechanism.guarantee,
    )


def private_mean(
    values: Any,
    *,
    epsilon: float,
    bounds: tuple[float, float],
    neighbours: Neighbours = Neighbours.ADD_REMOVE,
    missing: float | None = None,
    rng=None,
) -> Estimate:
    """The mean of the records, each clipped to `bounds`, with discrete Laplace noise: ε-DP.

    Under replace-one n is public: a noisy sum (sensitivity U − L) over n. Under add-remove n is as private as the rest:
    half of ε buys a noisy sum of the records' distances from the middle of the bounds (sensitivity (U − L)/2), half a
    noisy count; equal halves are best in the worst case, where the mean lies at a bound. The ratio is pulled back into
    the bounds, which costs nothing.

    Parameters
    ----------
    values, epsilon, bounds, neighbours, missing, rng
        As for `private_sum`, but ε ≥ 2e-12 under add-remove. Without any record the answer is noise around the middle
        of the bounds.

    Returns
    -------
    Estimate
        Of the mean of the *clipped* records. Under add-remove `standard_error` is itself an estimate, made from the
        noisy answers by linearising the ratio: trust it where the noisy count is many times its own noise.

    Raises
    ------
    TypeError, ValueError
        For a public argument, naming it and its value.

    Examples
    --------
    >>> estimate = private_mean(range(1000), epsilon=1.0, bounds=(0, 1000), neighbours=Neighbours.REPLACE_ONE, rng=3)
    >>> round(estimate.standard_error, 2)
    1.41
    """
    low, high = declared(bounds)
    place = middle((low, high), missing)
    epsilon = arguments.positive("epsilon", epsilon)
    add_remove = arguments.member("neighbours", neighbours, Neighbours) is Neighbours.ADD_REMOVE
    if add_remove and epsilon < 2e-12:
        raise ValueError(f"epsilon must be ≥ 2e-12 for two answers under add-remove neighbours, got {epsilon!r}")
    records = numbers_in(values, (low, high), place)
    centre = low / 2 + high / 2
    share = epsilon / 2 if add_remove else epsilon

    steps = Steps((low, high), centre, share)
    summing = GeometricMechanism(share, steps.sensitivity(neighbours), neighbours)
    if add_remove:
        rng = np.random.default_rng(rng)
        counting = GeometricMechanism(share, 1, neighbours)
        size = max(int(counting.release(len(records), rng=rng)), 1)
        of_size = counting.variance
    else:
        size, of_size = max(len(records), 1), 0.0
    above = int(summing.release(steps.total(records), rng=rng)) * steps.size / size
    mean = float(min(max(centre + above, low), high))
    of_sum = summing.variance * steps.size**2
    error = math.sqrt(of_sum + (mean - centre) ** 2 * of_size) / size
    return Estimate(mean, error, Guarantee(epsilon, 0.0, neighbours))
