"""A few people at a time, or a corner of the data, asked often: is each answer drawn with its probability?

A call about one person, or two or three, says little, and looks at calls of any size hold few that are so small, or of
zeros only. So each of these is asked until there are as many answers as show it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.vocabulary import Shared

ANSWERS = 160  # yes or no, of each size: all of them come with a probability of 0.7 once in 10^24 checks
SIZES = (1, 2, 3, 4, 5)
# What happened in one call, yes or no, and with which probability it should: for each, or for all.
Asked = tuple[np.ndarray, "np.ndarray | float"]


def of_few(
    ask: Callable[[int], Asked], failure: float, what: str, who: str = "person", whose: str = "people"
) -> Diagnosis | None:
    """Whether `what` happens as often as it should where one to five of them are asked about, hundreds of times.

    Parameters
    ----------
    ask : callable
        ``ask(n) -> (happened, probability)``: shape (m,), m ≥ n.
    failure : float
        A right answer is refused with this probability at most.
    """
    for n in SIZES:
        where = f"Asked about {f'one {who}' if n == 1 else f'{n} {whose}'} at a time"
        question = f"Does every {who} get a draw, however few {whose} there are?"
        if wrong := counted(functools.partial(ask, n), failure / len(SIZES), where, what, question):
            return wrong
    return None


def counted(ask: Callable[[], Asked], failure: float, where: str, what: str, question: str) -> Diagnosis | None:
    """Whether `what` happens as often as it should in as many calls as give 160 answers."""
    happened, right = list[np.ndarray](), list[np.ndarray]()
    while sum(map(len, happened)) < ANSWERS:
        came, share = ask()
        happened.append(came)
        right.append(np.broadcast_to(share, came.shape))
    found, mean = float(np.concatenate(happened).mean()), float(np.concatenate(right).mean())
    if not unlikely(found, mean, sum(map(len, happened)), failure):
        return None
    seen = f"{where}, {len(happened)} times, {found:.0%} {what}; {mean:.0%} would be right."
    return Shared.NOT_EVERYWHERE.seen(seen, question)


def unlikely(share: float, mean: float, many: int, failure: float) -> bool:
    """Whether so many independent 0s and 1s have this share of 1s by chance, with probability `failure` at most.

    A share k or farther on that side has probability e^(−n KL(k, mean)) at most, whatever each one's own probability is
    (Hoeffding 1956 and 1963).

    Examples
    --------
    >>> unlikely(0.6, 0.5, 100, 1e-6), unlikely(1.0, 0.6, 60, 1e-6)
    (False, True)
    """
    parts = ((share, mean), (1 - share, 1 - mean))
    return many * sum(some * math.log(some / of) for some, of in parts if some) > math.log(2 / failure)
