"""Who takes part: clients one by one, or many small ones stacked, and what the server does with their answers."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpcourse.datasets import ManyClients
from dpcourse.federated.training import Data, LocalTraining, PrivateLocalTraining, as_data
from dpcourse.privacy import arguments

NOT_FINITE = "holds NaN or infinity"

Update = Callable[[np.ndarray, Data, np.random.Generator], Any]


@dataclass(frozen=True)
class Reply:
    """What a client sends: an update, for which round, and, where it says so, with which weight."""

    client: str
    round: int
    update: Any
    weight: Any = None


@dataclass(frozen=True)
class FederatedClient:
    """A client: a name, its data, and a pure function of weights, data and randomness.

    Parameters
    ----------
    name : str
    data : tuple of ndarray
        X of shape (n, d) and y of shape (n,) in {0, 1}; n may be 0. Records must be finite: the client checks that at
        home, before anything is sent.
    update : callable
        ``update(weights, data, rng) -> update``, shape (d + 1,) in and out. It is given read-only weights.
    size : int, optional
        The *declared* number of records, a public fact that the server may weight by. None declares ``len(y)``: where
        the server does weight by sizes, record-level claims then state that it is public.

    Examples
    --------
    >>> client = FederatedClient("fab", (np.zeros((5, 2)), np.ones(5)), LocalTraining())
    >>> client.size, client.reply(np.zeros(3), 1, np.random.default_rng(0)).update
    (5, array([0. , 0. , 0.5]))
    """

    name: str
    data: Data
    update: Update
    size: int | None = None
    counted: bool = field(init=False, repr=False, default=False)  # the size, from the data

    def __post_init__(self) -> None:
        arguments.member("name", self.name, str)
        X, y = as_data("data", self.data)
        if not callable(self.update):
            raise TypeError(f"update must be callable, got {self.update!r}")
        object.__setattr__(self, "counted", self.size is None)
        size = len(y) if self.size is None else arguments.integer("size", self.size, minimum=0)
        object.__setattr__(self, "data", (X, y))
        object.__setattr__(self, "size", size)

    def reply(self, weights: np.ndarray, round: int, rng: np.random.Generator) -> Reply:
        """The client's answer in this round."""
        public = np.array(weights)
        public.flags.writeable = False
        answer = self.update(public, self.data, rng)
        return answer if isinstance(answer, Reply) else Reply(self.name, round, answer)

    @property
    def record_level(self) -> Any:
        """Its rule, where that is private by record (it has `mechanism`, `steps` and `epsilon`), else None."""
        return self.update if hasattr(self.update, "mechanism") else None

    @property
    def width(self) -> int | None:
        """How many weights it trains; None where a rule of its own decides that."""
        return self.data[0].shape[1] + 1 if type(self.update) in (LocalTraining, PrivateLocalTraining) else None


class SimulatedClients:
    """Many clients with equally many records each, trained together as one batched computation.

    Parameters
    ----------
    data : ManyClients
        Stacked records, as `dpcourse.datasets.simulate_clients` makes them.
    training : LocalTraining
        What each of them does.
    """

    def __init__(self, data: ManyClients, training: LocalTraining) -> None:
        arguments.member("data", data, ManyClients)
        arguments.member("training", training, LocalTraining)
        self.data, self.training = data, training
        self.names = tuple(f"client {i}" for i in range(len(data)))
        self.sizes = np.full(len(data), data.X.shape[1])
        self.width = data.X.shape[2] + 1

    def __len__(self) -> int:
        return len(self.names)

    def updates(self, weights: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """Updates of the chosen clients, shape (len(chosen), d + 1)."""
        return self.training.batched(weights, self.data.X[chosen], self.data.y[chosen])


def gather(
    clients: Sequence[FederatedClient], chosen: np.ndarray, weights: np.ndarray, round: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, dict[str, str]]:
    """Ask the chosen clients: places of those accepted, their updates as rows, and why each of the others was not.

    Every client draws from a stream of its own, so that none changes another's draws.
    """
    seed: Any = rng.bit_generator.seed_seq
    places, rows, rejected = [], [], {}
    for i in chosen:
        client = clients[i]
        try:
            answer = client.reply(weights, round, _stream(seed, i))
        except Exception as error:  # a client that fails must not stop the others
            rejected[client.name] = f"raised {type(error).__name__}"
            continue
        row, reason = inspect(answer, client, round, weights.shape)
        if reason:
            rejected[client.name] = reason
        else:
            places.append(i)
            rows.append(row)
    return np.array(places, dtype=int), np.array(rows).reshape(-1, weights.size), rejected


def _stream(seed: np.random.SeedSequence, i: int) -> np.random.Generator:
    """The i-th child that `seed` would spawn, without spawning the others."""
    return np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, int(i))))


def inspect(answer: Any, client: FederatedClient, round: int, shape: tuple[int, ...]) -> tuple[np.ndarray | None, str]:
    """The update as floats, or the reason to refuse it. It never raises: that would be an output, and end the round.

    Examples
    --------
    >>> client = FederatedClient("fab", (np.zeros((5, 2)), np.ones(5)), LocalTraining())
    >>> inspect(Reply("fab", 1, [0.0, np.nan, 1.0]), client, 2, (3,))[1]
    'replays round 1'
    >>> inspect(Reply("fab", 2, [0.0, np.nan, 1.0]), client, 2, (3,))[1]
    'holds NaN or infinity'
    >>> inspect(Reply("fab", 2, np.zeros(3), weight=10**400), client, 2, (3,))[1]
    'is malformed'
    """
    try:
        return _inspect(answer, client, round, shape)
    except Exception:  # an object of a client's own may raise wherever it is touched
        return None, "is malformed"


def _inspect(answer: Any, client: FederatedClient, round: int, shape: tuple[int, ...]) -> tuple[np.ndarray | None, str]:
    if not isinstance(answer, Reply):
        return None, "did not answer"
    if not isinstance(answer.client, str) or not isinstance(answer.round, numbers.Real):
        return None, "is malformed"
    if answer.client != client.name:
        return None, f"answers for {answer.client}"
    if answer.round != round:
        return None, f"replays round {answer.round}"
    reason = _about_weight(answer.weight, client.size)
    if reason:
        return None, reason
    try:
        row = np.asarray(answer.update)
    except ValueError:
        return None, "is not an array"
    if row.dtype.kind not in "iuf":
        return None, "does not hold real numbers"
    if row.shape != shape:
        return None, f"has shape {row.shape}, not {shape}"
    with np.errstate(over="ignore"):  # of long doubles
        row = row.astype(float)
    return (row, "") if np.isfinite(row).all() else (None, NOT_FINITE)


def _about_weight(stated: Any, declared: int | None) -> str:
    if stated is None:
        return ""
    if isinstance(stated, bool) or not isinstance(stated, numbers.Real) or not math.isfinite(stated):
        return "states a weight that is no number"
    if stated <= 0:
        return f"states weight {stated:g}"
    return "" if stated == declared else f"states weight {stated:g}, declared {declared}"
