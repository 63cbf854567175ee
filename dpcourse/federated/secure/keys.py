"""Key pairs, and what two of their owners can compute that nobody else can: X25519, HKDF, and a sealed envelope.

The primitives are those of the ``cryptography`` package: X25519 (RFC 7748), HKDF over SHA-256 (RFC 5869) and
ChaCha20-Poly1305 (RFC 8439).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY_BYTES = 32


@dataclass(frozen=True)
class KeyPair:
    """An X25519 key pair. `secret` is the private key as 32 bytes; it is left out of the repr.

    Examples
    --------
    >>> import os
    >>> ada, ben = KeyPair.generate(os.urandom), KeyPair.generate(os.urandom)
    >>> ada.agree(ben.public, b"masks") == ben.agree(ada.public, b"masks")
    True
    """

    secret: bytes = field(repr=False)
    public: bytes

    @classmethod
    def generate(cls, entropy: Callable[[int], bytes]) -> KeyPair:
        """A fresh pair from 32 bytes of `entropy`."""
        return cls.from_secret(entropy(KEY_BYTES))

    @classmethod
    def from_secret(cls, secret: bytes) -> KeyPair:
        """The pair with this private key."""
        return cls(secret, X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw())

    def agree(self, other_public: bytes, purpose: bytes) -> bytes:
        """32 bytes that the owner of the other pair computes too, for one purpose only.

        HKDF turns the agreed point into uniform bytes; `purpose` and both public keys go in, so that no two uses and no
        two pairs of people share a key.
        """
        shared = self._private.exchange(X25519PublicKey.from_public_bytes(other_public))
        names = b"".join(sorted((self.public, other_public)))
        return HKDF(hashes.SHA256(), KEY_BYTES, salt=None, info=b"dpcourse " + purpose + names).derive(shared)

    @functools.cached_property
    def _private(self) -> X25519PrivateKey:
        return X25519PrivateKey.from_private_bytes(self.secret)


def seal(key: bytes, message: bytes, sender: int, receiver: int) -> bytes:
    """`message` encrypted and authenticated, with the direction bound in; one message a direction and key."""
    nonce, route = _envelope(sender, receiver)
    return ChaCha20Poly1305(key).encrypt(nonce, message, route)


def unseal(key: bytes, sealed: bytes, sender: int, receiver: int) -> bytes:
    """The message; ``cryptography.exceptions.InvalidTag`` if it was changed or sent between others."""
    nonce, route = _envelope(sender, receiver)
    return ChaCha20Poly1305(key).decrypt(nonce, sealed, route)


def _envelope(sender: int, receiver: int) -> tuple[bytes, bytes]:
    # A pair of people has one fresh key and sends one message each way: the direction is nonce enough.
    return bytes([sender < receiver]).ljust(12, b"\0"), f"{sender}>{receiver}".encode()
