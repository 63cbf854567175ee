"""Numbers of lesson 09."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from dpcourse.mechanisms import GaussianMechanism

_DELTA = 1e-5
_MULTIPLIERS = np.geomspace(0.01, 1500, 120)


@dataclass(frozen=True)
class Votes:
    """Two noisy counts, and for every σ what it costs and how often the right class wins.

    ``epsilons`` and ``right`` are curves over σ; ``epsilon`` and ``chance`` their values at ``sigma``.
    """

    teachers: int
    counts: tuple[float, float]
    sigma: float
    answers: int
    delta: float
    epsilons: np.ndarray
    right: np.ndarray
    epsilon: float
    chance: float


@dataclass(frozen=True)
class NoisyWinner:
    """The place of the largest of some counts, after Laplace noise of this scale on each; for the auditor."""

    scale: float

    def batch(self, votes: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        """Many runs at once, shape (runs,)."""
        return (votes + rng.laplace(scale=self.scale, size=(runs, len(votes)))).argmax(axis=1)

    def __call__(self, votes: np.ndarray, rng: np.random.Generator) -> int:
        return int(self.batch(votes, 1, rng)[0])


@functools.cache
def _epsilons() -> np.ndarray:
    """ε of one Gaussian release at δ = 1e-5, for each noise multiplier."""
    return np.array([_gaussian_epsilon(float(m)) for m in _MULTIPLIERS])


@functools.lru_cache(maxsize=4096)
def _gaussian_epsilon(multiplier: float) -> float:
    return GaussianMechanism.from_noise_multiplier(multiplier).privacy_loss().epsilon(_DELTA)


def vote_epsilon(sigma: np.ndarray | float, answers: int) -> np.ndarray | float:
    """ε at δ = 1e-5 of so many noisy counts with deviation `sigma`, adding or removing one record.

    One vote moves from one count to another, √2 in L2, and Gaussian noise composes exactly: k answers cost what one
    costs with σ/√k. At one σ computed; for an array read off a table by interpolation, to a part in a thousand.

    Examples
    --------
    >>> round(float(vote_epsilon(150.0, 400)), 2)
    0.68
    """
    multiplier = np.asarray(sigma) / math.sqrt(2 * answers)
    if multiplier.ndim == 0:
        return _gaussian_epsilon(float(multiplier))
    logs = np.log(np.maximum(_epsilons(), 1e-12))
    return np.exp(np.interp(np.log(multiplier), np.log(_MULTIPLIERS), logs))


def vote(teachers: int, share: float, sigma: float, answers: int) -> Votes:
    """A vote of two classes in which `share` of the teachers are right.

    Examples
    --------
    >>> here = vote(250, 0.8, 150.0, 400)
    >>> here.counts, round(here.chance, 3)
    ((200.0, 50.0), 0.76)
    """
    sigmas = np.geomspace(0.5, 2000, 120)
    agree = float(round(teachers * share))
    counts = (agree, teachers - agree)
    gap = counts[0] - counts[1]
    right = ndtr(gap / (sigmas * math.sqrt(2)))
    epsilon, chance = float(vote_epsilon(sigma, answers)), float(ndtr(gap / (sigma * math.sqrt(2))))
    return Votes(
        teachers, counts, sigma, answers, _DELTA, np.asarray(vote_epsilon(sigmas, answers)), right, epsilon, chance
    )
