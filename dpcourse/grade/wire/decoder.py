"""JSON and buffers into values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePath
from typing import Any

import numpy as np

from .generators import generator
from .messages import WireError
from .plain import DEEPEST, KINDS, LONGEST, PLAIN, SCALARS, short


class Decoder:
    """The other direction; `thing(number, name of its class)` gives what a handle stands for.

    Of a path only its name comes out, unless `paths` says otherwise: the grader opens no file that a student names.
    """

    def __init__(
        self, thing: Callable[[int, str], Any], buffers: memoryview, paths: Callable[[str], PurePath] = PurePath
    ) -> None:
        self._thing, self._buffers, self._at, self._paths = thing, buffers, 0, paths

    def decode(self, found: Any, depth: int = 0) -> Any:
        if depth > DEEPEST:
            raise WireError("nested too deeply")
        if found is None or type(found) in PLAIN:
            return found
        if not isinstance(found, list) or not found or not isinstance(found[0], str):
            raise WireError("not a value of this wire")
        kind, rest = found[0], found[1:]
        try:
            return self._made(kind, rest, depth + 1)
        except (TypeError, ValueError, IndexError, KeyError, OverflowError) as error:
            raise WireError(f"not a {kind} of this wire: {error}") from None

    def _made(self, kind: str, rest: list[Any], depth: int) -> Any:
        if kind == "l":
            return [item if type(item) in PLAIN else self.decode(item, depth) for item in rest]
        if kind == "t":
            return tuple(item if type(item) in PLAIN else self.decode(item, depth) for item in rest)
        if kind == "f":
            return np.float64(float(rest[0]))
        if kind == "i":
            return np.int64(int(rest[0]))
        if kind == "b":
            return np.bool_(bool(rest[0]))
        if kind == "a":
            return self._array(*rest)
        if kind == "n":
            return self.decode(rest[0], depth)[()]
        if kind == "e":
            return ...
        if kind == "d":
            return {self.decode(k, depth): self.decode(v, depth) for k, v in rest}
        if kind == "s":
            return {self.decode(item, depth) for item in rest}
        if kind == "g":
            return generator(rest[0])
        if kind == "y":
            return bytes(self._taken(rest[0]))
        if kind == "x":
            from cryptography.hazmat.primitives.asymmetric import x25519

            raw = self.decode(rest[1])
            if rest[0] == "X25519PrivateKey":
                return x25519.X25519PrivateKey.from_private_bytes(raw)
            return x25519.X25519PublicKey.from_public_bytes(raw)
        if kind == "p":
            return self._paths(short(rest[0]))
        if kind == "q":
            above, _, below = short(rest[0]).partition("/")
            return Fraction(int(above), int(below))  # never by its text: Fraction("1e999999999") takes all memory
        if kind == "m":
            return _small(Decimal(short(rest[0])))
        if kind == "c":
            return complex(*rest)
        if kind == "o":
            made = np.empty(len(rest) - 1, dtype=object)
            for at, item in enumerate(rest[1:]):  # one by one: NumPy would look into lists, and ask things for arrays
                made[at] = self.decode(item, depth)
            return made.reshape(rest[0])
        if kind in ("S", "D"):
            return self._table(kind, rest, depth)
        if kind == "G":
            from dpcourse.privacy import Guarantee, Neighbours

            return Guarantee(rest[0], rest[1], Neighbours(rest[2]), rest[3])
        if kind == "N":
            from dpcourse.privacy import Neighbours

            return Neighbours(rest[0])
        if kind == "k":
            return _marked(self.decode(rest[0], depth))
        if kind == "h":
            return self._thing(int(rest[0]), short(rest[1])[:LONGEST])
        raise WireError(f"{kind!r} is no kind of value")

    def _array(self, dtype: str, shape: list[int], writeable: bool, size: int) -> np.ndarray:
        form = np.dtype(dtype)
        if form.kind not in KINDS:
            raise WireError(f"no array of {dtype!r}")
        array = np.frombuffer(self._taken(size), dtype=form).reshape(shape).copy()
        array.flags.writeable = bool(writeable)
        return array

    def _taken(self, size: int) -> memoryview:
        if not 0 <= size <= len(self._buffers) - self._at:
            raise WireError(f"no {size} bytes are here")
        self._at += size
        return self._buffers[self._at - size : self._at]

    def _table(self, kind: str, rest: list[Any], depth: int) -> Any:
        import pandas as pd

        names = [self.decode(name, depth) for name in rest[0]]
        if kind == "S":
            name, index, values = (self.decode(item, depth) for item in rest[1:])
            table: Any = pd.Series(_column(values, _index(index)), index=index, name=name)
        else:
            index = _index(self.decode(rest[1], depth))
            columns = {self.decode(key, depth): _column(self.decode(values, depth), index) for key, values in rest[2:]}
            _labels(columns)
            table = pd.DataFrame(columns, index=index)
        for axis, name in zip(table.axes, names, strict=True):
            axis.name = name  # `rename_axis` would call a function
        return table


class _Array(np.ndarray):
    """Of a class that the student made, or NumPy's masked arrays and matrices."""


def _marked(value: Any) -> Any:
    """The same, and `of_its_own` sees that it is."""
    if type(value) is np.ndarray:
        return value.view(_Array)
    if type(value).__module__.startswith("pandas"):
        value.attrs["own"] = True
        return value
    if type(value) not in _OWN:
        raise WireError(f"no {type(value).__name__} is of its own")
    return _OWN[type(value)](value)


# One for each kind, as a class takes a kilobyte.
_OWN: dict[type, Any] = {
    kind: type("Own", (kind,), {}) for kind in (int, float, complex, str, list, tuple, *SCALARS[:2])
}


def _index(found: Any) -> np.ndarray:
    """An array of labels."""
    if not isinstance(found, np.ndarray) or found.ndim != 1:
        raise WireError("no index of a table")
    if found.dtype.kind not in "biufc":
        _labels(found)
    return found


def _labels(found: Iterable[Any]) -> None:
    """Labels that are no protocol: pandas has them as attributes, and NumPy would read an array at the address that is
    told under `__array_interface__`: in the process that asks, which is the grader's.
    """
    for label in found:
        for part in label if isinstance(label, tuple) else [label]:
            if isinstance(part, list | tuple | dict | np.ndarray) or str(part).startswith("__"):
                raise WireError("a label that holds others, or begins with two underscores")


def _column(values: Any, index: np.ndarray) -> Any:
    """A column of objects as a list, so that pandas finds its type as it does when it reads one.

    It has a value for each of the index: of a number that stands for all, pandas would make as many.
    """
    if not isinstance(values, np.ndarray) or values.shape != index.shape:
        raise WireError("a column of another length than its index")
    return values.tolist() if values.dtype == object else values


def _small(value: Decimal) -> Decimal:
    exponent = value.as_tuple().exponent
    if isinstance(exponent, int) and abs(exponent) > 2000:
        raise WireError("a number of more than 2,000 digits")
    return value
