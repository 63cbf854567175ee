"""Masks: uniform integers modulo 2^k from a short key, so that adding one to a vector leaves nothing of it to see."""

from __future__ import annotations

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms


def expand(key: bytes, length: int, modulus_bits: int) -> np.ndarray:
    """`length` integers that look uniform modulo 2^modulus_bits to whoever lacks the 32-byte key.

    The key stream of ChaCha20 (RFC 8439), eight bytes a coordinate; a power of two divides 2^64, so that cutting to the
    low bits keeps the uniform distribution exactly. A key is expanded for one vector only, which is why a fixed nonce
    does no harm.

    Returns
    -------
    ndarray of uint64, shape (length,)

    Examples
    --------
    >>> mask = expand(bytes(32), length=4, modulus_bits=8)
    >>> mask.dtype.name, bool((mask < 256).all())
    ('uint64', True)
    """
    stream = Cipher(algorithms.ChaCha20(key, bytes(16)), mode=None).encryptor()
    words = np.frombuffer(stream.update(bytes(8 * length)), dtype="<u8").astype(np.uint64)
    return reduce(words, modulus_bits)


def add_pairwise(vector: np.ndarray, key: bytes, mine: int, other: int, modulus_bits: int) -> np.ndarray:
    """`vector` with the mask that clients `mine` and `other` share: one of them adds it, the other takes it away.

    The mask leaves the sum of all vectors as it was, because it stands in it twice, with both signs.
    """
    mask = expand(key, vector.size, modulus_bits)
    return reduce(vector + mask if mine < other else vector - mask, modulus_bits)


def reduce(words: np.ndarray, modulus_bits: int) -> np.ndarray:
    """uint64 words modulo 2^modulus_bits; their own arithmetic is modulo 2^64, which it divides."""
    return words & np.uint64(2**modulus_bits - 1)
