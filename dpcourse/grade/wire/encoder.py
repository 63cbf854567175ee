"""Values into JSON and buffers."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePath
from typing import Any

import numpy as np

from .generators import rng_state
from .messages import WireError
from .plain import DEEPEST, KINDS, LONGEST, PLAIN, SCALARS

ARRAYS: tuple[type, ...] = (array, memoryview, np.flatiter)


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
        if value is None or type(value) in PLAIN:
            return value
        kind = type(value)
        if kind is list or kind is tuple:
            inside = [item if type(item) in PLAIN else self.encode(item, depth + 1) for item in value]
            return ["l" if kind is list else "t", *inside]
        if kind in SCALARS:
            return ["f" if kind is np.float64 else "i" if kind is np.int64 else "b", value.item()]
        if self._of_its_own(value):
            return ["k", self._plain(value, depth)]
        if isinstance(value, np.ndarray):
            return self._array(value, depth)
        if isinstance(value, np.generic):
            return ["n", self._array(np.asarray(value), depth)]
        if value is ...:
            return ["e"]
        if isinstance(value, dict):
            return ["d", *[[self.encode(k, depth + 1), self.encode(v, depth + 1)] for k, v in value.items()]]
        if kind in (range, deque):
            return self.encode(list(value), depth)
        if kind in ARRAYS:
            return self._array(np.asarray(value), depth)
        if isinstance(value, set | frozenset):
            return ["s", *[self.encode(item, depth + 1) for item in value]]
        if isinstance(value, np.random.Generator) and type(value.bit_generator) is np.random.PCG64:
            return ["g", rng_state(value)]
        if kind in (bytes, bytearray):
            self.buffers.append(bytes(value))
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
        if kind.__module__.startswith("pandas") and hasattr(kind, "__array__"):  # an index or a column's values
            return self._array(np.asarray(value), depth)
        if kind.__module__.startswith("dpcourse.") and kind.__name__ == "Guarantee":
            return ["G", value.epsilon, value.delta, value.neighbours.value, value.condition]
        if kind.__module__.startswith("dpcourse.") and kind.__name__ == "Neighbours":
            return ["N", value.value]
        return ["h", self._handle(value), kind.__name__[:LONGEST]]

    def _plain(self, value: Any, depth: int) -> Any:
        """The same as one of its plain class would be."""
        if isinstance(value, np.ndarray):
            return self._array(value, depth)
        if isinstance(value, np.generic):
            return self.encode(np.asarray(value)[()], depth)
        plain = next((kind for kind in (int, float, complex, str, list, tuple) if isinstance(value, kind)), None)
        if plain is str:
            return str.__str__(value)  # and not what a class of its own makes of it, as an Enum does
        return self.encode(plain(value), depth) if plain else self._table(value, depth)

    def _array(self, array: np.ndarray, depth: int) -> Any:
        if array.dtype.kind not in KINDS:
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
