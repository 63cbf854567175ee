"""Replay: run a mechanism on two neighbours with the same frozen noise; what is left is what the data changed.

The idea is that of Re:cord-play (arXiv:2602.17454, ObliviousAI/dp-recorder), which records every draw; here the same
seed is enough, because mechanisms take their randomness from a generator.

What replay sees and no statistics do: a difference however small beside the noise. A sensitivity too small by a
thousandth, or noise that depends on the data by a hair, would take billions of runs to certify and takes two to replay.
It is for noise that is added to a value, before anything else is done to the sum: rounding, clamping and choosing make
the distance depend on the noise, and may lengthen it, in mechanisms that keep their claims. Replay what is noised then.
What it cannot see: whether the noise is large enough or of the right kind, whether it is drawn afresh each time, and
whether other neighbours differ more. `audit` looks at those.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.audit.certify import Auditable
from dpcourse.audit.parts import Raised, words
from dpcourse.privacy import arguments

_NORMS = {
    "L1": lambda difference: float(np.abs(difference).sum()),
    "L2": lambda difference: float(np.sqrt((difference**2).sum())),
    "L∞": lambda difference: float(np.abs(difference).max(initial=0.0)),
}


@dataclass(frozen=True)
class Replay:
    """What changes between two neighbours when the noise does not.

    Attributes
    ----------
    moved : float
        The largest distance between the two outputs over all seeds; infinite where one run failed, gave NaN or had
        another shape and the other did not.
    least : float
        The smallest one.
    declared : float
        The sensitivity the noise is said to be for.
    norm : str
        "L1", "L2" or "L∞".
    same_draws : bool
        Whether both runs took the same randomness. If not, the noise was not the same, and `moved` says little: but
        that the data decide how much randomness is drawn is a finding of its own.
    seeds : int
    """

    moved: float
    least: float
    declared: float
    norm: str
    same_draws: bool
    seeds: int

    @property
    def exceeded(self) -> bool:
        """Whether the data moved the output further than declared, float rounding (1e-9) allowed for."""
        return self.moved > self.declared * (1 + 1e-9) + 1e-12

    @property
    def noise_depends_on_data(self) -> bool:
        """Whether the same noise moved the output by different distances: it is more than a sum, or changed later."""
        return not self.same_draws or self.moved - self.least > 1e-6 * max(self.moved, self.declared)

    def __str__(self) -> str:
        verdict = "MORE than declared" if self.exceeded else "no more than declared"
        told = (
            f"With the noise frozen ({self.seeds} seeds) the output moves by {self.moved:.6g} in {self.norm}; "
            f"the declared sensitivity is {self.declared:.6g}: {verdict}."
        )
        if not self.same_draws:
            return told + " The two datasets draw different amounts of randomness."
        return told + (" How far it moves depends on the noise." if self.noise_depends_on_data else "")


def replay(
    mechanism: Auditable,
    data: Any,
    neighbour: Any,
    *,
    sensitivity: float,
    norm: str = "L1",
    seeds: int = 20,
    rng: Generator | int | None = None,
) -> Replay:
    """Run a mechanism on two neighbours from the same seeds, and compare how far the output moves with what is said.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(data, rng) -> number or array of numbers``, taking all its randomness from `rng`: a value plus
        noise, not rounded, clamped or chosen from afterwards.
    data, neighbour
        Neighbours under the relation the sensitivity is declared for: that they are is not checked.
    sensitivity : float
        Declared, > 0, in the units of the output, in `norm`.
    norm : {"L1", "L2", "L∞"}
    seeds : int
        How many times, each with a seed of its own.
    rng : Generator, int or None
        Draws the seeds.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused; if the output is not made of numbers.

    Examples
    --------
    >>> noisy_sum = lambda people, rng: np.clip(people, 0, 10).sum() + rng.laplace(scale=1.0)
    >>> found = replay(noisy_sum, np.array([3.0, 10.0]), np.array([3.0]), sensitivity=1.0, rng=11)
    >>> found.exceeded, round(found.moved, 6)
    (True, 10.0)
    """
    declared = arguments.positive("sensitivity", sensitivity)
    seeds = arguments.integer("seeds", seeds, minimum=1)
    if norm not in _NORMS:
        raise ValueError(f"norm must be one of {', '.join(_NORMS)}, got {norm!r}")
    if not callable(mechanism):
        raise TypeError(f"mechanism must be callable as mechanism(data, rng), got {mechanism!r}")
    distances, same_draws = [], True
    for seed in np.random.default_rng(rng).integers(2**63, size=seeds).tolist():
        generators = np.random.default_rng(seed), np.random.default_rng(seed)
        first, second = (_once(mechanism, d, g) for d, g in zip((data, neighbour), generators, strict=True))
        same_draws &= generators[0].bit_generator.state == generators[1].bit_generator.state
        distances.append(_distance(first, second, norm))
    return Replay(max(distances), min(distances), declared, norm, same_draws, seeds)


def _once(mechanism: Auditable, data: Any, rng: Generator) -> np.ndarray | Raised:
    try:
        output = mechanism(data, rng)
    except (Exception, SystemExit) as error:  # what only one of two neighbours causes is an output
        return Raised.from_error(error)
    try:
        array = np.asarray(output)
    except Exception:  # ragged, or made of things that refuse to be an array
        array = np.asarray(None)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"mechanism must return numbers to be replayed, got {words(output)}")
    return array.astype(float)


def _distance(first: np.ndarray | Raised, second: np.ndarray | Raised, norm: str) -> float:
    if isinstance(first, Raised) or isinstance(second, Raised):
        return 0.0 if first == second else math.inf
    if first.shape != second.shape:
        return math.inf
    with np.errstate(invalid="ignore"):
        difference = np.where((first == second) | (np.isnan(first) & np.isnan(second)), 0.0, first - second)
    return math.inf if np.isnan(difference).any() else _NORMS[norm](difference)
