"""Exercise 09.4: how likely a class wins a vote with noise, and what is said where one wins more often."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases.known import frozen
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import whole
from dpcourse.checks.places import Place, Placed, place

EPSILON = 2.0
_SMALL = 0.5


def upset(scale: float, gap: float) -> float:
    """P[the loser wins] when both counts get Laplace noise of this scale."""
    return math.exp(-gap / scale) * (2 + gap / scale) / 4


def leads(gaps: np.ndarray) -> float:
    """How often a class wins at most that leads the others by these gaps, in scales of Laplace or Gumbel noise.

    Or of exponential noise on one side, which is permute-and-flip.
    """
    return _leads(gaps.tobytes())


@lru_cache(maxsize=10)
def _leads(of: bytes) -> float:  # the same votes are asked about hundreds of times
    gaps = np.frombuffer(of)
    x = np.linspace(-20 - gaps.max(), 40, 2001)[:, None]
    step = float(x[1, 0] - x[0, 0])
    below = np.where(x + gaps < 0, np.exp(np.minimum(x + gaps, 0)) / 2, 1 - np.exp(-np.maximum(x + gaps, 0)) / 2)
    two_sided = float((np.exp(-np.abs(x[:, 0])) / 2 * below.prod(axis=1)).sum()) * step
    u = np.linspace(0, 1, 2001)[:, None]  # e^(−x) of the noise x
    one_sided = float((1 - u * np.exp(-gaps)).prod(axis=1).mean())
    return min(max(two_sided, one_sided, 1 / (1 + np.exp(-gaps).sum())) + 0.001, 1.0)


def call_vote(answer: Answer, votes: np.ndarray, rng: Generator) -> int:
    return int(answer(votes, EPSILON, rng=rng))


def name_vote(answer: Answer, chance: Chance, _: Any) -> Diagnosis | None:
    """Laplace noise of scale 1/ε or √2/ε, where how often the loser of two wins fits no other scale."""
    runs, leads = 5000, (1, 2, 4)
    upsets = [sum(call_vote(answer, np.array([31, 31 - lead]), chance.rng) == 1 for _ in range(runs)) for lead in leads]

    def fits(scale: float) -> bool:
        chances = [upset(scale, lead) for lead in leads]
        return all(stats.binomtest(n, runs, p).pvalue > 1e-5 for n, p in zip(upsets, chances, strict=True))

    if fits(1 / EPSILON):
        return Diagnosis(
            "sensitivity-one",
            "The scale of your noise is 1/ε: enough if one person moved one count by one. But the vote that one count "
            f"gains, another loses, and your real ε is up to {2 * EPSILON:g}, not {EPSILON:g}.",
            "The L1 sensitivity of the counts is 2.",
        )
    if fits(math.sqrt(2) / EPSILON):
        return Diagnosis(
            "l2-sensitivity",
            f"Your noise is Laplace noise, and its scale is √2/ε, below the 2/ε that is needed: your real ε is up to "
            f"{math.sqrt(2) * EPSILON:.3g}, not {EPSILON:g}. √2 is the L2 sensitivity of the counts.",
            "Laplace noise goes with the L1 norm. By how much do two counts that change by one each change in L1?",
        )
    return None


def _anywhere(answer: Answer, epsilon: float, classes: int, rng: Generator) -> tuple[bool, float]:
    """One class leads all others by some scales, or by one vote; or all have counts of their own.

    Whether it wins, and how likely that is at most.
    """
    unlike = rng.random() < 0.5 or epsilon < 0.05
    lead = max(1, round(2 / epsilon * rng.uniform(0.1, 0.8 if unlike or isinstance(epsilon, int) else 2.5)))
    votes, first = np.full(classes, int(rng.integers(200, 2000))), int(rng.integers(classes))
    if unlike:
        votes -= np.minimum(votes, rng.geometric(min(epsilon / 2, 0.7), size=classes) - 1)
    votes[first] = np.delete(votes, first).max() + lead
    if rng.random() < 0.25:  # classes in the order of their votes, or the other way around
        votes = np.sort(votes)[:: int(rng.choice((-1, 1)))].copy()
        first = int(votes.argmax())
    likely = leads((votes[first] - np.delete(votes, first)) * epsilon / 2)
    return int(answer(votes, epsilon, rng=rng)) == first, likely


def everywhere(answer: Answer, chance: Chance) -> Diagnosis | None:
    """At any ε, of any number of classes; and in words, how often the class with the most votes won."""
    asked: list[tuple[bool, float]] = []

    def ask(answer: Answer, epsilon: float, classes: int, rng: Generator) -> list[Place]:
        won, likely = _anywhere(answer, epsilon, classes, rng)
        asked.append((won, likely))
        # Another law may have the first win less often, and a loser more often.
        return [place(0, likely, rng) if won else Place(place(likely, 1 - likely, rng).at, 1.0)]

    near = "too many wins go to the class with the most votes"
    wrong = Placed(ask, sizes=(2, 100), of="classes", bound=True, times=250, whole=True, near=near)(answer, chance)
    if wrong is None or wrong.key != "not-everywhere":
        return wrong
    won, likely = np.sum(asked, axis=0)
    all_in_all = (
        f"Of all {len(asked)} calls it won {won:.0f}; with the noise that ε asks for, about {likely:.0f} or fewer."
    )
    return replace(wrong, seen=f"{wrong.seen} {all_in_all}")


def few_classes(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Of two to nine classes one leads by a vote or none, and there may be no votes: with noise, at ε = 0.5, no class
    wins much more than half of the calls, nor all of 60 but with probability 1e-11."""
    for classes in range(2, 10):
        for lead, others in ((1, whole(chance.rng, 20, 60)), (0, whole(chance.rng, 1, 60)), (0, 0)):
            votes = chance.rng.permutation(others + lead * (np.arange(classes) == 0))
            if len({int(answer(frozen(votes), _SMALL, rng=chance.rng)) for _ in range(60)}) > 1:
                continue
            what = "one leads the others by a single vote" if lead else f"each has {others or 'no'} votes"
            return Diagnosis(
                "lead-without-noise",
                f"Of {classes} classes {what}, and the same one wins all of 60 times at ε = {_SMALL:g}. With noise for "
                "that ε another one would win nearly half of the time.",
                "Noise for every vote, however many classes there are, and however few votes.",
            )
    return None
