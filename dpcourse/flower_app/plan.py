"""What is to be run: one description that the command, the server and every client read alike."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcourse.datasets import load_fabs
from dpcourse.federated import FederatedClient, FederatedServer, LocalTraining, RoundReport, run_rounds
from dpcourse.privacy import arguments


@dataclass(frozen=True)
class Plan:
    """Federated rounds over the first `fabs` of six simulated factories.

    Parameters
    ----------
    rounds, fabs : int
        How many rounds, ≥ 1; how many clients, 2 to 6. All take part in every round: Flower samples a fixed number of
        clients, which is not the Poisson sample that amplification by sampling needs.
    clip_norm : float
        S, the norm that updates are clipped to, > 0.
    noise_multiplier : float
        z ≥ 0: noise of deviation z·S on the sum of the updates. 0 is no privacy.
    steps : int
        Local gradient steps in each round, ≥ 1.
    learning_rate : float
        Of each of them, > 0.
    heterogeneity : float
        How much the fabs differ, ≥ 0 (`dpcourse.datasets.load_fabs`).
    seed : int
        Of the fabs, the noise and the clients' own draws. A published seed voids the guarantee.
    delta : float
        δ of the claim, in (0, 1).

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Examples
    --------
    >>> plan = Plan(rounds=3, fabs=2)
    >>> Plan.from_config(plan.to_config()) == plan
    True
    >>> weights, reports = plan.from_scratch()
    >>> weights.shape, [report.round for report in reports]
    ((21,), [1, 2, 3])
    """

    rounds: int = 3
    fabs: int = 6
    clip_norm: float = 0.5
    noise_multiplier: float = 0.0
    steps: int = 5
    learning_rate: float = 1.0
    heterogeneity: float = 1.0
    seed: int = 12
    delta: float = 1e-5

    def __post_init__(self) -> None:
        arguments.integer("rounds", self.rounds, minimum=1)
        if not 2 <= arguments.integer("fabs", self.fabs) <= 6:
            raise ValueError(f"fabs must be in 2..6, got {self.fabs}")
        arguments.nonnegative("noise_multiplier", self.noise_multiplier)
        arguments.positive("clip_norm", self.clip_norm, infinite=not self.noise_multiplier)
        arguments.integer("steps", self.steps, minimum=1)
        arguments.positive("learning_rate", self.learning_rate)
        arguments.nonnegative("heterogeneity", self.heterogeneity)
        arguments.integer("seed", self.seed, minimum=0)
        arguments.probability("delta", self.delta, zero=False, one=False)

    @classmethod
    def from_config(cls, config: Mapping[str, bool | int | float | str]) -> Plan:
        """The plan in a flat mapping that may hold other keys too, as Flower passes to its apps."""
        values: dict[str, Any] = {f.name: config[f.name] for f in dataclasses.fields(cls)}
        return cls(**values)

    def to_config(self) -> dict[str, int | float]:
        """All parameters by name."""
        return dataclasses.asdict(self)

    def client(self, place: int) -> FederatedClient:
        """The client at this place: the same object that the rounds without Flower ask."""
        return self.clients()[place]

    def clients(self) -> list[FederatedClient]:
        """All of them."""
        world = load_fabs(heterogeneity=self.heterogeneity, rng=self.seed)
        rule = LocalTraining(self.steps, self.learning_rate)
        return [FederatedClient(name, data, rule) for name, data in list(world.clients.items())[: self.fabs]]

    def server(self) -> FederatedServer:
        """The server's side, with the fabs' held-out wafers as its test set."""
        world = load_fabs(heterogeneity=self.heterogeneity, rng=self.seed)
        return FederatedServer(
            np.zeros(world.test.X.shape[1] + 1),
            clip_norm=self.clip_norm,
            noise_multiplier=self.noise_multiplier,
            total_weight=float(self.fabs),
            delta=self.delta,
            test=world.test,
        )

    def round_stream(self, round: int) -> np.random.Generator:
        """The generator of one round, the one that `run_rounds` gives it."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(round - 1,)))

    def client_stream(self, round: int, place: int) -> np.random.Generator:
        """The generator of one client in one round, the one that `FederatedServer.run_round` gives it.

        A process that knows the seed and its place needs nobody to send it random numbers.
        """
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(round - 1, 2, place)))

    def from_scratch(self) -> tuple[np.ndarray, list[RoundReport]]:
        """Final weights and reports of the same rounds without Flower, in this process."""
        server = self.server()
        reports = run_rounds(server, self.clients(), self.rounds, rng=self.seed)
        return server.weights, reports

    def __str__(self) -> str:
        clip = "no clip" if math.isinf(self.clip_norm) else f"updates clipped to {self.clip_norm:g}"
        return f"{self.rounds} rounds, {self.fabs} fabs, {clip}, noise multiplier {self.noise_multiplier:g}"
