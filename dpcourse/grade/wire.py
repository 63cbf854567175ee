"""What crosses between the grader and a student's process: JSON and plain arrays, never pickle.

This file is used on both sides, so it imports nothing of the package. A message is four bytes of length, JSON, and the
buffers of its arrays. Whatever is neither data nor a generator (a function, an object) stays where it is and crosses as
a handle.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePath
from typing import Any

import numpy as np

LARGEST = 64 * 2**20  # bytes of one message
DEEPEST = 40
_PLAIN = (bool, int, float, str)
_KINDS = "biufcUS"  # of arrays that may cross
_SCALARS = (np.float64, np.int64, np.bool_)  # what answers return most


class WireError(Exception):
    """What came over the wire is not of this form, or too large."""


class Encoder:
    """Values into JSON and buffers; `handle(value)` gives the number under which a thing that stays is known.

    What is `of_its_own` (checks/beside.py) crosses as its plain self, with a mark.
    """

    def __init__(self, handle: Callable[[Any], int], of_its_own: Callable[[Any], bool] = lambda _: False) -> None:
        self._handle, self._of_its_own = handle, of_its_own
        self.buffers: list[bytes] = []

    def encode(self, value: Any, depth: int = 0) -> Any:
        if depth > DEEPEST:
            raise WireError("nested too deeply")
        if value is None or type(value) in _PLAIN:
            return value
        kind = type(value)
        if kind is list or kind is tuple:
            inside = [item if type(item) in _PLAIN else self.encode(item, depth + 1) for item in value]
            return ["l" if kind is list else "t", *inside]
        if kind in _SCALARS:
            return ["f" if kind is np.float64 else "i" if kind is np.int64 else "b", value.item()]
        if self._of_its_own(value):
            return ["k", self._plain(value, depth)]
        if isinstance(value, np.ndarray):
            return self._array(value, depth)
        if isinstance(value, np.generic):
            return ["n", self._array(np.asarray(value), depth)]
        if value is ...:
            return ["e"]
        if kind is dict:
            return ["d", *[[self.encode(k, depth + 1), self.encode(v, depth + 1)] for k, v in value.items()]]
        if kind in (set, frozenset):
            return ["s", *[self.encode(item, depth + 1) for item in value]]
        if isinstance(value, np.random.Generator) and type(value.bit_generator) is np.random.PCG64:
            return ["g", rng_state(value)]
        if kind is bytes:
            self.buffers.append(value)
            return ["y", len(value)]
        if isinstance(value, PurePath):
            return ["p", str(value)]
        if kind.__name__ in ("X25519PrivateKey", "X25519PublicKey") and kind.__module__.startswith("cryptography"):
            raw = value.private_bytes_raw() if kind.__name__ == "X25519PrivateKey" else value.public_bytes_raw()
            return ["x", kind.__name__, self.encode(raw)]
        if kind is Fraction:
            return ["q", f"{value.numerator}/{value.denominator}"]
        if kind is Decimal:
            return ["m", str(value)]
        if isinstance(value, complex):
            return ["c", value.real, value.imag]
        if kind.__module__.startswith("pandas") and kind.__name__ in ("DataFrame", "Series"):
            return self._table(value, depth)
        if kind.__module__.startswith("dpcourse.") and kind.__name__ == "Guarantee":
            return ["G", value.epsilon, value.delta, value.neighbours.value, value.condition]
        if kind.__module__.startswith("dpcourse.") and kind.__name__ == "Neighbours":
            return ["N", value.value]
        return ["h", self._handle(value)]

    def _plain(self, value: Any, depth: int) -> Any:
        """The same as one of its plain class would be."""
        if isinstance(value, np.ndarray):
            return self._array(value, depth)
        if isinstance(value, np.generic):
            return self.encode(np.asarray(value)[()], depth)
        plain = next((kind for kind in (int, float, complex, str, list, tuple) if isinstance(value, kind)), None)
        return self.encode(plain(value), depth) if plain else self._table(value, depth)

    def _array(self, array: np.ndarray, depth: int) -> Any:
        if array.dtype.kind not in _KINDS:
            return ["o", list(array.shape), *[self.encode(item, depth + 1) for item in array.ravel().tolist()]]
        self.buffers.append(np.ascontiguousarray(array).tobytes())
        return ["a", array.dtype.str, list(array.shape), bool(array.flags.writeable), len(self.buffers[-1])]

    def _table(self, table: Any, depth: int) -> Any:
        index = self.encode(np.asarray(table.index), depth + 1)
        names = [self.encode(axis.name, depth + 1) for axis in table.axes]
        if table.ndim == 1:
            return ["S", names, self.encode(table.name, depth + 1), index, self.encode(np.asarray(table), depth + 1)]
        columns = [[self.encode(name), self.encode(np.asarray(table[name]), depth + 1)] for name in table.columns]
        return ["D", names, index, *columns]


class Decoder:
    """The other direction; `thing(number)` gives what a handle stands for.

    Of a path only its name comes out, unless `paths` says otherwise: the grader opens no file that a student names.
    """

    def __init__(
        self, thing: Callable[[int], Any], buffers: memoryview, paths: Callable[[str], PurePath] = PurePath
    ) -> None:
        self._thing, self._buffers, self._at, self._paths = thing, buffers, 0, paths

    def decode(self, found: Any, depth: int = 0) -> Any:
        if depth > DEEPEST:
            raise WireError("nested too deeply")
        if found is None or type(found) in _PLAIN:
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
            return [item if type(item) in _PLAIN else self.decode(item, depth) for item in rest]
        if kind == "t":
            return tuple(item if type(item) in _PLAIN else self.decode(item, depth) for item in rest)
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
            return self._paths(_short(rest[0]))
        if kind == "q":
            above, _, below = _short(rest[0]).partition("/")
            return Fraction(int(above), int(below))  # never by its text: Fraction("1e999999999") takes all memory
        if kind == "m":
            return _small(Decimal(_short(rest[0])))
        if kind == "c":
            return complex(*rest)
        if kind == "o":
            made = np.empty(len(rest) - 1, dtype=object)
            made[:] = [self.decode(item, depth) for item in rest[1:]]
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
            return self._thing(int(rest[0]))
        raise WireError(f"{kind!r} is no kind of value")

    def _array(self, dtype: str, shape: list[int], writeable: bool, size: int) -> np.ndarray:
        form = np.dtype(dtype)
        if form.kind not in _KINDS:
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
            _labels(index)
            return pd.Series(_column(values, index), index=index, name=name).rename_axis(index=names[0])
        index = self.decode(rest[1], depth)
        _labels(index)
        columns = {self.decode(name, depth): _column(self.decode(values, depth), index) for name, values in rest[2:]}
        _labels([*columns])
        return pd.DataFrame(columns, index=index).rename_axis(index=names[0], columns=names[1])


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
    kind: type("Own", (kind,), {}) for kind in (int, float, complex, str, list, tuple, *_SCALARS[:2])
}


def _labels(found: Any) -> None:
    """Labels that are no protocol: pandas has them as attributes, and NumPy would read an array at the address that is
    told under `__array_interface__`: in the process that asks, which is the grader's.
    """
    if isinstance(found, np.ndarray) and found.dtype.kind in "biufc":
        return
    for label in found:
        if any(str(part).startswith("__") for part in (label if isinstance(label, tuple) else [label])):
            raise WireError("a label that begins with two underscores")


def _column(values: Any, index: Any) -> Any:
    """A column of objects as a list, so that pandas finds its type as it does when it reads one.

    It has a value for each of the index: of a number that stands for all, pandas would make as many.
    """
    if not isinstance(values, np.ndarray) or values.shape != np.shape(index):
        raise WireError("a column of another length than its index")
    return values.tolist() if values.dtype == object else values


def _short(text: Any) -> str:
    if not isinstance(text, str) or len(text) > 2000:
        raise WireError("a number of more than 2,000 characters")
    return text


def _small(value: Decimal) -> Decimal:
    exponent = value.as_tuple().exponent
    if isinstance(exponent, int) and abs(exponent) > 2000:
        raise WireError("a number of more than 2,000 digits")
    return value


def rng_state(rng: np.random.Generator) -> str:
    """Of a PCG64 generator, as text: it crosses with every result of a function that draws."""
    state: Any = rng.bit_generator.state
    inner = state["state"]
    return f"{inner['state']:x} {inner['inc']:x} {state['has_uint32']:x} {state['uinteger']:x}"


def generator(state: str) -> np.random.Generator:
    """One in this state. Its children follow from the state, as they would from the seed that does not cross."""
    seed = int.from_bytes(hashlib.sha256(_short(state).encode(errors="replace")).digest()[:8], "big") // 2
    return set_rng_state(np.random.Generator(np.random.PCG64(seed)), state)


def set_rng_state(rng: np.random.Generator, state: str) -> np.random.Generator:
    whole, inc, has, left = (int(part, 16) for part in _short(state).split(" "))
    if inc % 2 == 0:
        raise WireError("not the state of a generator: it would repeat itself, and rejection sampling never end")
    rng.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": whole, "inc": inc},
        "has_uint32": has,
        "uinteger": left,
    }
    return rng


def pack(message: Any, buffers: list[bytes]) -> bytes:
    """One message as bytes."""
    text = json.dumps(message, separators=(",", ":")).encode()
    size = len(text) + sum(map(len, buffers))
    if size > LARGEST:
        raise WireError(f"{size:,} bytes are more than {LARGEST:,}")
    return b"".join([struct.pack("<II", len(text), size), text, *buffers])


def unpack(read: Callable[[int], bytes]) -> tuple[Any, memoryview]:
    """The next message, and the buffers of its arrays."""
    text, size = struct.unpack("<II", read(8))
    if not text <= size <= LARGEST:
        raise WireError(f"a message of {size:,} bytes")
    body = read(size)
    try:
        return json.loads(body[:text]), memoryview(body)[text:]
    except (ValueError, RecursionError) as error:
        raise WireError(f"not JSON: {error}") from None
