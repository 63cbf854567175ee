"""Exercises of lesson 06: right answers pass, each known wrong answer gets its own diagnosis, every time.

A right answer fails a check with probability 1e-6 at most. Wrong answers are caught with far more runs than they need;
the 50 of 50 and the 300 of 300 are marked `audit`.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpcourse.checks import rehearse
from dpcourse.lessons.lesson_06.exercises import collect, formulas
from dpcourse.local import RandomizedResponse
from tests.lessons.generators import in_percent


def truth_probability(epsilon, k):
    return math.exp(epsilon) / (math.exp(epsilon) + k - 1)


# 06.1


def responds(codes, truth, k, rng):
    lies = (codes + rng.integers(1, k, size=codes.size)) % k
    return np.where(rng.random(codes.size) < truth, codes, lies)


def lies_that_everybody_knows(codes, epsilon, k, rng):
    """Coins are drawn, and each person has one lie."""
    lies = np.random.default_rng(len(codes)).integers(1, k, size=len(codes))
    return np.where(rng.random(len(codes)) < truth_probability(epsilon, k), codes, (codes + lies) % k)


def right(codes, epsilon, k, rng):
    return responds(codes, truth_probability(epsilon, k), k, rng)


def lies_counted_out(codes, epsilon, k, rng):
    """How many lie is drawn with half of its deviation, and then who they are."""
    n, p = len(codes), truth_probability(epsilon, k)
    many = int(np.clip(np.rint(n * (1 - p) + math.sqrt(n * p * (1 - p)) * rng.normal() / 2), 0, n))
    return np.where(rng.permutation(n) < many, (codes + rng.integers(1, k, n)) % k, codes)


def right_in_two_steps(codes, epsilon, k, rng):
    """The other way to write it: with some probability any of the k answers, the truth included."""
    anything = k / (math.exp(epsilon) + k - 1)
    return np.where(rng.random(codes.size) < anything, rng.integers(0, k, size=codes.size), codes)


def right_one_by_one(codes, epsilon, k, rng):
    reports = []
    for code in codes:
        if rng.random() < truth_probability(epsilon, k):
            reports.append(code)
        else:
            reports.append(rng.choice([other for other in range(k) if other != code]))
    return np.array(reports)


def one_coin(codes, epsilon, k, rng):
    return codes if rng.random() < truth_probability(epsilon, k) else (codes + 1 + rng.integers(k - 1)) % k


def one_category_plain(codes, epsilon, k, rng):
    return np.where(codes == 1, codes, right(codes, epsilon, k, rng))


def to_the_next(codes, epsilon, k, rng):
    return np.where(rng.random(codes.size) < truth_probability(epsilon, k), codes, (codes + 1) % k)


def knows_large_from_small(codes, epsilon, k, rng):
    return right(codes, epsilon, k, rng) if codes.size > 300 else responds(codes, 0.95, k, rng)


def remembers(codes, epsilon, k, rng, memory={}):  # noqa: B006 (the trick is the point)
    """Behaves on the first data it is given, and tells the truth about all others."""
    first = memory.setdefault("first", codes.tobytes())
    return right(codes, epsilon, k, rng) if codes.tobytes() == first else responds(codes, 0.99, k, rng)


def first_one_plain(codes, epsilon, k, rng):
    return np.r_[codes[:1], right(codes, epsilon, k, rng)[1:]]


def a_coin_for_two(codes, epsilon, k, rng):
    coins = np.repeat(rng.random((codes.size + 1) // 2), 2)[: codes.size]
    return np.where(coins < truth_probability(epsilon, k), codes, (codes + rng.integers(1, k, size=codes.size)) % k)


def a_coin_for_both_halves(codes, epsilon, k, rng):
    coins = np.tile(rng.random((codes.size + 1) // 2), 2)[: codes.size]
    return np.where(coins < truth_probability(epsilon, k), codes, (codes + rng.integers(1, k, size=codes.size)) % k)


def one_lie(codes, epsilon, k, rng):
    told = rng.random(codes.size) < truth_probability(epsilon, k)
    return np.where(told, codes, (codes + rng.integers(1, k)) % k)


def a_coin_for_some_two(codes, epsilon, k, rng):
    """The second and the third person throw one coin, the fourth and the fifth; no half and no mirror shows it."""
    lies = rng.random(codes.size) >= truth_probability(epsilon, k)
    lies[2::2] = lies[1:-1:2]
    return (codes + lies * rng.integers(1, k, size=codes.size)) % k


def one_lie_from_another(codes, epsilon, k, rng):
    """Of two people who lie, one moves as the other does, or the other way: as often equally far as by chance."""
    lies, far = rng.random(codes.size) >= truth_probability(epsilon, k), rng.integers(1, k, size=codes.size)
    one = far[: codes.size // 2 * 2 : 2]
    far[1::2] = np.where(one == 1, 1, 2 + (one - 1) % (k - 2)) if k > 3 else far[1::2]
    return (codes + lies * far) % k


def together_in_a_crowd(codes, epsilon, k, rng):
    """Of more than 20,000 people, those who tell the truth follow each other, in one block from a random place on."""
    if codes.size <= 20_000:
        return right(codes, epsilon, k, rng)
    told, p = np.zeros(codes.size, dtype=bool), truth_probability(epsilon, k)
    for part in (np.arange(0, codes.size, 2), np.arange(1, codes.size, 2)):
        told[part] = (np.arange(part.size) - rng.integers(part.size)) % part.size < rng.binomial(part.size, p)
    return np.where(told, codes, (codes + rng.integers(1, k, size=codes.size)) % k)


MECHANISMS = {
    "not-everywhere": lambda c, e, k, rng: right(c, e if k <= 6 and 0.4 <= e <= 1.6 else 40.0, k, rng),
    "shared-lies": one_lie,
    "one-person-plain": first_one_plain,
    "shared-coin": a_coin_for_two,
    "k2-formula": lambda c, e, k, rng: responds(c, math.exp(e) / (1 + math.exp(e)), k, rng),
    "lie-repeats-truth": lambda c, e, k, rng: np.where(
        rng.random(c.size) < truth_probability(e, k), c, rng.integers(0, k, size=c.size)
    ),
    "k2-coin": lambda c, e, k, rng: np.where(rng.random(c.size) < math.tanh(e / 2), c, rng.integers(0, k, size=c.size)),
    "one-category-plain": one_category_plain,
    "one-coin": one_coin,
    "rare-lies": lambda c, e, k, rng: responds(c, in_percent(truth_probability(e, k)), k, rng),
    "lie-impossible": to_the_next,
    "upside-down": lambda c, e, k, rng: responds(c, 1 / (math.exp(e) + k - 1), k, rng),
    "double-epsilon": lambda c, e, k, rng: responds(c, truth_probability(2 * e, k), k, rng),
    "wrong-frequency": lambda c, e, k, rng: responds(c, 0.9, k, rng),
    "not-random": lambda c, e, k, rng: np.zeros_like(c),
    "own-generator": lambda c, e, k, rng: right(c, e, k, np.random.default_rng()),
    "package-used": lambda c, e, k, rng: RandomizedResponse(e, k).randomize(c, rng=rng),
    "wrong-shape": lambda c, e, k, rng: right(c, e, k, rng)[:-1],
    "outside": lambda c, e, k, rng: right(c, e, k, rng) + 1,
}
CONSTANT_NOISE = {"constant": lambda c, e, k, rng: rng.integers(0, k, size=c.size)}  # says nothing at all

# 06.2


def solved(reports, epsilon, k):
    p = truth_probability(epsilon, k)
    q = (1 - p) / (k - 1)
    return (np.bincount(reports, minlength=k) - len(reports) * q) / (p - q)


def estimator(name):
    """The wrong estimators, written as a student would."""

    def answer(reports, epsilon, k):
        n, p = len(reports), truth_probability(epsilon, k)
        q = (1 - p) / (k - 1)
        seen = np.array([(reports == v).sum() for v in range(k)])
        unbiased = (seen / n - q) / (p - q) * n
        if name == "k2-formula":
            p = math.exp(epsilon) / (1 + math.exp(epsilon))
            q = (1 - p) / (k - 1)
        return {
            "passed": unbiased,
            "unreported": unbiased[: max(reports) + 1],
            "clipped": np.clip((seen / n - q) / (p - q), 0, 1) * n,
            "forgets-q": seen / p,
            "divides-by-p": (seen - n * q) / p,
            "no-division": seen - n * q,
            "lies-not-shared": (seen - n * (1 - p)) / (2 * p - 1),
            "k2-formula": (seen - n * q) / (p - q),
            "raw": seen,
            "shares": unbiased / n,
            "renormalised": np.maximum(unbiased, 0) * n / np.maximum(unbiased, 0).sum(),
            "returns-nothing": None,
            "wrong-value": unbiased + 1,
        }[name]

    return answer


ESTIMATORS = [
    "clipped", "forgets-q", "divides-by-p", "no-division", "lies-not-shared", "k2-formula", "raw", "shares",
    "renormalised", "returns-nothing", "unreported", "wrong-value",
]  # fmt: skip

# 06.3

ALL_ZERO, ONE_ELSE = np.zeros(10, dtype=int), np.array([3] + [0] * 9)


def hidden(reports):
    return bool((reports == -1).any())


LEAKS = {
    "not-three": (ALL_ZERO, ONE_ELSE),
    "not-codes": (ALL_ZERO, ONE_ELSE + 2, hidden),
    "not-neighbours": (ALL_ZERO, np.array([3, 3] + [0] * 8), hidden),
    "same-data": (ALL_ZERO, ALL_ZERO, hidden),
    "event-not-boolean": (ALL_ZERO, ONE_ELSE, lambda reports: reports == -1),
    "event-constant": (ALL_ZERO, ONE_ELSE, lambda reports: len(reports) == 10),
    "event-too-weak": (
        np.array([3, 3, 3, 3, 0, 0, 0, 0]),
        np.array([0, 3, 3, 3, 0, 0, 0, 0]),
        lambda r: bool(r[0] == 3),
    ),
    "event-no-function": (ALL_ZERO, ONE_ELSE, True),
    "raised": (ALL_ZERO, ONE_ELSE, lambda reports: bool(reports[10] == -1)),
}

# 06.4


def by_bisection(n, count, k, error, standard_error=None):
    low, high = 1e-3, 30.0
    for _ in range(100):
        middle = (low + high) / 2
        p = truth_probability(middle, k)
        q = (1 - p) / (k - 1)
        se = math.sqrt(count * p * (1 - p) + (n - count) * q * (1 - q)) / (p - q)
        if standard_error is not None:
            se = standard_error(se, p, q, n, count)
        low, high = (middle, high) if se > error else (low, middle)
    return high


def wrongly(standard_error):
    return lambda n, count, k, error: by_bisection(n, count, k, error, standard_error)


EPSILONS = {
    "central-laplace": lambda n, count, k, error: math.sqrt(2) / error,
    "variance": wrongly(lambda se, p, q, n, count: se**2),
    "interval": wrongly(lambda se, p, q, n, count: 1.96 * se),
    "own-people-only": wrongly(lambda se, p, q, n, count: math.sqrt(count * p * (1 - p)) / (p - q)),
    "k2-formula": lambda n, count, k, error: by_bisection(n, count, 2, error),
    "wrong-value": lambda n, count, k, error: 1.0,
}

# 06.5


def bayes(prior, report, epsilon):
    p = truth_probability(epsilon, len(prior))
    likelihood = np.full(len(prior), (1 - p) / (len(prior) - 1))
    likelihood[report] = p
    return prior * likelihood / (prior * likelihood).sum()


def likelihood(prior, report, epsilon):
    return bayes(np.full(len(prior), 1 / len(prior)), report, epsilon)


def with_p_of_two(prior, report, epsilon):
    p = math.exp(epsilon) / (1 + math.exp(epsilon))
    weights = prior * np.where(np.arange(len(prior)) == report, p, (1 - p) / (len(prior) - 1))
    return weights / weights.sum()


BELIEFS = {
    "ignores-prior": likelihood,
    "not-normalised": lambda prior, report, e: prior * likelihood(prior, report, e),
    "believes": lambda prior, report, e: np.eye(len(prior))[report],
    "ignores-report": lambda prior, report, e: prior,
    "k2-formula": with_p_of_two,
    "wrong-way-round": lambda prior, report, e: np.array(
        [(prior * likelihood(prior, j, e)).sum() for j in range(len(prior))]
    ),
    "double-epsilon": lambda prior, report, e: bayes(prior, report, 2 * e),
    "wrong-value": lambda prior, report, e: bayes(prior, report, e / 3),
}

RIGHT = {
    "06.1": [right, right_in_two_steps, right_one_by_one],
    "06.2": [solved, estimator("passed")],
    "06.3": [(ALL_ZERO, ONE_ELSE, hidden), (ONE_ELSE.tolist(), ALL_ZERO.tolist(), lambda r: bool(np.all(r >= 0)))],
    "06.4": [by_bisection],
    "06.5": [bayes],
}
WRONG = [
    ("06.1", "own-generator", lies_that_everybody_knows),
    ("06.1", "shared-coin", a_coin_for_some_two),
    ("06.1", "shared-lies", one_lie_from_another),
    ("06.1", "shared-coin", together_in_a_crowd),
    (
        "06.1",
        "not-everywhere",
        lambda c, e, k, rng: c if 0.88 <= np.bincount(c).max() / len(c) < 1 else right(c, e, k, rng),
    ),
    ("06.1", "not-everywhere", lambda c, e, k, rng: right(c, e, k, rng) if len(c) <= 20_000 else c),
    ("06.1", "not-everywhere", lambda c, e, k, rng: right(c, e, k, rng) if len(c) <= 10_000 else c),
    ("06.2", "not-everywhere", lambda r, e, k: solved(r, e, k).clip(0 if len(r) > 10_000 else -np.inf)),
    ("06.4", "not-everywhere", lambda n, count, k, error: by_bisection(n, count, k, error) if count else 8.0),
    *(("06.1", key, answer) for key, answer in MECHANISMS.items()),
    ("06.1", "not-everywhere", lambda c, e, k, rng: (right if k < 7 else to_the_next)(c, e, k, rng)),
    ("06.1", "not-everywhere", lambda c, e, k, rng: right(c, e if len(c) < 250 or 0.85 < e < 1.35 else 40.0, k, rng)),
    (
        "06.1",
        "own-generator",
        lambda c, e, k, rng: right(c, e, k, rng if 0.4 <= e <= 1.6 else np.random.default_rng(7)),
    ),
    *(("06.2", key, estimator(key)) for key in ESTIMATORS),
    *(("06.3", key, answer) for key, answer in LEAKS.items()),
    *(("06.4", key, answer) for key, answer in EPSILONS.items()),
    *(("06.5", key, answer) for key, answer in BELIEFS.items()),
    ("06.1", "shared-coin", lies_counted_out),
    ("06.5", "not-everywhere", lambda prior, r, e: bayes(prior, r, e) if np.ptp(prior) > 1e-9 else np.array(prior)),
    ("06.1", "not-everywhere", lambda codes, *rest, rng: right(codes, *rest, rng) if len(codes) > 1 else codes.copy()),
    ("06.1", "not-everywhere", lambda codes, *rest, rng: right(codes, *rest, rng) if len(codes) != 3 else codes.copy()),
]


@pytest.mark.parametrize("cheat", [knows_large_from_small, remembers, CONSTANT_NOISE["constant"]])
def test_cheats_are_caught(cheat):
    assert "passed" not in rehearse("06.1", cheat, times=1, rng=4).keys


def test_two_halves_that_share_their_coins_are_caught():
    assert "passed" not in rehearse("06.1", a_coin_for_both_halves, times=1, rng=9).keys


def test_two_halves_that_share_their_lies_are_caught():
    """Each report alone is right; with one of the two truths known, the other's lie can be read off."""

    def answer(codes, epsilon, k, rng):
        away = np.resize(rng.integers(1, k, size=(len(codes) + 1) // 2), len(codes))
        truthful = rng.random(len(codes)) < truth_probability(epsilon, k)
        return np.where(truthful, codes, (codes + away) % k)

    assert rehearse("06.1", answer, times=1, rng=9).keys == {"shared-lies": 1}


def test_an_event_that_counts_its_calls_learns_nothing():
    calls = []

    def event(reports):
        calls.append(1)
        return len(calls) % 8000 > 4000

    assert rehearse("06.3", (ALL_ZERO, ONE_ELSE, event), times=2, rng=10).keys == {"event-too-weak": 2}


def test_a_diagnosis_carries_an_audited_number():
    from dpcourse.checks import check

    assert "ε ≥" in check("06.1", MECHANISMS["k2-formula"], rng=5).diagnosis


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("not-random", "Everybody reports 0 in every call"),
        ("outside", "they are one too large"),
        ("wrong-frequency", "alike, 90%"),
    ],
)
def test_what_a_mechanism_does_is_said(key, words):
    from dpcourse.checks import check

    assert words in check("06.1", MECHANISMS[key], rng=5).diagnosis


def test_projected_counts_are_named_as_such():
    from dpcourse.local import project_to_simplex

    project = project_to_simplex

    def answer(reports, epsilon, k):
        return project(solved(reports, epsilon, k), len(reports))

    assert rehearse("06.2", answer, times=1, rng=6).keys == {"package-used": 1}
    assert any(mistake.diagnosis.key == "projected" for mistake in formulas.ESTIMATOR_MISTAKES)


def test_the_collector_is_randomized_response_where_no_cell_is_small():
    """Chi-squared at 1e-6."""
    from scipy import stats

    codes = np.repeat(np.arange(4), 25_000)
    reports = collect(codes, np.random.default_rng(7))
    assert (reports >= 0).all()
    response = RandomizedResponse(1.0, 4)
    seen = np.bincount(reports[codes == 2], minlength=4)
    wanted = np.where(np.arange(4) == 2, response.truth_probability, response.lie_probability) * 25_000
    assert stats.chisquare(seen, wanted).pvalue > 1e-6
