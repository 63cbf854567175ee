"""The server of secure aggregation: it passes envelopes on, adds up, and takes masks away. It sees no vector."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from dpcourse.federated.secure import masks, shamir
from dpcourse.federated.secure.client import MASK_KEY, SELF_MASK, ProtocolViolation, PublicKeys, Reveal, ThresholdNotMet
from dpcourse.federated.secure.fixed_point import FixedPoint
from dpcourse.federated.secure.keys import KEY_BYTES, KeyPair


@dataclass
class ServerView:
    """All that the server learns in one run, apart from the sealed envelopes it passes on.

    Attributes
    ----------
    public_keys : dict of int to PublicKeys
    masked : dict of int to ndarray of uint64
        The masked vectors that are in the sum.
    late : dict of int to ndarray of uint64
        Those that came after the list of survivors was closed. Their clients count as dropped out.
    recovered : dict of int to str
        Which one of its two secrets was recovered, for each client: ``"self-mask seed"`` or ``"mask key"``.
    total : ndarray of int64 or None
        The sum of the survivors' vectors, in steps.
    """

    public_keys: dict[int, PublicKeys] = field(default_factory=dict, repr=False)
    masked: dict[int, np.ndarray] = field(default_factory=dict, repr=False)
    late: dict[int, np.ndarray] = field(default_factory=dict, repr=False)
    recovered: dict[int, str] = field(default_factory=dict)
    total: np.ndarray | None = None


class SecureServer:
    """The server's side of one run.

    Parameters
    ----------
    threshold : int
        How many shares recover a secret.
    codec : FixedPoint
        The arithmetic that all share.
    """

    def __init__(self, threshold: int, codec: FixedPoint) -> None:
        self.threshold, self.codec = threshold, codec
        self.view = ServerView()
        self._survivors: frozenset[int] | None = None

    def roster(self, public_keys: Mapping[int, PublicKeys]) -> dict[int, PublicKeys]:
        """Round 0: the keys of all who published some, for everybody."""
        self.view.public_keys = dict(public_keys)
        return dict(public_keys)

    def collect(self, index: int, masked: np.ndarray) -> None:
        """Round 2: one masked vector. After `close` it is late: kept in the view, never in the sum."""
        if index not in self.view.public_keys:
            raise ProtocolViolation(f"client {index} shared no keys in this run")
        (self.view.masked if self._survivors is None else self.view.late)[index] = masked

    def close(self) -> tuple[frozenset[int], frozenset[int]]:
        """The end of round 2: who is in the sum, who counts as dropped out. From here on the lists do not change.

        Raises
        ------
        ThresholdNotMet
            If too few sent a vector. The lists stay open: more may still come.
        ValueError
            If the vectors are not of one length.
        """
        if self._survivors is None:
            alive = frozenset(self.view.masked)
            if len(alive) < self.threshold:
                raise ThresholdNotMet(
                    f"{len(alive)} clients sent a vector, fewer than the threshold of {self.threshold}: "
                    "their sum cannot be unmasked"
                )
            lengths = {index: vector.size for index, vector in self.view.masked.items()}
            if len(set(lengths.values())) > 1:
                raise ValueError(f"masked vectors must have one length, got {lengths}")
            self._survivors = alive
        return self._survivors, frozenset(self.view.public_keys) - self._survivors

    def unmask(self, reveals: Mapping[int, Iterable[Reveal]]) -> np.ndarray:
        """Round 3: the sum of the survivors' vectors in steps, int64, from at least `threshold` clients' shares."""
        survivors, dropped = self.close()
        if len(reveals) < self.threshold:
            raise ThresholdNotMet(f"{len(reveals)} clients answered, fewer than the threshold of {self.threshold}")
        shares: dict[tuple[int, str], list[shamir.Share]] = {}
        for index in sorted(reveals):
            for reveal in reveals[index]:
                shares.setdefault((reveal.owner, reveal.kind), []).append(reveal.share)

        bits = self.codec.modulus_bits
        total = np.stack(list(self.view.masked.values())).sum(axis=0, dtype=np.uint64)
        for index in sorted(survivors):
            total = total - masks.expand(self._recover(shares, index, SELF_MASK), total.size, bits)
        for index in sorted(dropped):
            # What the dropped client would have added, it added with the opposite sign in every survivor's vector.
            pair = KeyPair.from_secret(self._recover(shares, index, MASK_KEY))
            for peer in sorted(survivors):
                key = pair.agree(self.view.public_keys[peer].masking, b"mask")
                total = masks.add_pairwise(total, key, index, peer, bits)
        self.view.total = self.codec.unwrap(total)
        return self.view.total

    def _recover(self, shares: Mapping[tuple[int, str], list[shamir.Share]], index: int, kind: str) -> bytes:
        secret = shamir.combine(shares.get((index, kind), []), self.threshold).to_bytes(KEY_BYTES + 1, "little")
        self.view.recovered[index] = kind
        return secret[:KEY_BYTES]
