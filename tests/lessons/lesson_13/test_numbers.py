"""Numbers of lesson 13: errors of tables, simpler releases, intervals, and records found again."""

import numpy as np
import pandas as pd
import pytest

from dpcourse.datasets import load_adult
from dpcourse.lessons import lesson_13 as l13
from dpcourse.synthetic import TreeSynthesizer


@pytest.fixture(scope="module")
def twin():
    return load_adult("twin")


def test_a_pair_error_is_the_share_of_people_who_would_have_to_move(twin):
    frame, schema = twin.frame.head(1000), twin.schema
    moved = frame.copy()
    moved.loc[frame.index[frame["sex"] == "Male"][:100], "sex"] = "Female"
    errors = l13.pair_errors(frame, moved, schema)
    assert errors["race", "sex"] == pytest.approx(0.1) and errors["age", "race"] == 0.0
    assert len(errors) == 14 * 13 // 2 and set(l13.pair_errors(frame, frame, schema).values()) == {0.0}


def test_one_table_lowered_is_better_than_one_that_is_cut(twin):
    """Columns that say the same: alone they lose it, and in one table of 900 cells noise drowns it unless lowered.

    With noise of 40 in each cell and 5,000 people the distances are many deviations apart.
    """
    rng, n = np.random.default_rng(13), 5_000
    first = rng.integers(30, size=n)
    ways = l13.other_ways({"a": first, "b": first}, {"a": 30, "b": 30}, rho=1 / 3200, n=n, rng=rng)
    alike = {name: np.mean(people["a"] == people["b"]) for name, people in ways.items()}
    assert all(len(people["a"]) == len(people["b"]) == n for people in ways.values())
    assert alike["every column alone"] < 0.1 and alike["one table of all, cut"] < alike["one table of all, lowered"]


def test_usual_intervals_hold_a_survey_and_not_another_population(twin):
    """The same people drawn again: about 95% of many cells; another population: few."""
    schema, rng = twin.schema, np.random.default_rng(13)
    again = twin.frame.iloc[rng.integers(len(twin.frame), size=len(twin.frame))]
    pairs = [("education", "occupation"), ("age", "sex"), ("race", "workclass")]
    assert 0.9 < l13.coverage(pairs, again, twin.frame, schema) < 0.99
    others = twin.frame[twin.frame["sex"] == "Female"]
    assert l13.coverage(pairs, again, others, schema) < 0.4


def test_pairs_are_measured_along_the_tree_or_with_the_label(twin):
    fitted = TreeSynthesizer(1.0, 1e-6, twin.schema.label).fit(twin.frame.head(2000), twin.schema, rng=13)
    edge = fitted.edges_[0]
    told, others = l13.measured([edge[::-1], (twin.schema.label, "race"), ("age", "age")], fitted)
    assert told == [edge[::-1], (twin.schema.label, "race")] and others == [("age", "age")]


def test_a_record_is_found_again_if_all_columns_are_equal(twin):
    schema, frame = twin.schema, twin.frame.drop_duplicates(list(twin.schema.names)).head(100)
    changed = frame.assign(age=frame["age"] + 0)
    changed.loc[changed.index[0], "age"] = 91 if changed["age"].iloc[0] == 90 else 90
    found = l13.found_again(frame, pd.concat([changed, changed]), schema)
    assert found[1:].all() and not found[0]
