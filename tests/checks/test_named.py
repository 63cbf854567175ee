"""Half of the time as before, otherwise names of which none is another's, and a generator that draws the same."""

import numpy as np

from dpcourse.checks.named import named

NAMES = [f"supplier {number:02}" for number in range(15)]


def test_names_are_their_own_or_others_and_never_shared():
    rng, other = np.random.default_rng(1), np.random.default_rng(1)
    called = [named(NAMES, rng) for _ in range(200)]
    same = sum(one == {name: name for name in NAMES} for one in called)
    assert 65 < same < 135  # a fair coin does so but once in two million
    assert all(list(one) == NAMES and len(set(one.values())) == 15 for one in called)
    assert rng.random() == other.random()


def test_who_asks_for_other_names_always_gets_them():
    rng = np.random.default_rng(2)
    assert not any(set(named(NAMES, rng, always=True).values()) & set(NAMES) for _ in range(50))
