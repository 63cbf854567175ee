"""A process for each notebook: what it may use, and how long. Nothing that a notebook leaves in it meets the next."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from multiprocessing.connection import Connection
from typing import Any

try:
    import resource
except ImportError:  # on Windows
    resource = None  # type: ignore[assignment]

MEMORY = 6 * 2**30  # bytes that may be mapped
FILE = 64 * 2**20  # bytes of one file that it writes
LONGEST = 300.0  # seconds of processor time, whatever a notebook asks of its grader
LATEST = 2700.0  # seconds by the clock: more than its cells and eight sleepy questions can take
LOOK = 2.0  # seconds after which it is said again who is waited for


class Ended(Enum):
    """A process that gave no result, and why."""

    BEFORE = "grading it ended the grader"
    BUSY = "grading it took all the processor time that one notebook may take"
    LATE = "grading it took all the time that one notebook may take"


Waited = Callable[[list[tuple[Any, float]]], Any]


def each(function: Callable[[Any], Any], jobs: Sequence[Any], workers: int, waited: Waited) -> Iterator[Any]:
    """Pairs of a job and ``function(job)``, as they are ready; of a job and `Ended` where its process ended before.

    ``waited`` is called now and then, with the jobs that have begun and the seconds since. Function, jobs and results
    are pickled. A process is forked from one that has all checks imported; where that is not safe, it starts anew.
    """
    context: Any = multiprocessing.get_context("forkserver" if sys.platform == "linux" else "spawn")
    if sys.platform == "linux":
        context.set_forkserver_preload(["dpcourse.grade.ready"])
    left, running = list(jobs), dict[Any, tuple[Any, Any, float]]()  # by where the result will be read
    with tempfile.TemporaryDirectory(prefix="dpcourse-", ignore_cleanup_errors=True) as folder:
        try:
            while left or running:
                while left and len(running) < workers:
                    try:
                        result, process = _begun(context, function, left[0], folder)
                    except (OSError, EOFError):
                        if not running:
                            raise
                        break  # until one of them has ended
                    running[result] = left.pop(0), process, time.monotonic()
                for ready in multiprocessing.connection.wait(list(running), LOOK):
                    job, process, _ = running.pop(ready)
                    found = _received(ready)
                    _ended(process)
                    yield job, _why(process.exitcode) if found is None else found
                waited([(job, time.monotonic() - began) for job, _, began in running.values()])
        finally:
            for _, process, _ in running.values():
                _ended(process, 0.0)


def _begun(context: Any, function: Callable[[Any], Any], job: Any, folder: str) -> tuple[Connection, Any]:
    """Where the result will be read, and the process."""
    result, sent = context.Pipe(duplex=False)
    with sent:
        process = context.Process(target=_alone, args=(function, job, sent, folder))
        process.start()
    return result, process


def _received(result: Any) -> Any:
    with result:
        try:
            return result.recv()
        except Exception:  # there is none, or not a whole one
            return None


def _why(exitcode: int | None) -> Ended:
    """Why it gave no result."""
    timers = {"SIGPROF": Ended.BUSY, "SIGALRM": Ended.LATE}
    ended = {-getattr(signal, name): why for name, why in timers.items() if hasattr(signal, name)}
    return ended.get(exitcode or 0, Ended.BEFORE)


def _ended(process: Any, seconds: float = 5.0) -> None:
    """Its result is known, or not wanted: whatever it still does may be stopped."""
    process.join(seconds)
    process.kill()
    process.join()


def _alone(function: Callable[[Any], Any], job: Any, sent: Connection, folder: str) -> None:
    """In the new process."""
    _bounded(folder)
    try:
        result = function(job)
    except (KeyboardInterrupt, MemoryError):
        os._exit(1)
    sent.send(result)


def _bounded(folder: str) -> None:
    """It ends with its grader, and what a notebook asks the check for cannot take all memory of the machine.

    What it leaves in the folder, where it is killed, the grader takes away.
    """
    tempfile.tempdir = folder
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE, FILE))
    if hasattr(signal, "setitimer"):  # the system ends it, even where Python does not get a word in
        for number in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, LONGEST)
        signal.setitimer(signal.ITIMER_REAL, LATEST)
    grader = multiprocessing.parent_process()
    assert grader is not None

    def watch() -> None:
        multiprocessing.connection.wait([grader.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
