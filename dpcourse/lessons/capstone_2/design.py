"""The public numbers of the project, and where its random shares come from."""

from __future__ import annotations

import secrets

import numpy as np

SUPPLIERS = 15
PARTIES = 3  # servers, each of which is sent one additive share of every vector
MODULUS = 2**32  # shares are whole numbers modulo this
BINS = 21  # lots with 0, 1, …, 19 defects, and lots with 20 or more
SHARES = 10  # so many shares of noise make the whole: five suppliers may drop out or collude
BUDGET = 2.0  # ε of one quarter's lots


def uniform(modulus: int, size: int) -> np.ndarray:
    """Whole numbers in [0, modulus) from the operating system's cryptographic generator, int64 of shape (size,).

    `modulus` has to be a power of two, at most 2^32, so that cutting bits off leaves every number equally likely.

    Examples
    --------
    >>> drawn = uniform(2**32, 5)
    >>> drawn.shape, bool((drawn >= 0).all() and (drawn < 2**32).all())
    ((5,), True)
    """
    if modulus < 2 or modulus > 2**32 or modulus & (modulus - 1):
        raise ValueError(f"modulus must be a power of two in [2, 2^32], got {modulus!r}")
    return np.frombuffer(secrets.token_bytes(4 * size), dtype="<u4").astype(np.int64) & (modulus - 1)
