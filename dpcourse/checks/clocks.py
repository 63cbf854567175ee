"""How long something may take: processor time, and by the wall clock several times as much, time in line left out."""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

PATIENCE = 4  # by the wall clock, a check may take so many times the processor time it may take


# A BaseException, so that an answer's own `except Exception` does not swallow it.
class TimedOut(BaseException):
    """The answer ran past a time limit, and was stopped after so many seconds by the wall clock."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds

    def __str__(self) -> str:
        return f"stopped after {self.seconds:.3g} seconds"


# A BaseException, so that neither an answer nor a case takes it for a mistake of the answer's.
class Trouble(BaseException):
    """What runs the check cannot go on, by no fault of the answer: no process, no thread, no disk is to be had."""


def processor_time(process: int) -> float | None:
    """Seconds that a process and those it started have computed; None where the system does not tell (/proc)."""
    try:
        stats = [(place / "stat").read_text(encoding="ascii", errors="replace") for place in family(process)]
        fields = [stat.rpartition(")")[2].split() for stat in stats]
        return sum(int(some[11]) + int(some[12]) for some in fields) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None


def time_in_line(process: int) -> float:
    """Seconds that they could have computed, and others had the processor; 0 where the system does not tell."""
    try:
        stats = [(place / "schedstat").read_text(encoding="ascii").split() for place in family(process)]
        return sum(int(some[1]) for some in stats) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def family(process: int) -> Iterator[Path]:
    """Where /proc tells about a process and those it started."""
    todo = [process]
    while todo:
        place = Path("/proc") / str(todo.pop())
        todo += map(int, (place / "task" / place.name / "children").read_text(encoding="ascii").split())
        yield place


@dataclass(frozen=True)
class Clock:
    """Seconds so far: of processor time, all threads together, and in line for the processor while others had it."""

    used: Callable[[], float]
    line: Callable[[], float]


OWN = Clock(time.process_time, lambda: time_in_line(os.getpid()))


_limits: list[list[float]] = []  # of the main thread, the outermost first: when each was passed, if it was


def in_time() -> None:
    """Raise `TimedOut` where a limit has been passed before, and code in between kept that to itself, as SQLite does
    with what a function of the answer's raises."""
    for passed in _limits:
        if passed:
            raise TimedOut(passed[0])


def _started(watch: Callable[[], None]) -> None:
    try:
        threading.Thread(target=watch, daemon=True).start()
    except RuntimeError as error:
        raise Trouble(str(error)) from error


@contextlib.contextmanager
def time_limit(seconds: float, clock: Clock = OWN) -> Iterator[None]:
    """Raise `TimedOut` inside after `seconds` of processor time, or `PATIENCE` times as long by the wall clock.

    It is raised once inside, and where the code inside catches it, again by `in_time` and at the end.

    Processor time, because a busy machine must not stop a right answer; the wall clock, because who sleeps uses none.
    Time in line for the processor is no sleep, and is left out of it.
    Less than `seconds` by the wall clock is never too long, however many threads compute. Python code in the main
    thread only; elsewhere nothing is limited. A single call into compiled code is not interrupted.

    Parameters
    ----------
    seconds : float
    clock : Clock
        Whose time: by default that of this process.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    main, start, spent, line = threading.main_thread(), time.monotonic(), clock.used(), clock.line()
    done, lock, expired = threading.Event(), threading.Lock(), list[float]()

    def watch() -> None:
        left, in_line = seconds, 0.0
        while not done.wait(max(left, 0.01)):
            in_line = max(in_line, clock.line() - line)  # which reads 0 where a process ends at that moment
            waited = time.monotonic() - start - in_line
            left = min(seconds - (clock.used() - spent), PATIENCE * seconds - waited)
            if left <= 0:
                break
        with lock:
            if not done.is_set():
                expired.append(waited)
                # A signal of the system ends a sleep too, which the other way, for Windows, does not on Unix.
                if hasattr(signal, "pthread_kill"):
                    signal.pthread_kill(main.ident or 0, signal.SIGINT)
                else:
                    _thread.interrupt_main()

    def on_interrupt(signum: int, frame: FrameType | None) -> None:
        if expired:
            raise TimedOut(expired[0])
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, on_interrupt)
    _limits.append(expired)
    try:
        _started(watch)
        yield
    except (TimedOut, KeyboardInterrupt, Trouble):
        raise
    except BaseException as error:  # what the code inside made of it
        if expired:
            raise TimedOut(expired[0]) from error
        raise
    else:
        if expired:  # and went on
            raise TimedOut(expired[0])
    finally:
        # The lock keeps a watch that ends at the last moment from interrupting whatever runs next.
        try:
            with lock:
                done.set()
        finally:
            _limits.pop()
            signal.signal(signal.SIGINT, before if before is not None else signal.default_int_handler)
