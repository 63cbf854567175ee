"""How much noise a budget asks for: accounting, solved for the noise."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dpcourse.accounting import renyi
from dpcourse.accounting.accountant import PrivacyAccountant
from dpcourse.accounting.interface import HasPrivacyLoss
from dpcourse.accounting.pld import PrivacyLoss
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
        δ in (0, 1).
    sampling_rate : float
        q in (0, 1].
    steps : int
        Number of releases, ≥ 1.
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
    rate = arguments.probability("sampling_rate", sampling_rate, zero=False)
    steps = arguments.integer("steps", steps, minimum=1)
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


def calibrate_scale(noise: str, epsilon: float, delta: float, releases: int = 1, sensitivity: float = 1) -> float:
    """The smallest scale of Laplace or discrete noise with which `releases` releases are (ε, δ)-DP together.

    Priced by privacy-loss distributions, under the relation that the sensitivity was computed for.

    Parameters
    ----------
    noise : {"laplace", "discrete laplace", "discrete gaussian"}
        P[x] ∝ e^(−|x|/scale) on the reals or the integers; P[x] ∝ e^(−x²/2σ²) on the integers, whose scale is σ.
    epsilon : float
        ε > 0 of all releases together.
    delta : float
        δ in [0, 1) of all releases together; for the discrete Gaussian above 0.
    releases : int
        k ≥ 1, fixed in advance.
    sensitivity : float or int
        Of one release: L1 for Laplace noise, L2 for Gaussian noise; a whole number for discrete noise.

    Returns
    -------
    float
        In the units of the value, at most 1e-6 (relative) above the smallest: the claim itself always holds.

    Examples
    --------
    A hundred counts: adding up ε needs a scale of 100, one price for all of them much less.

    >>> round(calibrate_scale("laplace", 1.0, 0.0, releases=100), 3)
    100.0
    >>> round(calibrate_scale("laplace", 1.0, 1e-6, releases=100), 1)
    41.5
    >>> round(calibrate_scale("discrete gaussian", 1.0, 1e-6, releases=100), 1)
    42.3
    """
    epsilon, releases = arguments.positive("epsilon", epsilon), arguments.integer("releases", releases, minimum=1)

    def steps() -> int:
        return arguments.integer("sensitivity", sensitivity, minimum=1)  # type: ignore[arg-type]

    makers: dict[str, Callable[[float], PrivacyLoss]] = {
        "laplace": lambda scale: PrivacyLoss.laplace(arguments.positive("sensitivity", sensitivity) / scale),
        "discrete laplace": lambda scale: PrivacyLoss.discrete_laplace(steps(), scale),
        "discrete gaussian": lambda scale: PrivacyLoss.discrete_gaussian(steps(), scale),
    }
    if noise not in makers:
        raise ValueError(f"noise must be one of {', '.join(makers)}, got {noise!r}")
    delta = arguments.probability("delta", delta, zero=noise != "discrete gaussian", one=False)
    make = makers[noise]
    return smallest(lambda scale: make(scale).self_compose(releases).epsilon(delta), epsilon, _PRECISION)[0]


def calibrate_each(
    mechanism: Callable[[float], HasPrivacyLoss], epsilon: float, delta: float, times: int, method: str = "best"
) -> float:
    """The largest ε′ with which `times` runs of mechanism(ε′) are (ε, δ)-DP together.

    Parameters
    ----------
    mechanism : callable
        From ε′ to a mechanism: a class such as `LaplaceMechanism`, or a function that fills in its other arguments.
    epsilon, delta : float
        ε > 0 and δ in [0, 1) of all runs together.
    times : int
        k ≥ 1, fixed in advance.
    method : str
        The accountant's.

    Returns
    -------
    float
        At most 1e-6 (relative) below the largest: the claim itself always holds.

    Examples
    --------
    >>> from dpcourse.mechanisms import ExponentialMechanism, GeometricMechanism
    >>> round(calibrate_each(GeometricMechanism, 1.0, 0.0, times=10), 4)
    0.1
    >>> [round(calibrate_each(kind, 1.0, 1e-6, times=100), 4) for kind in (GeometricMechanism, ExponentialMechanism)]
    [0.024, 0.0444]
    """
    epsilon, times = arguments.positive("epsilon", epsilon), arguments.integer("times", times, minimum=1)
    delta = arguments.probability("delta", delta, one=False)

    def price(noise: float) -> float:
        made = mechanism(1 / noise)
        return PrivacyAccountant(made.neighbours).compose(made, times).epsilon(delta, method)  # type: ignore[attr-defined]

    return 1 / smallest(price, epsilon, _PRECISION)[0]


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
