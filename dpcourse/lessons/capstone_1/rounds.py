"""Capstone 1's rounds as a plan that every fab can read, so that a process that knows its place needs nothing more."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcourse.datasets import load_fabs
from dpcourse.lessons.capstone_1 import numbers
from dpcourse.privacy import arguments


@dataclass(frozen=True)
class Plan:
    """Rounds over six simulated fabs in which every fab adds its share of the noise to its clipped sum.

    Parameters
    ----------
    rounds : int
        ≥ 1.
    epsilon, delta : float
        Claimed for all rounds together, adding or removing one wafer, as long as `shares` fabs' noise is in every sum.
    shares : int
        In 1..6: so many shares of noise make the whole. Masks open while that many fabs stay.
    seed : int
        Of the fabs and of the noise. A published seed voids the claim.
    """

    rounds: int = numbers.ROUNDS
    epsilon: float = 3.0
    delta: float = numbers.DELTA
    shares: int = numbers.SHARES
    seed: int = 1
    fabs: int = 6

    def __post_init__(self) -> None:
        arguments.integer("rounds", self.rounds, minimum=1)
        arguments.positive("epsilon", self.epsilon)
        arguments.probability("delta", self.delta, zero=False, one=False)
        if not 1 <= arguments.integer("shares", self.shares) <= self.fabs:
            raise ValueError(f"shares must be in 1..{self.fabs}, got {self.shares}")

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Plan:
        """The plan in a flat mapping that may hold other keys too."""
        return cls(**{field.name: config[field.name] for field in dataclasses.fields(cls)})

    def to_config(self) -> dict[str, int | float]:
        """All parameters by name."""
        return dataclasses.asdict(self)

    @property
    def world(self) -> Any:
        """The fabs and their test wafers."""
        return load_fabs(heterogeneity=1.0, rng=self.seed)

    @property
    def deviation(self) -> float:
        """Of one fab's noise, in each of 21 numbers."""
        return numbers.CLIP * numbers.noise_multiplier(self.epsilon, self.delta, self.rounds) / math.sqrt(self.shares)

    def bound(self) -> float:
        """No entry that a fab sends is beyond this: all its wafers pull one way, and noise of 40 deviations."""
        return max(len(data.y) for data in self.world.clients.values()) * numbers.CLIP + 40 * self.deviation

    def model(self) -> numbers.Model:
        """The model before the first round."""
        return numbers.Model(self.rounds, sum(len(data.y) for data in self.world.clients.values()))

    def sent(self, place: int, round: int, weights: np.ndarray) -> np.ndarray:
        """What the fab at this place sends in this round, shape (21,). This runs at the fab."""
        data = list(self.world.clients.values())[place]
        noise = np.random.default_rng([self.seed, round, place]).normal(0, self.deviation, numbers.WEIGHTS)
        return numbers.clipped_sum(weights, *data) + noise

    def in_one_process(self) -> np.ndarray:
        """The final weights of the same rounds, without Flower and without masks."""
        model = self.model()
        for round in range(1, self.rounds + 1):
            model.step(np.sum([self.sent(place, round, model.weights) for place in range(self.fabs)], axis=0))
        return model.average
