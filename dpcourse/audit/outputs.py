"""What a mechanism gave, in forms that events can be looked for in: numbers, labels, kinds, vectors.

Both datasets' outputs are put side by side in arrays of shape (2, runs); row 0 is `data`, row 1 its neighbour.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

_PARTS = 16  # tuples, lists and dicts up to this length are also looked at part by part


@dataclass(frozen=True)
class Raised:
    """An exception as an output: what kind, and its words."""

    kind: str
    words: str

    @classmethod
    def from_error(cls, error: Exception) -> Raised:
        return cls(type(error).__name__, str(error))


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

    @classmethod
    def collect(cls, data: Sequence[Any], neighbour: Sequence[Any]) -> Outputs:
        """Look at both datasets' outputs together, without anything fitted to them but what kinds there are."""
        array = _as_array(data, neighbour)
        if array is not None and array.ndim == 2:
            return cls((_numeric_column("output", array),), None)
        if array is not None:
            vectors = array.reshape(2, array.shape[1], -1)
            parts = [_numeric_column(f"output[{i}]", vectors[:, :, i]) for i in range(_few(vectors.shape[2]))]
            return cls((_row_column(vectors), *parts), vectors)
        both = [*data, *neighbour]
        columns = [_object_column("output", both)]
        structured = [output for output in both if isinstance(output, tuple | list | dict | np.ndarray)]
        shapes = {tuple(output) if isinstance(output, dict) else np.size(_hollow(output)) for output in structured}
        if len(shapes) == 1:
            shape = shapes.pop()
            keys = shape if isinstance(shape, tuple) else range(shape)
            if len(keys) <= _PARTS:
                columns += [_object_column(f"output[{key!r}]", [_part(output, key) for output in both]) for key in keys]
        elif structured:
            columns.append(_object_column("the length of the output", [_length(output) for output in both]))
        return cls(tuple(columns), None)


def _few(length: int) -> int:
    return length if length <= _PARTS else 0


def _as_array(data: Sequence[Any], neighbour: Sequence[Any]) -> np.ndarray | None:
    """Both sides as one numeric array of shape (2, runs, …), else None. A single boolean is a label, not a number."""
    try:
        sides = [np.asarray(side) for side in (data, neighbour)]
    except (ValueError, TypeError):  # ragged, or made of things that refuse to be an array
        return None
    numeric = all(side.dtype.kind in "iuf" or (side.dtype.kind == "b" and side.ndim > 1) for side in sides)
    if not numeric or sides[0].shape != sides[1].shape or 0 in sides[0].shape:
        return None
    # asarray turns the booleans in [True, 2] into numbers, which would hide them; a list of one type it leaves alone.
    if sides[0].ndim == 1 and any(isinstance(side, list) and _holds_booleans(side) for side in (data, neighbour)):
        return None
    return np.stack(sides).astype(float)


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
        code = codes_of.setdefault(key, len(codes_of))
        if code == len(examples):
            examples.append(value)
        codes.append(code)
        kinds.append(kinds_of.setdefault(kind, len(kinds_of)))
        floats.append(_float(value))

    def text(code: int) -> str:
        value = examples[code]
        if isinstance(value, Raised):
            return f"raises {value.kind}({value.words!r})"
        shown = number(float(value)) if isinstance(value, float | np.floating) else repr(value)
        if isinstance(value, np.integer | np.bool_):
            shown = str(value)
        return f"= {shown if len(shown) <= 60 else shown[:57] + '…'}"

    shape = (2, -1)
    numbers_, codes_, kinds_ = np.reshape(floats, shape), np.reshape(codes, shape), np.reshape(kinds, shape)
    return Column(name, numbers_, codes_, kinds_, tuple(kinds_of), text)


def _key(value: Any) -> tuple[Hashable, str]:
    """What makes two outputs equal, and what kind an output is. Types that compare equal (1 and True) stay apart."""
    if isinstance(value, Raised):
        return value, f"raises {value.kind}"
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
        return (type(value), tuple(_key(part)[0] for part in value)), f"is a {type(value).__name__}"
    if isinstance(value, dict):
        return (dict, tuple((_key(k)[0], _key(v)[0]) for k, v in value.items())), "is a dict"
    try:
        hash(value)
    except TypeError:
        return (type(value), repr(value)), f"is a {type(value).__name__}"
    return (type(value), value), f"is a {type(value).__name__}"


def _float(value: Any) -> float:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, numbers.Real):  # booleans too: True is 1
        try:
            return float(value)
        except OverflowError:
            return math.copysign(math.inf, value)
    return math.nan


def _hollow(output: Any) -> Any:
    """Something of the same length that NumPy does not look into."""
    return output if isinstance(output, np.ndarray) else range(len(output))


def _part(output: Any, key: Any) -> Any:
    if isinstance(output, dict):
        return output[key]
    return output[key] if isinstance(output, tuple | list | np.ndarray) and np.ndim(_hollow(output)) else output


def _length(output: Any) -> Any:
    return len(output) if hasattr(output, "__len__") else output


def number(value: float) -> str:
    """A number as short as it can be written without changing it."""
    short = f"{value:.6g}"
    return short if float(short) == value else repr(value.item() if isinstance(value, np.generic) else value)
