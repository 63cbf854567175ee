"""Exact integer noise: discrete Laplace, whole and in shares, and discrete Gaussian, vectorised.

The samplers decide every comparison "is a uniform number below p?" in floats where rounding cannot matter, and
settle the rare close calls with more random bits and as many digits as they need. So the integers that come out have
*exactly* the distribution named, given uniform random bits. (``Generator.geometric`` and ``Generator.laplace`` are
float samplers: their low-order bits depend on what the noise is added to. Mironov 2012, doi:10.1145/2382196.2382264.)

The method is Canonne, Kamath and Steinke 2020, arXiv:2004.00010. PCG64 is not a cryptographic generator, timing is not
covered, and a published seed voids every promise.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from dpcourse.privacy import arguments

Real = int | float | Fraction
LARGEST_SIGMA = 2**50
LARGEST_SHARED_SCALE = 2**16

# Float errors of exp and of the few operations around it stay below 2^-49 for arguments down to exp(-50); 2^-44 is
# generous.
_DOUBT = 2.0**-44
_BITS = 53
_LARGEST_NUMERATOR = 2**56  # the largest magnitude drawn is some 60 times this, still an int64
_SMALLEST_SIGMA = 2.0**-500  # below it another number than 0 has a probability of less than exp(−2^998)


def discrete_laplace(scale: Real, size: int | tuple[int, ...] = 1, *, rng=None) -> np.ndarray:
    """Integers with P[X = x] ∝ exp(−|x| / scale), exactly.

    Parameters
    ----------
    scale : int, float or Fraction
        Scale in steps, > 0; a float stands for the exact fraction it holds. Its reduced numerator must be below 2^56.
    size : int or tuple of int
        Shape of the output.
    rng : None, int or numpy.random.Generator
        Source of randomness.

    Returns
    -------
    ndarray of int64, shape `size`

    Raises
    ------
    TypeError, ValueError
        If `scale` is not a number > 0 of that form.

    Examples
    --------
    >>> noise = discrete_laplace(2, 10_000, rng=0)
    >>> noise.dtype.kind, bool(abs(noise.mean()) < 0.2)
    ('i', True)
    """
    fraction = _fraction("scale", scale)
    if fraction.numerator >= _LARGEST_NUMERATOR:
        raise ValueError(f"scale must have a numerator below 2^56 as a fraction, got {scale!r}")
    rng = np.random.default_rng(rng)
    return _fill(size, lambda count: _two_sided(count, fraction.numerator, fraction.denominator, rng))


def discrete_gaussian(sigma: Real, size: int | tuple[int, ...] = 1, *, rng=None) -> np.ndarray:
    """Integers with P[X = x] ∝ exp(−x² / (2σ²)), exactly.

    Discrete Laplace proposals of scale ⌊σ⌋ + 1 are accepted with the probability that makes the ratio right
    (arXiv:2004.00010, algorithm 3). Adding this noise to an integer of sensitivity Δ costs Δ²/(2σ²) of zCDP, exactly.

    Parameters
    ----------
    sigma : int, float or Fraction
        σ in steps, in (0, 2^50]. The standard deviation is σ up to a term that vanishes exponentially in σ².
    size, rng
        As in `discrete_laplace`.

    Returns
    -------
    ndarray of int64, shape `size`
    """
    exact = _fraction("sigma", sigma)
    if exact > LARGEST_SIGMA:
        raise ValueError(f"sigma must be ≤ 2^50 steps, got {sigma!r}")
    rng = np.random.default_rng(rng)
    if exact < _SMALLEST_SIGMA:  # its square is no longer a float
        return np.zeros(size, dtype=np.int64)
    scale = math.floor(exact) + 1
    deviation, centre = float(exact), float(exact**2 / scale)

    def propose(count: int) -> np.ndarray:
        proposal = _two_sided(count, scale, 1, rng)
        exponent = (np.abs(proposal) - centre) ** 2 / (2 * deviation**2)

        def exactly(i: int) -> Fraction:
            return (abs(int(proposal[i])) - exact**2 / scale) ** 2 / (2 * exact**2)

        return proposal[_bernoulli_exp(exponent, exactly, rng)]

    return _fill(size, propose)


def laplace_share(scale: Real, shares: int, size: int | tuple[int, ...] = 1, *, rng=None) -> np.ndarray:
    """Integers, exactly distributed so that the sum of `shares` independent ones is `discrete_laplace(scale)`.

    Discrete Laplace is the difference of two geometric numbers, a geometric number the sum of `shares` negative
    binomial ones: P[K = k] ∝ a^k Γ(k + r)/k! with r = 1/shares and a = e^(−1/scale). Such a K is a geometric number
    kept with probability Γ(k + r)/(Γ(r) k!) = Π (i + r)/(i + 1) over i < k, which is a rational number. One in about
    scale^(1 − r) is kept, which is why the scale is limited.

    Parameters
    ----------
    scale : int, float or Fraction
        Of the sum, in steps: in (0, 2^16], as a fraction with a numerator below 2^56.
    shares : int
        How many make one discrete Laplace number, ≥ 1.
    size, rng
        As in `discrete_laplace`.

    Returns
    -------
    ndarray of int64, shape `size`

    Examples
    --------
    >>> noise = laplace_share(2, 5, (5, 10_000), rng=0).sum(axis=0)
    >>> bool(abs(noise.var() / discrete_laplace(2, 10_000, rng=1).var() - 1) < 0.2)
    True
    """
    fraction = _fraction("scale", scale)
    shares = arguments.integer("shares", shares, minimum=1)
    if fraction > LARGEST_SHARED_SCALE or fraction.numerator >= _LARGEST_NUMERATOR:
        raise ValueError(f"scale must be ≤ 2^16 and have a numerator below 2^56 as a fraction, got {scale!r}")
    rng = np.random.default_rng(rng)

    def propose(count: int) -> np.ndarray:
        asked = min(count * math.ceil(fraction), 2**16)  # few are kept at a large scale
        proposal = _geometric(asked, fraction.numerator, fraction.denominator, rng)
        return proposal[_kept(proposal, shares, rng)]

    return _fill(size, propose) - _fill(size, propose)


def _fraction(name: str, value: Real) -> Fraction:
    if not isinstance(value, Fraction):
        arguments.positive(name, value)
    fraction = Fraction(value)
    if fraction <= 0:
        raise ValueError(f"{name} must be > 0, got {value!r}")
    return fraction


def _fill(size: int | tuple[int, ...], propose: Callable[[int], np.ndarray]) -> np.ndarray:
    """An array of this size from a proposer that returns a random part of what it is asked for."""
    flat = np.empty(math.prod(np.atleast_1d(size)), dtype=np.int64)
    filled = 0
    while filled < flat.size:
        # Blocks that fit the processor's cache: several times faster than one pass over all of memory.
        accepted = propose(min(2 * (flat.size - filled) + 16, 2**16))[: flat.size - filled]
        flat[filled : filled + accepted.size] = accepted
        filled += accepted.size
    return flat.reshape(size)


def _two_sided(count: int, numerator: int, denominator: int, rng: np.random.Generator) -> np.ndarray:
    """Up to `count` discrete Laplace integers of scale numerator/denominator (arXiv:2004.00010, algorithm 2)."""
    magnitude = _geometric(count, numerator, denominator, rng)
    negative = rng.integers(0, 2, magnitude.size, dtype=bool)
    return np.where(negative, -magnitude, magnitude)[~(negative & (magnitude == 0))]  # zero has one sign only


def _geometric(count: int, numerator: int, denominator: int, rng: np.random.Generator) -> np.ndarray:
    """Up to `count` integers with P[M = m] ∝ exp(−m · denominator/numerator)."""
    low = rng.integers(0, numerator, count)  # the magnitude modulo the numerator
    low = low[_bernoulli_exp(low / numerator, lambda i: Fraction(int(low[i]), numerator), rng)]
    magnitude = low + numerator * _geometric_e(low.size, rng)
    if denominator > 1:
        magnitude //= min(denominator, 2**63 - 1)  # which no magnitude reaches
    return magnitude


def _kept(proposal: np.ndarray, shares: int, rng: np.random.Generator) -> np.ndarray:
    """True with probability Π (1 + i·shares)/(shares·(1 + i)) over i < k, for each k: exactly."""
    i = np.arange(proposal.max(initial=0), dtype=float)
    chance = np.concatenate([[1.0], np.cumprod((1 + i * shares) / (shares * (1 + i)))])[proposal]
    uniform = rng.random(proposal.size)
    kept = uniform < chance
    # Each factor and each product adds a few roundings; two units in the last place a factor are generous.
    for j in np.flatnonzero(np.abs(uniform - chance) <= _DOUBT + (proposal + 1) * chance * 2.0**-50):
        k = int(proposal[j])
        exact = Fraction(math.prod(range(1, k * shares + 1, shares)), shares**k * math.factorial(k))
        kept[j] = _below(_Uniform(rng, int(uniform[j] * 2**_BITS)), exact)
    return kept


def _below(uniform: _Uniform, threshold: Fraction) -> bool:
    """Is the uniform number below this one? More digits are drawn until the answer is beyond doubt."""
    while not (uniform.digits + 1 <= threshold * 2**uniform.bits or uniform.digits >= threshold * 2**uniform.bits):
        uniform.extend()
    return uniform.digits < threshold * 2**uniform.bits


def _geometric_e(count: int, rng: np.random.Generator) -> np.ndarray:
    """Integers with P[V ≥ v] = e^−v: how many of the powers e^−1, e^−2, … lie above one uniform number."""
    uniform = rng.random(count)
    known = np.maximum(uniform, 2.0**-_BITS)
    value, spread = -np.log(known), _DOUBT / known
    powers = np.floor(value).astype(np.int64)
    for i in np.flatnonzero(np.floor(value - spread) != np.floor(value + spread)):
        settled = _Uniform(rng, int(uniform[i] * 2**_BITS))
        powers[i] = next(v for v in itertools.count() if not _below_exp(settled, Fraction(v + 1)))
    return powers


def _bernoulli_exp(exponent: np.ndarray, exactly: Callable[[int], Fraction], rng: np.random.Generator) -> np.ndarray:
    """True with probability exp(−exponent), each; `exactly(i)` is the i-th exponent as a fraction, for a close call."""
    uniform = rng.random(exponent.size)
    threshold = np.exp(-exponent)
    accepted = uniform < threshold
    for i in np.flatnonzero(np.abs(uniform - threshold) <= _DOUBT):
        accepted[i] = _below_exp(_Uniform(rng, int(uniform[i] * 2**_BITS)), exactly(int(i)))
    return accepted


class _Uniform:
    """A uniform number of [0, 1) known to `bits` binary digits, with more drawn when asked."""

    def __init__(self, rng: np.random.Generator, digits: int | None = None) -> None:
        self.rng = rng
        self.bits = _BITS
        self.digits = int(rng.integers(0, 2**_BITS)) if digits is None else digits

    def extend(self) -> None:
        self.digits = (self.digits << 32) | int(self.rng.integers(0, 2**32))
        self.bits += 32


def _below_exp(uniform: _Uniform, exponent: Fraction) -> bool:
    """Is the uniform number below exp(−exponent)? More digits are drawn until the answer is beyond doubt."""
    while True:
        with localcontext() as context:
            context.prec = uniform.bits + 20
            power = (-Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp()
            error = (
                power * (1 + Decimal(abs(exponent.numerator)) / exponent.denominator) / Decimal(10) ** (uniform.bits)
            )
            low = Decimal(uniform.digits) / Decimal(2) ** uniform.bits
            high = Decimal(uniform.digits + 1) / Decimal(2) ** uniform.bits
            if high <= power - error:
                return True
            if low >= power + error:
                return False
        uniform.extend()
