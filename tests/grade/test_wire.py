"""What crosses between the grader and a student's process."""

import array as arrays
import collections
import decimal
import fractions
import io
import pathlib
import struct

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dpcourse.checks.beside import of_its_own
from dpcourse.checks.diagnosis import Refused
from dpcourse.checks.plain import only_numbers
from dpcourse.grade import folders, wire
from dpcourse.privacy import Guarantee, Neighbours


def across(value):
    encoder = wire.Encoder(lambda thing: 7, of_its_own)
    message = wire.pack(["x", encoder.encode(value)], encoder.buffers)
    rest = memoryview(message)

    def read(size):
        nonlocal rest
        part, rest = bytes(rest[:size]), rest[size:]
        return part

    (_, found), buffers = wire.unpack(read)
    return wire.Decoder(lambda number, of: ("handle", number), buffers).decode(found)


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner)
)


@pytest.mark.hypothesis
@given(values)
def test_plain_values_arrive_as_they_are(value):
    assert across(value) == value


@pytest.mark.hypothesis
@given(hnp.arrays(hnp.scalar_dtypes().filter(lambda d: d.kind in "biuf"), hnp.array_shapes(min_dims=0, min_side=0)))
def test_arrays_arrive_as_they_are(array):
    found = across(array)
    assert found.dtype == array.dtype and found.shape == array.shape
    assert found.tobytes() == np.ascontiguousarray(array).tobytes()


@pytest.mark.parametrize(
    "value",
    [
        ...,
        {1, 2},
        fractions.Fraction(1, 3),
        decimal.Decimal("0.1"),
        1 + 2j,
        np.float64(0.5),
        np.bool_(True),
        np.int64(-3),
        np.float32(0.5),
        b"\0bytes",
        pathlib.PurePath("a", "b"),
        Guarantee(1.0),
        Guarantee(0.5, 1e-6, Neighbours.REPLACE_ONE, "the labels are public"),
    ],
    ids=repr,
)
def test_other_values_arrive(value):
    assert across(value) == value and type(across(value)) is type(value)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (collections.defaultdict(list, a=[1]), {"a": [1]}),
        (collections.OrderedDict(a=1), {"a": 1}),
        (collections.Counter("aab"), {"a": 2, "b": 1}),
        (range(3), [0, 1, 2]),
        (collections.deque([1, 2]), [1, 2]),
        (arrays.array("d", [1.0, 2.0]), np.array([1.0, 2.0])),
        (type("Own", (dict,), {})(a=1), {"a": 1}),
        (type("Own", (set,), {})([1]), {1}),
        (bytearray(b"ab"), b"ab"),
        (pd.Index(["q1", "q2"]), np.array(["q1", "q2"], dtype=object)),
        (pd.array([1, 2]), np.array([1, 2])),
    ],
    ids=lambda value: type(value).__name__,
)
def test_relatives_of_plain_kinds_arrive_as_these(value, plain):
    found = across(value)
    assert type(found) is type(plain) and np.array_equal(found, plain)


def test_a_path_is_a_name_and_no_way_to_a_file():
    """Checks hand results back: what was a folder here would be read and written by whoever names it."""
    assert not isinstance(across(pathlib.Path("grades")), pathlib.Path)


def test_a_generator_arrives_where_it_was():
    rng = np.random.default_rng(1)
    rng.random(3)
    assert across(rng).random() == rng.random()


def test_a_table_arrives():
    table = pd.DataFrame({"age": [1, 2], "job": ["a", None]})
    assert across(table).equals(table)


def test_an_array_of_lists_arrives_with_its_lists():
    """Lists of one length, too, of which NumPy would make another dimension."""
    lists = np.empty((2, 1), dtype=object)
    lists[0, 0], lists[1, 0] = [1, 2], [3, 4]
    found = across(lists)
    assert found.shape == (2, 1) and found.tolist() == [[[1, 2]], [[3, 4]]]


class Count(float):
    exact = 203


class Counts(np.ndarray):
    pass


NAMED = pd.Series([1.5]).rename_axis("203")
LABELLED = pd.Series([1.5, 2.5]).set_axis(pd.CategoricalIndex(["a", "b"], categories=["a", "b", "203"]))
KEPT = pd.Series([1.5])
KEPT.attrs["exact"] = 203


@pytest.mark.parametrize(
    "value", [Count(2.5), np.ones(2).view(Counts), np.ma.array([1.5]), KEPT, LABELLED, [Count(2.5)]]
)
def test_what_is_more_than_its_numbers_arrives_as_such(value):
    """So that a check says the same here and there."""
    found = across(value)
    assert np.array_equal(np.asarray(found), np.asarray(value))
    assert of_its_own(found) == of_its_own(value) != isinstance(value, list)
    with pytest.raises(Refused):
        only_numbers(found)


def test_the_name_of_an_axis_arrives():
    assert across(NAMED).index.name == "203" and not of_its_own(NAMED)


def test_what_stays_crosses_as_a_handle():
    assert across(print) == ("handle", 7)


@pytest.mark.parametrize(
    "message",
    [
        ["a", "O", [1], True, 8],
        ["a", "<f8", [10**9], True, 8],
        ["a", "<f8", [1], True, 10**9],
        ["o", [3], 1],
        ["zz"],
        {"a": 1},
        ["d", [1]],
        ["q", "9" * 3000],
        ["D", [None, None], ["a", "|i1", [4], True, 4], ["x", ["f", 0.5]]],
        ["S", [None], None, ["a", "|i1", [4], True, 4], ["f", 0.5]],
        ["S", [None], None, ["l", "x" * 1000, ""], ["o", [2], 1, 2]],  # NumPy would make each as wide as the widest
        ["S", [["l"]], None, ["a", "|i1", [4], True, 4], ["a", "|i1", [4], True, 4]],
    ],
    ids=str,
)
def test_what_is_not_of_this_form_is_refused(message):
    with pytest.raises(wire.WireError):
        wire.Decoder(lambda n, _: n, memoryview(b"\0" * 8)).decode(message)


ONE = ["a", "<f8", [1], True, 8]


@pytest.mark.parametrize(
    "table",
    [
        ["S", [None], None, ["o", [1], "__array_interface__"], ONE],
        ["S", [None], None, ["o", [1], ["t", "a", "__array_struct__"]], ONE],
        ["S", [None], None, ["a", "<U2", [1], True, 8], ["o", [1], 0]],
        ["D", [None, None], ["o", [1], "a"], ["__array__", ONE]],
        ["l", ["D", [None, None], ["o", [1], "__array_interface__"], ["a", ONE]]],
        ["S", [None], None, ["o", [1], ["l", "__array_interface__"]], ONE],
        ["S", [None], None, ["o", [1], ["t", ["t", "__array_interface__"]]], ONE],
    ],
    ids=str,
)
def test_no_label_is_what_numpy_asks_for(table):
    """It would read whatever lies at an address that the student's process names."""
    with pytest.raises(wire.WireError, match="two underscores"):
        wire.Decoder(lambda number, _: number, memoryview("__".encode("utf-32-le"))).decode(table)


def test_numbers_of_their_own_share_a_class():
    """A class for each of them would take a thousand bytes for eight."""

    class Own(int):
        pass

    one, other = across([Own(1), Own(2)])
    assert of_its_own(one) and one == 1 and type(one) is type(other)


def test_a_folder_is_made_like_another(tmp_path):
    files = {"a.txt": b"1", "in/here/b": b"2"}
    folders.make_like(tmp_path / "new", files)
    assert folders.files_of(tmp_path / "new") == files
    untouched = (tmp_path / "new" / "a.txt").stat().st_mtime_ns
    folders.make_like(tmp_path / "new", {"a.txt": b"1"})
    assert [path.name for path in (tmp_path / "new").rglob("*")] == ["a.txt"]
    assert (tmp_path / "new" / "a.txt").stat().st_mtime_ns == untouched
    assert folders.files_of(tmp_path / "nowhere") is None


@pytest.mark.parametrize("name", ["../a", "/a", "a/../../b", "", "a//b", "C:\\a", "a/" * 9 + "b"])
def test_no_file_leads_out_of_its_folder(tmp_path, name):
    with pytest.raises(ValueError, match="no name"):
        folders.make_like(tmp_path / "in" / "here", {name: b"x"})
    assert [path.name for path in tmp_path.rglob("*")] in ([], ["in", "here"])


def test_a_file_holds_bytes(tmp_path):
    """An array of one element may have as many bytes as it likes."""
    with pytest.raises(ValueError, match="bytes"):
        folders.make_like(tmp_path / "in", {"a": np.zeros(1, dtype="U1000000")})
    assert not list(tmp_path.iterdir())


def test_what_is_nested_too_deeply_is_refused():
    nested = []
    for _ in range(100):
        nested = ["l", nested]
    with pytest.raises(wire.WireError, match="deeply"):
        wire.Decoder(lambda n, _: n, memoryview(b"")).decode(nested)


def test_a_message_of_brackets_is_not_read():
    """Python makes ninety bytes of each pair."""
    text = b"[" + b"[]," * wire.messages.MOST_PARTS + b"0]"
    with pytest.raises(wire.WireError, match="parts"):
        wire.unpack(io.BytesIO(struct.pack("<II", len(text), len(text)) + text).read)


def test_the_name_of_an_axis_is_not_called():
    called = []
    table = ["S", [["h", 0, "list"]], None, ["o", [1], "a"], ONE]
    wire.Decoder(lambda number, _: called.append, memoryview(b"\0" * 8)).decode(table)
    assert called == []
