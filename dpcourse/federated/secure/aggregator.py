"""`SecureAggregator`: all parties of secure aggregation in one process, for lessons, tests and simulations."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from dpcourse.federated.secure.client import ProtocolViolation, SecureClient, SharedNoise, ThresholdNotMet
from dpcourse.federated.secure.fixed_point import FixedPoint
from dpcourse.federated.secure.server import SecureServer, ServerView
from dpcourse.privacy import arguments


class SecureAggregator:
    """The sum of the clients' vectors, without anybody seeing one of them.

    The protocol of Bonawitz et al. 2017 (doi:10.1145/3133956.3133982) in its honest-but-curious form. Every two clients
    agree on a mask that one adds and the other takes away, so that all of these vanish from the sum; on top, each adds
    a mask of its own. Keys are shared out beforehand (`shamir`), so that the sum survives clients who drop out: of a
    client that dropped out the server recovers the pairwise masks, of one that stayed its own mask, never both.

    The server learns the sum and who took part, and no more as long as everybody follows the protocol and it holds the
    shares of fewer than `threshold` clients. The sum itself is not private: see `noise`. Against a server that
    lies, the paper adds signatures and a round of comparison, which are not here: it could replace public keys, which
    nobody vouches for, or give two groups of `threshold` clients different lists of dropouts and so get both secrets of
    a client. A client that helps the server counts in both groups, any other in one: with h helpers there are no such
    groups where ``2 * threshold > n_clients + h``.

    Parameters
    ----------
    n_clients : int
        How many share keys, ≥ 2; they are numbered from 0.
    threshold : int
        How many must stay to the end, in [2, n_clients].
    modulus_bits : int
        Numbers are integers modulo 2^modulus_bits, at most 64.
    scale : float
        Steps per unit, > 0: coordinates are rounded to the nearest 1/scale.
    noise : DistributedDiscreteGaussian, DistributedDiscreteLaplace or None
        Every client adds its `share` to each coordinate; None for no noise. What that promises, and what dropouts cost,
        is for the noise itself to say.
    rng : None, int or numpy.random.Generator
        None draws keys from the operating system, as it must be. Anything else makes a run reproducible for a lesson,
        and worthless as protection.

    Attributes
    ----------
    capacity : float
        How large a coordinate may be, so that no sum can wrap.
    view : ServerView
        What the server has seen of the run in progress, or of the last one.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Examples
    --------
    Three clients, one of whom drops out after the keys were shared:

    >>> aggregator = SecureAggregator(n_clients=3, threshold=2, modulus_bits=32, scale=1000)
    >>> masked = {i: aggregator.mask(i, [1.5, 10.0 * i]) for i in (0, 2)}
    >>> aggregator.aggregate(masked, dropped={1}).tolist()
    [3.0, 20.0]
    >>> aggregator.view.recovered
    {0: 'self-mask seed', 2: 'self-mask seed', 1: 'mask key'}
    """

    def __init__(
        self,
        n_clients: int,
        threshold: int,
        modulus_bits: int,
        scale: float,
        *,
        noise: SharedNoise | None = None,
        rng=None,
    ) -> None:
        self.n_clients = arguments.integer("n_clients", n_clients, minimum=2)
        self.threshold = arguments.integer("threshold", threshold, minimum=2)
        if self.threshold > self.n_clients:
            raise ValueError(f"threshold must be ≤ n_clients = {n_clients}, got {threshold}")
        self.noise = noise
        room = 0 if noise is None else noise.headroom(self.n_clients)
        self.codec = FixedPoint(modulus_bits, scale, self.n_clients, room)
        self._rng = None if rng is None else np.random.default_rng(rng)
        self._noise_rng = np.random.default_rng(self._rng)
        self._sent: dict[int, np.ndarray]
        self._result: np.ndarray | None
        self.server: SecureServer
        self._open()

    @property
    def capacity(self) -> float:
        """How large a coordinate of one vector may be, in its own units."""
        return self.codec.capacity / self.codec.scale

    @property
    def view(self) -> ServerView:
        """What the server has seen of this run."""
        return self.server.view

    def mask(self, i: int, vector: np.ndarray) -> np.ndarray:
        """What client `i` sends instead of `vector`: uint64 of its shape, uniform modulo 2^modulus_bits.

        After an `aggregate`, the first call begins another run, with fresh keys.

        Raises
        ------
        TypeError, ValueError
            If `vector` is not one-dimensional and finite, or exceeds `capacity`.
        ProtocolViolation
            (a ValueError) If client `i` has sent a vector in this run already.
        """
        i = self._index(i)
        if self._result is not None:
            self._open()
        sent = self.clients[i].masked_input(vector, noise=self.noise, rng=self._noise_rng)
        self._sent[i] = sent
        return sent.copy()

    def aggregate(
        self,
        masked: Mapping[int, np.ndarray] | Sequence[np.ndarray],
        dropped: Collection[int] = (),
        *,
        silent: Collection[int] = (),
    ) -> np.ndarray:
        """The sum of the survivors' vectors, float64; `view.total` holds it in whole steps.

        Parameters
        ----------
        masked : mapping, or sequence
            What `mask` returned, by client; or a list of all clients' vectors, or of the survivors' in order. A vector
            of a client in `dropped` arrived too late: the client counts as dropped out, and its vector stays out.
        dropped : collection of int
            Clients that sent no masked vector in time.
        silent : collection of int
            Clients that sent one, and are gone when the server asks for shares. Their vectors are in the sum.

        Raises
        ------
        ThresholdNotMet
            (a ValueError) If fewer than `threshold` clients are left, or are there to answer. Nobody is asked then, so
            nothing is revealed, and the run may be summed with enough of them.
        ProtocolViolation
            (a ValueError) If this run has been summed for other survivors already, or one of the clients to be asked
            has answered for others: to answer again would give away both secrets of some client. Nobody is asked then.
            Also for a vector that is not the one masked in this run.
        ValueError
            If a survivor's vector is missing.
        """
        gone = frozenset(self._index(i) for i in dropped)
        quiet = frozenset(self._index(i) for i in silent)
        survivors = frozenset(range(self.n_clients)) - gone
        arrived = self._by_client(masked, survivors)
        for i in sorted(arrived):
            if not np.array_equal(arrived[i], self._sent.get(i, ())):
                raise ProtocolViolation(f"masked vector of client {i} is not what it sent in this run")
        if self._result is None:
            # A fresh server for each try: one that was below the threshold has revealed nothing and may be repeated.
            view, self.server = self.server.view, SecureServer(self.threshold, self.codec)
            self.server.roster(view.public_keys)
            for i in sorted(survivors):
                self.server.collect(i, arrived[i])
            self.server.close()
            for i in sorted(gone & arrived.keys()):
                self.server.collect(i, arrived[i])
        elif survivors != self.server.close()[0]:
            raise ProtocolViolation(
                f"this run has been summed for survivors {sorted(self.server.close()[0])} already: to sum it for "
                f"{sorted(survivors)} too would give away both secrets of some client"
            )
        asked = [self.clients[i] for i in sorted(survivors - quiet)]
        if len(asked) < self.threshold:
            raise ThresholdNotMet(f"{len(asked)} clients would answer, fewer than the threshold of {self.threshold}")
        for client in asked:  # all before the first answers: one that has answered is bound to these lists
            client.check(survivors, gone)
        answers = {client.index: client.reveal(survivors, gone) for client in asked}
        self._result = self.server.unmask(answers)
        return self._result / self.codec.scale

    def _open(self) -> None:
        """Rounds 0 and 1 of a new run: keys, then shares of the secrets, through the server."""
        self.clients = [
            SecureClient(i, self.threshold, self.codec, entropy=self._entropy()) for i in range(self.n_clients)
        ]
        self.server = SecureServer(self.threshold, self.codec)
        roster = self.server.roster({client.index: client.advertise() for client in self.clients})
        sealed = {client.index: client.share(roster) for client in self.clients}
        for client in self.clients:
            client.receive({sender: sealed[sender][client.index] for sender in sealed if sender != client.index})
        self._sent, self._result = {}, None

    def _entropy(self) -> Callable[[int], bytes]:
        return os.urandom if self._rng is None else self._rng.spawn(1)[0].bytes

    def _index(self, i: int) -> int:
        i = arguments.integer("client", i, minimum=0)
        if i >= self.n_clients:
            raise ValueError(f"client must be < n_clients = {self.n_clients}, got {i}")
        return i

    def _by_client(
        self, masked: Mapping[int, np.ndarray] | Sequence[np.ndarray], survivors: frozenset[int]
    ) -> dict[int, np.ndarray]:
        if isinstance(masked, Mapping):
            arrived = {self._index(i): vector for i, vector in masked.items() if vector is not None}
        elif len(masked) == self.n_clients:
            arrived = {i: vector for i, vector in enumerate(masked) if vector is not None}
        elif len(masked) == len(survivors):
            arrived = dict(zip(sorted(survivors), masked, strict=True))
        else:
            raise ValueError(
                f"masked must hold {len(survivors)} survivors' vectors or all {self.n_clients}, got {len(masked)}"
            )
        missing = survivors - arrived.keys()
        if missing:
            raise ValueError(f"masked must hold a vector of every client not in dropped; missing: {sorted(missing)}")
        return arrived
