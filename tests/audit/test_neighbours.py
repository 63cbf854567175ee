"""Sources of neighbours draw neighbours, whatever they were changed from."""

import collections

import numpy as np
import pytest

from dpcourse.audit import Generated, Records, Scores, number_between, one_of
from dpcourse.datasets.schema import Categorical, Numeric, Schema
from dpcourse.privacy import Neighbours

ADD_REMOVE, REPLACE_ONE = Neighbours


def changed(source, seed, times=60):
    """A pair and what becomes of it."""
    rng = np.random.default_rng(seed)
    pair = source.draw(rng)
    for _ in range(times):
        yield source.datasets(pair)
        pair = source.mutate(pair, rng) if rng.random() < 0.8 else source.draw(rng)


@pytest.mark.parametrize(("least", "most"), [(0, 1), (1, 2), (0, 7), (2, 5), (5, 40)])
@pytest.mark.parametrize("neighbours", Neighbours)
def test_records_differ_by_one_and_sizes_stay_in_bounds(neighbours, least, most):
    source = Records(one_of("abcdefgh"), neighbours, least=least, most=most, collect=list)
    sizes = set()
    for seed in range(30):
        for here, there in changed(source, seed):
            more, less = collections.Counter(here), collections.Counter(there)
            apart = sorted([(more - less).total(), (less - more).total()])
            assert apart == [0, 1] if neighbours is ADD_REMOVE else apart in ([0, 0], [1, 1])
            assert all(least <= len(side) <= most for side in (here, there))
            sizes |= {len(here), len(there)}
    fewest = max(least, 1) if neighbours is REPLACE_ONE else least  # nobody cannot be replaced
    assert sizes == set(range(fewest, most + 1))


def test_the_others_stay_in_their_order():
    source = Records(number_between(0, 1), ADD_REMOVE, most=9, collect=list)
    for here, there in changed(source, 8):
        assert any(there[:i] + there[i + 1 :] == here for i in range(len(there)))


def test_numbers_lie_where_they_may_and_often_where_bugs_are():
    rng = np.random.default_rng(8)
    inside = np.array([number_between(-1, 3)(rng) for _ in range(1000)])
    assert inside.min() == -1 and inside.max() == 3 and (inside == 0).any() and len(np.unique(inside)) > 50
    anything = np.array([number_between(-1, 3, beyond=True, missing=True)(rng) for _ in range(1000)])
    assert np.isnan(anything).any() and np.nanmax(anything) > 1e6 and np.nanmin(anything) < -1e6


@pytest.mark.parametrize("length", [1, 2, 20])
def test_scores_move_by_the_sensitivity_at_most(length):
    for seed in range(30):
        for here, there in changed(Scores(length, sensitivity=0.3), seed):
            assert here.shape == there.shape == (length,)
            assert 0.2999 < np.abs(here - there).max() <= 0.3


def test_tables_of_a_schema_fit_it():
    schema = Schema(
        (
            Numeric("age", 17, 90, (17, 40, 91), "printed"),
            Categorical("sex", ("F", "M"), "printed"),
            Categorical("rich", ("no", "yes"), "printed"),
        ),
        "rich",
        100,
        "published",
    )
    for neighbours in Neighbours:
        for here, there in changed(Records.of_schema(schema, neighbours, most=6), 8):
            for table in (here, there):
                assert list(table.columns) == ["age", "sex", "rich"]
                schema.validate(table.astype({"age": float}))
            assert abs(len(here) - len(there)) == (neighbours is ADD_REMOVE)


def test_a_generator_of_ones_own():
    source = Generated(lambda rng: int(rng.integers(10)), lambda n, rng: n + 1, lambda n, rng: 2 * n)
    assert all(there == here + 1 for here, there in changed(source, 8))
    alone = Generated(lambda rng: 3, lambda n, rng: n + 1)
    assert {here for here, _ in changed(alone, 8)} <= set(range(3, 100))


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: number_between(1, 1), "low must be below high.*1.0"),
        (lambda: number_between(0, np.inf), "high"),
        (lambda: one_of([]), "values"),
        (lambda: Records(one_of("a"), ADD_REMOVE, least=3, most=3), "most must be at least 4.*3"),
        (lambda: Records(one_of("a"), REPLACE_ONE, least=3, most=2), "most must be at least 3.*2"),
        (lambda: Records(one_of("a"), ADD_REMOVE, most=0), "most.*0"),
        (lambda: Scores(0), "length.*0"),
        (lambda: Scores(2, sensitivity=-1), "sensitivity.*-1"),
    ],
)
def test_refuses_bad_arguments_by_name(make, named):
    with pytest.raises(ValueError, match=named):
        make()
