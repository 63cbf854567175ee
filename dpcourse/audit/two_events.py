"""Certifying two events at once: every run in which just one of them happens is a guess, and guesses can be counted.

Let E be expected on a dataset and F on its neighbour. Whoever sees E and not F guesses the first, whoever sees F and
not E the second, and all other runs are left undecided. Under pure ε-DP the odds of a right guess against a wrong one
are e^ε at most, both datasets taken together (on one of them they may be larger, if they are smaller on the other): the
number of right guesses behaves like heads of a coin with probability e^ε/(1 + e^ε). That is one question about one
binomial, where bounding each rate by itself would be two: its answer is sharper.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import bdtrc, expit

from dpcourse.audit.rates import clopper_pearson
from dpcourse.privacy import arguments

_MOST = 40.0  # the largest ε looked for: no feasible number of runs gets beyond it


def epsilon_from_two_events(
    right: tuple[int, int], wrong: tuple[int, int], runs: int, delta: float, error: float
) -> float:
    """The largest ε refuted by guesses about runs on two datasets; 0 if they refute none.

    Parameters
    ----------
    right, wrong : pairs of int
        Right and wrong guesses about the runs on one dataset, and about those on the other.
    runs : int
        Runs on each dataset, the undecided ones included.
    delta : float
        δ of the claim, in [0, 1).
    error : float
        With which probability, at most, a claim that holds is refuted.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Notes
    -----
    On one dataset E alone has probability a and F alone b, on the other b′ and a′. With δ = 0 the odds of right
    guesses, a/b and a′/b′, have a product of e^(2ε) at most, because a ≤ e^ε b′ and a′ ≤ e^ε b. Given how many runs
    were decided on either side, the number of right guesses is a sum of independent coins whose mean is largest, under
    that constraint, where `_most_right` says; beyond its mean plus one, such a sum has a lighter tail than the binomial
    with equal coins (Hoeffding 1956, doi:10.1214/aoms/1177728178).

    With δ > 0 each run is, with probability δ, given away altogether, and obeys pure ε-DP otherwise (Kairouz, Oh,
    Viswanath 2015, arXiv:1311.0776). At worst all that are given away are decided, and rightly: a share of the decided
    runs that is δ over the probability of being decided. That probability is bounded from below on either side, with a
    twentieth of the error for both.

    Examples
    --------
    >>> round(epsilon_from_two_events((800, 800), (200, 200), 1000, delta=0.0, error=0.05), 3)
    1.293
    """
    runs = arguments.integer("runs", runs, minimum=1)
    error = arguments.probability("error", error, zero=False, one=False)
    delta = arguments.probability("delta", delta, one=False)
    decided = [r + w for r, w in zip(right, wrong, strict=True)]
    if min(*right, *wrong) < 0 or max(decided) > runs:
        raise ValueError(f"right and wrong must be ≥ 0 and add up to at most {runs} runs, got {right!r} and {wrong!r}")
    given_away, level = np.zeros(2), error
    if delta:
        often = clopper_pearson(np.array(decided), runs, error / 40)[0]
        given_away, level = np.minimum(delta / np.maximum(often, delta), 1.0), 0.95 * error
    guesses, hits = sum(decided), sum(right)
    known, open_ = given_away @ decided, (1 - given_away) * decided

    def refuted(epsilon: float) -> bool:
        mean = min(float(known) + _most_right(epsilon, *open_), guesses)
        if hits < max(2, mean + 1):
            return False
        return bool(bdtrc(hits - 1, guesses, mean / guesses) <= level)

    low, high = 0.0, _MOST
    if not refuted(low):
        return 0.0
    while high - low > 1e-9 * high:  # by halving: the answer is yes or no, which a root finder cannot use
        middle = (low + high) / 2
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return low


def _most_right(epsilon: float, here: float, there: float) -> float:
    """The largest mean number of right guesses among `here` and `there`, if the odds' product is e^(2ε) at most.

    here·σ(ε + s) + there·σ(ε − s), with σ the logistic function, at the s where its derivative vanishes; where there is
    none, one side is guessed right throughout.
    """
    if min(here, there) == 0:
        return float(max(here, there))
    root, power = math.sqrt(here / there), math.exp(epsilon)
    if power <= root or power * root <= 1:
        return float(max(here, there))
    shift = math.log((power * root - 1) / (power - root))
    return here * float(expit(epsilon + shift)) + there * float(expit(epsilon - shift))
