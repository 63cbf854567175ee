"""Exercises 15.1 to 15.3: relative errors, counts of groups, attacked, and what cutting at zero adds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Trial, Wrong
from dpcourse.checks.cases import Audited, Equals, Mistake, Returns, Useful, either_order
from dpcourse.checks.noise import cell_noise, exact_total, nobody, too_little
from dpcourse.privacy import Guarantee

# 15.1 The relative error of a count


def _relative(count: int, epsilon: float) -> float:
    return math.log(20) / (epsilon * count)


RELATIVE = Equals(
    lambda rng: (int(rng.integers(20, 30_000)), float(rng.uniform(0.05, 2))),
    expected=_relative,
    mistakes=(
        Mistake(
            lambda count, epsilon: math.log(20) / epsilon,
            Wrong(
                "That is the error in people, the same for every group.",
                "As a share of the group, please: divide by its count.",
                "absolute",
            ),
        ),
        Mistake(
            lambda count, epsilon: 1.96 * math.sqrt(2) / (epsilon * count),
            Wrong(
                "That is 1.96 standard deviations, which holds 95% of a normal distribution.",
                "Laplace noise has its own quantiles: solve e^(−εw) = 0.05.",
                "normal",
            ),
        ),
        Mistake(
            lambda count, epsilon: math.log(10) / (epsilon * count),
            Wrong("That leaves 5% on each side, 10% in all.", "Both tails together must hold 5%.", "one-tail"),
        ),
        Mistake(
            lambda count, epsilon: epsilon * math.log(20) / count,
            Wrong("That grows with ε.", "The scale of the noise is 1/ε.", "scale-upside-down"),
        ),
        Mistake(
            lambda count, epsilon: math.log(20) / (epsilon * math.sqrt(count)),
            Wrong(
                "That falls with the root of the count, as the error of a *sample* does.",
                "The noise does not know how many people there are. What is a fixed error as a share of n?",
                "sampling",
            ),
        ),
        Mistake(
            lambda count, epsilon: 2 * math.log(20) / (epsilon * count),
            Wrong("That is the whole interval from end to end.", "How far is either end?", "whole-width"),
        ),
    ),
)

# 15.2 Counts of groups, large and small

_GROUPS = 6


def _people(rng: np.random.Generator) -> np.ndarray:
    """Groups as codes: one large, some small, one that nobody is in."""
    sizes = np.concatenate([rng.integers(300, 900, size=1), rng.integers(8, 60, size=_GROUPS - 2), [0]])
    return rng.permutation(np.repeat(rng.permutation(_GROUPS), rng.permutation(sizes)))


def _empty_neighbours(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The first person of a group that was empty."""
    groups = _people(rng)
    empty = int(np.flatnonzero(np.bincount(groups, minlength=_GROUPS) == 0)[0])
    more = np.insert(groups, int(rng.integers(len(groups) + 1)), empty)
    return either_order(groups, more, rng)


def _small_neighbours(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """One person more in the smallest group that has anybody."""
    groups = _people(rng)
    sizes = np.bincount(groups, minlength=_GROUPS)
    small = int(np.argmin(np.where(sizes > 0, sizes, sizes.max() + 1)))
    more = np.append(groups, small)
    return either_order(groups, more, rng)


def _with_group(pairs):
    """Tell the auditor, who knows both datasets, which count differs."""

    def factory(rng: np.random.Generator) -> tuple[tuple, tuple]:
        one, other = pairs(rng)
        differs = np.bincount(one, minlength=_GROUPS) != np.bincount(other, minlength=_GROUPS)
        where = int(np.flatnonzero(differs)[0])
        return (one, where), (other, where)

    return factory


def _counts_at(epsilon: float):
    def call(answer: Answer, groups: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return np.asarray(answer(groups, _GROUPS, epsilon, rng=rng), dtype=float)

    return call


def _one_count(epsilon: float):
    def call(answer: Answer, data: tuple[np.ndarray, int], rng: np.random.Generator) -> float:
        groups, where = data
        # Hundredths: the low bits of a float tell more than the exercise is about (lesson 14).
        return round(float(np.asarray(answer(groups, _GROUPS, epsilon, rng=rng), dtype=float)[where]), 2)

    return call


def _truth(groups: np.ndarray) -> np.ndarray:
    return np.bincount(groups, minlength=_GROUPS)


def _errors(answer: Answer, trial: Trial, epsilon: float, times: int) -> tuple[np.ndarray, np.ndarray]:
    """Errors and true sizes of each group in `times` runs on people drawn anew."""
    drawn = [_people(trial.rng) for _ in range(times)]
    call = _counts_at(epsilon)
    errors = np.array([call(answer, groups, trial.rng) - _truth(groups) for groups in drawn])
    return errors, np.array([_truth(groups) for groups in drawn])


def _exact_or_shared(answer: Answer, trial: Trial) -> Wrong | None:
    errors, sizes = _errors(answer, trial, 1.0, 60)
    empty = sizes == 0
    # 60 empty groups; discrete noise at ε = 1 is zero 46% of the time, so 90% of them by luck has probability < 1e-12.
    if np.mean(errors[empty] == 0) > 0.9 and np.mean(errors[~empty] == 0) < 0.8:
        return Wrong(
            "A group with nobody in it gets no noise: its exact 0 says that there is nobody.",
            "Every *declared* group needs noise, whether anybody is in it or not.",
            "empty-exact",
        )
    if (np.ptp(errors, axis=1) < 1e-9).all() and np.ptp(errors[:, 0]) > 1e-9:
        return Wrong(
            "All groups share one draw of noise: subtract two counts, and what is left is exact.",
            "Draw noise for each group: size=k.",
            "shared-noise",
        )
    return None


def _by_size(answer: Answer, trial: Trial, _: Any = None) -> Wrong | None:
    """Noise that follows the size of the group, or ε the wrong way."""
    errors, sizes = _errors(answer, trial, 1.0, 400)
    # Means, because discrete noise has a median of 0 or 1 and jumps between them.
    large, small = np.abs(errors[sizes > 200]).mean(), np.abs(errors[(sizes > 0) & (sizes < 61)]).mean()
    if large > 1.6 * max(small, 1e-9) or small > 1.6 * max(large, 1e-9):
        return Wrong(
            f"Your noise follows the size of the group: the mean error is {large:.2g} people in the large group and "
            f"{small:.2g} in the small ones. The size of the noise then tells the size of the group.",
            "The scale may depend on public numbers only: ε, and what one person can change.",
            "noise-by-size",
        )
    loud, quiet = (np.abs(_errors(answer, trial, epsilon, 60)[0]).mean() for epsilon in (4.0, 0.25))
    if loud > 2 * quiet:
        return Wrong("Your noise grows with ε.", "Is the scale ε, or 1/ε?", "scale-upside-down")
    return None


def _follows_size(answer: Answer, trial: Trial) -> Wrong | None:
    """Before the auditor: the mean errors of 400 and of 1,600 counts differ by a factor of 1.6 by luck with
    probability below 1e-12 (their relative standard deviations are 0.05 and 0.025)."""
    return _by_size(answer, trial)


def _errors_of_nonempty(answer: Answer, trial: Trial, epsilon: float) -> np.ndarray:
    """Errors of groups with people: in empty ones, somebody may have cut at zero."""
    errors, sizes = _errors(answer, trial, epsilon, 1500)
    return errors[sizes > 0]


COUNTS = (
    Returns(
        inputs=lambda rng: (_people(rng), _GROUPS, float(rng.uniform(0.3, 2))),
        what="array",
        shape=lambda groups, k, epsilon: (k,),
    ),
    _exact_or_shared,
    _follows_size,
    nobody(_counts_at(1.0), np.zeros(0, dtype=int), (_GROUPS,)),
    exact_total(_counts_at(1.0), _small_neighbours, _truth),
    cell_noise(_counts_at(1.0), _people, _truth),
    Audited(
        _with_group(_small_neighbours),
        Guarantee(0.5),
        call=_one_count(0.5),
        runs=6000,
        hint="One person changes one count by one: Laplace noise of scale 1/ε in every group.",
    ),
    Audited(
        _with_group(_empty_neighbours),
        Guarantee(1.0),
        call=_one_count(1.0),
        runs=2500,
        hint="One person changes one count by one: Laplace noise of scale 1/ε in every group.",
    ),
    too_little(_errors_of_nonempty),
    # Two scales hold 86.5% of Laplace(1/ε); noise of twice the scale gets 63% of its counts there.
    Useful(
        _small_neighbours,
        truth=_truth,
        within=2 / 0.5,
        at_least=0.8,
        call=_counts_at(0.5),
        error=lambda output, truth: abs(float(output[2]) - float(truth[2])),
        hint="The groups are disjoint: one person is in one of them. Does ε have to be shared among the groups?",
    ),
    Useful(
        _small_neighbours,
        truth=_truth,
        within=2 / 4.0,
        at_least=0.8,
        call=_counts_at(4.0),
        error=lambda output, truth: abs(float(output[4]) - float(truth[4])),
        hint="At ε = 0.5 the noise was right. Does it follow the ε it is given?",
    ),
)

# 15.3 What cutting at zero adds


def _added(count: int, epsilon: float) -> float:
    return math.exp(-epsilon * count) / (2 * epsilon)


ADDED = Equals(
    # Wrong answers shall not round to zero, which is a mistake of its own.
    lambda rng: (int(rng.integers(1, 10)), float(rng.uniform(0.2, 1.0))),
    expected=_added,
    mistakes=(
        Mistake(
            lambda count, epsilon: 0.0,
            Wrong(
                "You say that nothing is added: the noise has mean zero. Cut noise has not.",
                "Only errors below −n are cut, and all of them are cut upwards.",
                "unbiased",
            ),
        ),
        Mistake(
            lambda count, epsilon: math.exp(-epsilon * count) / epsilon,
            Wrong("Twice too much: only half of the noise is negative.", "The density is ε/2 · e^(−ε|x|).", "no-half"),
        ),
        Mistake(
            lambda count, epsilon: math.exp(-epsilon * count) / 2,
            Wrong(
                "That is the probability of a negative count.",
                "How far below zero is it on average, when it is? The tail of Laplace noise is exponential.",
                "probability",
            ),
        ),
        Mistake(
            lambda count, epsilon: count + _added(count, epsilon),
            Wrong(
                "That is the mean of the published count.", "What was *added* to the true one is asked for.", "total"
            ),
        ),
        Mistake(
            lambda count, epsilon: -_added(count, epsilon),
            Wrong(
                "The sign is wrong: cutting at zero can only raise a number.", "Which way does max(…, 0) push?", "sign"
            ),
        ),
        Mistake(
            lambda count, epsilon: math.exp(-count / epsilon) * epsilon / 2,
            Wrong("ε is upside down.", "The scale of the noise is 1/ε.", "scale-upside-down"),
        ),
    ),
)
