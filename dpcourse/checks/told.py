"""Whether an answer has its noise only where the check makes its sums up, and none where sums are those of its vectors.

A run with the sums of what it sends is the one in earnest. In two others that are told these sums again, the weights
are the same, so that what the three send differs by their noise alone. And the run in earnest is looked at by itself,
beside the data: the weights are the student's affair, so some are found at which all vectors add up to what they did.
With the same generator and no records the same noise is sent alone. What the run in earnest sent besides has to be the
sums at such weights, and with another generator the noise is another.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

import numpy as np
from scipy import optimize, stats

from dpcourse.checks.diagnosis import Diagnosis

# For weights, what each of those who send adds up, shape (who, d), and the slope of it all, shape (d, d).
Fields = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def quieter(real: np.ndarray, told: Sequence[np.ndarray], failure: float) -> float | None:
    """What of the two told runs' variance of noise the real run has, if it has less; else None.

    Of independent normal noise of one deviation, what the real run is off from the middle of the others has 3/2 of its
    variance and says nothing of what these two differ by, which has twice of it: two sums of squares, whose quotient
    follows the F law. With no noise in the real run it is 1/3, however much there is in the others.

    Parameters
    ----------
    real, told : arrays of one shape
        What was sent in the run with real sums, and in the two that were told its sums.
    failure : float
        How often as much noise in all three runs is taken for less.

    Examples
    --------
    >>> sums, noise = np.arange(1000.0), np.random.default_rng(0).normal(0, 3, (3, 1000))
    >>> quieter(sums + noise[0], sums + noise[1:], 1e-6) is None
    True
    >>> quieter(sums, sums + noise[1:], 1e-6) < 0.2
    True
    """
    one, other = told
    within = float(((one - other) ** 2).mean()) / 2
    without = float(((real - (one + other) / 2) ** 2).mean()) / 1.5
    if not within or stats.f.cdf(without / within, real.size, real.size) >= failure:
        return None
    return max(0.0, 1.5 * without / within - 0.5)


def beside_data(sent: np.ndarray, sums: Fields, level: float, noise: np.ndarray) -> float | None:
    """What rounds of a run in earnest have of the variance of `noise`, if they have less; else None.

    Whatever weights follow from the sum of all vectors: independent normal noise less its mean over those who send is
    independent of that sum, so what is left of the vectors is as large as it, or larger. So a right answer has less
    with probability `level` at most. An answer that sends something else than these sums is not found here.

    Parameters
    ----------
    sent : array, shape (rounds, who, d)
    sums : callable
        `Fields` of them.
    level : float
        How often as much noise is taken for less.
    noise : array
        Draws of independent normal noise, of other runs.
    """
    left, weights = 0.0, np.zeros(sent.shape[2])
    for vectors in sent:
        weights = _weights(vectors.sum(axis=0), sums, weights)
        left += float(((vectors - sums(weights)[0]) ** 2).sum())
    free = sent.size - len(sent) * sent.shape[2]
    part = left / free / float((noise**2).mean())
    return part if stats.f.cdf(part, free, noise.size) < level else None


def same_weights(one: np.ndarray, other: np.ndarray, within: float) -> bool:
    """Whether each weight is the same, whatever the size of the others: one may be large and mean nothing."""
    room = within * (np.abs(one) + np.median(np.abs(one)))
    return one.shape == other.shape and bool((np.abs(one - other) <= room + 1e-12).all())


def other_sums(
    signals: Sequence[np.ndarray],
    noise: np.ndarray,
    sums: Sequence[Fields],
    names: Sequence[str],
    numbers: Sequence[int],
) -> str:
    """Where what is sent is no sum at any weights that are the same for all; "" if it is.

    It draws nothing and has no level: of a right answer the difference is the sums, but for how well weights are found.
    With thousands of records that is to ten digits and more; with a handful that are all clipped it may not be.

    Parameters
    ----------
    signals : arrays, shape (rounds, who, d) each
        What was sent less its noise, in a run and in one of others with the same sums: so at the same weights.
    noise : array, shape (…, d)
    sums : callables
        `Fields` of each run.
    names, numbers
        Of those who send, and of the rounds.
    """
    weights, size = np.zeros(noise.shape[-1]), float(np.sqrt((noise**2).sum(axis=-1).mean()))
    for turn, number in enumerate(numbers):
        weights = _weights(signals[0][turn].sum(axis=0), sums[0], weights)
        for signal, of, whose in zip(signals, sums, ("", ", in a run of others with the same sums,"), strict=False):
            off = np.linalg.norm(signal[turn] - of(weights)[0], axis=1) / size
            if off.max() > 0.01:
                who = names[int(off.argmax())]
                at = "the first run's weights" if whose else "any weights that all of them may have"
                return (
                    f"Without its noise, what {who} sends in round {number}{whose} is {off.max():.2g} noises away from "
                    f"its sum of clipped gradients at {at}."
                )
    return ""


def known_to_all(one: np.ndarray, other: np.ndarray) -> Diagnosis | None:
    """The noise of two runs that differ by their generators alone: it is independent.

    Independent numbers correlate by seven of their deviations, 1/√(how many), once in 10^11 checks.
    """
    together = float(np.corrcoef(one.ravel(), other.ravel())[0, 1])
    if abs(together) < max(0.25, 7 / one.size**0.5):
        return None
    return Diagnosis(
        "own-generator",
        f"Asked twice the same, with two different generators, the noise in all that is sent correlates by "
        f"{together:.2f}.",
        "Where do your draws come from, if not from `rng`?",
    )


def _weights(total: np.ndarray, sums: Fields, before: np.ndarray) -> np.ndarray:
    """Where sums add up to `total`, or nearly: found from the weights of the round before, or else from zeros."""

    def off(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        each, slope = sums(weights)
        return each.sum(axis=0) - total, slope

    best, least = before, np.inf
    for start in (before, np.zeros(len(total))):
        if least > 1e-9 * np.linalg.norm(total):
            with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
                found = optimize.root(off, start, jac=True, method="lm", options={"maxiter": 200})
            size = float(np.linalg.norm(found.fun))
            best, least = (found.x, size) if size < least else (best, least)
    return best


def quiet_in_earnest(part: float | None, who: str) -> Diagnosis | None:
    """What is said of it: so much of the variance, at most; `who` are those who send, such as "hospitals"."""
    if part is None:
        return None
    much = "less than 1%" if part < 0.01 else f"at most about {part:.0%}"
    return Diagnosis(
        "quiet-in-earnest",
        "We also ran your training with the sums of the first run in place of the real ones. With real sums the "
        f"{who}' noise has {much} of the variance that it has there. In use, every sum is real.",
        "The noise may depend on public numbers only. What else decides how much of it you add: what secure_sum "
        "returned, or an earlier run?",
    )
