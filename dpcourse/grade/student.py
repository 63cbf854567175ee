"""A student's process: its notebook's cells are run in it, its answers called, and what it asks for is served."""

from __future__ import annotations

import builtins
import contextlib
import inspect
import os
import select
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dpcourse.checks import base, clocks
from dpcourse.checks.answers import PackageUsed
from dpcourse.checks.beside import of_its_own
from dpcourse.checks.clocks import PATIENCE, TimedOut
from dpcourse.grade import database, wire
from dpcourse.grade.folders import files_of, make_like
from dpcourse.grade.lent import asked, nowhere
from dpcourse.grade.remote import Remote

KEPT = 2**28  # bytes of arrays that a process keeps: its limit of memory is for what it does with them


class Gone(Exception):
    """The student's process has ended: killed, out of memory, or of its own will."""


class Late(TimedOut):
    """The student's process did not answer in the time that one cell or one call may take, and was killed."""


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
        assert process.stdin and process.stdout
        for end in (process.stdin, process.stdout):  # it may not read what it is sent, and take back what it said
            os.set_blocking(end.fileno(), False)
        self._heard = bytearray()  # what it has written and nobody has read
        self._asked: float | None = None  # when the process was asked what it has not answered yet
        self._look = float("inf")  # when to look how long it takes
        self._before: float | None = None  # its processor time when it was first looked at
        self._line = 0.0  # and how long it had waited for the processor
        self._things: list[Any] = []
        self._connections: dict[int, int] = {}
        self._kept: dict[int, tuple[int, np.ndarray]] = {}
        self._room = KEPT  # bytes of these that are left
        try:
            self._ask("stub", inspect.getsource(base._is_stub))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the process and those it started, each by itself: none of them is left to end another."""
        if self.process.poll() is None:
            with contextlib.suppress(OSError):  # the system does not tell, or it has ended
                for place in [*clocks.family(self.process.pid)][1:]:
                    os.kill(int(place.name), signal.SIGKILL)
        self.process.kill()
        for stream in (self.process.stdin, self.process.stdout):
            if stream:
                stream.close()
        self.process.wait()
        for held in (self._things, self._connections, self._kept):  # a function of SQLite's may hold this, and them
            held.clear()

    # -- the wire

    def _read(self, size: int) -> bytes:
        assert self.process.stdout
        while len(self._heard) < size:
            self._wait([self.process.stdout], [])
            with contextlib.suppress(BlockingIOError):
                part = os.read(self.process.stdout.fileno(), 2**16)
                if not part:
                    raise Gone("the process ended")
                self._heard += part
        data, self._heard = bytes(self._heard[:size]), self._heard[size:]
        return data

    def _write(self, data: bytes) -> None:
        assert self.process.stdin
        left = memoryview(data)
        while left:
            try:
                left = left[os.write(self.process.stdin.fileno(), left) :]
            except BlockingIOError:
                self._wait([], [self.process.stdin])

    def _wait(self, to_read: list[Any], to_write: list[Any]) -> None:
        """Until one of them is ready, as long as the process may take."""
        while True:
            wait = max(0.0, self._look - time.monotonic())
            if wait and any(select.select(to_read, to_write, [], min(wait, 3600.0))):
                return
            self._patient()

    @contextlib.contextmanager
    def _timed(self) -> Iterator[None]:
        """Inside, the process is waited for as long as one call may take, with all that it asks for meanwhile."""
        if self._asked is not None:
            yield
            return
        self._asked = time.monotonic()
        self._look, self._before = self._asked + min(1.0, self._seconds), None
        try:
            yield
        finally:
            self._asked = None

    def _patient(self) -> None:
        """Look at what the process has used, and say when to look again; or kill it.

        The first second is free: most calls are over before anybody has to look.
        """
        assert self._asked is not None
        line = clocks.time_in_line(self.process.pid)
        if self._before is None:
            self._line = line
        # Who has to wait for the processor does not sleep, however long it takes.
        waited = time.monotonic() - self._asked - (line - self._line)
        used = clocks.processor_time(self.process.pid)
        self._before = used if self._before is None else self._before
        spent = waited if used is None or self._before is None else used - self._before
        left = min(self._seconds - spent, PATIENCE * self._seconds - waited)
        if left <= 0:
            self.close()
            raise Late(waited)
        self._look = time.monotonic() + max(left, 0.05)

    def handle(self, thing: Any) -> int:
        if isinstance(thing, Remote):
            return -1 - thing.number
        if isinstance(thing, sqlite3.Connection):
            if id(thing) in self._connections:
                return self._connections[id(thing)]
            self._connections[id(thing)] = len(self._things)  # held below, so that its id stays its own
            thing = database.Connection(thing)
        self._things.append(thing)
        return len(self._things) - 1

    def _send(self, kind: str, value: Any) -> None:
        encoder = wire.Encoder(self.handle, of_its_own)
        data = wire.pack([kind, encoder.encode(value)], encoder.buffers)
        try:
            self._write(data)
        except (BrokenPipeError, ValueError):
            raise Gone("the process ended") from None

    def _receive(self) -> tuple[str, Any]:
        try:
            message, buffers = wire.unpack(self._read)
            if not isinstance(message, list) or len(message) != 2:
                raise wire.WireError("not a message")
            decoder = wire.Decoder(lambda n, of: Remote(self, n, of) if n >= 0 else self._things[-1 - n], buffers)
            return str(message[0]), decoder.decode(message[1])
        except wire.WireError:
            self.close()  # what comes next could not be told from what is left of this
            raise

    def _ask(self, kind: str, value: Any) -> Any:
        """Send, serve what is asked of us meanwhile, and return what comes back."""
        with self._timed():
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
        given = (*(arguments or ()), *(keywords or {}).values())
        rngs = [value for value in given if isinstance(value, np.random.Generator)]
        try:
            answer = ("result", [asked(self._things[number], name, arguments, keywords)])
        except Exception as error:
            answer = ("raised", [[type(error).__name__, nowhere(str(error))]])
        self._send(answer[0], [*answer[1], [wire.rng_state(rng) for rng in rngs]])

    # -- a notebook

    def provide(self, module: str, things: Mapping[str, Any]) -> None:
        """Put things that stay here under the name of a module of the package."""
        self._ask("provide", [module, dict(things)])

    def run_cell(self, source: str, label: str) -> None:
        """Run one cell; what it raises, or `Late`."""
        self._ask("cell", [source, label])

    def answer(self, expression: str) -> Any:
        """What stands under an answer's name: a value, a `Remote`, or `...` where it was not answered."""
        found, stub = self._ask("answer", expression)
        return ... if stub else found

    # -- calls

    def keep(self, array: np.ndarray) -> int | None:
        """Send a read-only array once; the number under which the process has it. None where it has many already."""
        known = self._kept.get(id(array))
        if known is None:
            if self._room < array.nbytes:
                return None
            self._room -= array.nbytes
            known = self._kept[id(array)] = (len(self._kept), array)  # held, so that its id stays its own
            with self._timed():
                self._send("keep", [known[0], array])
        return known[0]

    def call(self, number: int, arguments: Any, keywords: Any, kept: Any, states: list[str], ahead: int) -> list[Any]:
        """Results of the same call again and again, with generators in these states and then as the last one goes on.

        Folders among the arguments are brought to the state it left.
        """
        paths = [value for value in (*arguments, *keywords.values()) if isinstance(value, Path)]
        given = [[path, files_of(path)] for path in paths]
        results, files = self._ask("call", [number, arguments, keywords, kept, given, states, ahead])
        if not isinstance(results, list) or len(results) > ahead:
            raise wire.WireError("more results than were asked for")
        for path, left in zip(paths, files, strict=True):
            make_like(path, left)
        return results


def rebuilt(name: str, words: str, where: str, missing: str, kind: str) -> BaseException:
    """An error of the student's process as one of ours, which says the same.

    That process may say anything, of any length: nobody reads more than this.
    """
    name, words, where, missing, kind = (str(part)[:2000] for part in (name, words, where, missing, kind))
    name, where = name[:100], where[:200]
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
