"""The schema: public bounds, silent mapping of what lies outside, and the data owner's check."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcourse.datasets import ADULT_SCHEMA, Categorical, Numeric, Schema, SchemaError

TINY = Schema(
    columns=(
        Categorical("school", ("low", "high"), "two forms"),
        Numeric("rank", 1, 2, (1, 2, 3), "the code of school", determined_by="school"),
        Numeric("hours", 1, 99, (1, 40, 41, 100), "two digits"),
        Categorical("job", ("a", "b", "c"), "three boxes to tick"),
        Categorical("rich", ("no", "yes"), "the label"),
    ),
    label="rich",
    n=3,
    n_reason="Printed on the cover.",
    not_used=("weight",),
)


@pytest.fixture
def table() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "school": ["low", "high", "low"],
            "rank": [1, 2, 1],
            "hours": [1, 40, 99],
            "job": ["a", "c", "b"],
            "rich": ["no", "yes", "no"],
        }
    )


def test_the_public_facts_of_adult():
    assert ADULT_SCHEMA.bounds == {
        "age": (17, 90),
        "education-num": (1, 16),
        "capital-gain": (0, 99_999),
        "capital-loss": (0, 4_999),
        "hours-per-week": (1, 99),
    }
    sizes = {name: len(categories) for name, categories in ADULT_SCHEMA.categories.items()}
    assert sizes == {
        "workclass": 8,
        "education": 16,
        "marital-status": 7,
        "occupation": 14,
        "relationship": 6,
        "race": 5,
        "sex": 2,
        "native-country": 41,
        "income-per-year": 2,
    }
    assert ADULT_SCHEMA.n == 45_222 and "fnlwgt" not in ADULT_SCHEMA.names
    assert all(len(reason) > 20 for reason in ADULT_SCHEMA.reasons.values())
    assert all(name in str(ADULT_SCHEMA) for name in ADULT_SCHEMA.names)


def test_an_unknown_column_is_named():
    with pytest.raises(KeyError, match="'salary' is not a column"):
        ADULT_SCHEMA["salary"]


def test_a_column_must_have_two_numbers_or_one_category():
    with pytest.raises(ValueError, match="low of x must be below high, got 5 and 5"):
        Numeric("x", 5, 5, (5, 6), "test")
    for categories in ((), ("a", "b", "a"), (1, 2), ("a", None)):
        with pytest.raises(ValueError, match="categories of x must be one or more different strings"):
            Categorical("x", categories, "test")


@pytest.mark.parametrize("label", ["hours", "salary", None])
def test_the_label_must_be_a_categorical_column(label):
    with pytest.raises(ValueError, match=f"label of a schema must be one of its categorical columns, got {label!r}"):
        Schema(TINY.columns, label, 3, "Printed on the cover.")


def test_no_two_columns_share_a_name():
    with pytest.raises(ValueError, match="different names, got .*rich, job"):
        Schema((*TINY.columns, TINY["job"]), "rich", 3, "Printed on the cover.")


@pytest.mark.parametrize("edges", [(), (0, 5, 11), (1, 5, 10), (1, 5, 5, 11), (1, 7, 5, 11)])
def test_edges_must_run_from_low_to_high_and_increase(edges):
    with pytest.raises(ValueError, match="edges of x must"):
        Numeric("x", 1, 10, edges, "test")


ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(),
    st.text(max_size=5),
    st.just(pd.NaT),
    st.binary(max_size=3),
    st.complex_numbers(),
    st.just(10**400),
    st.just(-(10**400)),
    st.just([1, 2]),
    st.just({}),
)


@given(st.lists(ANYTHING, max_size=5))
def test_no_record_raises_and_every_code_is_a_declared_cell(values):
    for column in TINY.columns:
        codes = column.codes(pd.Series(values, dtype=object))
        assert len(codes) == len(values)
        assert np.all((codes >= 0) & (codes < column.size))


@given(st.integers(17, 90))
def test_a_value_lies_between_the_edges_of_its_bin(age):
    column = ADULT_SCHEMA["age"]
    (code,) = column.codes([age])
    assert column.edges[code] <= age < column.edges[code + 1]


def test_encoding_is_by_the_schema_alone(table):
    X, y = TINY.encode(table)
    assert TINY.feature_names == ("rank", "hours", "job=a", "job=b", "job=c")
    assert X.tolist() == [[-1, -1, 1, 0, 0], [1, 2 * (39 / 98) - 1, 0, 0, 1], [-1, 1, 0, 1, 0]]
    assert y.tolist() == [0, 1, 0]
    # A record's features do not depend on who else is in the table.
    alone, _ = TINY.encode(table.iloc[[1]])
    assert np.array_equal(alone[0], X[1])


def test_out_of_domain_records_are_encoded_silently(table):
    table = table.astype(object)
    table.loc[0, ["hours", "job"]] = [float("inf"), "spy"]
    table.loc[1, ["hours", "job"]] = ["many", None]
    X, _ = TINY.encode(table)
    assert X[0].tolist() == [-1, 1, 1, 0, 0] and X[1].tolist() == [1, -1, 1, 0, 0]


def test_bins_are_one_hot_codes_of_the_public_bins(table):
    X, y = TINY.encode(table, numeric="bins")
    names = TINY.feature_names_of("bins")
    assert len(set(names)) == X.shape[1] == sum(TINY[name].size for name in ("rank", "hours")) + 3
    assert set(np.unique(X)) == {0.0, 1.0} and y.tolist() == [0, 1, 0]
    for column in ("rank", "hours"):
        block = X[:, [name.startswith(f"{column}=") for name in names]]
        assert np.array_equal(block.argmax(axis=1), TINY[column].codes(table[column]))
        assert np.array_equal(block.sum(axis=1), np.ones(len(table)))
    alone, _ = TINY.encode(table.iloc[[1]], numeric="bins")
    assert np.array_equal(alone[0], X[1])
    assert np.linalg.norm(X, axis=1).max() <= TINY.largest_norm


def test_only_two_encodings_are_known(table):
    for call in (lambda: TINY.encode(table, numeric="ranks"), lambda: TINY.feature_names_of("ranks")):
        with pytest.raises(ValueError, match="numeric must be"):
            call()


def test_logarithmic_columns_reach_both_ends():
    scaled = ADULT_SCHEMA["capital-gain"].scaled([0, 9, 99_999, 10**9])
    assert scaled == pytest.approx([0, 0.2, 1, 1], abs=1e-5)


def test_a_table_that_fits_passes(table):
    TINY.validate(table)
    TINY.validate(table.assign(weight=7.5))
    TINY.validate(table.convert_dtypes())
    TINY.validate(table.iloc[:0])


def test_every_misfit_is_listed(table):
    broken = table.drop(columns="rich").assign(shoe=40, hours=[1, 100, 2.5], job=["a", "spy", None], rank=[1, 1, 1])
    with pytest.raises(SchemaError) as caught:
        TINY.validate(broken)
    for phrase in (
        "rich: the column is missing",
        "shoe: the column is not declared",
        "hours: 2 values",
        "job: 2 values",
        "'spy'",
        "rank: 1 values are not the code of school",
    ):
        assert phrase in str(caught.value)


def test_a_column_that_is_there_twice_is_named(table):
    twice = pd.concat([table, table[["job"]]], axis=1)
    with pytest.raises(SchemaError, match="must have each column once, but repeats job"):
        TINY.encode(twice)
    with pytest.raises(SchemaError, match="job: the column is repeated"):
        TINY.validate(twice)


def test_numbers_written_as_text_fit_too(table):
    TINY.validate(table.astype(str))
    with pytest.raises(SchemaError, match="rank: 1 values are not the code of school"):
        TINY.validate(table.astype(str).assign(rank=["1", "1", "1"]))
