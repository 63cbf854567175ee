"""Run a student's answer so that nothing it does can break the lesson: errors, prints, borrowed mechanisms."""

from __future__ import annotations

import contextlib
import functools
import io
import random
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from dpcourse.checks import forms
from dpcourse.checks.clocks import TimedOut, Trouble, in_time
from dpcourse.checks.elsewhere import Elsewhere
from dpcourse.checks.hidden import Hidden
from dpcourse.checks.kept import Kept
from dpcourse.checks.odd import Odd

_PACKAGE = Path(__file__).resolve().parents[1]
_PYTHON = Path(traceback.__file__).parent
_GETFRAME = sys._getframe
# Rooms of the package that answer no exercise: data, claims and pictures.
_HARMLESS = ("privacy", "datasets", "plots", "widgets", "checks", "lessons")


def _foreign(filename: str) -> bool:
    """Whether a line is none of the student's: ours, an installed package's, compiled, or of Python itself."""
    path = Path(filename)
    return (
        path.is_relative_to(_PACKAGE)
        or "site-packages" in filename
        or path.suffix in (".pyx", ".pxd", ".pxi")
        or path.is_relative_to(_PYTHON)
    )


_INSIDE = ("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>")  # of a function, in Python 3.11


class AnswerRaised(Exception):
    """The answer raised; `str()` says what and where in the student's own lines."""

    def __init__(self, error: BaseException) -> None:
        self.error = error
        own = [frame for frame in traceback.extract_tb(error.__traceback__) if not _foreign(frame.filename)]
        named = [frame.name for frame in own if frame.name not in _INSIDE] or ["your answer"]
        where = f", in line {own[-1].lineno} of {named[-1]}" if own else ""
        what = type(error).__name__ + (f": {error}" if str(error) else "")
        super().__init__(what + where)


class Unanswered(Exception):
    """The stub is still there."""


# BaseExceptions, as `TimedOut` is, so that an answer's own `except Exception` does not swallow them.
class PackageUsed(BaseException):
    """The answer called the package's own implementation of what it was asked to write."""


class LookedAway(BaseException):
    """The answer went for the check instead of the question; `str()` says how."""


Shape = Callable[..., tuple[int, ...]]


class Answer:
    """A student's answer, guarded. Call it as the student's function; read `.value` where it is a number or a string.

    Attributes
    ----------
    value : object
        The answer as it was given.
    calls : int
        How often it was called.
    silent : bool
        Whether it, or a part of it, was called and never returned anything but None.
    """

    def __init__(
        self,
        value: Any,
        *,
        own_work: bool = True,
        allowed: tuple[str, ...] = (),
        again: Callable[[], Any] | None = None,
        odd: Odd | None = None,
        shape: Shape | None = None,
        kept: Kept | None = None,
        path: tuple[Any, ...] = (),
    ) -> None:
        self._hidden, self._odd, self._kept, self._path = Hidden(), odd or Odd(), kept, path
        self._names = dict[Any, Any]()  # of the parts, where this is some of them
        self._dimensions: int | None = None
        self._shape = shape
        self.value, self.calls, self._again = value, 0, again
        self._silent, self._parts = 0, dict[Any, tuple[Any, Answer]]()
        self._own_work, self._allowed = own_work, allowed

    def part(self, key: Any) -> Answer:
        """One member of an answer given as a tuple or a dict, guarded in the same way."""
        try:
            member = self.value[key]
        except Exception as error:
            raise AnswerRaised(error) from error
        if member is ...:
            raise Unanswered
        # The same part each time, so that its calls are counted; another where the whole was renewed.
        of, part = self._parts.get(key, (None, None))
        if part is None or of is not member:
            again = None if self._again is None else lambda: self._renewed()[key]
            part = self._another(member, (*self._path, self._names.get(key, key)), again)
            self._parts[key] = member, part
        return part

    def some(self, *keys: Any) -> Answer:
        """Several members as an answer of their own, for a case that is about these."""
        some = self._another(tuple(self.part(key).value for key in keys), self._path)
        some._names = dict(enumerate(keys))
        return some

    def _another(self, value: Any, path: tuple[Any, ...], again: Callable[[], Any] | None = None) -> Answer:
        another = Answer(value, own_work=self._own_work, allowed=self._allowed, again=again, kept=self._kept, path=path)
        another._hidden, another._odd = self._hidden, self._odd
        return another

    def announce(self, rngs: Sequence[np.random.Generator]) -> None:
        """The next calls will come with these generators, and all else the same: another process makes them at once."""
        if isinstance(self.value, Elsewhere):
            self.value.announce(rngs)

    def hide(self, rng: np.random.Generator) -> None:
        """From here on this is the check's generator: where a case hands it over, another goes in its place."""
        self._hidden.keep(rng)

    def renew(self) -> None:
        """From here on, the same answer in a process that has forgotten all calls, where there can be one."""
        if self._again is not None:
            self.value = self._again()

    def _renewed(self) -> Any:
        self.renew()
        return self.value  # the other parts, too, are those of the new process

    @property
    def silent(self) -> bool:
        return 0 < self.calls == self._silent or any(part.silent for _, part in self._parts.values())

    def _called(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        if isinstance(self.value, Elsewhere):
            return self.value(*arguments, **keywords)
        return forms.call(self.value, arguments, keywords)

    def _wanted(self, arguments: tuple[Any, ...]) -> tuple[int, ...] | None:
        """The shape of the result of this call, where it can be told."""
        try:
            return None if self._shape is None else tuple(self._shape(*arguments))
        except (TypeError, AttributeError, IndexError, ValueError):  # it is called in another way
            return None

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        in_time()
        self.calls += 1
        arguments = tuple(map(self._hidden.instead, arguments))
        keywords = {name: self._hidden.instead(value) for name, value in keywords.items()}
        if self.calls == 1:
            _forget()
        wanted = self._wanted(arguments)
        call = None if self._kept is None else self._kept.before(self._path, arguments, keywords)
        # Watching costs some microseconds a call: the first calls, and later ones at random, of what runs here.
        watched = (self.calls <= 8 or random.random() < 1 / 64) and not isinstance(self.value, Elsewhere)
        try:
            if watched:
                with watch_package(self._allowed, self._own_work):
                    result = self._called(arguments, keywords)
            else:
                result = self._called(arguments, keywords)
        except (TimedOut, Trouble, PackageUsed, LookedAway, KeyboardInterrupt):
            raise
        except NotImplementedError as error:
            raise Unanswered from error
        except BaseException as error:  # SystemExit too: an answer that calls exit() must not end the kernel
            raise AnswerRaised(error) from error
        if result is ...:
            raise Unanswered
        if call is not None:
            call.keep(result)
        self._silent += result is None
        self._dimensions = self._odd.look(result, self._dimensions)
        if wanted is not None:
            self._odd.compare(result, wanted)
        return result


@contextlib.contextmanager
def watch_package(allowed: tuple[str, ...] = (), own_work: bool = True) -> Iterator[None]:
    """Raise `PackageUsed` when code of this package runs inside, however it was imported, renamed or wrapped.

    Watching calls rather than patching names also catches a function imported before the check, and leaves nothing to
    restore but the profiler. `allowed` names rooms, modules or functions that may run: ``("accounting",)``,
    ``("mechanisms.sampling",)``, ``("mechanisms.LaplaceMechanism.release",)``; unless it has to be one's own work, all
    of them may, but for the functions that a project computes with.
    """
    used: list[str] = []
    looked: list[str] = []
    importing: list[FrameType] = []
    root = str(_PACKAGE)

    def on_event(frame: FrameType, event: str, called: Any) -> None:
        # An answer in plain Python makes millions of these events: what matters to few of them comes last.
        if event == "c_call":
            if called is _GETFRAME and not _foreign(frame.f_code.co_filename):
                looked.append("reads the frames of whoever calls it")
                raise LookedAway(looked[0])
            return
        if event != "call" and not importing:
            return
        code = frame.f_code
        # Importing a module of the package runs its code too, and is no use of it.
        if code.co_name == "<module>" and event in ("call", "return"):
            importing.append(frame) if event == "call" else importing.clear() if importing[:1] == [frame] else None
        if event != "call" or importing or used or not code.co_filename.startswith(root):
            return
        parts, name, fine = _known(code.co_filename, getattr(code, "co_qualname", code.co_name), allowed)
        if own_work and not fine or _oracle(frame, parts):
            used.append(name)
            raise PackageUsed(name)

    before, before_in_threads = sys.getprofile(), threading.getprofile()
    sys.setprofile(on_event)
    threading.setprofile(on_event)  # threads that the answer starts
    try:
        yield
        # Only here: Python itself takes a profiler away that raised, as ours does when the stack is full.
        if sys.getprofile() is not on_event and not used:
            looked.append("switches off the profiler by which it is watched")
    finally:
        sys.setprofile(before)
        threading.setprofile(before_in_threads)
        if used:
            raise PackageUsed(used[0])
        if looked:
            raise LookedAway(looked[0])


@functools.lru_cache(maxsize=1024)
def _known(filename: str, function: str, allowed: tuple[str, ...]) -> tuple[tuple[str, ...], str, bool]:
    """A function of the package: the parts of its module, its whole name, and whether its room may run."""
    parts = Path(filename).relative_to(_PACKAGE).with_suffix("").parts
    name = ".".join([*(part for part in parts if part != "__init__"), function])
    return parts, name, any(name == room or name.startswith(f"{room}.") for room in (*_HARMLESS, *allowed))


def _forget() -> None:
    """Empty the caches of the projects' functions: a value that the check itself asked for would be found unseen."""
    for thing in _remembering(len(sys.modules)):
        thing.cache_clear()


@functools.lru_cache(maxsize=1)
def _remembering(_loaded: int) -> list[functools._lru_cache_wrapper[Any]]:
    """The projects' functions that remember, looked for again when there are more modules than before."""
    rooms = [vars(module) for name, module in list(sys.modules.items()) if ".capstone_" in name]
    return [thing for room in rooms for thing in room.values() if isinstance(thing, functools._lru_cache_wrapper)]


def _oracle(frame: FrameType, parts: tuple[str, ...]) -> bool:
    """Whether somebody from outside of the package calls a function of an exercise's own module, or of a project.

    What an exercise hands to the answer, a mechanism or a connection, is a method or a function made on the spot, and
    may be called.
    """
    inside = parts[0] == "lessons" and ("exercises" in parts or parts[1].startswith("capstone"))
    made_here = "." not in getattr(frame.f_code, "co_qualname", frame.f_code.co_name)
    caller = frame.f_back.f_code if frame.f_back is not None else None
    # The function itself may have been given as the answer.
    by_student = caller is forms.call.__code__ or caller and not caller.co_filename.startswith(str(_PACKAGE))
    return inside and made_here and bool(by_student)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Swallow what an answer prints and warns: a `print` in a function that is called 10,000 times would bury the
    lesson."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield
