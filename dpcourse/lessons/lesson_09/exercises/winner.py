"""Exercise 09.4: the winner of a vote, with noise, attacked at two ε."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Audited, Returns
from dpcourse.checks.cases.known import Pairs, frozen
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import spread
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.lesson_09.exercises.chances import EPSILON, call_vote, everywhere, few_classes, name_vote
from dpcourse.privacy import Guarantee

# 09.4 The winner, with noise

# Normal noise of Laplace noise's width shows in the fewest runs at an ε between 2.5 and 3 and a lead of one vote.
_SMALL, _TAILS, _LARGE = 0.5, 2.75, 4.0


def _tie(rng: Generator) -> tuple[np.ndarray, float]:
    """Eight classes tied in front, others far behind: noise decides, and without it the first of the eight wins."""
    top = int(rng.integers(60, 90))
    return rng.permutation(np.repeat([top, top - 50], [8, int(rng.integers(10, 14))])), EPSILON


def _shuffled(counts: tuple[int, ...], order: np.ndarray) -> np.ndarray:
    return np.array(counts)[order]


def _gap(low: int, base: int | None = None):
    """A vote won by `low` votes, and the same after one teacher changed: by two more."""

    def pairs(rng: Generator) -> tuple[Any, Any]:
        middle = int(rng.integers(20, 60)) if base is None else base
        order = rng.permutation(2)
        near, far = (middle + low, middle), (middle + low + 1, middle - 1)
        return _shuffled(near, order), _shuffled(far, order)

    return pairs


def _unanimous(rng: Generator) -> tuple[Any, Any]:
    """Everybody says the same, and the same after one teacher changed."""
    order, teachers = rng.permutation(2), int(rng.integers(4, 6))
    return _shuffled((teachers, 0), order), _shuffled((teachers - 1, 1), order)


def _call_at(epsilon: float) -> Callable[[Answer, np.ndarray, Generator], int]:
    return lambda answer, votes, rng: int(answer(votes, epsilon, rng=rng))


_call_small, _call_tails, _call_large = map(_call_at, (_SMALL, _TAILS, _LARGE))


def _noise_on_losers(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Many classes one vote behind: with noise on each of them, one of them wins nearly always."""
    runs, classes = 300, 40
    votes = np.full(classes, int(chance.rng.integers(20, 60)))
    winner = int(chance.rng.integers(classes))
    votes[winner] += 1
    winners = [_call_small(answer, frozen(votes), chance.rng) for _ in range(runs)]
    won = winners.count(winner)
    # Right noise, Laplace or Gumbel: 3.4% and 3.2%.
    if stats.binomtest(won, runs, 0.1, alternative="greater").pvalue > chance.failure:
        return None
    if len(set(winners)) > 3:  # the others have noise of their own
        return _shrinks(classes, 1, won / runs)
    return Diagnosis(
        "losers-without-noise",
        f"A class that leads {classes - 1} others by one vote wins {won / runs:.0%} of the time. With noise on every "
        "count one of the others is nearly always ahead.",
        "Noise on every count, not on the largest only.",
    )


def _fewest(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Everybody but the last class is a hundred votes apart, and the noise is of size one."""
    order = chance.rng.permutation(5)
    votes, runs = _shuffled((400, 300, 200, 100, 0), order), 30
    last = sum(call_vote(answer, frozen(votes), chance.rng) == votes.argmin() for _ in range(runs))
    if last < runs / 2:
        return None
    return Diagnosis(
        "argmin",
        f"The class with the fewest votes wins {last} of {runs} times, four hundred votes behind the first.",
        "np.argmax gives the place of the largest, np.argmin that of the smallest.",
    )


def _wins(pairs: Pairs, call: Any, at_least: float, runs: int, epsilon: float, hint: str):
    """A case: with no more noise than is needed the class with the most votes of two wins often enough."""

    def case(answer: Answer, chance: Chance) -> Diagnosis | None:
        rng = chance.rng
        drawn = [frozen(side) for _ in range(20) for side in pairs(rng)]
        won = 0
        for which in rng.integers(len(drawn), size=runs):
            won += call(answer, drawn[which], rng) == drawn[which].argmax()
        if stats.binomtest(won, runs, at_least, alternative="less").pvalue > chance.failure:
            return None
        if stats.binomtest(won, runs, 0.5).pvalue > 1e-4:
            return Shared.IGNORES_DATA.seen(
                "Of two classes the one with more votes wins no more often than the other: your winner does not follow "
                "the votes."
            )
        lead = sorted({int(np.ptp(votes)) for votes in drawn})
        return Diagnosis(
            "not-useful",
            f"Of two classes the one that leads by {lead[0]} or {lead[-1]} votes wins {won / runs:.1%} of the time at "
            f"ε = {epsilon:g}; with the noise that is needed it wins at least {at_least:.1%}.",
            hint,
        )

    return case


def _thousand(answer: Answer, chance: Chance, lead: int, runs: int) -> int:
    """How often a class wins at ε = 0.5 that leads 999 others by so many votes."""
    votes = np.full(1000, int(chance.rng.integers(20, 60)))
    first = int(chance.rng.integers(1000))
    votes[first] += lead
    return sum(_call_small(answer, frozen(votes), chance.rng) == first for _ in range(runs))


def _many_classes(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The largest of a thousand noises shows their tails, and whether their scale counts the classes.

    Ahead by 8 votes a class wins 1.4% of the time with Laplace noise, by 24 33.7%, by 56 99.7%. Gumbel noise gives
    0.7%, 27% and 99.9%, one-sided exponential noise 0.6%, 37.4% and 99.9%; normal noise with the deviation of Laplace
    noise 83% by 24.
    """

    def too_many(won: int, runs: int, share: float) -> bool:
        return stats.binomtest(won, runs, share, alternative="greater").pvalue < chance.failure / 3

    near, clear = (_thousand(answer, chance, lead, 100) for lead in (8, 56))
    if too_many(100 - clear, 100, 0.005):
        return Diagnosis(
            "grows-with-classes",
            f"Of 1,000 classes one that leads all others by 56 votes wins {clear} of 100 times at ε = 0.5. With noise "
            "of scale 2/ε it nearly always would: yours grows with the number of classes.",
            "One record moves two counts, however many classes there are.",
        )
    if too_many(near, 100, 0.03):
        return name_vote(answer, chance, None) or _shrinks(1000, 8, near / 100)
    won, runs = _thousand(answer, chance, 24, 600), 600
    if too_many(won, runs, 0.38):
        return name_vote(answer, chance, None) or _thin(
            f"Of 1,000 classes one that leads all others by 24 votes wins {won / runs:.0%} of the time at ε = 0.5; "
            "with Laplace noise it wins 34%. The largest of your thousand noises is not large enough: "
            "its scale is below 2/ε, or its tails are too thin."
        )
    return None


def _clear_lead(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A lead of 20/ε over 999 others: one of these wins in 2.1% of calls with exponential noise, and more often with
    Gumbel or Laplace noise; by luck never in 900 runs with probability 4e-9 at most."""
    lead, runs = 40, 900
    if _thousand(answer, chance, lead, runs) < runs:
        return None
    return Diagnosis(
        "lead-without-noise",
        f"Of 1,000 classes one that leads all others by {lead} votes wins all of {runs} times at ε = {_SMALL:g}. With "
        "noise for that ε one of the others would win in some calls of a hundred.",
        "Noise for every vote: whether noise is needed is itself a fact about the votes.",
    )


def _shrinks(classes: int, lead: int, share: float) -> Diagnosis:
    return Shared.TOO_LITTLE_NOISE.seen(
        f"Of {classes:,} classes one that leads all others by {lead} vote{'s' * (lead > 1)} wins {share:.0%} of the "
        "time at ε = 0.5. With noise of scale 2/ε on every count it nearly never would: with many classes yours is too "
        "small.",
        "The same scale for every count, however many there are.",
    )


def _thin(seen: str) -> Diagnosis:
    return Shared.THIN_TAILS.seen(
        seen,
        "Is the scale 2/ε? And which noise has tails as heavy as Laplace's? "
        "Those of a normal one fall too fast for a pure ε (δ = 0).",
    )


def _lead(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A clear lead, at ε = 0.5: the other class must win now and then (Laplace 6.2%, Gumbel 4.7%, exponential 2.5%; by
    luck never in 800 runs with probability 2e-9 at most)."""
    base = int(chance.rng.integers(20, 60))
    leading = _shuffled((base + 12, base), chance.rng.permutation(2))
    if any(_call_small(answer, leading, chance.rng) == leading.argmin() for _ in range(800)):
        return None
    return _name_small(answer, chance, None) or Diagnosis(
        "lead-without-noise",
        "Where one class leads by twelve votes the other never wins in 800 runs at ε = 0.5. With noise for that ε it "
        "would in a few runs of a hundred.",
        "Noise for every vote: whether noise is needed is itself a fact about the votes.",
    )


def _name_small(answer: Answer, chance: Chance, _: Any) -> Diagnosis | None:
    """Whether the scale follows ε."""
    tie = np.array([25, 23])
    flips = {e: np.mean([int(answer(tie, e, rng=chance.rng)) == 1 for _ in range(1500)]) for e in (_SMALL, EPSILON)}
    if flips[_SMALL] < flips[EPSILON] - 0.08:
        return Shared.EPSILON_IGNORED.seen("At a smaller ε your noise is smaller.", Shared.EPSILON_INVERTED.question)
    if flips[_SMALL] < flips[EPSILON] + 0.08:  # right: 0.38 and 0.14
        return Shared.EPSILON_IGNORED.seen("At a smaller ε your noise is not larger.")
    return None


def _an_index(answer: Answer, chance: Chance) -> Diagnosis | None:
    wrong = Returns(_tie, what="integer", among=lambda votes, epsilon: range(len(votes)))(answer, chance)
    if wrong and wrong.key in ("wrong-type", "wrong-shape"):
        ask = "np.argmax gives the index of the largest count, np.max the count itself. Do you return the index alone?"
        return replace(wrong, ask=ask)
    if wrong and wrong.key == "not-random" and _draws(answer, chance.rng):
        seen = "A hundred and twenty calls on the same votes gave the same winner, and yet you draw from `rng`."
        ask = "One draw added to all counts changes no order. Has each count a draw of its own?"
        return replace(wrong, seen=seen, ask=ask)
    return wrong


def _draws(answer: Answer, rng: Generator) -> bool:
    given = np.random.default_rng(0)
    answer(*_tie(rng), rng=given)
    return given.bit_generator.state != np.random.default_rng(0).bit_generator.state


def _clear_winner(answer: Answer, chance: Chance) -> Diagnosis | None:
    """One of any number of classes leads by 100/ε: a right answer misses it once in 10³⁵ calls."""
    for classes in spread(chance.rng, 2, 2000, 24):
        epsilon = float(chance.rng.uniform(0.3, 4.0))
        votes = chance.rng.integers(0, 60, round(classes))
        winner = int(chance.rng.integers(len(votes)))
        votes[winner] = 60 + round(100 / epsilon)
        chosen = int(answer(frozen(votes), epsilon, rng=chance.rng))
        if chosen != winner:
            return Shared.TOO_MUCH_NOISE.seen(
                f"Of {len(votes):,} classes one leads by {votes[winner] - 60} votes or more, at ε = {epsilon:.2g}, and "
                f"class {chosen} wins, with {votes[chosen]}.",
                "Is there more noise for some numbers of classes than for others?",
            )
    return None


NOISY_WINNER = (
    _an_index,
    _fewest,
    Audited(
        _gap(0),
        Guarantee(EPSILON),
        runs=8000,
        call=call_vote,
        diagnose=name_vote,
        hint="How far can one person move the counts in L1? Is that in the scale, and nothing that makes it smaller?",
        key="too-little-noise",
    ),
    Audited(
        _gap(0, base=1),
        Guarantee(EPSILON),
        runs=3000,
        call=call_vote,
        hint="The votes were [1, 1], and [2, 0] or [0, 2]. Does a class that nobody votes for get noise too? Or is "
        "there none when all agree?",
        key="empty-class-without-noise",
    ),
    Audited(
        _gap(1),
        Guarantee(_TAILS),
        runs=14_000,
        call=_call_tails,
        hint="Has your noise the tails of Laplace noise? Others, such as normal ones, fall too fast for a pure ε.",
        key="thin-tails",
        diagnose=name_vote,
    ),
    _lead,
    Audited(
        _unanimous,
        Guarantee(_SMALL),
        runs=8000,
        call=_call_small,
        hint="Is there less noise, or none, where all agree? And does the scale follow the ε it is given?",
        key="unanimous-without-noise",
        diagnose=_name_small,
    ),
    few_classes,
    _noise_on_losers,
    # Right: 97.3% and 99.5%. Twice the noise: 86.5% and 93.8%.
    _wins(_gap(4), call_vote, 0.98, 4000, EPSILON, "Noise of scale 2/ε on every count is enough. Is there more?"),
    # Right: 98.8% and 99.2%. Twice the noise: 91% and 93%.
    _wins(
        _gap(20),
        _call_small,
        0.98,
        2000,
        _SMALL,
        "At ε = 2 there was not too much noise. Does the scale follow the ε it is given?",
    ),
    # Right: 93% and more. Twice the noise: 83%.
    _wins(
        _gap(1),
        _call_large,
        0.92,
        1500,
        _LARGE,
        "At ε = 2 there was not too much noise. Does the scale follow the ε it is given, however large?",
    ),
    _many_classes,
    _clear_lead,
    _clear_winner,
    everywhere,
)
