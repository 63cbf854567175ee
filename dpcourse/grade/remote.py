"""A function in a student's process, called as if it were here."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dpcourse.checks import forms
from dpcourse.checks.beside import of_its_own
from dpcourse.checks.elsewhere import Elsewhere
from dpcourse.grade import wire

if TYPE_CHECKING:
    from dpcourse.grade.student import Student

MOST_AHEAD, AT_FIRST = 128, 16
SMALL = 2**12  # bytes of an array that is sent with each call
_STAYS = (*forms.FLAT, np.generic, np.random.Generator)  # a generator's state is looked at every time
Sent = tuple[list[Any], dict[str, Any], list[list[Any]]]  # arguments, keywords, and which arrays are there already


class Asked:
    """The arguments of a call, as they were given and as they are sent."""

    def __init__(self, given: tuple[Any, ...], sent: Sent) -> None:
        self.given, self.sent = given, sent
        lists = [value for value in given if type(value) is list and forms.FLAT.issuperset(map(type, value))]
        self._held = [(value, tuple(value)) for value in lists]
        generators = sum(isinstance(value, np.random.Generator) for value in given)
        # Whether these objects, given again, make the same call, but for one generator: it can be seen if they changed.
        self.known = generators == 1 and all(_stays(value) or any(value is one for one in lists) for value in given)

    def again(self, given: tuple[Any, ...]) -> bool:
        """Whether these are the same objects, or another generator, and no list of them was seen to change."""
        if len(self.given) != len(given):
            return False
        same = all(map(operator.is_, self.given, given)) or all(
            a is b or type(a) is type(b) is np.random.Generator for a, b in zip(self.given, given, strict=True)
        )
        return same and all(len(now) == len(was) and all(map(operator.is_, now, was)) for now, was in self._held)

    def key(self) -> Any:
        """Equal for calls that are the same; None where that cannot be told."""
        arguments, keywords, kept = self.sent
        if any(isinstance(value, Path) for value in (*arguments, *keywords.values())):
            return None  # what is in a folder changes
        encoder = wire.Encoder(lambda _: (_ for _ in ()).throw(wire.WireError("a handle")), of_its_own)
        try:
            encoded = encoder.encode([arguments, keywords, kept])
        except wire.WireError:
            return None
        return repr(encoded), tuple(encoder.buffers)


class Remote(Elsewhere):
    """A function in a student's process, or a thing of another class that stays there."""

    def __init__(self, student: Student, number: int, of: str = "function") -> None:
        self._student, self.number, self.of = student, number, of
        self._ready: list[Any] = []  # results of the same call again, the last first, and the state before and after
        self._last: Asked | None = None
        self._key: Any = None  # of the last call, where it was worth the time
        self._left = ""  # the generator's state after it
        self._ahead = 1
        self._coming: list[str] = []  # states of the generators that will be given next

    def announce(self, rngs: Sequence[np.random.Generator]) -> None:
        self._coming = [wire.rng_state(rng) for rng in rngs]

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        given = (*arguments, *keywords, *keywords.values())
        rng = _generator(given)
        state = wire.rng_state(rng) if rng is not None else ""
        # With a generator that nobody has announced it is not the same call again, whatever else it is given.
        goes_on, announced = rng is not None and state == self._left, self._coming[:1] == [state]
        follows = goes_on or announced and (len(self._coming) > 1 or bool(self._ready))
        asked = self._last if self._last and self._last.again(given) else Asked(given, self._sent(arguments, keywords))
        same = self._is_same(asked, follows)
        announced = announced and (asked.known or self._key is not None)
        if not (same and self._ready and self._ready[-1][0] == state):
            # The longer the same call has been repeated, the more of them are asked for at once.
            more = same and (goes_on or announced)
            self._ahead = min(2 * self._ahead, MOST_AHEAD) if more else AT_FIRST if announced else 1
            self._fetch(asked.sent, state, announced)
        if announced:
            del self._coming[0]
        _, result, self._left = self._ready.pop()
        if rng is not None and self._left:
            _go_on(rng, state, self._left)
        return result

    def _is_same(self, asked: Asked, follows: bool) -> bool:
        """Whether this is the last call again, but for the generator. It is not compared where nothing `follows`."""
        same = asked is self._last and asked.known
        self._last = asked
        if same:
            return True
        before, self._key = self._key, asked.key() if follows else None
        return self._key is not None and self._key == before

    def _fetch(self, sent: Sent, state: str, announced: bool) -> None:
        """Results of this call: with the generators that were announced, or as its own goes on."""
        self._ready = []
        states = self._coming[: self._ahead] if announced else [state] if state else []
        results = self._student.call(self.number, *sent, states, len(states) if announced else self._ahead)
        if not announced:
            states = [state, *(str(after) for _, after in results)]
        self._ready = [(was, found, str(after)) for was, (found, after) in zip(states, results, strict=False)]
        self._ready.reverse()

    def _sent(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Sent:
        """Arguments with the generator taken out (`...`), and large read-only arrays replaced by their names there."""
        kept: list[list[Any]] = []
        rng = _generator((*arguments, *keywords.values()))

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


def _generator(values: Sequence[Any]) -> np.random.Generator | None:
    return next((value for value in values if isinstance(value, np.random.Generator)), None)


def _stays(value: Any) -> bool:
    return not value.flags.writeable if isinstance(value, np.ndarray) else isinstance(value, _STAYS)


def _go_on(rng: np.random.Generator, before: str, after: str) -> None:
    """Set the generator to the state in which the answer left it."""
    if after.split(" ")[1:2] != before.split(" ")[1:2]:
        raise wire.WireError("the state of another generator")
    wire.set_rng_state(rng, after)
