"""Auditing a training run with the run itself: many canaries, each in or out by a fair coin, guessed all at once.

Steinke, Nasr, Jagielski 2023, arXiv:2305.08846. If training is (ε, δ)-DP, the number of right guesses cannot be much
larger than a binomial with probability e^ε/(1 + e^ε): too many right guesses refute ε.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import bdtr, bdtrc, expit

from dpcourse.accounting.solve import safe_root
from dpcourse.privacy import arguments


def epsilon_from_guesses(canaries: int, guesses: int, right: int, delta: float, confidence: float = 0.95) -> float:
    """The largest ε that `right` of `guesses` right guesses refute at this confidence; 0 if they refute none.

    Parameters
    ----------
    canaries : int
        m: all records that were in or out by independent fair coins, those not guessed about included.
    guesses, right : int
        r guesses made, v of them right. r must not depend on which were right.
    delta : float
        δ of the claim, in [0, 1).
    confidence : float
        In (0, 1).

    Returns
    -------
    float
        A claim of (ε′, δ) with ε′ below it is wrong, but for a chance of 1 − confidence. Adding or removing one record.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Examples
    --------
    >>> round(epsilon_from_guesses(1000, 1000, 800, delta=0.0), 4)
    1.2543
    """
    canaries = arguments.integer("canaries", canaries, minimum=1)
    guesses = arguments.integer("guesses", guesses, minimum=0)
    right = arguments.integer("right", right, minimum=0)
    if not right <= guesses <= canaries:
        raise ValueError(f"right ≤ guesses ≤ canaries must hold, got {right}, {guesses}, {canaries}")
    delta = arguments.probability("delta", delta, one=False)
    doubt = 1 - arguments.probability("confidence", confidence, zero=False, one=False)
    if _chance(0.0, canaries, guesses, right, delta) > doubt:
        return 0.0
    low, high = 0.0, 1.0
    while _chance(high, canaries, guesses, right, delta) <= doubt:
        low, high = high, 2 * high
    # The chance grows with ε, so in −ε it is a decreasing function: the ε found is not too large.
    return abs(
        safe_root(lambda minus: _chance(abs(minus), canaries, guesses, right, delta) - doubt, -high, -low, 1e-10 * high)
    )


def _chance(epsilon: float, m: int, r: int, v: int, delta: float) -> float:
    """A bound on P[v or more right guesses] under (ε, δ): P[B ≥ v] + 2mδ max over i of P[v − i ≤ B < v]/i."""
    if v == 0:
        return 1.0
    q = float(expit(epsilon))
    above = float(bdtrc(v - 1, r, q))
    if delta == 0:
        return above
    below = np.append(0.0, bdtr(np.arange(v), r, q))  # P[B ≤ k] at index k + 1
    i = np.arange(1, v + 1)
    return min(above + 2 * m * delta * float(np.max((below[v] - below[v - i]) / i)), 1.0)


def audit_one_run(
    scores: np.ndarray, members: np.ndarray, *, delta: float, confidence: float = 0.95, guesses: int | None = None
) -> float:
    """A lower bound on ε at `delta` from one training run, by guessing its canaries' membership.

    The highest scores are guessed to be in and the lowest to be out, as many of the one as of the other. How many is
    best is not known in advance: without `guesses`, nine numbers from all canaries down to 1/256 of them are tried,
    and the confidence is shared among them. Equal scores are ranked in an order that is always the same and has
    nothing to do with their places, so that members may be stored first or last.

    Parameters
    ----------
    scores : ndarray, shape (m,)
        Higher means "in".
    members : ndarray of bool, shape (m,)
        The fair coins: which canaries were trained on.
    delta : float
        δ of the claim.
    confidence : float
        In (0, 1).
    guesses : int or None
        How many canaries to guess about, fixed before looking.

    Examples
    --------
    >>> coins = np.random.default_rng(11).random(2000) < 0.5
    >>> audit_one_run(coins + 0.0, coins, delta=1e-5) > 4
    True
    """
    scores = arguments.finite_array("scores", scores)
    members = np.asarray(members)
    if scores.ndim != 1 or members.shape != scores.shape or members.dtype != bool:
        raise ValueError(
            f"scores and members (bool) must have one shape (m,), "
            f"got {scores.shape} and {members.shape} of {members.dtype}"
        )
    m = len(scores)
    if guesses is None:
        numbers = sorted({max(m >> k, min(m, 2)) for k in range(9)})
    else:
        numbers = [arguments.integer("guesses", guesses, minimum=1)]
    share = 1 - (1 - arguments.probability("confidence", confidence, zero=False, one=False)) / len(numbers)
    shuffled = np.random.default_rng(0).permutation(m)
    order = shuffled[np.argsort(scores[shuffled], kind="stable")]
    best = 0.0
    for number in numbers:
        half = math.ceil(number / 2)
        right = int(members[order[m - half :]].sum() + (~members[order[: number - half]]).sum())
        best = max(best, epsilon_from_guesses(m, number, right, delta, share))
    return best
