"""How much noise a budget asks for: accounting, solved for the noise."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dpcourse.accounting import renyi
from dpcourse.accounting.pld import PrivacyLoss
from dpcourse.accounting.pld.loss import MOST_RUNS, SMALLEST_DELTA
from dpcourse.accounting.solve import smallest
from dpcourse.privacy import arguments

_PRECISION = 1e-6
_CLOSED_FORM_PRECISION = 1e-10


def calibrate_noise_multiplier(
    epsilon: float, delta: float, sampling_rate: float = 1.0, steps: int = 1, method: str = "pld"
) -> float:
    """The smallest noise multiplier with which `steps` (Poisson-subsampled) Gaussian releases are (ε, δ)-DP together.

    Add-remove neighbours; with `sampling_rate` 1 the relation is the one that the sensitivity was computed under.

    Parameters
    ----------
    epsilon : float
        ε > 0.
    delta : float
        δ in [1e-290, 1).
    sampling_rate : float
        q in (0, 1].
    steps : int
        Number of releases, in 1..2^53.
    method : {"pld", "rdp", "zcdp"}
        Whose upper bound on ε must not pass `epsilon`; "zcdp" only without subsampling.

    Returns
    -------
    float
        σ / sensitivity, at most 1e-6 (relative) above the smallest for which that bound holds: the claim itself always
        holds.

    Raises
    ------
    ValueError
        Naming the argument that is out of range. With "pld" a δ of at least 1 − (1 − q)^steps is refused: it holds
        with any noise at all, so none is the smallest.

    Examples
    --------
    >>> round(calibrate_noise_multiplier(1.0, 1e-5), 6)  # the analytic Gaussian mechanism, arXiv:1805.06530
    3.730632
    >>> round(calibrate_noise_multiplier(8.0, 1e-5, sampling_rate=0.04, steps=2250), 3)
    1.346
    """
    return calibrated(epsilon, delta, sampling_rate, steps, method)[0]


def calibrated(
    epsilon: float, delta: float, sampling_rate: float = 1.0, steps: int = 1, method: str = "pld"
) -> tuple[float, float]:
    """`calibrate_noise_multiplier`, and with it the ε ≤ `epsilon` that the method proves for that noise."""
    epsilon = arguments.positive("epsilon", epsilon)
    delta = arguments.probability("delta", delta, zero=False, one=False)
    if delta < SMALLEST_DELTA:
        raise ValueError(f"delta must be at least {SMALLEST_DELTA:g}, got {delta!r}")
    rate = arguments.probability("sampling_rate", sampling_rate, zero=False)
    steps = arguments.integer("steps", steps, minimum=1, maximum=MOST_RUNS)
    if rate == 1:  # `steps` Gaussians are one Gaussian with noise smaller by √steps
        noise, paid = smallest(_price(delta, 1.0, 1, method), epsilon, _CLOSED_FORM_PRECISION)
        return math.sqrt(steps) * noise, paid
    seen = -math.expm1(steps * math.log1p(-rate))
    if method == "pld" and delta >= seen:
        raise ValueError(
            f"delta must be below {seen!r}, the probability that a record is in any sample, or no noise is needed: "
            f"got {delta!r}"
        )
    return smallest(_price(delta, rate, steps, method), epsilon, _PRECISION)


def _price(delta: float, rate: float, steps: int, method: str) -> Callable[[float], float]:
    """ε as a function of the noise multiplier."""
    if method == "pld":
        return lambda noise: PrivacyLoss.gaussian(noise).poisson_subsampled(rate).self_compose(steps).epsilon(delta)
    if method == "rdp":
        orders = np.array(renyi.DEFAULT_ORDERS)
        return lambda noise: renyi.epsilon_from_rdp(
            orders, steps * renyi.subsampled_gaussian(noise, rate, orders), delta
        )
    if method == "zcdp":
        if rate < 1:
            raise ValueError(f"sampling_rate must be 1 with method 'zcdp', got {rate!r}: subsampling has no useful ρ")
        return lambda noise: renyi.epsilon_from_zcdp(steps / (2 * noise**2), delta)
    raise ValueError(f"method must be 'pld', 'rdp' or 'zcdp', got {method!r}")
