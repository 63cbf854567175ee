"""Attacks on records and counts: brute force agrees, bad arguments are refused, attacks succeed where they must."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcourse.attacks import records

TABLES = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 3), st.sampled_from([None, "x", "y"])), min_size=1, max_size=12
).map(lambda rows: pd.DataFrame(rows, columns=["p", "q", "r"]))
COLUMNS = st.lists(st.sampled_from(["p", "q", "r"]), min_size=1, max_size=3, unique=True)


def rows(frame, columns):
    # None and NaN both mean "missing": one spelling, so that tuples compare.
    return [tuple("missing" if pd.isna(value) else value for value in row) for row in frame[columns].to_numpy(object)]


@settings(max_examples=40, deadline=None)
@given(TABLES, COLUMNS)
def test_groups_agree_with_comparing_everybody_with_everybody(frame, columns):
    people = rows(frame, columns)
    sizes = [people.count(person) for person in people]
    assert records.group_sizes(frame, columns).tolist() == sizes
    assert records.unique_share(frame, columns) == pytest.approx(sizes.count(1) / len(people))
    assert records.k_anonymity(frame, columns) == min(sizes)
    numbers = records.group_numbers(frame, columns)
    assert [[a == b for a in people] for b in people] == (numbers[:, None] == numbers).tolist()


@settings(max_examples=40, deadline=None)
@given(TABLES, COLUMNS)
def test_the_curve_is_the_share_on_each_prefix_and_never_falls(frame, columns):
    curve = records.unique_curve(frame, columns)
    assert curve.tolist() == [records.unique_share(frame, columns[: i + 1]) for i in range(len(columns))]
    assert (np.diff(curve) >= 0).all()


@settings(max_examples=40, deadline=None)
@given(TABLES)
def test_diversity_counts_the_values_in_each_group(frame):
    people, values = rows(frame, ["p", "q"]), rows(frame, ["r"])
    wanted = [len({v for other, v in zip(people, values, strict=True) if other == person}) for person in people]
    assert records.diversity(frame, ["p", "q"], "r").tolist() == wanted


@settings(max_examples=40, deadline=None)
@given(TABLES, TABLES, COLUMNS)
def test_linkage_agrees_with_comparing_everybody_with_everybody(released, register, columns):
    ours, theirs = rows(released, columns), rows(register, columns)
    linkage = records.link(released, register, columns)
    assert linkage.candidates.tolist() == [ours.count(person) for person in theirs]
    assert linkage.match.tolist() == [ours.index(p) if ours.count(p) == 1 else -1 for p in theirs]
    assert linkage.claimed.tolist() == [ours.count(p) == 1 for p in theirs]


def test_an_empty_table_has_nobody_in_it():
    empty = pd.DataFrame({"p": [], "r": []})
    assert records.unique_share(empty, ["p"]) == 0 and records.k_anonymity(empty, ["p"]) == 0
    assert len(records.group_sizes(empty, ["p"])) == len(records.diversity(empty, ["p"], "r")) == 0
    assert records.link(empty, pd.DataFrame({"p": ["a"]}), ["p"]).candidates.tolist() == [0]


@pytest.mark.parametrize("function", [records.group_numbers, records.unique_share, records.unique_curve])
def test_bad_columns_are_refused_by_name(function):
    frame = pd.DataFrame({"p": [1]})
    with pytest.raises(ValueError, match="columns.*'q'"):
        function(frame, ["q"])
    with pytest.raises(ValueError, match="columns"):
        function(frame, [])
    with pytest.raises(TypeError, match="columns.*'p'"):
        function(frame, "p")
    with pytest.raises(TypeError, match="frame.*list"):
        function([1], ["p"])


def test_linking_says_which_table_lacks_the_column():
    with pytest.raises(ValueError, match="register.*'age'"):
        records.link(pd.DataFrame({"age": [1]}), pd.DataFrame({"name": ["Ali"]}), ["age"])


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.data())
def test_a_difference_is_the_secret_whatever_the_group(secret, data):
    secret = np.array(secret)
    group = np.array(data.draw(st.lists(st.booleans(), min_size=len(secret), max_size=len(secret))))
    person, before = data.draw(st.integers(0, len(secret) - 1)), group.copy()
    assert records.difference(lambda members: int(secret[members].sum()), group, person) == secret[person]
    assert (group == before).all()


@pytest.mark.parametrize(
    ("group", "person", "named"), [([1, 0], 0, "group"), ([True], 1, "person"), ([True], -1, "person")]
)
def test_a_difference_refuses_what_is_no_group_or_no_person(group, person, named):
    with pytest.raises((TypeError, ValueError), match=named):
        records.difference(lambda members: 0, np.array(group), person)


SHAPES = st.lists(st.integers(1, 3), min_size=1, max_size=3)


@given(SHAPES, st.data())
def test_marginal_queries_add_up_the_table(shape, data):
    axes = data.draw(st.lists(st.integers(0, len(shape) - 1), unique=True, max_size=len(shape)))
    table = np.random.default_rng(0).integers(5, size=shape)
    gone = tuple(axis for axis in range(len(shape)) if axis not in axes)
    kept = [axis for axis in range(len(shape)) if axis in axes]
    wanted = np.transpose(table.sum(axis=gone), [kept.index(axis) for axis in axes])
    assert (records.marginal_queries(shape, axes) @ table.ravel()).tolist() == wanted.ravel().tolist()


def test_marginal_queries_refuse_axes_that_are_not_there():
    for axes in ([2], [0, 0], [-1]):
        with pytest.raises(ValueError, match="axes"):
            records.marginal_queries((2, 2), axes)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_candidates_are_counted_as_by_trying_every_table(data):
    cells, people = data.draw(st.integers(1, 4)), data.draw(st.integers(0, 4))
    queries = np.array(data.draw(st.lists(st.lists(st.integers(0, 2), min_size=cells, max_size=cells), max_size=3)))
    queries = np.vstack([np.ones((1, cells), dtype=int), queries.reshape(-1, cells)])
    table = np.bincount(np.array(data.draw(st.lists(st.integers(0, cells - 1), min_size=people, max_size=people)), int))
    table = np.pad(table, (0, cells))[:cells]
    answers = queries @ table
    every = [np.array(t) for t in itertools.product(range(people + 1), repeat=cells)]
    fitting = [t for t in every if (queries @ t == answers).all()]
    assert records.count_tables(queries, answers) == len(fitting)
    found = records.reconstruct_table(queries, answers)
    assert any((found == t).all() for t in fitting)
    if len(fitting) == 1:
        assert (found == table).all()


def test_contradicting_answers_have_no_table():
    queries = np.array([[1, 1], [1, 1]])
    assert records.count_tables(queries, [3, 4]) == 0
    assert records.count_tables(queries, [2.5, 2.5]) == 0
    for answers in ([3, 4], [1 + 4e-7] * 2, [2.5, 2.5]):
        with pytest.raises(ValueError, match="answers must be those of some table"):
            records.reconstruct_table(queries, answers)


def test_cells_nobody_counts_are_refused():
    with pytest.raises(ValueError, match="queries.*cell 1"):
        records.count_tables(np.array([[1, 0]]), [1])
    with pytest.raises(ValueError, match="queries"):
        records.count_tables(np.array([[1, -1]]), [1])


@pytest.mark.parametrize(
    ("queries", "answers", "named"),
    [
        ([[1, 0]], [1, 2], "queries"),
        ([1, 0], [1], "queries"),
        ([[1, np.nan]], [1], "queries"),
        ([[1, 0]], ["1"], "answers"),
    ],
)
def test_systems_of_other_shapes_are_refused(queries, answers, named):
    for function in (records.reconstruct_bits, records.reconstruct_table, records.count_tables):
        with pytest.raises((TypeError, ValueError), match=named):
            function(np.array(queries), answers)


def test_small_noise_is_undone_and_large_noise_is_not():
    """Seeded. At noise ±1 (n = 60, 360 answers) all bits come back; at ±60, noise of the size of n itself, few more
    than by guessing do."""
    rng = np.random.default_rng(1)

    def recovered(noise):
        secret, queries = rng.integers(2, size=60), rng.integers(2, size=(360, 60))
        answers = queries @ secret + rng.uniform(-noise, noise, size=360)
        return np.mean(records.reconstruct_bits(queries, answers) == secret)

    assert recovered(0) == recovered(1) == 1
    assert np.mean([recovered(60) for _ in range(15)]) < 0.75


def test_boolean_queries_are_read_as_counts():
    groups = np.eye(3, dtype=bool)
    assert records.reconstruct_bits(groups, [1, 0, 1]).tolist() == [1, 0, 1]
