"""The student's side: run a notebook's cells, and call what they define when the grader asks.

Started by path with nothing of the package but what `staging` left; standard input and output are the wire.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib.machinery
import linecache
import os
import sqlite3
import sys
import threading
import time
import traceback
import types
import warnings
from pathlib import Path
from typing import Any

import beside  # these are beside this file
import folders
import forms
import numpy as np
import wire

THREADS = 64  # of a process, processes among them
MUCH = 2**22  # bytes of results that are sent at once


class Handle:
    """Something that stays with the grader: calling it, and the attributes it lets through, go over the wire."""

    def __init__(self, worker: Worker, number: int) -> None:
        object.__setattr__(self, "_wire", (worker, number))

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._wire[0].ask(self._wire[1], "__call__", arguments, keywords)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in ("__enter__", "__exit__", "__iter__"):
            raise AttributeError(name)
        return self._wire[0].ask(self._wire[1], name, None, None)

    def __enter__(self) -> Any:
        return self._wire[0].ask(self._wire[1], "__enter__", (), {})

    def __exit__(self, *error: Any) -> Any:
        return self._wire[0].ask(self._wire[1], "__exit__", tuple(map(str, error)) if error[0] else (None,) * 3, {})

    def __iter__(self) -> Any:
        return iter(self._wire[0].ask(self._wire[1], "__iter__", (), {}))


class Quiet:
    """Stands in for IPython's shell and its `display`: whatever is asked of it does nothing."""

    def __call__(self, *_: Any, **__: Any) -> Any:
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self


class Worker:
    """One connection to the grader."""

    def __init__(self, source: Any, target: Any) -> None:
        self._source, self._target = source, target
        self.things: list[Any] = []  # what of ours has crossed as a handle
        self._kept: dict[int, np.ndarray] = {}  # arrays that the grader sends once and then names
        self._own = sys.modules["__main__"]
        sys.modules["__main__"] = main = types.ModuleType("__main__")  # as a notebook's own
        self.names: dict[str, Any] = main.__dict__
        self.names |= {"__builtins__": builtins, "display": Quiet(), "get_ipython": Quiet()}
        self._asking = threading.RLock()  # threads of an answer ask one after the other

    def _read(self, size: int) -> bytes:
        data = self._source.read(size)
        if len(data) < size:
            os._exit(0)
        return data

    def _handle(self, thing: Any) -> int:
        if isinstance(thing, Handle):
            return -1 - thing._wire[1]  # it is the grader's own
        self.things.append(thing)
        return len(self.things) - 1

    def _encoded(self, value: Any) -> tuple[Any, list[bytes]]:
        encoder = wire.Encoder(self._handle, beside.of_its_own)
        return encoder.encode(value), encoder.buffers

    def send(self, kind: str, value: Any) -> None:
        encoded, buffers = self._encoded(value)
        self._target.write(wire.pack([kind, encoded], buffers))
        self._target.flush()

    def receive(self) -> Any:
        message, buffers = wire.unpack(self._read)
        decoder = wire.Decoder(
            lambda number, _: Handle(self, number) if number >= 0 else self.things[-1 - number], buffers, Path
        )
        return message[0], decoder.decode(message[1])

    def ask(self, number: int, name: str, arguments: Any, keywords: Any) -> Any:
        """Call what stays with the grader; a generator given to it comes back as far as it was used."""
        arguments = arguments and [crossing(value) for value in arguments]
        keywords = keywords and {key: crossing(value) for key, value in keywords.items()}
        rngs = [v for v in (*(arguments or ()), *(keywords or {}).values()) if isinstance(v, np.random.Generator)]
        with self._asking:
            self.send("back", [number, name, arguments, keywords])
            while True:
                kind, value = self.receive()
                if kind in ("result", "raised"):
                    break
                self.serve(kind, value)  # what was handed over is called before the answer comes
        result, states = value
        for rng, state in zip(rngs, states, strict=True):
            wire.set_rng_state(rng, state)
        if kind == "raised":
            error: Any = getattr(builtins, result[0], None) or getattr(sqlite3, result[0], RuntimeError)
            raise error(result[1])
        return result

    def run(self) -> None:
        while True:
            self.serve(*self.receive())

    def serve(self, kind: str, value: Any) -> None:
        try:
            with warnings.catch_warnings(action="ignore"):  # as in a check at home, whatever a notebook made of them
                getattr(self, f"do_{kind}")(value)
        except BaseException as error:
            self.send("raised", told(error))

    def do_cell(self, value: Any) -> None:
        """Run one cell; whether it ran to its end."""
        source, label = value
        name = f"<{label}>"
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)  # for `inspect`
        exec(compile(source, name, "exec", dont_inherit=True), self.names)
        self.send("ran", True)

    def do_answer(self, expression: str) -> None:
        """What stands under an answer's name now, and whether that is an empty stub."""
        found = eval(expression, self.names)
        self.send("found", [found, self._is_stub(found)])

    def do_stub(self, source: str) -> None:
        """The test for an empty function, whose source the grader has."""
        made: dict[str, Any] = {}
        exec("import dis\nfrom types import FunctionType\nfrom typing import Any\n" + source, made)
        self._is_stub = made["_is_stub"]
        self.send("ran", True)

    def do_provide(self, value: Any) -> None:
        """A module with things that stay with the grader, such as the office of an exercise."""
        name, things = value
        __import__(name)
        for key, thing in things.items():
            setattr(sys.modules[name], key, thing)
        self.send("ran", True)

    def do_keep(self, value: Any) -> None:
        number, array = value
        array.flags.writeable = False
        self._kept[number] = array

    def do_call(self, value: Any) -> None:
        """Call an answer, and then again with the same arguments and other generators, or as long as it draws from one.

        The grader nearly always asks for the same thing next; each result comes with the generator's state after it.
        """
        number, arguments, keywords, kept, given_folders, states, ahead = value
        for folder, files in given_folders:
            folders.make_like(folder, files)
        for path, key in kept:
            place: Any = arguments if path[0] == "p" else keywords
            index = int(path[1:]) if path[0] == "p" else path[1:]
            place[index] = self._kept[key]
        rng = wire.generator(states[0]) if states else None
        results, size, late = [], 0, time.perf_counter() + 0.5
        for turn in range(ahead):
            if 0 < turn < len(states):
                rng = wire.generator(states[turn])
            given = [rng if item is ... else item for item in arguments] if rng is not None else arguments
            named = {k: rng if v is ... else v for k, v in keywords.items()} if rng is not None else keywords
            try:
                result = forms.call(self.things[number], given, named)
                results.append([result, wire.rng_state(rng) if rng is not None else ""])
            except BaseException:
                if turn == 0:
                    raise
                break
            size += size_of(result)
            # What takes its time or returns much is called as often as it is asked for.
            if time.perf_counter() > late or size > MUCH:
                break
        self.send("results", [results, [folders.files_of(folder) for folder, _ in given_folders]])


def crossing(value: Any) -> Any:
    """The same; for a generator of a kind that does not cross, one that does and goes on from it."""
    if isinstance(value, np.random.Generator) and type(value.bit_generator) is not np.random.PCG64:
        return np.random.Generator(np.random.PCG64(value.bit_generator.random_raw()))
    return value


def size_of(value: Any) -> int:
    """Bytes that a value takes on the wire, roughly."""
    if isinstance(value, (list, tuple)):
        return sum(map(size_of, value))
    return 8 if type(value) in (float, int, str) else getattr(value, "nbytes", 8)


class Missing:
    """A part of the package that this question forbids: it can be imported, and says so when it is used."""

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "_name", name)

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise ImportError(f"{self._name} is not there", name=self._name)

    __call__ = __iter__ = __len__ = __getitem__ = __enter__ = __bool__ = __eq__ = _refuse  # type: ignore[assignment]
    __hash__ = object.__hash__

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing(f"{self._name}.{name}")


class Forbidden:
    """Finds modules of the package that are not there, so that one line cannot spoil a cell of imports."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        if name.startswith("dpcourse."):
            return importlib.machinery.ModuleSpec(name, Forbidden, is_package=True)  # type: ignore[arg-type]
        return None

    @staticmethod
    def create_module(spec: Any) -> types.ModuleType:
        return types.ModuleType(spec.name)

    @staticmethod
    def exec_module(module: Any) -> None:
        def attribute(name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            return Missing(f"{module.__name__}.{name}")

        module.__getattr__ = attribute


def told(error: BaseException) -> list[str]:
    """An error's type, words, and place in the student's own lines."""
    own = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith("<")]
    where = f"line {own[-1].lineno} of {own[-1].name}" if own else ""
    missing = getattr(error, "name", "") if isinstance(error, ImportError) else ""
    bases = [base.__name__ for base in type(error).__mro__ if base.__module__ in ("builtins", "sqlite3")]
    return [type(error).__name__, str(error)[:2000], where, missing or "", bases[0]]


def main() -> None:
    """Take standard input and output for the wire, and leave the student's prints with nothing."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # not on Windows

        # In the sandbox its own are counted, where the grader is not root; elsewhere all of the user's.
        resource.setrlimit(resource.RLIMIT_NPROC, (THREADS, THREADS))
    source, target = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    sys.meta_path.append(Forbidden)  # type: ignore[arg-type]
    Worker(source, target).run()


if __name__ == "__main__":
    main()
