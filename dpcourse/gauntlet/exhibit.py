"""One privacy bug: what was claimed, what it gave, the neighbours that expose it, and the mechanism repaired."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpcourse.audit import NeighbourSource
from dpcourse.privacy import Guarantee

Batch = Callable[[Any, int, np.random.Generator], Sequence[Any] | np.ndarray]


@dataclass(frozen=True)
class Batched:
    """A mechanism written for many runs at once; called on its own it gives one output."""

    batch: Batch

    def __call__(self, data: Any, rng: np.random.Generator) -> Any:
        return self.batch(data, 1, rng)[0]


@dataclass(frozen=True)
class Exhibit:
    """A bug of the gauntlet.

    Attributes
    ----------
    name : str
        Short, for lists.
    bug : str
        What went wrong, in a sentence.
    reference : str
        Where it happened, who described it, or the class it belongs to.
    claim : Guarantee
    truth : float
        The ε that really holds at the claim's δ: for these neighbours, or infinite where it grows without bound with
        the neighbours. Of "fixed batches" it is a lower bound, that of one event; of "noise not scaled by the number of
        hits" an upper one, by the proof of sparse vector for these scales.
    broken, repaired : Batched
    data, neighbour : object
        Neighbours under the claim's relation.
    runs : int
        Runs a side with which an audit at 99.9% confidence finds it.
    datasets : NeighbourSource
        What datasets the mechanism may be given, for a search that is told no pair.
    """

    name: str
    bug: str
    reference: str
    claim: Guarantee
    truth: float
    broken: Batched
    repaired: Batched
    data: Any
    neighbour: Any
    runs: int = 4_000
    datasets: NeighbourSource = field(kw_only=True)

    def __str__(self) -> str:
        return f"{self.name}: {self.bug} Claimed {self.claim}; the truth is ε = {self.truth:.3g}. ({self.reference})"


def records(*values: float) -> np.ndarray:
    """A dataset of numbers."""
    return np.array(values, dtype=float)


def laplace(runs: int, value: Any, scale: float, rng: np.random.Generator) -> np.ndarray:
    """`value` plus Laplace noise, `runs` times: shape (runs, *value.shape).

    Rounded to 2^-20, so that the low-order bits of floats, a bug of its own, do not show in every exhibit.
    """
    value = np.asarray(value, dtype=float)
    noisy = value + rng.laplace(scale=scale, size=(runs, *value.shape))
    return np.round(noisy * 2.0**20) / 2.0**20


def gaussian(runs: int, value: Any, sigma: float, rng: np.random.Generator) -> np.ndarray:
    """`value` plus Gaussian noise, `runs` times: shape (runs, *value.shape); rounded like `laplace`."""
    value = np.asarray(value, dtype=float)
    noisy = value + rng.normal(scale=sigma, size=(runs, *value.shape))
    return np.round(noisy * 2.0**20) / 2.0**20
