"""A few people at a time, asked often: is each of them answered with chance?

A call about one person, or two or three, says little, and looks at calls of any size hold few that are so small. So
each of the smallest sizes is asked until there are as many answers as show it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.vocabulary import Shared

ANSWERS = 160  # yes or no, of each size: all of them come with a probability of 0.7 once in 10^24 checks
SIZES = (1, 2, 3, 4, 5)
# Asks once about so many: what happened, yes or no, and with which probability it should.
Ask = Callable[[int], tuple[np.ndarray, "np.ndarray | float"]]


def of_few(ask: Ask, failure: float, what: str, who: str = "person", whose: str = "people") -> Diagnosis | None:
    """Whether `what` happens as often as it should where it is asked about one to five, hundreds of times.

    Parameters
    ----------
    ask : callable
        ``ask(n) -> (happened, probability)``: whether it did, shape (m,), m ≥ n; a probability for each, or for all.
    failure : float
        A right answer is refused with this probability at most.
    """
    for n in SIZES:
        happened, right = list[np.ndarray](), list[np.ndarray]()
        while sum(map(len, happened)) < ANSWERS:
            came, share = ask(n)
            happened.append(came)
            right.append(np.broadcast_to(share, came.shape))
        found, mean = float(np.concatenate(happened).mean()), float(np.concatenate(right).mean())
        if unlikely(found, mean, sum(map(len, happened)), failure / len(SIZES)):
            return Shared.NOT_EVERYWHERE.seen(
                f"Asked about {f'one {who}' if n == 1 else f'{n} {whose}'} at a time, {len(happened)} times, "
                f"{found:.0%} {what}; {mean:.0%} would be right.",
                f"Does every {who} get a draw, however few {whose} there are?",
            )
    return None


def unlikely(share: float, mean: float, many: int, failure: float) -> bool:
    """Whether so many independent 0s and 1s have this share of 1s by chance, with probability `failure` at most.

    By Hoeffding's bound: a share k or farther on that side has probability e^(−n KL(k, mean)) at most, whatever each
    one's own probability is.

    Examples
    --------
    >>> unlikely(0.6, 0.5, 100, 1e-6), unlikely(1.0, 0.6, 60, 1e-6)
    (False, True)
    """
    parts = ((share, mean), (1 - share, 1 - mean))
    return many * sum(some * math.log(some / of) for some, of in parts if some) > math.log(2 / failure)
