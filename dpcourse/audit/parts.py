"""Outputs taken apart: the entries of a dict, the members of a tuple, the numbers of an array, one column each.

A mechanism may release a model as a pair of arrays, a table as a dict, a list of varying length. An auditor who sees
only "equal or not" misses noise that is too small in one entry.
"""

from __future__ import annotations

import dataclasses
import numbers
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

MOST = 16  # entries looked at one by one; of arrays with more, only sum, extremes and length
_DEPTH = 4


@dataclasses.dataclass(frozen=True)
class Raised:
    """An exception as an output: what kind, and its words."""

    kind: str
    words: str

    @classmethod
    def from_error(cls, error: BaseException) -> Raised:
        """What stands in the outputs for a run that raised this."""
        return cls(type(error).__name__, words(error, str))


@dataclasses.dataclass(frozen=True)
class Absent:
    """What stands in a column where an output has no such part."""


@dataclasses.dataclass(frozen=True)
class Parts:
    """What was found in outputs of both datasets, one after the other.

    ``values`` holds parts of any kind by name, ``numbers`` what was computed from arrays (NaN where there is none), and
    ``vectors`` all numbers of each output in one row, if most outputs hold equally many (NaN rows for the others).
    """

    values: dict[str, list[Any]]
    numbers: dict[str, np.ndarray]
    vectors: np.ndarray | None


def words(value: Any, say: Callable[[Any], str] = repr) -> str:
    """The repr of a value, or what can be said of one that has none: an output may be anything."""
    try:
        return say(value)
    except Exception:
        if isinstance(value, int):  # of thousands of digits
            return f"a whole number of {value.bit_length():,} bits"
        return f"a {type(value).__name__} without words"


def take_apart(outputs: Sequence[Any]) -> Parts:
    """The parts of structured outputs; nothing where all are plain.

    Examples
    --------
    >>> found = take_apart([{"n": 3, "w": [0.5, 1.5]}, {"n": 4, "w": [2.5, 3.5]}])
    >>> sorted(found.values), found.vectors.tolist()
    (["output['n']", "output['w'][0]", "output['w'][1]"], [[3.0, 0.5, 1.5], [4.0, 2.5, 3.5]])
    """
    leaves = [_parts(output) for output in outputs]
    names = Counter(name for leaf in leaves for name in leaf)
    if set(names) <= {"output"} and not any(isinstance(leaf.get("output"), np.ndarray | str) for leaf in leaves):
        return Parts({}, {}, None)
    values: dict[str, list[Any]] = {}
    computed: dict[str, np.ndarray] = {}
    for name, _ in names.most_common(MOST):
        column = [leaf.get(name, Absent()) for leaf in leaves]
        arrays = [value if isinstance(value, np.ndarray) else None for value in column]
        sizes = {array.size for array in arrays if array is not None}
        if not sizes:
            if name != "output":
                values[name] = column
            lengths = {len(value) for value in column if isinstance(value, str)}
            if len(lengths) > 1:
                computed[f"the length of {name}"] = _each(column, lambda v: len(v) if isinstance(v, str) else np.nan)
        elif len(sizes) == 1 and max(sizes) <= MOST:
            for i in range(max(sizes)):
                values[f"{name}[{i}]"] = [Absent() if a is None else a.ravel()[i] for a in arrays]
        else:
            computed |= _statistics(name, arrays)
    return Parts(values, computed, _joined(leaves))


def _parts(output: Any) -> dict[str, Any]:
    try:
        return dict(_leaves(output))
    except Exception:  # an object that does not let itself be looked into
        return {"output": output}


def _leaves(output: Any, name: str = "output", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The parts of one output by name; arrays of numbers stay whole."""
    if dataclasses.is_dataclass(output) and not isinstance(output, type | Raised):
        output = {field.name: getattr(output, field.name) for field in dataclasses.fields(output)}
    if depth < _DEPTH and isinstance(output, Mapping):
        for key, value in output.items():
            yield from _leaves(value, f"{name}[{words(key)}]", depth + 1)
        return
    if hasattr(output, "to_numpy") or hasattr(output, "toarray"):  # a frame, a series; a sparse matrix
        output = output.to_numpy() if hasattr(output, "to_numpy") else output.toarray()
    if isinstance(output, list | tuple | np.ndarray) and (array := _numeric(output)) is not None:
        yield name, array
    elif depth < _DEPTH and isinstance(output, list | tuple | np.ndarray) and np.ndim(_hollow(output)):
        for i, value in enumerate(output):
            yield from _leaves(value, f"{name}[{i}]", depth + 1)
    else:
        yield name, output


def _numeric(output: Any) -> np.ndarray | None:
    """An array of numbers with one axis or more, else None; a list that holds a boolean or None is not one."""
    if not isinstance(output, np.ndarray):
        if not all(isinstance(v, numbers.Real | np.ndarray) and not isinstance(v, bool) for v in output):
            return None
        try:
            output = np.array(output)
        except ValueError:  # ragged
            return None
    if output.dtype.kind == "c":
        output = np.stack([output.real, output.imag], axis=-1)
    return output if output.ndim and output.dtype.kind in "biuf" else None


def _statistics(name: str, arrays: list[np.ndarray | None]) -> dict[str, np.ndarray]:
    filled = [a.astype(float).ravel() if a is not None and a.size else None for a in arrays]
    with np.errstate(invalid="ignore", over="ignore"):
        found = {
            f"the length of {name}": _each(arrays, lambda a: np.nan if a is None else a.size),
            f"the sum of {name}": _each(filled, lambda a: np.nan if a is None else a.sum()),
            f"the largest of {name}": _each(filled, lambda a: np.nan if a is None else a.max()),
            f"the smallest of {name}": _each(filled, lambda a: np.nan if a is None else a.min()),
            f"{name}[0]": _each(filled, lambda a: np.nan if a is None else a[0]),
            f"{name}[-1]": _each(filled, lambda a: np.nan if a is None else a[-1]),
        }
    return found


def _each(values: Sequence[Any], number: Any) -> np.ndarray:
    return np.array([number(value) for value in values], dtype=float)


def _joined(leaves: list[dict[str, Any]]) -> np.ndarray | None:
    """All numbers of each output as one row, for those with the layout most have."""
    layouts = [tuple((n, v.size) for n, v in sorted(_only_numbers(leaf).items())) for leaf in leaves]
    layout, often = Counter(layouts).most_common(1)[0]
    length = sum(size for _, size in layout)
    if length < 2 or often < len(leaves) / 2:
        return None
    rows = np.full((len(leaves), length), np.nan)
    for row, leaf, own in zip(rows, leaves, layouts, strict=True):
        if own == layout:
            row[:] = np.concatenate([np.ravel(leaf[name]) for name, _ in layout])
    return rows


def _only_numbers(leaf: dict[str, Any]) -> dict[str, np.ndarray]:
    found = {}
    for name, value in leaf.items():
        if isinstance(value, np.ndarray) or (isinstance(value, numbers.Real) and not isinstance(value, bool)):
            array = np.asarray(value)
            if array.dtype.kind in "biuf":  # not whole numbers beyond 64 bits
                found[name] = array
    return found


def _hollow(output: Any) -> Any:
    """Something of the same length that NumPy does not look into."""
    return output if isinstance(output, np.ndarray) else range(len(output))
