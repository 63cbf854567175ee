"""Records are read one by one: no record changes how another is read, whatever it does to the column's dtype."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcourse.datasets import Categorical, Numeric, Schema, records

SCHEMA = Schema(
    columns=(
        Numeric("hours", 1, 99, (1, 40, 100), "two digits"),
        Categorical("rich", ("no", "yes"), "the label"),
    ),
    label="rich",
    n=3,
    n_reason="Printed on the cover.",
)


class Unhashable(str):
    def __hash__(self):
        raise RuntimeError


class Closed:
    def __hash__(self):
        raise RuntimeError


class Infinite(Fraction):
    def __float__(self):
        raise OverflowError

    def __gt__(self, other):
        raise RuntimeError


ODD = [
    *[10**400, -(10**400), 1j, np.complex128(30 + 1j), 30 + 0j, np.array(38), np.array([38])],
    *[Decimal("sNaN"), Decimal(38), Fraction(77, 2), "1_000", "３８", "0x10", "many", "", b"38", True, np.True_],
    *[None, pd.NA, pd.NaT, math.nan, -math.inf, np.float32(0.1), np.longdouble("1e400"), [1], {}, (1, 2), object()],
    *[pd.Timestamp(0), np.datetime64(5, "ns"), np.timedelta64(5, "ns")],
    *[Unhashable("yes"), Closed(), Infinite(1)],  # hypothesis cannot draw these
]
ORDINARY = [38, 38.0, "38", "1_000", "３８", Decimal(38), Fraction(77, 2), True, np.int64(38), "yes", np.str_("yes")]


def as_objects(values) -> pd.Series:
    column = pd.Series(index=range(len(values)), dtype=object)
    for place, value in enumerate(values):
        column.iat[place] = value
    return column


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: type(odd).__name__)
def test_one_odd_record_leaves_the_others_as_they_were(odd):
    for ordinary, wrap in itertools.product(ORDINARY, (list, as_objects)):
        column = [ordinary] * 3
        one, more = wrap(column), wrap([*column, odd])
        for declared in SCHEMA.columns:
            assert declared.codes(more)[:3].tolist() == declared.codes(one).tolist()
            assert declared.codes(more)[3:].tolist() == declared.codes(wrap([odd])).tolist()
        assert np.array_equal(records.floats(more)[:3], records.floats(one), equal_nan=True)
        frame, wider = (pd.DataFrame({name: as_objects(c) for name in SCHEMA.names}) for c in (column, [*column, odd]))
        for some, more_of_them in zip(SCHEMA.encode(frame), SCHEMA.encode(wider), strict=True):
            assert np.array_equal(some, more_of_them[:3])


@pytest.mark.parametrize("dtype", ["int64", "uint8", "float32", "bool", "Int64", "boolean", "category", "complex64"])
@pytest.mark.parametrize("odd", [1j, 10**400, "many", None, pd.NA, 2.5, math.nan, pd.Timestamp(0), Decimal(7), True])
def test_a_record_may_change_the_dtype_but_not_the_others(dtype, odd):
    column = pd.Series([1, 0, 1], dtype=dtype)
    joined = pd.concat([column, pd.Series([odd])], ignore_index=True)
    assert records.floats(column).tolist() == records.floats(joined)[:3].tolist() == [1, 0, 1]


ANYTHING = st.one_of(
    st.sampled_from(ODD[:-3]), st.integers(), st.floats(), st.text(max_size=4), st.booleans(), st.complex_numbers()
)


@given(st.lists(ANYTHING, max_size=5))
def test_a_column_is_read_as_its_records_are(values):
    alone = [records.floats([value])[0] for value in values]
    for column in (values, as_objects(values)):
        assert np.array_equal(records.floats(column), alone, equal_nan=True)
        assert records.places(column, {"1": 1}).tolist() == [records.places([v], {"1": 1})[0] for v in values]


@pytest.mark.parametrize(
    ("record", "number"),
    [(30, 30), (30.0, 30), ("30", 30), (" 30 ", 30), (b"30", 30), (np.int8(30), 30), (30 + 0j, 30), (True, 1)]
    + [(10**400, math.inf), (-(10**400), -math.inf), (Fraction(10**400), math.inf), (Decimal("2.5"), 2.5)]
    + [(bad, math.nan) for bad in (1j, np.complex64(1 + 1j), "many", None, pd.NA, [30], np.array(30), Closed())]
    + [(bad, math.nan) for bad in (np.timedelta64(30, "ns"), np.datetime64(30, "ns"), Infinite(30))],
)
def test_what_is_a_number(record, number):
    assert records.floats([record])[0] == pytest.approx(number, nan_ok=True)


@pytest.mark.parametrize("dtype", [object, "str", "category", "string"])
def test_strings_have_places_in_any_dtype(dtype):
    column = pd.Series(["yes", "no", None, "yes"], dtype=dtype)
    assert SCHEMA["rich"].codes(column).tolist() == [1, 0, 0, 1]


@pytest.mark.parametrize("values", [np.zeros((2, 2)), pd.DataFrame({"a": [1, 2]})])
def test_only_one_column_at_a_time(values):
    for column in SCHEMA.columns:
        with pytest.raises(ValueError, match="values must be one-dimensional, got shape"):
            column.codes(values)
