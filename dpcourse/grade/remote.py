"""The grader's side of the wire: a student's process, and the answers in it, which are called as if they were here."""

from __future__ import annotations

import builtins
import inspect
import operator
import select
import sqlite3
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dpcourse.checks import base
from dpcourse.checks.answers import PATIENCE, PackageUsed, TimedOut
from dpcourse.gauntlet.sealed import Sealed
from dpcourse.grade import database, sandbox, wire
from dpcourse.grade.folders import files_of, make_like

MOST_AHEAD = 128
MOST_RUNS = 2_000_000  # of a sealed mechanism, which runs here
_UNCHANGING = (bool, int, float, str, np.generic, np.random.Generator)  # a generator's state is looked at every time

# What a student's process may ask of things that stay here, by type. A name that is not listed is refused.
_WITH = {"__enter__", "__exit__"}
LETS_THROUGH: Mapping[str, frozenset[str]] = {
    "function": frozenset({"__call__"}),  # and methods, which come from names that are let through
    "Sealed": frozenset({"__call__", "batch", "claim", "data", "neighbour", "name"}),
    "Connection": frozenset(
        {"execute", "executemany", "commit", "rollback", "cursor", "in_transaction", "create_function"} | _WITH
    ),
    "Cursor": frozenset({"execute", "executemany", "fetchone", "fetchall", "rowcount", "__iter__"}),
}
_ALIASES = {
    "_Watched": "Connection",
    "_Cursor": "Cursor",
    "_Rows": "Cursor",
    "method": "function",
    "builtin_function_or_method": "function",
    "builtin_method": "function",  # one that knows its class
}


def _largest(given: Sequence[Any]) -> float:
    return max((value for value in given if isinstance(value, int | float)), default=0)


def _lets_through(thing: Any, kind: str, name: str) -> bool:
    """Whether a student's process may ask this of something that stays here.

    What an exercise made for answers to call, such as a source of numbers, may be called. What a lesson or a simulator
    made, such as a bank, has public names, which are as open at home.
    """
    module = type(thing).__module__
    if kind in LETS_THROUGH and not module.startswith(("dpcourse.datasets.", "dpcourse.lessons.capstone")):
        return name in LETS_THROUGH[kind]
    if module.startswith("dpcourse.lessons.") and ".exercises" in module:
        return name == "__call__"
    return module.startswith(("dpcourse.lessons.", "dpcourse.datasets.")) and not name.startswith("_")


class Gone(Exception):
    """The student's process has ended: killed, out of memory, or of its own will."""


class Student:
    """One process with a student's notebook in it.

    Parameters
    ----------
    process : Popen
        Of `worker.py`, its standard input and output the wire.
    seconds : float
        Of processor time, for one cell or one call of an answer, before the process is killed; of `PATIENCE` times as
        many by the wall clock. Where the system does not tell what processes use, the wall clock counts.
    """

    def __init__(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        self.process, self._seconds = process, seconds
        self._asked = self._look = float("inf")  # when the process was last asked; when to look how long it takes
        self._before: float | None = None  # its processor time when it was first looked at
        self._line = 0.0  # and how long it had waited for the processor
        self._things: list[Any] = []
        self._kept: dict[int, tuple[int, np.ndarray]] = {}
        self._ask("stub", inspect.getsource(base._is_stub))

    def close(self) -> None:
        self.process.kill()
        for stream in (self.process.stdin, self.process.stdout):
            if stream:
                stream.close()
        self.process.wait()

    # -- the wire

    def _read(self, size: int) -> bytes:
        assert self.process.stdout
        data = bytearray()
        while len(data) < size:
            wait = max(0.0, self._look - time.monotonic())
            if not wait or not select.select([self.process.stdout], [], [], min(wait, 3600.0))[0]:
                self._patient()
                continue
            part = self.process.stdout.read1(min(size - len(data), 2**20))  # type: ignore[attr-defined]
            if not part:
                raise Gone("the process ended")
            data += part
        return bytes(data)

    def _patient(self) -> None:
        """Look at what the process has used, and say when to look again; or kill it.

        The first second is free: most calls are over before anybody has to look.
        """
        line = sandbox.time_in_line(self.process.pid)
        if self._before is None:
            self._line = line
        # Who has to wait for the processor does not sleep, however long it takes.
        waited = time.monotonic() - self._asked - (line - self._line)
        used = sandbox.processor_time(self.process.pid)
        self._before = used if self._before is None else self._before
        spent = waited if used is None or self._before is None else used - self._before
        left = min(self._seconds - spent, PATIENCE * self._seconds - waited)
        if left <= 0:
            self.close()
            raise TimedOut(waited)
        self._look = time.monotonic() + max(left, 0.05)

    def clock(self) -> float:
        """Processor time of the grader and the process together, which is what a check takes at home."""
        return time.process_time() + (sandbox.processor_time(self.process.pid) or 0.0)

    def handle(self, thing: Any) -> int:
        if isinstance(thing, Remote):
            return -1 - thing.number
        if isinstance(thing, sqlite3.Connection):
            database.guard(thing)
        self._things.append(thing)
        return len(self._things) - 1

    def _send(self, kind: str, value: Any) -> None:
        assert self.process.stdin
        encoder = wire.Encoder(self.handle)
        data = wire.pack([kind, encoder.encode(value)], encoder.buffers)
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError):
            raise Gone("the process ended") from None

    def _receive(self) -> tuple[str, Any]:
        try:
            message, buffers = wire.unpack(self._read)
            if not isinstance(message, list) or len(message) != 2:
                raise wire.WireError("not a message")
            decoder = wire.Decoder(lambda n: Remote(self, n) if n >= 0 else self._things[-1 - n], buffers)
            return str(message[0]), decoder.decode(message[1])
        except wire.WireError:
            self.close()  # what comes next could not be told from what is left of this
            raise

    def _ask(self, kind: str, value: Any) -> Any:
        """Send, serve what is asked of us meanwhile, and return what comes back."""
        self._asked = time.monotonic()
        self._look, self._before = self._asked + min(1.0, self._seconds), None
        self._send(kind, value)
        while True:
            kind, value = self._receive()
            if kind == "raised":
                raise rebuilt(*value)
            if kind != "back":
                return value
            try:
                self._serve(*value)
            except TypeError as error:
                raise wire.WireError(f"not a request: {error}") from None

    def _serve(self, number: int, name: str, arguments: Any, keywords: Any) -> None:
        thing = self._things[number]
        kind = type(thing).__name__
        given = (*(arguments or ()), *(keywords or {}).values())
        rngs = [value for value in given if isinstance(value, np.random.Generator)]
        try:
            if not _lets_through(thing, _ALIASES.get(kind, kind), name):
                raise AttributeError(f"{kind!r} object has no attribute {name!r}")
            result: Any = thing if name == "__call__" else list(thing) if name == "__iter__" else getattr(thing, name)
            if isinstance(getattr(thing, "__self__", None), Sealed) and _largest(given) > MOST_RUNS:
                raise ValueError(f"more than {MOST_RUNS:,} runs at once")
            if arguments is not None and name != "__iter__":
                result = result(*arguments, **(keywords or {}))
            answer = ("result", [result, [wire.rng_state(rng) for rng in rngs]])
        except Exception as error:
            answer = ("raised", [[type(error).__name__, str(error)], [wire.rng_state(rng) for rng in rngs]])
        self._send(*answer)

    # -- a notebook

    def provide(self, module: str, things: Mapping[str, Any]) -> None:
        """Put things that stay here under the name of a module of the package."""
        self._ask("provide", [module, dict(things)])

    def run_cell(self, source: str, label: str) -> None:
        """Run one cell; what it raises, or `TimedOut`."""
        self._ask("cell", [source, label])

    def answer(self, expression: str) -> Any:
        """What stands under an answer's name: a value, a `Remote`, or `...` where it was not answered."""
        found, stub = self._ask("answer", expression)
        return ... if stub else found

    # -- calls

    def keep(self, array: np.ndarray) -> int | None:
        """Send a read-only array once; the number under which the process has it."""
        known = self._kept.get(id(array))
        if known is None:
            known = self._kept[id(array)] = (len(self._kept), array)  # held, so that its id stays its own
            self._send("keep", [known[0], array])
        return known[0]

    def call(self, number: int, arguments: Any, keywords: Any, kept: Any, state: Any, ahead: int) -> list[Any]:
        """Results of the same call again and again. Folders among the arguments are brought to the state it left."""
        paths = [value for value in (*arguments, *keywords.values()) if isinstance(value, Path)]
        given = [[path, files_of(path)] for path in paths]
        results, files = self._ask("call", [number, arguments, keywords, kept, given, state, ahead])
        for path, left in zip(paths, files, strict=True):
            make_like(path, left)
        return results


class Remote:
    """A function in a student's process."""

    def __init__(self, student: Student, number: int) -> None:
        self._student, self.number = student, number
        self._ready: list[Any] = []  # results of the same call again, the last first, and the state before and after
        self._same: Any = None
        self._ahead = 1
        self._last: Any = None  # the arguments of the last call, as they were given and as they are sent

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if self._last is not None and _alike(self._last[0], (*arguments, *keywords, *keywords.values())):
            rng, given, named, kept = self._last[1]
            same = self._same
        else:
            rng = next((v for v in (*arguments, *keywords.values()) if isinstance(v, np.random.Generator)), None)
            given, named, kept = self._prepared(arguments, keywords, rng)
            same = _key(given, named, kept) if rng is not None else None
            before = (*arguments, *keywords, *keywords.values())
            self._last = (before, (rng, given, named, kept)) if same is not None and _fixed(before) else None
        state = wire.rng_state(rng) if rng is not None else ""
        if same is None or same != self._same or not self._ready or self._ready[-1][0] != state:
            # The longer the same call has been repeated, the more of them are asked for at once.
            self._ahead = min(2 * self._ahead, MOST_AHEAD) if same is not None and same == self._same else 1
            results = self._student.call(self.number, given, named, kept, state, self._ahead)
            states = [state, *(after for _, after, _ in results)]
            self._ready = [[was, *found] for was, found in zip(states, results, strict=False)][::-1]
            self._same = same
        _, result, after, changed = self._ready.pop()
        if rng is not None and after:
            if str(after).split(" ")[1:2] != state.split(" ")[1:2]:
                raise wire.WireError("the state of another generator")
            wire.set_rng_state(rng, after)
        for path, value in changed:
            change(arguments[int(path[1:])] if path[0] == "p" else keywords[path[1:]], value)
        return result

    def _prepared(self, arguments: Sequence[Any], keywords: Mapping[str, Any], rng: Any) -> tuple[list, dict, list]:
        """Arguments with the generator taken out (`...`), and read-only arrays replaced by their names there."""
        kept: list[list[Any]] = []

        def place(value: Any, path: str) -> Any:
            if value is rng and rng is not None:
                return ...
            if isinstance(value, np.ndarray) and not value.flags.writeable and value.dtype.kind in "biuf":
                kept.append([path, self._student.keep(value)])
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
    encoder = wire.Encoder(lambda _: (_ for _ in ()).throw(wire.WireError("a handle")))
    try:
        encoded = encoder.encode([given, named, kept])
    except wire.WireError:
        return None
    return repr(encoded), tuple(encoder.buffers)


def rebuilt(name: str, words: str, where: str, missing: str, kind: str) -> BaseException:
    """An error of the student's process as one of ours, which says the same."""
    if missing.startswith("dpcourse."):
        return PackageUsed(missing.removeprefix("dpcourse."))
    known: Callable[..., BaseException] | None = getattr(builtins, kind, getattr(sqlite3, kind, None))
    if not (isinstance(known, type) and issubclass(known, Exception)):
        known = Exception
    made: type[BaseException] = type(name, (known,), {"__str__": lambda self: words})  # type: ignore[assignment]
    error = made.__new__(made)
    return error if not where else _placed(error, words, where)


def _placed(error: BaseException, words: str, where: str) -> BaseException:
    type(error).__str__ = lambda self: f"{words}, in {where}" if words else f"in {where}"  # type: ignore[method-assign]
    return error
