"""A choice or a report asked the way people ask: once each, at any ε, among any number.

What `once` is for a `Release`, this is for an answer whose results are no truth plus noise. Frequencies and audits ask
the same question thousands of times, which an answer can tell from earnest: it may be random there and nowhere else. So
here every call has an ε and a size of its own. Each result becomes its place in the law that it should have had, from 0
where it is nearest to the truth to 1, and such places are uniform. Looked at by ε, by size and in the order of calls:
among the first so many, are they too small together, or too large? The same where data are whole numbers, and where
not, and where ε is an `int`. Some calls are asked again (`again.Again`), and gamblers bet that another generator
changes nothing. Last, a few questions are asked hundreds of times in corners.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from scipy import special, stats

from dpcourse.checks.again import Again
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.entries import uneven
from dpcourse.checks.everywhere import Call, deaf
from dpcourse.checks.odd import NAN
from dpcourse.checks.once import CORNERS, SMALL, corners, near, spread, whole
from dpcourse.checks.placing import EXACT, shares
from dpcourse.checks.vocabulary import Shared

EPSILONS = (0.05, 8.0)
_LOOKS = 18  # two, in nine orders


class Place(NamedTuple):
    """Where a result lies in its law, and with which probability, at most, an independent one is the same.

    Where that probability is 1, a repetition says nothing. `side` is 1 or −1 where it lies as likely above the truth
    as below.
    """

    at: float
    own: float = 0.0
    side: int = 0


def place(nearer: float, own: float, rng: Generator) -> Place:
    """Where a result lies in its law, by the chances of all that is nearer to the truth and of what is as near."""
    return Place(float(nearer + rng.random() * own), float(own))


def place_of_count(truths: int, many: int, chance: float, rng: Generator) -> Place:
    """Where so many truths among independent reports lie, each of them one with this probability."""
    lies = many - truths
    ways = special.gammaln(many + 1) - special.gammaln(truths + 1) - special.gammaln(lies + 1)
    as_many = np.exp(ways + special.xlogy(truths, chance) + special.xlog1py(lies, -chance))
    return place(special.bdtrc(truths, many, chance), as_many, rng)


def place_of_choice(chosen: int, chances: np.ndarray, behind: np.ndarray, rng: Generator) -> Place:
    """Where one of several candidates lies that are so far behind the best."""
    order = np.lexsort((np.arange(len(behind)), behind))
    at = int(np.flatnonzero(order == chosen)[0])
    return place(chances[order[:at]].sum(), chances[chosen], rng)


def _inside(found: Sequence[Place]) -> np.ndarray:
    """Where these lie; `Refused` where one lies nowhere, which would be neither too near nor too far."""
    at = np.array([one.at for one in found], dtype=float)
    if np.isnan(at).any():
        raise Refused(NAN)
    return np.clip(at, EXACT, 1 - EXACT)


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
    times, again, often : int
        So many calls, about so many of them asked again; and so many about one question in each corner.
    whole : bool
        Whether results have to be whole numbers.
    near, far : str
        What is said of places that are too small together, and too large.
    """

    ask: Callable[[Answer, float, int, Generator], Iterable[Place]]
    sizes: tuple[int, int] = (2, 60)
    of: str = "candidates"
    bound: bool = False
    times: int = 150
    again: int = 30
    often: int = 300
    whole: bool = False
    near: str = "your results are too near to the truth"
    far: str = "your results are too far from the truth"

    def __call__(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        answer.renew()
        few = self.times // 10
        drawn = [*spread(chance.rng, *EPSILONS, self.times - few), *spread(chance.rng, *SMALL, few)]
        epsilons = [near(one, chance.rng, 1.0) for one in chance.rng.permutation(drawn).tolist()]
        for at in chance.rng.choice(self.times, self.times // 6, replace=False):
            epsilons[at] = whole(chance.rng, 1, int(EPSILONS[1]))  # as people write it
        low, high = self.sizes
        sizes = np.minimum(spread(chance.rng, low, high + 1, self.times), high).astype(int)
        again = Again(answer, chance.rng, self.again / self.times, self.whole)
        asked, repeated, counts = [], [], []
        for epsilon, size in zip(epsilons, sizes.tolist(), strict=True):
            found = list(self.ask(again, epsilon, size, chance.rng))
            asked.append(_inside(found))
            counts.append(bool((np.asarray(again.first) % 1 == 0).all()))
            own = prod(one.own for one in found)
            if again.same is not None and own < 1:
                repeated.append(Call.again({"ε": epsilon, self.of: size}, own, again.same))
        places = np.array([(-np.log(one).sum(), -np.log1p(-one).sum(), len(one)) for one in asked])
        worst, words = 0.0, ""
        turn = np.arange(self.times)
        for values, order, where in (
            (epsilons, np.argsort(epsilons), "at ε = {:.2g} or less"),
            (epsilons, np.argsort(epsilons)[::-1], "at ε = {:.2g} or more"),
            (sizes, np.argsort(sizes, kind="stable"), f"with {{:,.0f}} {self.of} or fewer"),
            (sizes, np.argsort(sizes, kind="stable")[::-1], f"with {{:,.0f}} {self.of} or more"),
            (turn, turn, "at the beginning"),
            (turn, turn[::-1], "at the end"),
            (turn, np.flatnonzero([isinstance(one, int) for one in epsilons]), "where ε is an int"),
            (turn, np.flatnonzero(counts), "where data are whole numbers"),
            (turn, np.flatnonzero(np.logical_not(counts)), "where data are no whole numbers"),
        ):
            if not len(order):
                continue
            close, far, many = np.cumsum(places[order], axis=0).T
            bounds = np.log(shares(len(order)) * 0.5 * chance.failure / _LOOKS)
            for found, what in ((close, self.near), (far, self.far))[: 2 - self.bound]:
                unlikely = bounds - stats.gamma.logsf(found, many)
                if unlikely.max() > worst:
                    worst, last = float(unlikely.max()), int(unlikely.argmax())
                    which = where.format(values[order[last]])
                    words = f"In {last + 1} new questions {which}, {what}: chance does not explain it."
        asks = f"You were asked at many ε, with many numbers of {self.of}. What does your randomness depend on?"
        if words:
            return Shared.NOT_EVERYWHERE.seen(words, asks)
        return deaf(repeated, 0.4 * chance.failure) or self._often(answer, Chance(chance.rng, 0.1 * chance.failure))

    def _often(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        """Hundreds of calls about each of a few questions."""
        again = Again(answer, chance.rng, 0.02, self.whole, anew=True)
        for epsilon, size in corners(chance.rng, *self.sizes):
            seed, found = chance.rng.integers(2**63), list[Place]()
            again.expect(self.often)
            for _ in range(self.often):
                found += self.ask(again, epsilon, size, np.random.default_rng(seed))
            where = f"Asked {self.often} times the same, at ε = {epsilon:.2g} with {size:,} {self.of}, "
            failure = chance.failure / 2 / len(CORNERS)
            small, large = uneven(_inside(found), failure)
            if small or (large and not self.bound):
                seen = f"{where}{self.near if small else self.far}: chance does not explain it."
                return Shared.NOT_EVERYWHERE.seen(seen)
            above, sided = sum(one.side > 0 for one in found), sum(one.side != 0 for one in found)
            if sided and stats.binomtest(above, sided).pvalue < failure:
                seen = f"{where}{above / sided:.0%} of your results lie above the truth. Half should."
                return Shared.NOT_EVERYWHERE.seen(seen)
        return None
