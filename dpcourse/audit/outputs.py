"""What a mechanism gave, in forms that events can be looked for in: numbers, labels, kinds, vectors.

Both datasets' outputs are put side by side in arrays of shape (2, runs); row 0 is `data`, row 1 its neighbour. What is
not plain numbers is looked at whole, and taken apart by `parts`.
"""

from __future__ import annotations

import contextlib
import math
import numbers
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from dpcourse.audit import parts
from dpcourse.audit.parts import Raised


@dataclass(frozen=True)
class Column:
    """One value a run: the whole output, or one part of it.

    Attributes
    ----------
    name : str
        How events call it: "output", "output[2]".
    numbers : ndarray, shape (2, runs)
        NaN where the value is not a number.
    codes : ndarray of int, shape (2, runs)
        Equal values have equal codes.
    kinds : ndarray of int, shape (2, runs)
        Index into `kind_names`.
    kind_names : tuple of str
        As predicates: "is a number", "is NaN", "raises ValueError".
    text : callable
        ``text(code) -> str``, the predicate "= 3".
    """

    name: str
    numbers: np.ndarray
    codes: np.ndarray
    kinds: np.ndarray
    kind_names: tuple[str, ...]
    text: Callable[[int], str]


@dataclass(frozen=True)
class Outputs:
    """All runs, as columns and, where they are vectors of one length, as an array of shape (2, runs, d)."""

    columns: tuple[Column, ...]
    vectors: np.ndarray | None

    @property
    def runs(self) -> int:
        """Runs on each dataset."""
        return self.columns[0].codes.shape[1]

    @classmethod
    def collect(cls, data: Sequence[Any], neighbour: Sequence[Any]) -> Outputs:
        """Look at both datasets' outputs together, without anything fitted to them but what kinds there are."""
        array = _as_array(data, neighbour)
        if array is not None and array.ndim == 2:
            return cls((_numeric_column("output", array),), None)
        if array is not None:
            vectors = array.reshape(2, array.shape[1], -1)
            each = [_numeric_column(f"output[{i}]", vectors[:, :, i]) for i in range(_few(vectors.shape[2]))]
            return cls((_row_column(vectors), *each), vectors)
        both = [*data, *neighbour]
        columns = [_object_column("output", both)]
        found = parts.take_apart(both)
        columns += [_object_column(name, values) for name, values in found.values.items()]
        columns += [_numeric_column(name, values.reshape(2, -1)) for name, values in found.numbers.items()]
        return cls(tuple(columns), None if found.vectors is None else found.vectors.reshape(2, len(data), -1))


def _few(length: int) -> int:
    return length if length <= parts.MOST else 0


def _as_array(data: Sequence[Any], neighbour: Sequence[Any]) -> np.ndarray | None:
    """Both sides as one numeric array of shape (2, runs, …), else None. A single boolean is a label, not a number."""
    try:
        sides = [np.asarray(side) for side in (data, neighbour)]
    except Exception:  # ragged, or made of things that refuse to be an array
        return None
    numeric = all(side.dtype.kind in "iufc" or (side.dtype.kind == "b" and side.ndim > 1) for side in sides)
    if not numeric or sides[0].shape != sides[1].shape or 0 in sides[0].shape:
        return None
    if any(side.dtype.kind in "iu" and max(abs(int(side.min())), abs(int(side.max()))) > 2**53 for side in sides):
        return None  # floats would round them
    # asarray turns the booleans in [True, 2] into numbers, which would hide them; a list of one type it leaves alone.
    if sides[0].ndim == 1 and any(isinstance(side, list) and _holds_booleans(side) for side in (data, neighbour)):
        return None
    stacked = np.stack(sides)
    if stacked.dtype.kind == "c":
        return np.stack([stacked.real, stacked.imag], axis=-1)
    return stacked.astype(float)


def _holds_booleans(outputs: list[Any]) -> bool:
    return any(isinstance(output, bool | np.bool_) for output in outputs)


def _numeric_column(name: str, values: np.ndarray) -> Column:
    distinct, codes = np.unique(values, return_inverse=True)
    kinds = np.select([np.isnan(values), np.isinf(values)], [1, 2], 0)
    names = ("is a number", "is NaN", "is infinite")
    return Column(name, values, codes.reshape(values.shape), kinds, names, lambda code: f"= {number(distinct[code])}")


def _row_column(vectors: np.ndarray) -> Column:
    rows = np.ascontiguousarray(vectors.reshape(-1, vectors.shape[2]))
    keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, codes = np.unique(keys, return_index=True, return_inverse=True)
    shape = vectors.shape[:2]
    kinds = np.where(np.isfinite(rows).all(axis=1), 0, 1).reshape(shape)

    def text(code: int) -> str:
        row = rows[first[code]]
        shown = ", ".join(number(value) for value in row[:8])
        return f"= [{shown}{', …' if len(row) > 8 else ''}]"

    names = ("is finite", "holds a NaN or an infinity")
    return Column("output", np.full(shape, np.nan), codes.reshape(shape), kinds, names, text)


def _object_column(name: str, values: list[Any]) -> Column:
    codes_of: dict[Hashable, int] = {}
    kinds_of: dict[str, int] = {}
    examples: list[Any] = []
    codes, kinds, floats = [], [], []
    for value in values:
        key, kind = _key(value)
        try:
            code = codes_of.setdefault(key, len(codes_of))
        except Exception:  # comparing it to another fails
            code = codes_of.setdefault(_by_words(value), len(codes_of))
        if code == len(examples):
            examples.append(value)
        codes.append(code)
        kinds.append(kinds_of.setdefault(kind, len(kinds_of)))
        floats.append(_float(value))

    def text(code: int) -> str:
        value = examples[code]
        if isinstance(value, Raised):
            return f"raises {value.kind}({value.words!r})"
        shown = number(float(value)) if isinstance(value, float | np.floating) else parts.words(value)
        if isinstance(value, np.integer | np.bool_):
            shown = str(value)
        return f"= {shown if len(shown) <= 60 else shown[:57] + '…'}"

    name, floats = _shifted(name, values, floats)
    shape = (2, -1)
    numbers_, codes_, kinds_ = np.reshape(floats, shape), np.reshape(codes, shape), np.reshape(kinds, shape)
    return Column(name, numbers_, codes_, kinds_, tuple(kinds_of), text)


def _shifted(name: str, values: list[Any], floats: list[float]) -> tuple[str, list[float]]:
    """Whole numbers too large for a float, less one of them; durations in seconds."""
    if all(isinstance(v, np.timedelta64) for v in values):
        return f"{name} in seconds", floats
    whole = [int(v) for v in values if isinstance(v, int | np.integer) and not isinstance(v, bool | np.timedelta64)]
    if len(whole) < len(values) or max(map(abs, whole), default=0) <= 2**53:
        return name, floats
    base = min(whole)
    return f"{name} − {number(base) if abs(base) < 2**70 else 'a large number'}", [_float(v - base) for v in whole]


def _key(value: Any) -> tuple[Hashable, str]:
    """What makes two outputs equal, and what kind an output is. Types that compare equal (1 and True) stay apart."""
    try:
        return _whole_key(value)
    except Exception:  # it holds itself, or what cannot be looked at
        return _by_words(value), f"is a {type(value).__name__}"


def _by_words(value: Any) -> Hashable:
    return type(value), parts.words(value)


def _whole_key(value: Any, around: tuple[int, ...] = ()) -> tuple[Hashable, str]:
    """`around` are the identities of the containers it lies in."""
    if isinstance(value, Raised):
        return value, f"raises {value.kind}"
    if isinstance(value, np.timedelta64 | np.datetime64):
        return (type(value), str(value)), f"is a {type(value).__name__}"
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        value = value.item()
    if value is None:
        return None, "is None"
    if isinstance(value, bool):
        return (bool, value), "is a boolean"
    if isinstance(value, numbers.Real):
        as_float = _float(value)
        if math.isnan(as_float):
            return "NaN", "is NaN"
        return (float, value), "is infinite" if math.isinf(as_float) else "is a number"
    if isinstance(value, str):
        return (str, value), "is a string"
    if isinstance(value, np.ndarray):
        return ("array", value.shape, value.dtype.kind, value.tobytes()), "is an array"
    if isinstance(value, tuple | list):
        return (type(value), _keys(value, value, around)), f"is a {type(value).__name__}"
    if isinstance(value, parts.Absent):
        return value, "is not there"
    if isinstance(value, dict):
        return (dict, _keys(value, value.keys(), around), _keys(value, value.values(), around)), "is a dict"
    try:
        hash(value)
    except Exception:
        return _by_words(value), f"is a {type(value).__name__}"
    return (type(value), value), f"is a {type(value).__name__}"


def _keys(container: Any, values: Iterable[Any], around: tuple[int, ...]) -> tuple[Hashable, ...]:
    if id(container) in around:
        raise RecursionError("it holds itself")
    return tuple(_whole_key(value, (*around, id(container)))[0] for value in values)


def _float(value: Any) -> float:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, np.timedelta64):
        with contextlib.suppress(TypeError):  # months have no length
            return float(value / np.timedelta64(1, "s"))
        return math.nan
    if isinstance(value, numbers.Real):  # booleans too: True is 1
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf  # type: ignore[operator]  # real numbers are ordered
    if isinstance(value, Decimal | str):
        with contextlib.suppress(ValueError, OverflowError):
            return float(value)
    return math.nan


def number(value: float) -> str:
    """A number as short as it can be written without changing it."""
    if isinstance(value, int) and abs(value) >= 2**53:
        return f"{value:,}"
    short = f"{value:.6g}"
    return short if float(short) == value else repr(value.item() if isinstance(value, np.generic) else value)
