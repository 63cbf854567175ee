"""Exercise 06.1: write the mechanism. Every P[report | truth] is counted, and coins are each person's own."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import frozen
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.few import of_few
from dpcourse.checks.links import Draws, alike, balanced, linked, stays
from dpcourse.checks.measured import in_a_file
from dpcourse.checks.once import whole
from dpcourse.checks.places import Place, Placed, place, place_of_count
from dpcourse.checks.rare import MANY, rare_lies, too_rare
from dpcourse.lessons.lesson_06.exercises.response import people, transition_matrix, truth_probability
from dpcourse.lessons.lesson_06.exercises.transitions import contradicts, name_the_mistake, table


def arguments(rng: np.random.Generator) -> tuple[np.ndarray, float, int]:
    k = int(rng.integers(3, 7))
    return people(rng, int(rng.integers(60, 200)), k), float(rng.uniform(0.4, 1.6)), k


def codes_and_answers(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Whether everybody reports the same, or all reports are one too large: what may be said before types and shapes.

    Every code is among sixty people or more, and a right answer never reports k.
    """
    seen = set[float]()
    for call in range(40):
        codes, epsilon, k = arguments(chance.rng)
        reports = np.asarray(answer(frozen(codes), epsilon, k, rng=chance.rng))
        if reports.shape != codes.shape or reports.dtype.kind not in "iuf":
            return None
        if reports.min() >= 1 and reports.max() == k:
            return Diagnosis(
                "outside",
                f"With k = {k} the answers are 0 to {k - 1}, and your reports are 1 to {k}: they are one too large.",
                "Where is a 1 added that should not be?",
            )
        seen.update(reports.tolist())
        if call > 1 and len(seen) > 1:
            return None
    return Diagnosis(
        "not-random",
        f"Everybody reports {seen.pop():g} in every call: your function takes no notice of `codes`, nor of `rng`.",
        "Where do the true answers enter, and where the coins?",
    )


def transition_probabilities(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Every P[report | truth], over large groups of people and over small ones: nobody may be treated otherwise."""
    small = np.exp(chance.rng.uniform(math.log(6), math.log(2000), size=250)).astype(int)
    # At k = 4 and ε near 1 two of the mistakes look the same.
    for k, sizes in ((5, [20_000] * 2), (3, small.tolist())):
        epsilon = float(chance.rng.uniform(0.9, 1.3))
        one = _one_coin(answer, epsilon, k, chance)
        if one:
            return one
        seen = table(answer, epsilon, k, sizes, chance.rng)
        worst = contradicts(seen, transition_matrix(truth_probability(epsilon, k), k), chance.failure / 4)
        if worst:
            return name_the_mistake(answer, seen, epsilon, k, worst, chance)
    return None


def coins_of_their_own(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The probabilities are right for a group; are they for one person, and are two people independent?"""
    k, epsilon = 4, float(chance.rng.uniform(0.9, 1.3))
    p = truth_probability(epsilon, k)
    groups = [people(chance.rng, int(n), k) for n in chance.rng.integers(6, 30, size=400)]
    true = [np.asarray(answer(frozen(codes), epsilon, k, rng=chance.rng)) == codes for codes in groups]
    for at in (0, 1, 2, 3, 4, -1):
        often = sum(int(one[at]) for one in true)
        if _tail(often, len(true), p) < chance.failure / 20:
            who = "last" if at < 0 else ("first", "second", "third", "fourth", "fifth")[at]
            return Diagnosis(
                "one-person-plain",
                f"The {who} person of a group tells the truth in {often / len(true):.0%} of {len(true)} calls, and "
                f"{p:.0%} is right. The promise is to each person, not to the average.",
                "Treat every entry of `codes` alike.",
            )
    return _drawn_again(answer, chance) or _independent(answer, 10_000, k, epsilon, chance)


def of_one_or_two(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Whether one person's report is drawn, or that of a few, as where a phone reports for itself."""

    def ask(n: int) -> tuple[np.ndarray, float]:
        k, p = int(chance.rng.integers(2, 7)), float(chance.rng.uniform(0.55, 0.7))
        codes, epsilon = chance.rng.integers(k, size=n), math.log(p * (k - 1) / (1 - p))
        return np.asarray(answer(codes, epsilon, k, rng=chance.rng)) == codes, p

    return of_few(ask, chance.failure, "of the reports are true")


def in_a_crowd(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Whether people are independent where there are as many as in the lesson."""
    k, epsilon = whole(chance.rng, 3, 40), float(chance.rng.uniform(0.9, 1.3))
    return _independent(answer, whole(chance.rng, 20_000, 90_000), k, epsilon, chance)


def how_many_lie(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The number of lies of a group, and of those that lie equally far off, varies as with coins of their own."""
    rng, truths, steps = chance.rng, list[Draws](), list[Draws]()
    for _ in range(100):
        k, epsilon, n = whole(rng, 3, 8), float(rng.uniform(0.4, 1.6)), whole(rng, 400, 3000)
        codes, p = people(rng, n, k), truth_probability(epsilon, k)
        away = (np.asarray(answer(frozen(codes), epsilon, k, rng=rng)) - codes) % k
        for found, step, share in ((truths, 0, p), (steps, int(rng.integers(1, k)), (1 - p) / (k - 1))):
            found.append(Draws((away == step) - share, np.full(n, share * (1 - share))))
    for some, what in ((truths, "tell the truth"), (steps, "lie, so many codes off,")):
        if balanced(some, chance.failure / 2):
            return Diagnosis(
                "shared-coin",
                f"In 100 groups of some hundred people or a few thousand, the number of people who {what} is nearly "
                "what ε and k make of it on average, each time. Coins of their own vary more. Who knows the others' "
                "answers learns from their reports how the last one answered.",
                "Draw as many random numbers as there are people (size=len(codes)), and use each for itself.",
            )
    return None


def _independent(answer: Answer, n: int, k: int, epsilon: float, chance: Chance) -> Diagnosis | None:
    codes, p = people(chance.rng, n, k), truth_probability(epsilon, k)
    # 0 is the truth, and a lie how far round the circle it is
    away = ((np.asarray(answer(frozen(codes), epsilon, k, rng=chance.rng)) - codes) % k).astype(int)
    if where := linked([Draws((away == 0) - p, np.full(n, p * (1 - p)))], chance.failure / 10):
        return Diagnosis(
            "shared-coin",
            f"People tell the truth together, or lie together, more often than with coins of their own: {where}. "
            "One report tells something about another person.",
            "Draw as many random numbers as there are people (size=len(codes)), and use each once.",
        )
    if where := alike([away - 1], k - 1, chance.failure / 10):
        return Diagnosis(
            "shared-lies",
            f"How far round the circle two people who both lie move their answers hangs together: {where}. Somebody "
            "who knows the truth about one of them can read the other's lie.",
            "Draw the lies as you draw the coins: one for each person (size=len(codes)), each used once.",
        )
    return None


def _drawn_again(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Whether everybody's lie is drawn anew in the next call, with another generator."""
    k, epsilon = whole(chance.rng, 4, 12), float(chance.rng.uniform(0.3, 0.6))
    codes, p = people(chance.rng, whole(chance.rng, 2000, 9000), k), truth_probability(epsilon, k)
    one, other = (np.asarray(answer(frozen(codes), epsilon, k, rng=chance.rng)) for _ in range(2))
    if stays(one == other, np.full(len(codes), p**2 + (1 - p) ** 2 / (k - 1)), chance.failure / 10):
        return Diagnosis(
            "own-generator",
            f"Asked twice, {(one == other).mean():.0%} of {len(codes):,} people report the same both times. It should "
            f"be {p**2 + (1 - p) ** 2 / (k - 1):.0%}: some of your draws are the same in every call.",
            "Do the coins *and* the lies come from the `rng` you are given?",
        )
    return None


def _tail(seen: int, runs: int, probability: float) -> float:
    """The exact two-sided binomial p-value, the smaller tail doubled."""
    return 2 * min(stats.binom.cdf(seen, runs, probability), stats.binom.sf(seen - 1, runs, probability))


def _one_coin(answer: Answer, epsilon: float, k: int, chance: Chance) -> Diagnosis | None:
    """Whether all people of one call are true together, or lie together."""
    codes = people(chance.rng, 400, k)
    for _ in range(4):
        true = np.mean(np.asarray(answer(frozen(codes), epsilon, k, rng=chance.rng)) == codes)
        if 0 < true < 1:
            return None
    return Diagnosis(
        "one-coin",
        "In each call either everybody tells the truth or everybody lies: one coin is thrown for all.",
        "Every person throws a coin of their own: draw as many random numbers as there are people (size=len(codes)).",
    )


def _among_many(answer: Answer, epsilon: float, n: int, rng: np.random.Generator) -> list[Place]:
    return _truths(answer, epsilon, whole(rng, 2, 100), rng, n)


def _among_few(answer: Answer, epsilon: float, k: int, rng: np.random.Generator) -> list[Place]:
    """A few people, among whom one shows."""
    return _truths(answer, epsilon, k, rng, int(rng.integers(1, 30)))


def _codes(n: int, k: int, rng: np.random.Generator) -> np.ndarray:
    """Answers of n people: all about as frequent, or hardly any but one, as in many a column of a census."""
    shares = rng.dirichlet(np.full(k, 10 ** rng.uniform(-1.5, 1.5) / k))
    return in_a_file(rng.choice(k, size=n, p=shares), rng)


def _truths(answer: Answer, epsilon: float, k: int, rng: np.random.Generator, n: int) -> list[Place]:
    """How many reports of every other person are the truth, and how many of the rest."""
    codes, p = _codes(n, k, rng), truth_probability(epsilon, k)
    same = np.asarray(answer(codes, epsilon, k, rng=rng)) == codes
    just_these = p ** same.sum() * ((1 - p) / (k - 1)) ** (~same).sum()
    counts = (place_of_count(int(some.sum()), len(some), p, rng) for some in (same[::2], same[1::2]))
    return [Place(found.at, own) for found, own in zip(counts, (float(just_these), 1.0), strict=True)]


def _lies(answer: Answer, epsilon: float, k: int, rng: np.random.Generator) -> list[Place]:
    """How often lies are equally far round the circle, among a hundred draws of as many: as likely at any place."""
    codes = _codes(int(rng.integers(20, 100)), k, rng)
    away = (np.asarray(answer(codes, epsilon, k, rng=rng)).astype(int) - codes) % k
    lies = away[away > 0]
    drawn = rng.multinomial(len(lies), np.full(k - 1, 1 / (k - 1)), size=99)
    seen, others = (np.bincount(lies, minlength=k) ** 2).sum(), (drawn**2).sum(axis=1)
    found = place((others > seen).sum() / 100, ((others == seen).sum() + 1) / 100, rng)
    return [Place(found.at, 1.0)]


PLACED = (
    Placed(_among_few, of="answers", times=250, whole=True),
    Placed(_among_many, sizes=(30, 90_000), of="people", times=14, again=0, often=0, whole=True),
    Placed(
        _lies,
        sizes=(3, 100),
        of="answers",
        times=120,
        again=0,
        often=0,
        whole=True,
        near="your lies are too much alike, and tell who can have sent them",
        far="your lies are spread too evenly",
    ),
)


def rarely(answer: Answer, chance: Chance) -> Diagnosis | None:
    """At an ε at which hardly anybody lies, some do; and among so many answers that the truth is rare, some tell it."""
    k = int(chance.rng.integers(2, 11))
    (epsilon, share), codes = rare_lies(chance.rng, k - 1), chance.rng.integers(k, size=MANY)
    lies = int((np.asarray(answer(codes, epsilon, k, rng=chance.rng)) != codes).sum())
    if wrong := too_rare(lies, share, epsilon, chance.failure / 2):
        return wrong
    epsilon, k = float(chance.rng.uniform(0.1, 0.4)), int(chance.rng.integers(380, 420))
    share, codes = 1 / (1 + (k - 1) * math.exp(-epsilon)), chance.rng.integers(k, size=MANY)
    told = int((np.asarray(answer(codes, epsilon, k, rng=chance.rng)) == codes).sum())
    if stats.binom.cdf(told, MANY, share) >= chance.failure / 2:
        return None
    return Diagnosis(
        "rare-truths",
        f"With {k} answers, at ε = {epsilon:.2g}, {told} of {MANY:,} reports are true; about {MANY * share:.0f} should "
        "be.",
        "Is your probability rounded, or cut? A report that is never the truth says what somebody's answer is not.",
    )
