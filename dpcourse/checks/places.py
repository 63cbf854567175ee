"""A choice or a report asked the way people ask: once each, at any ε, among any number.

What `once` is for a `Release`, this is for an answer whose results are no truth plus noise. Frequencies and audits ask
the same question thousands of times, which an answer can tell from earnest: it may be random there and nowhere else. So
here every call has an ε and a size of its own. Each result becomes its place in the law that it should have had, from 0
where it is nearest to the truth to 1, and such places are uniform. Looked at by ε, by size and in the order of calls:
among the first so many, are they too small together, or too large?
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance, Diagnosis
from dpcourse.checks.once import EXACT, near, shares, spread
from dpcourse.checks.vocabulary import Shared

EPSILONS = (0.05, 8.0)
_LOOKS = 12  # two, in six orders


def place(nearer: float, own: float, rng: Generator) -> float:
    """Where a result lies in its law, by the chances of all that is nearer to the truth and of what is as near."""
    return float(nearer + rng.random() * own)


def place_of_count(truths: int, many: int, chance: float, rng: Generator) -> float:
    """Where so many truths among independent reports lie, each of them one with this probability."""
    law = stats.binom(many, chance)
    return place(law.sf(truths), law.pmf(truths), rng)


def place_of_choice(chosen: int, chances: np.ndarray, behind: np.ndarray, rng: Generator) -> float:
    """Where one of several candidates lies that are so far behind the best."""
    order = np.lexsort((np.arange(len(behind)), behind))
    at = int(np.flatnonzero(order == chosen)[0])
    return place(chances[order[:at]].sum(), chances[chosen], rng)


@dataclass(frozen=True)
class Placed:
    """The case; it refuses a right answer with probability `chance.failure` at most.

    Parameters
    ----------
    ask : callable
        ``ask(answer, epsilon, size, rng)`` calls the answer once and gives the place of its result, or some that are
        independent. Of a law that only bounds the right ones, places may be too large.
    sizes : (int, int)
        From the smallest to the largest, such as the number of candidates.
    of : str
        What is counted by the size.
    bound : bool
        Whether results further from the truth are right, too.
    times : int
    """

    ask: Callable[[Answer, float, int, Generator], Iterable[float]]
    sizes: tuple[int, int] = (2, 60)
    of: str = "candidates"
    bound: bool = False
    times: int = 150

    def __call__(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        answer.renew()
        epsilons = np.array([near(one, chance.rng, 1.0) for one in spread(chance.rng, *EPSILONS, self.times)])
        low, high = self.sizes
        sizes = np.minimum(spread(chance.rng, low, high + 1, self.times), high).astype(int)
        asked = [
            np.clip(list(self.ask(answer, float(epsilon), int(size), chance.rng)), EXACT, 1 - EXACT)
            for epsilon, size in zip(epsilons, sizes, strict=True)
        ]
        places = np.array([(-np.log(one).sum(), -np.log1p(-one).sum(), len(one)) for one in asked])
        worst, words = 0.0, ""
        for values, up, where in (
            (epsilons, True, "at ε = {:.2g} or less"),
            (epsilons, False, "at ε = {:.2g} or more"),
            (sizes, True, f"with {{:.0f}} {self.of} or fewer"),
            (sizes, False, f"with {{:.0f}} {self.of} or more"),
            (np.arange(self.times), True, "at first"),
            (np.arange(self.times), False, "at last"),
        ):
            order = np.argsort(values, kind="stable")
            order = order if up else order[::-1]
            close, far, many = np.cumsum(places[order], axis=0).T
            bounds = np.log(shares(self.times) * chance.failure / _LOOKS)
            for found, what in ((close, "too near to the truth"), (far, "too far from the truth"))[: 2 - self.bound]:
                unlikely = bounds - stats.gamma.logsf(found, many)
                if unlikely.max() > worst:
                    worst, last = float(unlikely.max()), int(unlikely.argmax())
                    words = (
                        f"Asked {last + 1} times {where.format(values[order[last]])}, each time about something new, "
                        f"your results are {what}: more than chance can make them."
                    )
        asks = "You were asked once each, at many ε and many sizes. What does your randomness depend on?"
        return Shared.NOT_EVERYWHERE.seen(words, asks) if words else None
