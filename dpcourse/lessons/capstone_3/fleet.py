"""Devices that answer: each round some are missing, a few send twice, and a few sensors are broken."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit

from dpcourse.datasets.telemetry import Telemetry

TWICE, STRANGERS, BROKEN = 20, 5, 20  # messages a round, at most


@dataclass
class Fleet:
    """Ask all devices of a world for their gradients.

    Called with weights, shape (21,), it returns ``(devices, updates)``: the numbers of the senders, shape (messages,),
    and their gradients of the logistic loss, (σ(x·w) − y)·x, shape (messages, 21) in single precision. Numbers outside
    of 0, …, n − 1 are strangers; a number may come twice.

    Parameters
    ----------
    world : Telemetry
    absent : float
        The share of devices that do not answer, drawn anew in each round.
    rng : None, int or numpy.random.Generator

    Attributes
    ----------
    rounds : int
        How often it was asked.
    """

    world: Telemetry
    absent: float = 0.1
    rng: np.random.Generator | int | None = None
    rounds: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.rng)

    def __call__(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(self.rng)
        self.rounds += 1
        rows, n = self.world.rows, len(self.world.rows)
        weights = np.asarray(weights, dtype=np.float32)
        there = np.flatnonzero(rng.random(n) >= self.absent)
        off = expit(rows @ weights) - self.world.failed
        updates = rows[there]
        updates *= off[there, None]
        if len(there) > BROKEN:
            updates[rng.integers(len(there), size=BROKEN), rng.integers(rows.shape[1], size=BROKEN)] = np.nan
        again = rng.integers(len(there), size=TWICE if len(there) else 0)
        strangers = n + np.arange(STRANGERS)
        made_up = np.ones((STRANGERS, rows.shape[1]), np.float32)
        return np.concatenate((there, there[again], strangers)), np.concatenate((updates, updates[again], made_up))
