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

MOST_AHEAD = 128
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
        self._last: Any = None  # the arguments of the last call, as they were given and as they are sent

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        given = (*arguments, *keywords, *keywords.values())
        alike = self._last is not None and _alike(self._last[0], given)
        if alike:
            rng, sent, named, kept = self._last[1]
        else:
            rng = next((v for v in (*arguments, *keywords.values()) if isinstance(v, np.random.Generator)), None)
            sent, named, kept = self._prepared(arguments, keywords, rng)
            self._last = (given, (rng, sent, named, kept)) if rng is not None and _fixed(given) else None
        state = wire.rng_state(rng) if rng is not None else ""
        # With another generator it is not the same call again, whatever else it is given.
        goes_on = rng is not None and state == self._left
        if goes_on and not alike:
            before, self._same = self._same, _key(sent, named, kept)
            alike = self._same is not None and self._same == before
        elif not alike:
            self._same = None
        if not (goes_on and alike and self._ready):
            self._ready = []
            # The longer the same call has been repeated, the more of them are asked for at once.
            self._ahead = min(2 * self._ahead, MOST_AHEAD) if goes_on and alike else 1
            results = self._student.call(self.number, sent, named, kept, state, self._ahead)
            states = [state, *(after for _, after, _ in results)]
            self._ready = [[was, *found] for was, found in zip(states, results, strict=False)][::-1]
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
    """Whether these objects stay what they are, so that the same ones make the same call."""
    return all(
        not value.flags.writeable if isinstance(value, np.ndarray) else isinstance(value, _UNCHANGING)
        for value in values
    )


def _alike(before: Sequence[Any], now: Sequence[Any]) -> bool:
    return len(before) == len(now) and all(map(operator.is_, before, now))


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
