"""The server: ask a random part of the clients, clip, add up, add noise, divide by a number fixed in advance."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dpcourse.accounting import PrivacyAccountant
from dpcourse.federated.accounting import Spent, accountant, with_another_round
from dpcourse.federated.clients import NOT_FINITE, FederatedClient, SimulatedClients, gather
from dpcourse.federated.clipping import AdaptiveClip, clip_updates, norms_of
from dpcourse.federated.report import A_CLIENT, OWN_NOISE, PUBLIC_SIZES, ClientLevel, RoundReport
from dpcourse.federated.training import Data, accuracy, as_data
from dpcourse.privacy import Guarantee, arguments

_TOO_LONG = 1e100  # without a clip, what is longer would overflow in the sum

Clients = Sequence[FederatedClient] | SimulatedClients


class FederatedServer:
    """Federated averaging (McMahan et al. 2017, arXiv:1602.05629), with client-level privacy where there is noise.

    In each round every client takes part with probability q, independently. Client k has a weight wₖ in [0, 1]: 1 for
    "equal", its declared size over `largest_size` for "sizes". With clipped updates uₖ and W the total weight of
    *all* clients,

        weights ← weights + η · (Σ wₖ uₖ + noise) / (q W).

    The denominator is fixed: it does not depend on who takes part, or on who is refused. So one client moves the
    sum by S at most (the clip norm), and noise of deviation z·S on the sum makes a round one Poisson-subsampled
    Gaussian, under adding or removing one client with all its data (McMahan et al. 2018, arXiv:1710.06963). The noise
    is drawn in floats.

    A client is never trusted with its own weight, and an update that is no finite vector of the right shape counts as
    zero (`RoundReport.rejected` says why).

    Parameters
    ----------
    weights : ndarray of shape (d + 1,)
        Where training starts: public.
    clip_norm : float or AdaptiveClip
        S. Infinite only with no noise.
    noise_multiplier : float
        z, 0 or ≥ 1e-150. With an `AdaptiveClip` it covers the noisy quantile too.
    sampling_rate : float
        q in (0, 1].
    weighting : {"equal", "sizes"}
        One vote a client, or one vote a record by declared sizes.
    total_weight : float, optional
        W, a public constant. None adds up the weights of the clients, and the claim states that the sum is public.
    largest_size : int, optional
        For "sizes": the public size at which the weight is 1; larger declarations are cut to it. None takes the
        largest declared, under the same condition.
    learning_rate : float
        η > 0; 1 is plain averaging.
    delta : float
        δ of the claims in reports.
    test : tuple of ndarray, optional
        Public records to report accuracy on, one at least.

    Examples
    --------
    >>> from dpcourse.datasets import load_fabs
    >>> from dpcourse.federated import LocalTraining, run_rounds
    >>> fabs = load_fabs(heterogeneity=1.0, rng=12)
    >>> clients = [FederatedClient(name, data, LocalTraining(steps=5)) for name, data in fabs.clients.items()]
    >>> server = FederatedServer(np.zeros(21), weighting="sizes", test=fabs.test)
    >>> reports = run_rounds(server, clients, rounds=30, rng=12)
    >>> reports[-1].accuracy > 0.75, reports[-1].epsilon
    (True, inf)
    """

    def __init__(
        self,
        weights: np.ndarray,
        *,
        clip_norm: float | AdaptiveClip = math.inf,
        noise_multiplier: float = 0.0,
        sampling_rate: float = 1.0,
        weighting: str = "equal",
        total_weight: float | None = None,
        largest_size: int | None = None,
        learning_rate: float = 1.0,
        delta: float = 1e-5,
        test: Data | None = None,
    ) -> None:
        self.weights = arguments.finite_array("weights", weights).copy()
        if self.weights.ndim != 1:
            raise ValueError(f"weights must be one flat vector, got shape {self.weights.shape}")
        self.noise_multiplier = arguments.noise("noise_multiplier", noise_multiplier, zero=True)
        self.sampling_rate = arguments.probability("sampling_rate", sampling_rate, zero=False)
        self.learning_rate = arguments.positive("learning_rate", learning_rate)
        self.delta = arguments.probability("delta", delta, zero=False, one=False)
        if weighting not in ("equal", "sizes"):
            raise ValueError(f"weighting must be 'equal' or 'sizes', got {weighting!r}")
        self.weighting, self.round = weighting, 0
        self.test = None if test is None else self._scorable(test)
        self.total_weight = None if total_weight is None else arguments.positive("total_weight", total_weight)
        self.largest_size = None if largest_size is None else arguments.integer("largest_size", largest_size, minimum=1)
        self._adaptive = clip_norm if isinstance(clip_norm, AdaptiveClip) else None
        if self._adaptive:
            self.clip_norm = self._adaptive.initial
            self.update_noise_multiplier = self._adaptive.update_noise_multiplier(self.noise_multiplier)
        else:
            self.clip_norm = arguments.positive("clip_norm", clip_norm, infinite=True)
            self.update_noise_multiplier = self.noise_multiplier
            if math.isinf(self.clip_norm) and self.noise_multiplier:
                raise ValueError(f"clip_norm must be finite unless noise_multiplier is 0, got {clip_norm!r}")
        self._ledger: dict[str, Spent] = {}  # of everybody who was ever there
        self._counted = False  # was ever weighted by sizes that were read off the data?

    @property
    def accountant(self) -> PrivacyAccountant:
        """The ledger at client level: every round so far."""
        if not self.noise_multiplier or not self.round:
            return PrivacyAccountant()
        return accountant(self.noise_multiplier, self.sampling_rate, self.round)

    @property
    def guarantee(self) -> Guarantee:
        """What the rounds so far promise about one client with all its data; ε = ∞ without noise."""
        return self._client_level().guarantee(self.round)

    def run_round(self, clients: Clients, *, rng=None) -> RoundReport:
        """One round; changes `weights` (and an adaptive `clip_norm`)."""
        sampling, noise, local = np.random.default_rng(rng).spawn(3)
        names, client_weights, total = self._registry(clients)
        self.round += 1
        everyone = self.sampling_rate == 1
        chosen = np.arange(len(names)) if everyone else np.flatnonzero(sampling.random(len(names)) < self.sampling_rate)
        self._enter(clients, names, chosen)
        if isinstance(clients, SimulatedClients):
            rejected: dict[str, str] = {}
            places, updates = chosen, clients.updates(self.weights, chosen)
        else:
            places, updates, rejected = gather(clients, chosen, self.weights, self.round, local)
        norms = norms_of(updates)
        fine = norms <= (_TOO_LONG if math.isinf(self.clip_norm) else math.inf)  # NaN is not
        if not fine.all():
            rejected |= {names[i]: "is too long to be added up" for i in places[~fine]}
        rejected |= {names[i]: NOT_FINITE for i in places[np.isnan(norms)]}
        places, norms = places[fine], norms[fine]

        clip_norm, deviation = self.clip_norm, 0.0
        total_update = client_weights[places] @ clip_updates(updates[fine], clip_norm)
        if self.noise_multiplier:
            deviation = self.update_noise_multiplier * clip_norm
            total_update += noise.normal(scale=deviation, size=total_update.shape)
        share = self.learning_rate / (self.sampling_rate * total)
        self.weights = self.weights + share * total_update
        if self._adaptive:
            self._move_clip_norm(self._adaptive, client_weights[places], norms, total, noise)

        return RoundReport(
            round=self.round,
            selected=tuple(names[i] for i in chosen),
            accepted=tuple(names[i] for i in places),
            rejected=rejected,
            norms=dict(zip((names[i] for i in places), norms.tolist(), strict=True)),
            clip_norm=clip_norm,
            noise_deviation=deviation,
            share=share,
            accuracy=None if self.test is None else accuracy(self.weights, self.test),
            client_level=self._client_level(),
            ledger=dict(self._ledger),
            record_condition=f"{OWN_NOISE} and {PUBLIC_SIZES}" if self._counted else OWN_NOISE,
        )

    def _scorable(self, test: Data) -> Data:
        X, y = as_data("test", test)
        readings = self.weights.size - 1
        if X.shape[1] != readings:
            raise ValueError(f"test must have {readings} readings a record, as weights do, got {X.shape[1]}")
        if not len(y):
            raise ValueError("test must hold a record, got none")
        return X, y

    def _registry(self, clients: Clients) -> tuple[tuple[str, ...], np.ndarray, float]:
        """Names, weights in [0, 1], and the total that divides."""
        _check_kind(clients)
        if isinstance(clients, SimulatedClients):
            names, sizes = clients.names, clients.sizes
        else:
            names = tuple(client.name for client in clients)
            sizes = np.array([client.size for client in clients], dtype=float)
            if len(set(names)) < len(names):
                raise ValueError(f"clients must have different names, got {names!r}")
        if not len(names):
            raise ValueError("clients must not be empty")
        widths = {clients.width} if isinstance(clients, SimulatedClients) else {client.width for client in clients}
        if not widths & {None, self.weights.size}:
            fitting = " or ".join(f"({width},)" for width in sorted(filter(None, widths)))
            raise ValueError(f"weights must have shape {fitting} to fit any client, got {self.weights.shape}")
        if self.weighting == "equal":
            weights = np.ones(len(names))
        else:
            largest = self.largest_size or max(sizes.max(), 1)
            weights = np.minimum(sizes / largest, 1.0)
        total = float(weights.sum()) if self.total_weight is None else self.total_weight
        if not total:
            raise ValueError("clients must not all declare size 0 when weighting is 'sizes'")
        return names, weights, total

    def _move_clip_norm(
        self, rule: AdaptiveClip, weights: np.ndarray, norms: np.ndarray, total: float, noise: np.random.Generator
    ) -> None:
        """Bits of ±½, weighted as the updates are: one client moves their sum by ½ at most."""
        bits = float(weights @ (norms <= self.clip_norm) - 0.5 * weights.sum())
        if self.noise_multiplier:
            bits += noise.normal(scale=rule.count_noise)
        share = 0.5 + bits / (self.sampling_rate * total)
        self.clip_norm = rule.next_norm(self.clip_norm, share)

    def _client_level(self) -> ClientLevel:
        public = []
        if self.total_weight is None:
            public.append("the total weight of the clients")
        if self.weighting == "sizes" and self.largest_size is None:
            public.append("the largest size")
        condition = A_CLIENT
        if public:
            condition += f" and {' and '.join(public)} {'are' if len(public) > 1 else 'is'} public"
        return ClientLevel(self.noise_multiplier, self.sampling_rate, self.delta, condition)

    def _enter(self, clients: Clients, names: tuple[str, ...], chosen: np.ndarray) -> None:
        """Into the ledger: by which rule the chosen clients train in this round, and whether all sizes were given."""
        if self.weighting == "sizes":
            self._counted |= isinstance(clients, SimulatedClients) or any(client.counted for client in clients)
        for name in names:
            self._ledger.setdefault(name, ())
        for i in chosen:
            rule = None if isinstance(clients, SimulatedClients) else clients[i].record_level
            self._ledger[names[i]] = with_another_round(self._ledger[names[i]], rule)


def _check_kind(clients: Clients) -> None:
    if isinstance(clients, SimulatedClients):
        return
    # Types only: what a client is, in words, would show its data.
    if not hasattr(clients, "__getitem__"):
        got = [f"a {type(clients).__name__}"]
    else:
        got = [f"a {type(client).__name__} in it" for client in clients if not _is_client(client)]
    if got:
        raise TypeError(f"clients must be a sequence of FederatedClient or SimulatedClients, got {got[0]}")


def _is_client(client: object) -> bool:
    """Whatever answers as a `FederatedClient` does is one."""
    return all(hasattr(client, name) for name in ("name", "size", "width", "record_level", "reply"))


def run_rounds(server: FederatedServer, clients: Clients, rounds: int, *, rng=None) -> list[RoundReport]:
    """Run `rounds` rounds of `server` with `clients` and report on each.

    Parameters
    ----------
    server : FederatedServer
        Changed in place: afterwards ``server.weights`` is the model, and further rounds go on from there.
    clients : sequence of FederatedClient, or SimulatedClients
    rounds : int
        ≥ 1, fixed in advance: stopping when the accuracy pleases is allowed only on a test set that is public.
    rng : None, int or numpy.random.Generator
        Who takes part, the noise, and the clients' own draws. A published seed voids the guarantee.

    Returns
    -------
    list of RoundReport

    Raises
    ------
    TypeError, ValueError
        For the server's and the clients' public arguments. What a client *sends* never raises.
    """
    arguments.member("server", server, FederatedServer)
    rounds = arguments.integer("rounds", rounds, minimum=1)
    rng = np.random.default_rng(rng)
    return [server.run_round(clients, rng=child) for child in rng.spawn(rounds)]
