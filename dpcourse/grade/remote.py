"""A function in a student's process, called as if it were here."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dpcourse.checks.answers import Elsewhere
from dpcourse.checks.beside import of_its_own
from dpcourse.grade import wire

if TYPE_CHECKING:
    from dpcourse.grade.student import Student

MOST_AHEAD, AT_FIRST = 128, 8
SMALL = 2**12  # bytes of an array that is sent with each call
_UNCHANGING = (bool, int, float, str, np.generic, np.random.Generator)  # a generator's state is looked at every time


class Remote(Elsewhere):
    """A function in a student's process."""

    def __init__(self, student: Student, number: int) -> None:
        self._student, self.number = student, number
        self._ready: list[Any] = []  # results of the same call again, the last first, and the state before and after
        self._same: Any = None
        self._left = ""  # the generator's state after the last call
        self._ahead = 1
        self._coming: list[str] = []  # states of the generators that will be given next
        self._last: Any = None  # the arguments of the last call: as they were given, as they are sent, if they stay so

    def announce(self, rngs: Sequence[np.random.Generator]) -> None:
        self._coming = [wire.rng_state(rng) for rng in rngs]

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        rng = next((v for v in (*arguments, *keywords.values()) if isinstance(v, np.random.Generator)), None)
        given = (*arguments, *keywords, *keywords.values())
        alike = self._last is not None and _alike(self._last[0], given)
        if not alike:
            self._last = (given, self._prepared(arguments, keywords, rng), rng is not None and _fixed(given))
        _, (sent, named, kept), fixed = self._last
        state = wire.rng_state(rng) if rng is not None else ""
        # With a generator that nobody has announced it is not the same call again, whatever else it is given.
        goes_on, announced = rng is not None and state == self._left, self._coming[:1] == [state]
        if not fixed or not alike:
            follows = goes_on or announced and (len(self._coming) > 1 or bool(self._ready))
            before, self._same = self._same, _key(sent, named, kept) if follows else None
            alike = self._same is not None and self._same == before
        announced = announced and (fixed or self._same is not None)
        if not (alike and self._ready and self._ready[-1][0] == state):
            self._ready = []
            # The longer the same call has been repeated, the more of them are asked for at once.
            again = alike and (goes_on or announced)
            self._ahead = min(2 * self._ahead, MOST_AHEAD) if again else AT_FIRST if announced else 1
            states = self._coming[: self._ahead] if announced else [state] if rng is not None else []
            results = self._student.call(
                self.number, sent, named, kept, states, len(states) if announced else self._ahead
            )
            if not announced:
                states = [state, *(after for _, after, _ in results)]
            self._ready = [[was, *found] for was, found in zip(states, results, strict=False)][::-1]
        if announced:
            del self._coming[0]
        _, result, after, changed = self._ready.pop()
        if rng is not None and after:
            if str(after).split(" ")[1:2] != state.split(" ")[1:2]:
                raise wire.WireError("the state of another generator")
            wire.set_rng_state(rng, after)
        self._left = str(after)
        for path, value in changed:
            changing = arguments[int(path[1:])] if path[0] == "p" else keywords[path[1:]]
            if rng is None or not isinstance(changing, np.ndarray):  # else arrays are copies: `checks.forms`
                change(changing, value)
        return result

    def _prepared(self, arguments: Sequence[Any], keywords: Mapping[str, Any], rng: Any) -> tuple[list, dict, list]:
        """Arguments with the generator taken out (`...`), and large read-only arrays replaced by their names there."""
        kept: list[list[Any]] = []

        def place(value: Any, path: str) -> Any:
            if value is rng and rng is not None:
                return ...
            large = isinstance(value, np.ndarray) and value.nbytes > SMALL
            if large and not value.flags.writeable and value.dtype.kind in "biuf":
                number = self._student.keep(value)
                if number is not None:
                    kept.append([path, number])
                    return None
            return value

        given = [place(value, f"p{i}") for i, value in enumerate(arguments)]
        return given, {name: place(value, f"k{name}") for name, value in keywords.items()}, kept


def change(given: Any, now: Any) -> None:
    """Do to what the check handed over what the answer did to its copy."""
    if type(given) is not type(now):
        raise wire.WireError("not what was handed over")
    if isinstance(given, np.ndarray):
        np.copyto(given, now)
    elif isinstance(given, list):
        given[:] = now
    else:
        given.clear()
        given.update(now)


def _fixed(values: Sequence[Any]) -> bool:
    """Whether these objects stay what they are, so that the same ones make the same call, but for one generator."""
    return sum(isinstance(value, np.random.Generator) for value in values) == 1 and all(
        not value.flags.writeable if isinstance(value, np.ndarray) else isinstance(value, _UNCHANGING)
        for value in values
    )


def _alike(before: Sequence[Any], now: Sequence[Any]) -> bool:
    """The same objects, or another generator."""
    if len(before) != len(now):
        return False
    return all(map(operator.is_, before, now)) or all(
        a is b or type(a) is type(b) is np.random.Generator for a, b in zip(before, now, strict=True)
    )


def _key(given: list, named: dict, kept: list) -> Any:
    """Equal for calls that are the same; None where that cannot be told."""
    if any(isinstance(value, Path) for value in (*given, *named.values())):
        return None  # what is in a folder changes
    encoder = wire.Encoder(lambda _: (_ for _ in ()).throw(wire.WireError("a handle")), of_its_own)
    try:
        encoded = encoder.encode([given, named, kept])
    except wire.WireError:
        return None
    return repr(encoded), tuple(encoder.buffers)
