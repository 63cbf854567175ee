"""Calls that are kept, to be asked again of a process that has forgotten them all.

What a function gives follows from what it is handed, its generator's state included. So it is the same when another
process is asked the same, in another order. An answer that counts its calls, or draws noise from seeds of its own that
nobody asked for, is another one there.
"""

from __future__ import annotations

import copy
import math
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from dpcourse.checks import forms
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.privacy import Guarantee

MOST = 32  # calls of each function
LARGEST = 2**22  # bytes that one call hands over and gets back
REMEMBERS = Diagnosis(
    "own-generator",
    "Asked once more in a newly started Python, which knows of no earlier call, with the same arguments and all "
    "generators in the same state, your function gave another result, or none, because it or a cell stopped.",
    "Where else do your draws come from, or what does your function use that an earlier call or another cell left "
    "behind?",
)
_SAME = (type(None), bool, int, float, complex, str, bytes, np.generic, Fraction, Decimal, Guarantee, Enum)
Path = tuple[Any, ...]


class NotPlain(Exception):
    """Nothing that can be handed over again: a function, a folder, a connection."""


@dataclass
class Call:
    """What a function was handed, and what it gave."""

    number: int  # of all calls of the answer
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    result: Any = None
    returned: bool = False
    began: float = field(default_factory=time.monotonic)
    seconds: float = 0.0

    def keep(self, result: Any) -> None:
        """A call whose result is too large is none that can be asked again."""
        self.seconds = time.monotonic() - self.began
        try:
            self.result = as_kept(result, LARGEST)
            self.returned = True
        except NotPlain:
            pass


class Kept:
    """At most so many calls of each function of an answer, any as likely as any other.

    By its path in the answer: () of the answer itself, (key,) of a part.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._calls: dict[Path, list[Call | None]] = {}
        self._many: dict[Path, int] = {}
        self._dice = random.Random()

    def before(self, path: Path, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Call | None:
        """The call, where it is one of those that are kept (so far)."""
        many = self._many[path] = self._many.get(path, 0) + 1
        calls = self._calls.setdefault(path, [])
        place = many - 1 if many <= self._most else self._dice.randrange(many)
        if place >= self._most:
            return None
        try:
            call = Call(self.many, copied(tuple(arguments)), copied(dict(keywords)))
        except NotPlain:
            call = None
        calls[place : place + 1] = [call]
        return call

    @property
    def many(self) -> int:
        """How many calls there were, kept or not."""
        return sum(self._many.values())

    def __bool__(self) -> bool:
        return any(call and call.returned for some in self._calls.values() for call in some)

    def __iter__(self) -> Iterator[tuple[Path, Call]]:
        """All of them, the last first: what an earlier call left behind for a later one is not there."""
        calls = [(path, call) for path, some in self._calls.items() for call in some if call and call.returned]
        return iter(sorted(calls, key=lambda kept: -kept[1].number))

    def within(self, seconds: float, least: int = 0, path: Path | None = None) -> list[tuple[Path, Call]]:
        """Calls (of one function, where a path is given) that took at most so long together, the last first.

        They are drawn: who is slow in some calls does not choose which are asked again. At least so many are there.
        """
        calls = [one for one in self if path is None or one[0] == path]
        chosen, left = set[int](), seconds
        for place in self._dice.sample(range(len(calls)), len(calls)):
            if calls[place][1].seconds <= left:
                chosen.add(place)
                left -= calls[place][1].seconds
        others = sorted(set(range(len(calls))) - chosen, key=lambda place: calls[place][1].seconds)
        chosen.update(others[: max(least - len(chosen), 0)])
        return [calls[place] for place in sorted(chosen)]


def changed(call: Call, ask: Callable[..., Any]) -> bool:
    """Whether the function gives something else when it is asked again.

    One that is handed no generator may draw numbers of its own, and gives a third thing when it is asked twice.
    """
    again = as_kept(ask(*copied(call.arguments), **copied(call.keywords)))
    if alike(call.result, again):
        return False
    given = (*call.arguments, *call.keywords.values())
    drawn = any(isinstance(value, np.random.Generator) or _follows(value) for value in given)
    return drawn or alike(again, as_kept(ask(*copied(call.arguments), **copied(call.keywords))))


def copied(value: Any) -> Any:
    """A copy of what is handed over, generators in the state they are in.

    Raises
    ------
    NotPlain
        For functions and the like, and for what is larger than `LARGEST` bytes. What has a true `asked_again` follows
        from its own state, and is copied.
    """
    return _copied(value, [LARGEST])


def as_kept(result: Any, most: float = math.inf) -> Any:
    """A copy of a result, whatever it is: an answer does not choose by it which calls are asked again.

    Lists and the like of a class of their own become plain ones; of what cannot be copied, its class is kept.

    Raises
    ------
    NotPlain
        For what is larger than so many bytes.
    """
    return _copied(result, [most], lambda thing: f"some {type(thing).__name__}")


def _copied(value: Any, left: list[float], otherwise: Callable[[Any], Any] | None = None) -> Any:
    numbers = isinstance(value, list | tuple) and forms.NUMBERS.issuperset(map(type, value))
    sized = numbers or isinstance(value, str | bytes)
    left[0] -= value.nbytes if isinstance(value, np.ndarray) else 64 + 8 * len(value) if sized else 64
    if left[0] < 0:
        raise NotPlain
    if isinstance(value, _SAME):
        return value
    for kind in (list, tuple, set, frozenset):
        if type(value) is kind or isinstance(value, kind) and otherwise:
            return kind(value if numbers else (_copied(one, left, otherwise) for one in value))
    if type(value) is dict or isinstance(value, dict) and otherwise:
        return {_copied(key, left, otherwise): _copied(one, left, otherwise) for key, one in value.items()}
    if _of_objects(value):
        array = np.empty(value.shape, dtype=object)
        array.flat[:] = [_copied(one, left, otherwise) for one in value.flat]
        return array
    if isinstance(value, np.ndarray):
        array = value.copy(order="K")
        array.flags.writeable = value.flags.writeable
        return array
    if isinstance(value, pd.DataFrame | pd.Series | pd.Index):
        left[0] -= 8 * value.size
        return value.copy() if left[0] >= 0 else _copied(None, left)
    if isinstance(value, np.random.Generator) or _follows(value):
        return copy.deepcopy(value)
    if otherwise is None:
        raise NotPlain
    return otherwise(value)


def _follows(value: Any) -> bool:
    return getattr(value, "asked_again", False) is True


def alike(one: Any, other: Any) -> bool:
    """The same but for last digits: how NumPy adds up depends on where an array lies."""
    if isinstance(one, pd.DataFrame) and isinstance(other, pd.DataFrame):
        return alike(one.index, other.index) and alike(dict(one), dict(other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    one, other = (value.to_numpy() if isinstance(value, pd.Series | pd.Index) else value for value in (one, other))
    one, other = (value.tolist() if _of_objects(value) else value for value in (one, other))
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        if len(one) == len(other) and {*map(type, one), *map(type, other)} == {float}:  # one by one, all at once
            return np.allclose(one, other, rtol=2e-9, atol=0.0, equal_nan=True)
        return len(one) == len(other) and all(map(alike, one, other))
    first, second = np.asarray(one), np.asarray(other)
    if first.dtype.kind in "biufc" and second.dtype.kind in "fc" and first.shape == second.shape:
        most = float(np.abs(first[np.isfinite(first)]).max(initial=0))
        return np.allclose(first, second, rtol=1e-9, atol=1e-9 * most, equal_nan=True)
    return bool(np.array_equal(first, second))


def _of_objects(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "O"
