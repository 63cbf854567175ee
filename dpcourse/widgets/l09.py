"""The explorer of lesson 09: a vote of teachers under noise."""

from __future__ import annotations

import functools
import math

import numpy as np
from scipy.special import ndtr

from dpcourse.mechanisms import GaussianMechanism
from dpcourse.plots.l09 import Votes, draw_votes
from dpcourse.widgets.base import Explorer, log_slider, slider, whole_slider

_DELTA = 1e-5
_MULTIPLIERS = np.geomspace(0.05, 500, 80)


@functools.cache
def _epsilons() -> np.ndarray:
    """ε of one Gaussian release at δ = 1e-5, for each noise multiplier."""
    return np.array([_gaussian_epsilon(float(m)) for m in _MULTIPLIERS])


def _gaussian_epsilon(multiplier: float) -> float:
    return GaussianMechanism.from_noise_multiplier(multiplier).privacy_loss().epsilon(_DELTA)


def vote_epsilon(sigma: np.ndarray | float, answers: int) -> np.ndarray | float:
    """ε at δ = 1e-5 of so many noisy counts with deviation `sigma`, adding or removing one record.

    One vote moves from one count to another, √2 in L2, and Gaussian noise composes exactly: k answers cost what one
    costs with σ/√k. Read off a table by interpolation, to about 1%.

    Examples
    --------
    >>> round(float(vote_epsilon(150.0, 400)), 2)
    0.68
    """
    multiplier = np.asarray(sigma) / math.sqrt(2 * answers)
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
    counts = (teachers * share, teachers - teachers * share)
    gap = counts[0] - counts[1]
    right = ndtr(gap / (sigmas * math.sqrt(2)))
    epsilon, chance = float(vote_epsilon(sigma, answers)), float(ndtr(gap / (sigma * math.sqrt(2))))
    return Votes(
        teachers, counts, sigma, answers, _DELTA, np.asarray(vote_epsilon(sigmas, answers)), right, epsilon, chance
    )


def _describe(numbers: Votes) -> str:
    one = float(vote_epsilon(numbers.sigma, 1))
    return (
        f"{numbers.counts[0]:.0f} of {numbers.teachers} teachers are right. With noise of standard deviation "
        f"{numbers.sigma:.3g} votes on each count the right class wins {numbers.chance:.1%} of the time. "
        f"One answer costs ε = {one:.3g}, and {numbers.answers:,} cost ε = {numbers.epsilon:.3g} together "
        f"(δ = {numbers.delta:g}, adding or removing one record, whatever the votes)."
    )


def explore_votes() -> Explorer:
    """Move the number of teachers, their agreement and the noise; see how often the right class wins, and the ε."""
    return Explorer(
        "How many teachers does an answer need?",
        controls={
            "teachers": whole_slider("teachers", 10, 1000, 250, step=10),
            "share": slider("share who are right", 0.5, 1.0, 0.8),
            "sigma": log_slider("noise σ, in votes", 1, 1000, 150),
            "answers": whole_slider("answers", 1, 1000, 400),
        },
        compute=vote,
        draw=draw_votes,
        describe=_describe,
    )
