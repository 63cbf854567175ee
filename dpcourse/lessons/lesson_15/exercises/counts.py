"""Exercises 15.1 to 15.3: relative errors, counts of groups, attacked, and what cutting at zero adds."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Equals, Mistake, frozen
from dpcourse.checks.counting import any_table, cell_counts, large_table, one_more, tables
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.noise_laws import geometric, laplace
from dpcourse.checks.once import anywhere, between, whole
from dpcourse.checks.release import Release
from dpcourse.checks.vocabulary import Shared
from dpcourse.checks.words import Words

# 15.1 The relative error of a count


def _relative(count: int, epsilon: float) -> float:
    return math.log(20) / (epsilon * count)


RELATIVE = Equals(
    lambda rng: (int(rng.integers(20, 30_000)), float(rng.uniform(0.05, 2))),
    expected=_relative,
    wide=anywhere((1, 10**7), (1e-3, 10.0)),
    mistakes=(
        Mistake(
            "absolute",
            lambda count, epsilon: math.log(20) / epsilon,
            "That is the error in people, the same for every group.",
            "As a share of the group, please: divide by its count.",
        ),
        Mistake(
            "normal",
            lambda count, epsilon: 1.96 * math.sqrt(2) / (epsilon * count),
            "That is 1.96 standard deviations, which holds 95% of a normal distribution.",
            "Laplace noise has its own quantiles: solve e^(−εw) = 0.05.",
        ),
        Mistake(
            "one-tail",
            lambda count, epsilon: math.log(10) / (epsilon * count),
            "That leaves 5% on each side, 10% in all.",
            "Both tails together must hold 5%.",
        ),
        Mistake(
            Shared.EPSILON_INVERTED,
            lambda count, epsilon: epsilon * math.log(20) / count,
            "That grows with ε.",
            "The scale of the noise is 1/ε.",
        ),
        Mistake(
            "sampling",
            lambda count, epsilon: math.log(20) / (epsilon * math.sqrt(count)),
            "That falls with the root of the count, as the error of a *sample* does.",
            "The noise does not know how many people there are. What is a fixed error as a share of n?",
        ),
        Mistake(
            "whole-width",
            lambda count, epsilon: 2 * math.log(20) / (epsilon * count),
            "That is the whole interval from end to end.",
            "How far is either end?",
        ),
    ),
)

# 15.2 Counts of groups, large and small


def _people(counts: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """So many people in each group; their codes are of any type that holds them, such as the int8 of pandas."""
    kind = str(rng.choice(["int64", "int32", "int16" if counts.size > 127 else "int8"]))
    return rng.permutation(np.repeat(np.arange(counts.size), counts)).astype(kind), counts.size


def _sizes(groups: np.ndarray, k: int) -> np.ndarray:
    return np.bincount(groups, minlength=k)


def _few_people(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Datasets of one to three people at large ε, where noise of half a person is rare: who is counted where?

    A count is off by a half or more with probability e^(−ε/2), and by less where noise is whole.
    """
    for people in (1, 2, 3, 1, 2, 3):
        k, epsilon = whole(chance.rng, 3, 12), float(chance.rng.uniform(5, 9))
        groups, _ = _people(np.bincount(chance.rng.integers(k, size=people), minlength=k), chance.rng)
        given, right = (frozen(groups), k), _sizes(groups, k)
        counts = np.array([COUNTS.result(answer, given, epsilon, chance.rng, (k,)) for _ in range(20)])
        off, chances = (np.abs(counts - right) >= 0.5).sum(axis=0), math.exp(-epsilon / 2)
        if stats.binom.sf(off.max() - 1, 20, chances) < chance.failure / (6 * k):
            group = int(off.argmax())
            seen = (
                f"With `groups` = {groups.tolist()} and k = {k}, at ε = {epsilon:.2g}, your count of group {group} is "
                f"off by a half or more in {off.max()} of 20 calls; noise makes it so in {20 * chances:.1f} or fewer. "
                f"On average it is {counts[:, group].mean():.3g}, and {right[group]} is right."
            )
            return Shared.NOT_EVERYWHERE.seen(seen, "Who is counted in which group, where hardly anybody is there?")
    return None


_NO_DATA, _PRESENCE = cell_counts(_sizes)

COUNTS = Release(
    data=tables(_people, (8,)),
    many=large_table(_people, (200,)),
    anew=any_table(_people, lambda rng: (whole(rng, 1, 300),)),
    truth=_sizes,
    noise=(laplace, geometric),
    mistakes=(
        _NO_DATA,
        replace(
            _PRESENCE,
            ask="counts[groups] += 1 adds once for each *different* group; which function adds once a person?",
        ),
        Mistake(
            Shared.WRONG_ORDER,
            lambda groups, k: np.histogram(groups, bins=k)[0],
            "The right counts stand at the wrong places.",
            "Do your bins run from 0 to k − 1, even where nobody is in the first or last group?",
        ),
        Mistake(
            "reversed",
            lambda groups, k: _sizes(groups, k)[::-1],
            "Your counts come in reverse order.",
            "Entry 0 is the count of group 0.",
        ),
        Mistake(
            "sorted",
            lambda groups, k: -np.sort(-_sizes(groups, k)),
            "Your counts are sorted by size: entry 0 is the largest group, not group 0.",
            "Order them by the code of the group, 0 to k − 1.",
        ),
    ),
    nobody=(np.zeros(0, dtype=int), 200),
    after=(one_more(_people, (200,), "group"), _few_people),
    looks=(1, 30),
    words=Words(
        unit=" people",
        cell="group",
        from_data="Which public numbers give the scale? `groups` comes in several types of whole numbers, from int8 to "
        "int64: does your noise depend on the type, or on who is there?",
        too_much="The groups are disjoint: one person is in one of them. Does ε have to be shared among them?",
        too_little="One person changes one group by one. Which scale does that need?",
    ),
)

# 15.3 What cutting at zero adds


def _added(count: int, epsilon: float) -> float:
    return math.exp(-epsilon * count) / (2 * epsilon)


def _any_count(rng: np.random.Generator) -> tuple[int, float]:
    """Nobody, or as many as leave something to be seen."""
    epsilon = between(rng, 1e-3, 8.0)
    return int(rng.uniform(0, 12 / epsilon)), epsilon


ADDED = Equals(
    # Wrong answers shall not round to zero, which is a mistake of its own.
    lambda rng: (int(rng.integers(1, 10)), float(rng.uniform(0.2, 1.0))),
    expected=_added,
    wide=_any_count,
    mistakes=(
        Mistake(
            "unbiased",
            lambda count, epsilon: 0.0,
            "You say that nothing is added: the noise has mean zero. Cut noise has not.",
            "Only errors below −n are cut, and all of them are cut upwards.",
        ),
        Mistake(
            "no-half",
            lambda count, epsilon: math.exp(-epsilon * count) / epsilon,
            "Twice too much: only half of the noise is negative.",
            "The density is ε/2 · e^(−ε|x|).",
        ),
        Mistake(
            "probability",
            lambda count, epsilon: math.exp(-epsilon * count) / 2,
            "That is the probability of a negative count.",
            "How far below zero is it on average, when it is? The tail of Laplace noise is exponential.",
        ),
        Mistake(
            "total",
            lambda count, epsilon: count + _added(count, epsilon),
            "That is the mean of the published count.",
            "What was *added* to the true one is asked for.",
        ),
        Mistake(
            "sign",
            lambda count, epsilon: -_added(count, epsilon),
            "The sign is wrong: cutting at zero can only raise a number.",
            "Which way does max(…, 0) push?",
        ),
        Mistake(
            Shared.EPSILON_INVERTED,
            lambda count, epsilon: math.exp(-count / epsilon) * epsilon / 2,
            "ε is upside down.",
            "The scale of the noise is 1/ε.",
        ),
    ),
)
