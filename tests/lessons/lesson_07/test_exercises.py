"""The exercises of lesson 07: right answers pass, each known wrong answer gets its own diagnosis.

Formulas are checked without chance. For the two audited exercises a right answer fails with probability 1e-6 at most;
the long versions (20 and 300 checks) are marked `audit`.
"""

import math

import numpy as np
import pytest

from dpcourse.checks import check, rehearse
from dpcourse.local import RandomizedResponse
from tests.lessons.generators import in_percent, that_evens_out


def best_protocol(k, epsilon):
    e = math.exp(epsilon)
    return "k-RR" if e + k - 2 < 4 * e else "OUE"


def bits(own, other):
    """A unary encoding with these two probabilities, functions of ε."""

    def unary_reports(codes, k, epsilon, rng):
        mine = codes[:, None] == np.arange(k)
        return rng.random(mine.shape) < np.where(mine, own(epsilon), other(epsilon))

    return unary_reports


def quiet(epsilon):
    return 1 / (math.exp(epsilon) + 1)


def as_numbers(codes, k, epsilon, rng):
    reports = rng.binomial(1, quiet(epsilon), size=(len(codes), k))
    reports[np.arange(len(codes)), codes] = rng.binomial(1, 0.5, size=len(codes))
    return reports


def one_draw(codes, k, epsilon, rng):
    mine = codes[:, None] == np.arange(k)
    return rng.random((len(codes), 1)) < np.where(mine, 0.5, quiet(epsilon))


def estimate(reports, epsilon):
    return (reports.mean(axis=0) - quiet(epsilon)) / (0.5 - quiet(epsilon)) * len(reports)


def spread(epsilon, n, delta):
    return 8 * (math.exp(epsilon) * math.log(4 / delta) / n) ** 0.5 + 8 * math.exp(epsilon) / n


def factor(epsilon):
    return (math.exp(epsilon) - 1) / (math.exp(epsilon) + 1)


def holds(epsilon, n, delta):
    return math.exp(epsilon) <= n / (16 * math.log(2 / delta))


def shuffled(epsilon, n, delta):
    if not holds(epsilon, n, delta):
        return epsilon
    return min(epsilon, math.log(1 + factor(epsilon) * spread(epsilon, n, delta)))


def respond(answer, k, truth, rng, size=None):
    told = rng.random(size) < truth
    return np.where(told, answer, (answer + rng.integers(1, k, size=size)) % k)


def p_of(epsilon, k):
    return math.exp(epsilon) / (math.exp(epsilon) + k - 1)


def remembered(answer, days, k, epsilon, rng):
    return np.full(days, respond(answer, k, p_of(epsilon, k), rng))


def another_remembered(answer, days, k, epsilon, rng):
    weights = np.ones(k)
    weights[answer] = math.exp(epsilon)
    return np.repeat(rng.choice(k, p=weights / weights.sum()), days)


def first_day_true(answer, days, k, epsilon, rng):
    reports = remembered(answer, days, k, epsilon, rng)
    reports[0] = answer
    return reports


def the_lie_is_next(answer, days, k, epsilon, rng):
    return np.full(days, answer if rng.random() < p_of(epsilon, k) else (answer + 1) % k)


def fresh(answer, days, k, epsilon, rng):
    return respond(answer, k, p_of(epsilon, k), rng, days)


def in_pairs(codes, k, epsilon, rng):
    """Where it is not asked often, every two people have the draws of one."""
    mine, draws = codes[:, None] == np.arange(k), rng.random((len(codes), k))
    return (draws if k == 6 else draws[np.arange(len(codes)) // 2]) < np.where(mine, 0.5, quiet(epsilon))


def others_in_order(codes, k, epsilon, rng):
    """Of the other bits, how many are set is drawn. Which of them follows from the person's place and answer."""
    drawn = bits(lambda e: 0.5, quiet)(codes, k, epsilon, rng)
    if k == 6:
        return drawn
    people, own = np.arange(len(codes)), drawn[np.arange(len(codes)), codes]
    order = np.sin(1e4 * np.outer(people + 1, np.arange(k) + 2) + codes[:, None])
    order[people, codes] = np.inf
    drawn[:] = order.argsort(axis=1).argsort(axis=1) < (drawn.sum(axis=1) - own)[:, None]
    drawn[people, codes] = own
    return drawn


def own_bits_in_a_block(codes, k, epsilon, rng):
    """Half of all own bits are set: those of one block of people, from a random place on."""
    n, drawn = len(codes), bits(lambda e: 0.5, quiet)(codes, k, epsilon, rng)
    drawn[np.arange(n), codes] = (np.arange(n) - rng.integers(max(n, 1))) % max(n, 1) < rng.binomial(n, 0.5)
    return drawn


def plain_for(people):
    """Where there are so many, the bits are what they say."""

    def unary_reports(codes, k, epsilon, rng):
        if len(codes) == people:
            return codes[:, None] == np.arange(k)
        return bits(lambda e: 0.5, quiet)(codes, k, epsilon, rng)

    return unary_reports


RIGHT = {
    "07.1": [best_protocol],
    "07.2": [bits(lambda e: 0.5, quiet), as_numbers],
    "07.3": [estimate],
    "07.4": [lambda days, daily, permanent: min(permanent, daily * days)],
    "07.5": [shuffled],
    "07.6": [remembered, another_remembered],
}

WRONG = {
    ("07.5", "wrong-value"): lambda epsilon, n, delta: (
        shuffled(epsilon, n, delta) if n >= 16 * math.exp(epsilon) * math.log(4 / delta) else epsilon
    ),
    ("07.2", "shared-draws"): own_bits_in_a_block,
    ("07.2", "not-everywhere too at size"): lambda codes, k, epsilon, rng: bits(lambda e: 0.5, quiet)(
        codes, k, epsilon if len(codes) <= 20_000 else 40.0, rng
    ),
    ("07.3", "not-everywhere too of 1 and 0"): lambda reports, epsilon: (
        (len(reports) - (~reports).sum(axis=0) - len(reports) * quiet(epsilon)) / (0.5 - quiet(epsilon))
    ),
    ("07.3", "not-everywhere too at size"): lambda reports, epsilon: estimate(reports, epsilon).clip(
        0 if len(reports) > 5000 else -np.inf
    ),
    ("07.6", "not-for-ever too at size"): lambda answer, days, k, epsilon, rng: (
        remembered(answer, days, k, epsilon, rng)
        if days <= 300
        else np.array([remembered(answer, 1, k, epsilon, rng)[0] for _ in range(days)])
    ),
    ("07.2", "full-epsilon"): bits(lambda e: 1 - quiet(e), quiet),
    ("07.2", "symmetric"): bits(lambda e: 1 - quiet(e / 2), lambda e: quiet(e / 2)),
    ("07.2", "own-bit-sure"): bits(lambda e: 1.0, quiet),
    ("07.2", "inverse"): bits(lambda e: 0.5, lambda e: math.exp(-e)),
    ("07.2", "half-epsilon"): bits(lambda e: 0.5, lambda e: quiet(e / 2)),
    ("07.2", "one-draw"): one_draw,
    ("07.2", "not-random"): lambda codes, k, epsilon, rng: codes[:, None] == np.arange(k),
    ("07.2", "wrong-shape"): lambda codes, k, epsilon, rng: codes == rng.integers(k, size=len(codes)),
    ("07.2", "wrong-probabilities"): bits(lambda e: 0.7, lambda e: 0.3),
    ("07.2", "not-everywhere"): lambda codes, k, epsilon, rng: as_numbers(
        codes, k, epsilon if 0.5 <= epsilon <= 2.2 else 40.0, rng
    ),
    ("07.2", "not-everywhere too"): lambda codes, k, epsilon, rng: as_numbers(
        codes, k, epsilon if k == 6 or len(codes) <= 30 else 40.0, rng
    ),
    ("07.2", "outside"): lambda codes, k, epsilon, rng: (
        as_numbers(codes, k, epsilon, rng) * (1 + ((k not in (5, 6)) & (codes[:, None] == np.arange(k))))
    ),
    ("07.2", "not-everywhere too too"): in_pairs,
    ("07.2", "not-everywhere too in order"): others_in_order,
    ("07.6", "rare-lies"): lambda answer, days, k, epsilon, rng: np.full(
        days, respond(answer, k, in_percent(p_of(epsilon, k)), rng)
    ),
    ("07.6", "wrong-type"): lambda answer, days, k, epsilon, rng: (
        remembered(answer, days, k, epsilon, rng) + answer / 1000 * (k not in (4, 5))
    ),
    ("07.6", "not-everywhere"): lambda answer, days, k, epsilon, rng: remembered(
        answer, days, k, epsilon if k in (4, 5) else 40.0, rng
    ),
    ("07.6", "not-everywhere too"): lambda answer, days, k, epsilon, rng: (
        remembered(answer, days, k, epsilon, rng) if k in (4, 5) else the_lie_is_next(answer, days, k, epsilon, rng)
    ),
    ("07.6", "not-for-ever"): lambda answer, days, k, epsilon, rng: (
        np.append(remembered(answer, 1, k, epsilon, rng), np.full(days - 1, answer) if k > 5 else [])
        if k > 5
        else remembered(answer, days, k, epsilon, rng)
    ),
    ("07.6", "fresh-noise"): fresh,
    ("07.6", "not-useful"): lambda answer, days, k, epsilon, rng: fresh(answer, days, k, epsilon / days, rng),
    ("07.6", "formula-of-two"): lambda answer, days, k, epsilon, rng: np.full(
        days, respond(answer, k, math.exp(epsilon) / (math.exp(epsilon) + 1), rng)
    ),
    ("07.6", "lie-may-be-true"): lambda answer, days, k, epsilon, rng: np.full(
        days, answer if rng.random() < math.exp(epsilon) / (math.exp(epsilon) + k - 1) else rng.integers(k)
    ),
    ("07.6", "first-day-true"): first_day_true,
    ("07.6", "first-day-only"): lambda answer, days, k, epsilon, rng: np.append(
        remembered(answer, 1, k, epsilon, rng), rng.integers(k, size=days - 1)
    ),
    ("07.6", "noisy-memory"): lambda answer, days, k, epsilon, rng: respond(
        remembered(answer, days, k, epsilon, rng), k, p_of(2 * epsilon / 3, k), rng, days
    ),
    ("07.6", "ignores-data"): lambda answer, days, k, epsilon, rng: np.full(days, rng.integers(k)),
    ("07.6", "not-random"): lambda answer, days, k, epsilon, rng: np.full(days, answer),
    ("07.6", "wrong-shape"): lambda answer, days, k, epsilon, rng: remembered(answer, 1, k, epsilon, rng),
    ("07.6", "package-used"): lambda answer, days, k, epsilon, rng: np.full(
        days, RandomizedResponse(epsilon, k).randomize(np.array([answer]), rng=rng)[0]
    ),
    ("07.2", "shared-draws too too too"): that_evens_out(bits(lambda e: 0.5, quiet)),
    ("07.6", "not-useful too"): lambda answer, days, k, epsilon, rng: np.full(
        days, answer if rng.random() < 1 / (1 + k * math.exp(-epsilon)) else (answer + rng.integers(1, k)) % k
    ),
    ("07.6", "not-everywhere too of two"): lambda answer, days, k, epsilon, rng: remembered(
        answer, days, k, epsilon if k > 2 else 40.0, rng
    ),
    ("07.6", "not-everywhere too above 5"): lambda answer, days, k, epsilon, rng: remembered(
        answer, days, k, min(epsilon, 5.0), rng
    ),
    ("07.2", "not-everywhere too for one"): plain_for(1),
    ("07.2", "not-everywhere too for three"): plain_for(3),
}


def halves_share_draws(codes, k, epsilon, rng):
    draws = rng.random((len(codes) // 2, k))
    mine = codes[:, None] == np.arange(k)
    return np.concatenate([draws, draws]) < np.where(mine, 0.5, quiet(epsilon))


def true_on_the_seventh_day(answer, days, k, epsilon, rng):
    reports = remembered(answer, days, k, epsilon, rng)
    reports[6:7] = answer
    return reports


def a_month_of_memory(answer, days, k, epsilon, rng):
    return np.repeat(respond(answer, k, p_of(epsilon, k), rng, days // 30 + 1), 30)[:days]


@pytest.mark.parametrize(
    ("exercise", "key", "answer"),
    [
        ("07.2", "shared-draws", halves_share_draws),
        ("07.6", "not-for-ever", true_on_the_seventh_day),
        ("07.6", "not-for-ever", a_month_of_memory),
    ],
)
def test_leaks_that_hide_among_people_or_days(exercise, key, answer):
    assert rehearse(exercise, answer, times=1, rng=11).keys == {key: 1}


def test_what_the_lies_are_is_said():
    words = check("07.6", WRONG["07.6", "not-everywhere too"], rng=5).diagnosis
    assert "your lies are too often the next answer after the truth" in words


def test_a_phone_that_takes_no_notice_of_epsilon_is_told_so():
    words = check("07.2", WRONG["07.2", "wrong-probabilities"], rng=5).diagnosis
    assert "alike, a person's own bit is set with probability 0.70 and every other bit with 0.30." in words


@pytest.mark.parametrize("epsilon", [0.4, 2.5])
def test_epsilon_must_be_followed(epsilon):
    """A phone with an ε of its own, too large or too small."""
    stubborn = rehearse(
        "07.6", lambda answer, days, k, _, rng: remembered(answer, days, k, epsilon, rng), times=2, rng=8
    )
    assert "passed" not in stubborn.keys
