"""Exercises 06.2, 06.4 and 06.5: the estimate, the ε that is precise enough, and Bayes' rule."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dpcourse.checks.cases import Mistake
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import between, whole
from dpcourse.lessons.lesson_06.exercises.response import people, transition_matrix, truth_probability
from dpcourse.local import RandomizedResponse, project_to_simplex

ADULT = 45_222  # people in the lesson


def reports(rng: np.random.Generator) -> tuple[np.ndarray, float, int]:
    """Reports of people of whom nobody is in the last category, so that its estimate is negative half of the time."""
    k, epsilon = int(rng.integers(3, 7)), float(rng.uniform(0.3, 1.5))
    codes = people(rng, int(rng.integers(200, 2000)), k - 1)
    return RandomizedResponse(epsilon, k).randomize(codes, rng=rng), epsilon, k


def any_reports(rng: np.random.Generator, least: int = 1) -> tuple[np.ndarray, float, int]:
    """Of one person to twice as many as in the lesson, or of so many at least, who never report the last category."""
    k = whole(rng, 2, 60)
    said = k - (least > 1 or rng.random() < 0.5)
    return rng.integers(said, size=whole(rng, least, 2 * ADULT)), between(rng, 0.05, 8.0), k


def few_reports(rng: np.random.Generator) -> tuple[np.ndarray, float, int]:
    """Reports of so few people that the last answers, and one between, come from nobody."""
    k, epsilon = int(rng.integers(5, 8)), float(rng.uniform(0.3, 1.5))
    said = np.delete(np.arange(k - int(rng.integers(1, 3))), 1)
    return rng.choice(said, size=int(rng.integers(3, 12))), epsilon, k


def _counts(reports: np.ndarray, epsilon: float, k: int) -> np.ndarray:
    return np.bincount(reports, minlength=k).astype(float)


def solved(reports: np.ndarray, epsilon: float, k: int, truth: float | None = None) -> np.ndarray:
    p = truth_probability(epsilon, k) if truth is None else truth
    q = (1 - p) / (k - 1)
    return (_counts(reports, epsilon, k) - len(reports) * q) / (p - q)


def _renormalised(reports: np.ndarray, epsilon: float, k: int) -> np.ndarray:
    kept = np.maximum(solved(reports, epsilon, k), 0)
    return kept * len(reports) / kept.sum()


def _lies_not_shared(reports: np.ndarray, epsilon: float, k: int) -> np.ndarray:
    p = truth_probability(epsilon, k)
    return (_counts(reports, epsilon, k) - len(reports) * (1 - p)) / (2 * p - 1)


ESTIMATOR_MISTAKES = (
    Mistake(
        "clipped",
        lambda r, e, k: np.maximum(solved(r, e, k), 0),
        "You cut negative estimates off at zero. What is cut off below is not taken away above: rare categories "
        "come out too large on average, and the counts no longer add up to n.",
        "Leave negative estimates as they are; they are what makes the mean right.",
    ),
    Mistake(
        "clipped",
        lambda r, e, k: np.clip(solved(r, e, k), 0, len(r)),
        "You clip the estimates to [0, n], which pulls rare categories up and common ones down on average.",
        "Leave the estimates as they are; a projection can come later, as post-processing.",
    ),
    Mistake(
        "projected",
        lambda r, e, k: project_to_simplex(solved(r, e, k), len(r)),
        "You project the estimates on the simplex: useful, and biased.",
        "Return them as they are.",
    ),
    Mistake(
        "renormalised",
        _renormalised,
        "You clip at zero and scale back to n. The sum is right again and the bias is still there.",
        "Return the estimates before clipping; they add up to n by themselves.",
    ),
    Mistake(
        "forgets-q",
        lambda r, e, k: _counts(r, e, k) / truth_probability(e, k),
        "You divide the reports by p. But some of the reports of a category are lies of people in the others.",
        "E[reports of v] = N_v·p + (n − N_v)·q. Which part is missing?",
    ),
    Mistake(
        "divides-by-p",
        lambda r, e, k: (_counts(r, e, k) - len(r) * (1 - truth_probability(e, k)) / (k - 1)) / truth_probability(e, k),
        "You subtract n·q and divide by p; the counts do not add up to n.",
        "Solve N_v·p + (n − N_v)·q = reports for N_v: what stands before N_v?",
    ),
    Mistake(
        "no-division",
        lambda r, e, k: _counts(r, e, k) - len(r) * (1 - truth_probability(e, k)) / (k - 1),
        "You subtract the expected lies and stop there: a true answer survives only some of the time.",
        "What does one more person in v add to the expected reports of v? Divide by that.",
    ),
    Mistake(
        "lies-not-shared",
        _lies_not_shared,
        "You use 1 − p as the probability of a lie. That is all lies together; each one has (1 − p)/(k − 1).",
        "How often does a person in another category report exactly v?",
    ),
    Mistake(
        "k2-formula",
        lambda r, e, k: solved(r, e, k, truth=math.exp(e) / (math.exp(e) + 1)),
        "You use the truth probability of k = 2.",
        "p = e^ε/(e^ε + k − 1).",
    ),
    Mistake(
        "raw",
        _counts,
        "You return how often each answer was reported.",
        "How many of these reports are lies, and how do you take them out?",
    ),
    Mistake(
        "shares",
        lambda r, e, k: solved(r, e, k) / len(r),
        "You return shares, which add up to 1.",
        "Return numbers of people: multiply by n.",
    ),
)

_UNREPORTED = Diagnosis(
    "unreported",
    "You return no estimate for an answer that nobody reported, so that there are fewer than k. With few people, "
    "perhaps nobody reports the last answer.",
    "np.bincount takes a `minlength`.",
)
UNREPORTED_MISTAKES = (
    Mistake.told(_UNREPORTED, lambda r, e, k: solved(r, e, k)[: r.max() + 1]),
    Mistake.told(_UNREPORTED, lambda r, e, k: solved(r, e, k)[np.unique(r)]),
)


def standard_error(epsilon: float, n: int, count: int, k: int) -> float:
    """Of the estimate of a category with `count` of n people, by the formula of the lesson."""
    p = truth_probability(epsilon, k)
    q = (1 - p) / (k - 1)
    return math.sqrt(count * p * (1 - p) + (n - count) * q * (1 - q)) / (p - q)


def smallest(n: int, count: int, k: int, error: float) -> float:
    """The ε at which the standard error is `error`: with u = e^ε, error²(u−1)² is linear in u."""
    slope = count * (k - 1) + n - count
    constant = (n - count) * (k - 2)
    half = 1 + slope / (2 * error**2)
    return math.log(half + math.sqrt(half**2 - 1 + constant / error**2))


def requirement(rng: np.random.Generator) -> tuple[int, int, int, float]:
    n, k = int(rng.integers(2_000, 60_000)), int(rng.integers(3, 12))
    count = int(n * rng.uniform(0.05, 0.5))
    return n, count, k, standard_error(float(rng.uniform(0.4, 3.0)), n, count, k)


def any_requirement(rng: np.random.Generator, nobody: bool = False) -> tuple[int, int, int, float]:
    n, k = whole(rng, 10, 10**6), whole(rng, 2, 60)
    count = 0 if nobody else whole(rng, 1, n)
    return n, count, k, standard_error(between(rng, 0.05, 8.0), n, count, k)


def _inverted(error_of: Callable[..., float], low: float = 1e-4, high: float = 30.0):
    """ε as a function of the requirement, for a wrong idea of the standard error."""

    def solve(n: int, count: int, k: int, error: float) -> float:
        a, b = low, high
        for _ in range(60):
            middle = math.sqrt(a * b)
            a, b = (middle, b) if error_of(middle, n, count, k) > error else (a, middle)
        return b

    return solve


def _own_people_only(epsilon: float, n: int, count: int, k: int) -> float:
    p = truth_probability(epsilon, k)
    return math.sqrt(count * p * (1 - p)) / (p - (1 - p) / (k - 1))


EPSILON_MISTAKES = (
    Mistake(
        "central-laplace",
        lambda n, count, k, error: math.sqrt(2) / error,
        "That is the ε of Laplace noise added once to the count by somebody who is trusted with the answers.",
        "Here every person adds noise. Use the standard error of randomized response.",
    ),
    Mistake(
        "variance",
        lambda n, count, k, error: smallest(n, count, k, math.sqrt(error)),
        "You compare the variance with the error.",
        "Take the root of the variance.",
    ),
    Mistake(
        "interval",
        lambda n, count, k, error: smallest(n, count, k, error / 1.959964),
        "At your ε, `error` is the half-width of a 95% interval around the estimate.",
        "The exercise asks for the standard error itself.",
    ),
    Mistake(
        "own-people-only",
        _inverted(_own_people_only),
        "You count only the noise of the people in the category. The lies of all the others fall into it too.",
        "Add (n − N)·q(1 − q).",
    ),
    Mistake(
        "k2-formula",
        lambda n, count, k, error: smallest(n, count, 2, error),
        "You use the probabilities of k = 2.",
        "p and q depend on k.",
    ),
)


def belief(rng: np.random.Generator) -> tuple[np.ndarray, int, float]:
    k = int(rng.integers(3, 7))
    return rng.dirichlet(np.full(k, 1.5)), int(rng.integers(k)), float(rng.uniform(0.2, 3.0))


def any_belief(rng: np.random.Generator) -> tuple[np.ndarray, int, float]:
    """Of two categories to sixty; every fifth time all are as likely, or one is that of nobody."""
    k = whole(rng, 2, 60)
    prior = np.full(k, 1 / k) if rng.random() < 0.2 else rng.dirichlet(np.full(k, between(rng, 0.1, 10.0)))
    if k > 2 and rng.random() < 0.2:
        prior[rng.integers(k)] = 0
    return prior / prior.sum(), int(rng.integers(k)), between(rng, 0.01, 8.0)


def _column(prior: np.ndarray, report: int, truth: float) -> np.ndarray:
    return np.where(np.arange(len(prior)) == report, truth, (1 - truth) / (len(prior) - 1))


def posterior(prior: np.ndarray, report: int, epsilon: float, truth: float | None = None) -> np.ndarray:
    weights = prior * _column(prior, report, truth_probability(epsilon, len(prior)) if truth is None else truth)
    return weights / weights.sum()


BAYES_MISTAKES = (
    Mistake(
        "ignores-prior",
        lambda prior, report, e: _column(prior, report, truth_probability(e, len(prior))),
        "You return how likely the report is, given each truth. It does not depend on the prior.",
        "Multiply by the prior, then divide by the sum.",
    ),
    Mistake(
        "not-normalised",
        lambda prior, report, e: prior * _column(prior, report, truth_probability(e, len(prior))),
        "Your probabilities do not add up to 1.",
        "Divide by their sum.",
    ),
    Mistake(
        "believes",
        lambda prior, report, e: np.eye(len(prior))[report],
        "You believe the report.",
        "It may be a lie; how often?",
    ),
    Mistake(
        "ignores-report",
        lambda prior, report, e: prior,
        "You do not learn from the report at all.",
        "It is the truth more often than chance.",
    ),
    Mistake(
        "k2-formula",
        lambda prior, report, e: posterior(prior, report, e, math.exp(e) / (math.exp(e) + 1)),
        "You use the truth probability of k = 2.",
        "p = e^ε/(e^ε + k − 1).",
    ),
    Mistake(
        "double-epsilon",
        lambda prior, report, e: posterior(prior, report, 2 * e),
        "You use 2ε where ε is meant: p = e^(2ε)/(e^(2ε) + k − 1).",
        "Where does the 2 come from?",
    ),
    Mistake(
        "wrong-way-round",
        lambda prior, report, e: prior @ transition_matrix(truth_probability(e, len(prior)), len(prior)),
        "You return how often each report comes in, from people with this prior.",
        "The other way round: a report is given, and the truth is asked for.",
    ),
)
