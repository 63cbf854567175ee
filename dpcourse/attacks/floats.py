"""The floating-point attack: which secret can have produced exactly these 64 bits?

A sampler turns one of 2^53 random integers into noise, and adding the noise to the true value rounds the sum. From each
true value only some floats can come out, and for two neighbouring values they are different floats (Mironov 2012,
doi:10.1145/2382196.2382264; Haney et al. 2022, arXiv:2207.13793). Whoever knows the sampler replays it: for a release y
and a candidate c, is there an integer whose noise, added to c, gives y to the last bit? If one candidate can and the
other cannot, a single release has told which it was, whatever ε was promised.
"""

from __future__ import annotations

import math

import numpy as np

from dpcourse.audit.families import finest_power
from dpcourse.privacy import arguments

_INTEGERS = 2.0**53  # NumPy's uniform number is one of these over 2^53
_NEARBY = 3  # the inverse of the logarithm is off by an integer or two


def numpy_laplace_reaches(releases: np.ndarray, value: float, scale: float) -> np.ndarray:
    """Whether ``value + rng.laplace(scale=scale)`` can be exactly this float, for each release.

    Replays `Generator.laplace` of NumPy: a random u = x/2^53, then scale·ln(2u) below one half and
    −scale·ln(2 − u − u) above it. The x that come near the release are found by inverting that, and tried. The
    logarithm is the C library's, as in NumPy's generator, so no release from `value` is missed where Python and NumPy
    share that library.

    Parameters
    ----------
    releases : ndarray
        Finite floats, any shape.
    value : float
        The candidate for the true value.
    scale : float
        Scale of the noise, > 0; public.

    Returns
    -------
    ndarray of bool
        Of the shape of `releases`.

    Raises
    ------
    ValueError, TypeError
        Naming the argument.

    Examples
    --------
    >>> release = 1.0 + np.random.default_rng(0).laplace(scale=1.0, size=1000)
    >>> bool(numpy_laplace_reaches(release, 1.0, 1.0).all())
    True
    >>> bool(numpy_laplace_reaches(release, 0.0, 1.0).mean() < 0.3)
    True
    """
    scale = arguments.positive("scale", scale)
    value = float(arguments.finite_array("value", value))
    outputs = arguments.finite_array("releases", releases)
    flat = outputs.ravel()
    above = flat >= value
    tail = np.rint(np.exp(-np.abs(flat - value) / scale) * (_INTEGERS / 2))
    x = np.where(above, _INTEGERS - tail, tail) + np.arange(-_NEARBY, _NEARBY + 1)[:, None]
    u = np.clip(x, np.where(above, _INTEGERS / 2, 1), np.where(above, _INTEGERS - 1, _INTEGERS / 2 - 1)) / _INTEGERS
    # The same operations in the same order as the sampler's: (2 − u) is rounded before the second subtraction.
    inside = np.where(above, (2.0 - u) - u, u + u)
    noise = np.where(above, -1.0, 1.0) * (scale * _libm_log(inside))
    return (value + noise == flat).any(axis=0).reshape(outputs.shape)


def guess_from_bits(releases: np.ndarray, values: tuple[float, float], scale: float) -> np.ndarray:
    """For each release of naive Laplace noise: which of two values it came from, or −1 where both or neither can.

    Parameters
    ----------
    releases : ndarray
        Finite floats, any shape.
    values : pair of float
        The true answers on two neighbouring datasets.
    scale : float
        Scale of the noise, > 0; public.

    Returns
    -------
    ndarray of int
        0, 1 or −1, of the shape of `releases`. For releases of NumPy's sampler 0 and 1 are always right.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.integers(2, size=1000)
    >>> guess = guess_from_bits(truth + rng.laplace(scale=1000.0, size=1000), (0.0, 1.0), 1000.0)
    >>> decided = guess >= 0
    >>> bool(decided.mean() > 0.7), bool((guess == truth)[decided].all())
    (True, True)
    """
    if len(values) != 2:
        raise ValueError(f"values must be two numbers, got {values!r}")
    first, second = (numpy_laplace_reaches(releases, value, scale) for value in values)
    return np.where(first == second, -1, second.astype(int))


def finest_bit(numbers: np.ndarray) -> np.ndarray:
    """The exponent e of the largest power of two that each float is a whole multiple of: x = odd · 2^e.

    Parameters
    ----------
    numbers : ndarray
        Finite floats, any shape. Zero, a multiple of everything, gets 1024.

    Returns
    -------
    ndarray of int
        Of the shape of `numbers`.

    Examples
    --------
    >>> finest_bit(np.array([1.0, 0.75, 6.0]))
    array([ 0, -2,  1])
    """
    powers = finest_power(arguments.finite_array("numbers", numbers))
    return np.where(np.isinf(powers), 1024, powers).astype(int)


def _libm_log(values: np.ndarray) -> np.ndarray:
    """The C library's logarithm one by one: NumPy's own vector version may round the last bit the other way."""
    return np.fromiter(map(math.log, values.ravel().tolist()), dtype=float, count=values.size).reshape(values.shape)
