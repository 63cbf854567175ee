"""What the grader lends makes so many numbers a call, and no more."""

import numpy as np
import pytest

from dpcourse.gauntlet import sealed
from dpcourse.grade import lent, room
from dpcourse.lessons.capstone_2.exercises import sharing
from dpcourse.lessons.capstone_4.exercises import reference
from dpcourse.lessons.capstone_6 import design
from dpcourse.lessons.capstone_6.exercises import tools, world

MOST = lent.MOST_NUMBERS
TOO_MANY = pytest.raises(ValueError, match="at once")


def source(rng=None):
    return sharing.Source(np.random.default_rng(rng))


@pytest.mark.parametrize(
    "size", [700_000_000, (2, 50_000_000), [10**5, 10**5], 10**400, np.array([MOST, 2])], ids=range(5)
)
@pytest.mark.parametrize("by_name", [False, True])
def test_a_source_of_numbers_gives_so_many(size, by_name):
    given = ((2,), {"size": size}) if by_name else ((2, size), {})
    with TOO_MANY:
        lent.asked(source(), "__call__", *given)


@pytest.mark.parametrize("thing", [tools.Source(np.random.default_rng(1)), world.Silent(), design.normal])
def test_a_source_of_another_form_too(thing):
    assert lent.asked(thing, "__call__", ((2, 3),), {}).shape == (2, 3)
    with TOO_MANY:
        lent.asked(thing, "__call__", ((20_000, 20_000),), {})


def test_what_may_be_asked_for_is_given():
    assert lent.asked(source(1), "__call__", (2**61, (2, 10)), {}).shape == (2, 10)
    assert lent.asked(source(1), "__call__", (2, MOST), {}).size == MOST
    assert lent.asked(source(1), "__call__", (2,), {"size": None}) < 2
    assert lent.asked(reference.anew(np.random.default_rng(1)), "__call__", (2**2048,), {}) < 2**2048
    with pytest.raises(TypeError):
        lent.asked(source(), "__call__", (MOST + 1, 2, 3, 4), {})


@pytest.mark.skipif(not room._address_space(), reason="the system does not tell what a process has")
def test_a_dealer_of_the_same_numbers_has_no_memory_for_more():
    run = design.Run(lambda ids: [], source().rng.random)
    assert lent.asked(run, "deal", (4, 2, 3), {})[1].shape == (5, 4, 2)
    with TOO_MANY:
        lent.asked(run, "deal", (30_000, 30_000, 1), {})
    assert lent.asked(run, "deal", (4, 2, 3), {})[1].shape == (5, 4, 2)


def batch(mechanism, data, runs):
    return lent.asked(mechanism, "batch", (data, runs, np.random.default_rng(1)), {})


@pytest.mark.parametrize("method", [True, False], ids=["a method", "the method of a thing"])
def test_a_sealed_mechanism_runs_so_often(method):
    mechanism = sealed.seal(1)[0][0]
    thing, name = (mechanism.batch, "__call__") if method else (mechanism, "batch")
    assert len(lent.asked(thing, name, (mechanism.data, 10, np.random.default_rng(1)), {})) == 10
    for runs in (lent.MOST_RUNS + 1, 10**400):
        with pytest.raises(ValueError, match="2,000,000"):
            lent.asked(thing, name, (mechanism.data, runs, np.random.default_rng(1)), {})


@pytest.mark.parametrize("kind", sealed._kinds(np.random.default_rng(1)), ids=lambda kind: kind.right.__qualname__)
def test_a_sealed_mechanism_makes_so_many_numbers(kind):
    """Each runs as often as what it gives can cross."""
    mechanism = sealed.Sealed("A", kind.claim, kind.data, kind.neighbour, kind.right)
    width = np.size(mechanism(kind.data, np.random.default_rng(1)))
    most = min(lent.MOST_RUNS, MOST // width)
    assert len(batch(mechanism, kind.data, most)) == most
    with TOO_MANY:
        batch(mechanism, kind.data, most + 1)


def test_longer_data_count():
    kind = sealed._winner(0.5)
    mechanism = sealed.Sealed("A", kind.claim, kind.data, kind.neighbour, kind.right)
    assert len(batch(mechanism, np.zeros(3000), 1000)) == 1000
    with TOO_MANY:
        batch(mechanism, np.zeros(10**6), 10**3)
