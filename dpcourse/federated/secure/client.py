"""One client of the secure aggregation protocol: what it sends in each round, and what it refuses to send.

Bonawitz et al. 2017, doi:10.1145/3133956.3133982, figure 4, without the signatures and the consistency check that
their version against a lying server adds. Client u draws two secrets and hands a share of each to everybody:

- s_u, the private key of its pairwise masks: recovered if u drops out, so that the masks it left in others' vectors can
  be taken away;
- b_u, the seed of its self-mask: recovered if u stays, so that this last mask can be taken away.

Both together would uncover what u sent. A client therefore gives away one kind of share at most, for each client.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from dpcourse.federated.secure import masks, shamir
from dpcourse.federated.secure.fixed_point import FixedPoint
from dpcourse.federated.secure.keys import KEY_BYTES, KeyPair, seal, unseal

SELF_MASK, MASK_KEY = "self-mask seed", "mask key"


class SharedNoise(Protocol):
    """Noise of which every client adds a part: `DistributedDiscreteGaussian`, `DistributedDiscreteLaplace`."""

    def share(self, size: int, *, rng=None) -> np.ndarray:
        """One client's part, in steps: int64 of shape (size,)."""

    def headroom(self, n_clients: int) -> int:
        """Steps to keep free for the noise of `n_clients`, so that the sum does not wrap."""


class ProtocolViolation(ValueError):
    """A request that an honest client does not answer, or a message that does not belong to this round."""


class ThresholdNotMet(ProtocolViolation):
    """Too few clients are left: no secret can be recovered."""


@dataclass(frozen=True)
class PublicKeys:
    """What a client publishes: one key for its pairwise masks, another for envelopes, which stays secret for good."""

    masking: bytes
    channel: bytes


@dataclass(frozen=True)
class Reveal:
    """A share that a client gives away, of which of the two secrets of `owner`."""

    owner: int
    kind: str
    share: shamir.Share = field(repr=False)


class SecureClient:
    """The client's side of one run; for the next one, make new clients, because every secret is for one use.

    Parameters
    ----------
    index : int
        Its number, from 0.
    threshold : int
        How many shares recover a secret; nothing is revealed when fewer clients are left.
    codec : FixedPoint
        The arithmetic that all share.
    entropy : callable
        From a number of bytes to that many uniform random bytes, such as ``os.urandom``.
    """

    def __init__(self, index: int, threshold: int, codec: FixedPoint, *, entropy: Callable[[int], bytes]) -> None:
        self.index, self.threshold, self.codec = index, threshold, codec
        self._entropy = entropy
        self._masking, self._channel = KeyPair.generate(entropy), KeyPair.generate(entropy)
        self._seed = entropy(KEY_BYTES)
        self._roster: dict[int, PublicKeys] = {}
        self._channel_keys: dict[int, bytes] = {}
        self._envelopes: dict[int, bytes] = {}
        self._own: bytes = b""
        self._sent = False
        self._answered: tuple[frozenset[int], frozenset[int]] | None = None

    def advertise(self) -> PublicKeys:
        """Round 0: the two public keys."""
        return PublicKeys(self._masking.public, self._channel.public)

    def share(self, roster: Mapping[int, PublicKeys]) -> dict[int, bytes]:
        """Round 1: for each other client on the `roster`, sealed shares of s_u and b_u that the server passes on."""
        if self._roster:
            raise ProtocolViolation(f"client {self.index} has shared its secrets already")
        if len(roster) < self.threshold:
            raise ThresholdNotMet(f"{len(roster)} clients published keys, fewer than the threshold of {self.threshold}")
        self._roster = dict(roster)
        places = sorted(roster)
        secrets = (self._masking.secret, self._seed)
        both = [
            shamir.split(int.from_bytes(s, "little"), len(places), self.threshold, entropy=self._entropy)
            for s in secrets
        ]
        sealed = {}
        for place, peer in enumerate(places):
            message = b"".join(shares[place].value.to_bytes(shamir.VALUE_BYTES, "little") for shares in both)
            if peer == self.index:
                self._own = message
            else:
                key = self._channel_keys[peer] = self._channel.agree(roster[peer].channel, b"envelope")
                sealed[peer] = seal(key, message, self.index, peer)
        return sealed

    def receive(self, envelopes: Mapping[int, bytes]) -> None:
        """Round 1, its second half: keep what the others sealed for this client."""
        self._envelopes = dict(envelopes)

    def masked_input(self, vector: np.ndarray, *, noise: SharedNoise | None = None, rng=None) -> np.ndarray:
        """Round 2: the vector (and this client's part of the noise) under all masks, uint64 of the same length.

        Raises
        ------
        ProtocolViolation
            The second time: two vectors under one mask give away their difference.
        TypeError, ValueError
            If the vector is not one of finite numbers, or too large for the arithmetic: an output that depends on the
            vector, which a client that clips to less than the codec's `capacity` cannot cause.
        """
        if self._sent:
            raise ProtocolViolation(
                f"client {self.index} has sent a vector under these masks already: a second one would give away the "
                "difference of the two"
            )
        steps = self.codec.steps(vector)
        if noise is not None:
            steps = steps + noise.share(steps.size, rng=rng)
        bits = self.codec.modulus_bits
        masked = masks.reduce(self.codec.wrap(steps) + masks.expand(self._seed, steps.size, bits), bits)
        for peer in self._envelopes:
            key = self._masking.agree(self._roster[peer].masking, b"mask")
            masked = masks.add_pairwise(masked, key, self.index, peer, bits)
        self._sent = True
        return masked

    def check(self, survivors: Collection[int], dropped: Collection[int]) -> None:
        """Would this client answer for these lists? Nothing is given away yet.

        Raises
        ------
        ProtocolViolation
            If a client is on both lists or on neither, if this one's vector is not in the sum, or if it answered
            before about other lists: each would let out both shares of somebody, or help to.
        ThresholdNotMet
            If fewer than the threshold survived.
        """
        alive, gone = frozenset(survivors), frozenset(dropped)
        everybody = frozenset(self._envelopes) | {self.index}
        if alive & gone:
            raise ProtocolViolation(f"clients {sorted(alive & gone)} are said to have survived and to have dropped out")
        if alive | gone != everybody:
            raise ProtocolViolation(f"clients {sorted(alive | gone)} are asked about, {sorted(everybody)} shared keys")
        if self.index not in alive or not self._sent:
            raise ProtocolViolation(f"client {self.index} is not in the sum and answers nothing")
        if self._answered not in (None, (alive, gone)):
            raise ProtocolViolation(
                f"client {self.index} has answered for survivors {sorted(self._answered[0])} already: to answer for "
                f"{sorted(alive)} too would give away both shares of some client"
            )
        if len(alive) < self.threshold:
            raise ThresholdNotMet(f"{len(alive)} clients are left, fewer than the threshold of {self.threshold}")

    def reveal(self, survivors: Collection[int], dropped: Collection[int]) -> list[Reveal]:
        """Round 3: for every survivor its share of that client's seed, for every dropped client its share of the key.

        Raises
        ------
        ProtocolViolation, ThresholdNotMet
            As `check` does.
        """
        alive, gone = frozenset(survivors), frozenset(dropped)
        self.check(alive, gone)
        self._answered = (alive, gone)
        place = sorted(self._roster).index(self.index) + 1
        answer = []
        for owner in sorted(alive | gone):
            message = self._own if owner == self.index else self._open(owner)
            key, seed = message[: shamir.VALUE_BYTES], message[shamir.VALUE_BYTES :]
            kind, value = (SELF_MASK, seed) if owner in alive else (MASK_KEY, key)
            answer.append(Reveal(owner, kind, shamir.Share(place, int.from_bytes(value, "little"))))
        return answer

    def _open(self, owner: int) -> bytes:
        return unseal(self._channel_keys[owner], self._envelopes[owner], owner, self.index)
