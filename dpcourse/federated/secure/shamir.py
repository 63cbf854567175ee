"""Shamir's secret sharing: any `threshold` of n shares give the secret, fewer say nothing at all about it.

The secret is the value at zero of a random polynomial of degree threshold − 1 over the integers modulo a prime; a share
is its value at another point (Shamir 1979, doi:10.1145/359168.359176).
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from dpcourse.privacy import arguments

#: The smallest prime above 2^256, so that every 32-byte secret is below it.
PRIME = 2**256 + 297

#: How many bytes a share's value takes.
VALUE_BYTES = 33


@dataclass(frozen=True)
class Share:
    """One point of the polynomial: its place ≥ 1, and its value there modulo `PRIME`."""

    point: int
    value: int


def split(
    secret: int, n_shares: int, threshold: int, *, entropy: Callable[[int], bytes] = os.urandom
) -> tuple[Share, ...]:
    """`n_shares` shares of `secret`, of which any `threshold` recover it.

    Parameters
    ----------
    secret : int
        In [0, PRIME).
    n_shares, threshold : int
        1 ≤ threshold ≤ n_shares.
    entropy : callable
        From a number of bytes to that many uniform random bytes.

    Returns
    -------
    tuple of Share
        At the points 1 to `n_shares`, in order.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Examples
    --------
    >>> shares = split(1234, n_shares=5, threshold=3)
    >>> combine(shares[2:], threshold=3)
    1234
    """
    secret = arguments.integer("secret", secret, minimum=0)
    threshold = arguments.integer("threshold", threshold, minimum=1)
    if secret >= PRIME:
        raise ValueError("secret must be below PRIME, got one that is not")  # a secret is not printed
    if arguments.integer("n_shares", n_shares, minimum=1) < threshold:
        raise ValueError(f"n_shares must be ≥ threshold = {threshold}, got {n_shares}")
    coefficients = [_below_prime(entropy) for _ in range(threshold - 1)]
    shares = []
    for point in range(1, n_shares + 1):
        value = 0
        for coefficient in coefficients:  # Horner's rule, the highest power first; one reduction at the end is faster
            value = (value + coefficient) * point
        shares.append(Share(point, (value + secret) % PRIME))
    return tuple(shares)


def combine(shares: Iterable[Share], threshold: int) -> int:
    """The secret, by Lagrange interpolation at zero from the first `threshold` of `shares`.

    Raises
    ------
    ValueError
        If there are fewer, or two at the same point. Shares of different secrets are not noticed: the result is then
        a meaningless number.
    """
    threshold = arguments.integer("threshold", threshold, minimum=1)
    shares = tuple(shares)
    points = tuple(share.point for share in shares)
    if len(set(points)) != len(points):
        raise ValueError(f"shares must be at different points, got {points}")
    if len(shares) < threshold:
        raise ValueError(f"shares must be at least threshold = {threshold}, got {len(shares)}")
    weights = _weights_at_zero(points[:threshold])
    return sum(weight * share.value for weight, share in zip(weights, shares, strict=False)) % PRIME


@functools.lru_cache(maxsize=64)  # one set of responders recovers a secret of every client
def _weights_at_zero(points: tuple[int, ...]) -> tuple[int, ...]:
    weights = []
    for here in points:
        above, below = 1, 1
        for other in points:
            if other != here:
                above = above * other % PRIME
                below = below * (other - here) % PRIME
        weights.append(above * pow(below, -1, PRIME) % PRIME)
    return tuple(weights)


def _below_prime(entropy: Callable[[int], bytes]) -> int:
    """Uniform on [0, PRIME): 257 random bits until they are in range, about two tries."""
    while True:
        candidate = int.from_bytes(entropy(VALUE_BYTES), "little") >> 7
        if candidate < PRIME:
            return candidate
