"""The student attacks: what breaks a claim passes, and what does not is told why.

An attack that breaks nothing passes with probability 1e-6 a call at most. The right ones here reach far more than is
asked for: by at least 0.3 in ε, more than ten deviations of what the auditor certifies in 10,000 runs.
"""

import math

import numpy as np
import pytest

from dpcourse.checks import Exercise
from dpcourse.checks.cases import Attack, not_neighbours
from dpcourse.privacy import Guarantee, Neighbours

ONE = Guarantee(1.0)


def sharp_sum(data, rng):
    """Records of 0 to 10, and noise for records of 0 to 1: ε = 10."""
    return round(sum(data) + rng.laplace(0, 1.0), 2)


def tens(records):
    return next((f"Records are from 0 to 10, and yours has {x}." for x in records if not 0 <= x <= 10), None)


def graded(attack, answer, call="", seed=0):
    return Exercise("99.1", "An attack", (attack,), call=call).grade(answer, rng=seed)


PAIRS = [
    (([], [10]), "passed"),
    (([3, 10], [3]), "passed"),
    ((np.array([1.0, 2.0]), np.array([1.0, 2.0, 9.0])), "passed"),
    (([0, 5], [5]), "claim-holds"),
    (([], [2]), "too-weak"),
    (([3], [10]), "not-neighbours"),
    (([3], [3, 10, 10]), "not-neighbours"),
    (([3, 4], [4, 3]), "same-data"),
    (([3], [3]), "same-data"),
    (([3], [3, 1e9]), "out-of-domain"),
    (([3], 3), "wrong-type"),
    (([3], "33"), "wrong-type"),
    (([3], [3, {}]), "wrong-type"),
    (([3],), "wrong-shape"),
    (7, "wrong-shape"),
    ((..., [3]), "unanswered"),
]


@pytest.mark.parametrize(("pair", "key"), PAIRS)
def test_a_pair_is_judged_by_what_the_auditor_certifies(pair, key):
    assert graded(Attack(sharp_sum, ONE, shows=4, domain=tens), pair).key == key


def test_the_relation_is_that_of_the_claim():
    replacing = Guarantee(1.0, neighbours=Neighbours.REPLACE_ONE)
    assert graded(Attack(sharp_sum, replacing, shows=4, domain=tens), ([3, 0], [10, 3])).passed
    assert graded(Attack(sharp_sum, replacing, shows=4, domain=tens), ([3], [3, 10])).key == "not-neighbours"
    assert not_neighbours([(1, "a"), (2, "b")], [(1, "a"), (2, "c")], Neighbours.REPLACE_ONE) is None


EVENTS = {
    "passed": [lambda y: y > 4, lambda y: bool(y < 5), lambda y: np.bool_(y > 7), lambda y: int(y > 6)],
    "separates-nothing": [lambda y: round(100 * y) % 2 == 0],
    "claim-holds": [lambda y: round(100 * y) % 10 < (5 if y < 5 else 7)],
    "always-happens": [lambda y: True],
    "never-happens": [lambda y: y > 1e6],
    "too-rare": [lambda y: y > 16],
    "complement": [lambda y: y > -2],
    "wrong-type": [lambda y: "yes", lambda y: y, lambda y: np.array([y > 4, y < 4])],
    "raised": [lambda y: y[0] > 4],
}


@pytest.mark.parametrize(("key", "event"), [(key, event) for key, events in EVENTS.items() for event in events])
def test_an_event_is_judged_by_what_it_certifies(key, event):
    # A complement that shows what the event does not: the event nearly always happens on both datasets.
    shows = 1.5 if key == "complement" else 4
    pair = ([], [10]) if key != "complement" else ([], [3])
    attack = Attack(sharp_sum, ONE, shows=shows, wants="event", pair=pair)
    assert graded(attack, event, call="event(output)").key == key


def test_an_event_that_counts_its_calls_learns_nothing():
    def counting():
        calls = 0

        def event(output):
            nonlocal calls
            calls += 1
            return calls <= 10_000

        return event

    attack = Attack(sharp_sum, ONE, shows=1.1, wants="event", pair=([], [10]))
    assert not graded(attack, counting(), call="event(output)").passed


def test_a_whole_attack():
    attack = Attack(sharp_sum, ONE, shows=4, wants="attack", domain=tens)
    assert graded(attack, ([], [10], lambda y: y > 5)).passed
    assert graded(attack, ([], [11], lambda y: y > 5)).key == "out-of-domain"
    assert graded(attack, ([], [10], 5)).key == "not-a-function"
    assert graded(attack, ([], [10])).key == "wrong-shape"
    assert graded(attack, ([], [10], ...)).key == "unanswered"


@pytest.mark.parametrize("seed", range(5))
def test_a_claim_that_holds_is_not_broken_by_luck(seed):
    """Laplace noise of the right scale: the best event shows ε = 1, and 1.05 is asked for."""

    def right(data, rng):
        return round(sum(data) + rng.laplace(0, 1.0), 2)

    assert graded(Attack(right, ONE, shows=1.05), ([], [1]), seed=seed).key == "claim-holds"
    attack = Attack(right, ONE, shows=1.05, wants="event", pair=([], [1]))
    assert graded(attack, lambda y: y > 1, call="event(output)", seed=seed).key == "claim-holds"


def test_delta_enters_what_an_event_shows():
    """Noise of whole numbers cut off at ±4: beyond lies δ, which a claim with that δ allows."""

    def cut(data, rng):
        return int(np.clip(np.rint(rng.laplace(0, 1.0)), -4, 4)) + len(data)

    tail = math.exp(-3.5) / 2
    attack = Attack(cut, Guarantee(1.0, 2 * tail), shows=3, wants="event", pair=([], [1]))
    assert not graded(attack, lambda y: y == 5, call="event(output)").passed
    attack = Attack(cut, ONE, shows=1.5, wants="event", pair=([], [1]))
    assert graded(attack, lambda y: y == 5, call="event(output)").passed
