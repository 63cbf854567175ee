"""A grid of integers for real-valued releases, so that the low-order bits of a float carry nothing.

Adding float noise to a float leaves traces of the input in the last bits of the sum (Mironov 2012,
doi:10.1145/2382196.2382264). Here a value becomes a whole number of steps, integer noise is added, and only then is the
sum turned into a float again. The step is a power of two chosen from public parameters alone.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from dpcourse.privacy import arguments

# What rounding to the grid costs, as a share of the noise: about 2^-20 for one number, 2^-12 (L1) or 2^-16 (L2) for a
# vector. It is more where the noise is so much larger than the sensitivity that the step follows the noise instead.
SCALAR_BITS = 20
L1_BITS = 12
L2_BITS = 16
_LARGEST_STEPS = 2.0**52
_LARGEST_NOISE = (
    2.0**46
)  # scale in steps; beyond it a coarser step (and a little more noise) keeps the integers in range


def granularity(spread: float, noise_scale: float, bits: int) -> float:
    """The largest power of two that is ≤ 2^−bits · min(spread, noise_scale), or noise_scale · 2^−46 where that is more.

    Parameters
    ----------
    spread : float
        The share of the sensitivity that falls to one coordinate: Δ for a scalar, Δ₁/d or Δ₂/√d for d coordinates.
    noise_scale : float
        Scale of the noise, in the units of the value.
    bits : int
        How far below both the step lies.

    Raises
    ------
    ValueError
        If the step is too small or too large for a float.

    Examples
    --------
    >>> granularity(1.0, 2.0, 20) == 2.0**-20
    True
    """
    target = max(math.ldexp(min(spread, noise_scale), -bits), noise_scale / _LARGEST_NOISE)
    exponent = math.frexp(target)[1] - 1
    if not -1000 <= exponent <= 900:
        raise ValueError(f"sensitivity and noise must lie between 1e-290 and 1e290, got {spread!r} and {noise_scale!r}")
    return math.ldexp(1.0, exponent)


def _to_steps(name: str, value: np.ndarray, step: float) -> np.ndarray:
    """`value` in whole steps, to the nearest, as int64; refused beyond 2^52 steps, where floats have gaps too.

    Rounded once: a number that no float holds must not be rounded to a float first, or two neighbours could fall
    further apart than the noise was made for.
    """
    with np.errstate(over="ignore"):
        steps = np.asarray(value.astype(np.promote_types(value.dtype, float)) / step)  # long doubles stay long
    np.rint(steps, out=steps)
    if steps.size and max(steps.max(), -steps.min()) > _LARGEST_STEPS:
        raise ValueError(
            f"{name} must be below 2^52 steps of {step!r} (which sensitivity and noise set), "
            f"got more in {arguments.kind_of(value)}"
        )
    whole = steps.astype(np.int64)
    if value.dtype.kind in "iu":
        for place in np.argwhere((value > 2**53) | (value < -(2**53))):
            index = tuple(place)
            whole[index] = round(Fraction(int(value[index])) / Fraction(step))
    return whole


def release_on_grid(value: np.ndarray, step: float, noise: np.ndarray) -> float | np.ndarray:
    """Finite numbers on the grid plus integer `noise`: a float for a scalar, else an array of the same shape."""
    steps = _to_steps("value", value, step)
    steps += noise.reshape(value.shape)
    noisy = steps * step
    return noisy if value.ndim else float(noisy)
