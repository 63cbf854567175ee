"""A process that grades one notebook after another: what it may use, how long, and when another takes its place."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import tempfile
import threading
from pathlib import Path

try:
    import resource
except ImportError:  # on Windows
    resource = None  # type: ignore[assignment]

MEMORY = 6 * 2**30  # bytes that may be mapped
FILE = 64 * 2**20  # bytes of one file that it writes
WORN = 2**30, 100  # bytes in memory and open files with which it takes no other notebook

_begun = 0  # notebooks, by this process


def prepared(folder: str) -> None:
    """It ends with its grader, and what a notebook asks the check for cannot take all memory of the machine.

    What it leaves in the folder, where it is killed, the grader takes away.
    """
    tempfile.tempdir = folder
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE, FILE))
    grader = multiprocessing.parent_process()
    assert grader is not None

    def watch() -> None:
        multiprocessing.connection.wait([grader.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def end_after(used: float, passed: float) -> None:
    """Let the system end this process, even where Python does not get a word in; 0 is never."""
    if hasattr(signal, "setitimer"):
        for number in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, used)
        signal.setitimer(signal.ITIMER_REAL, passed)


def end_if_worn() -> None:
    """To be asked before each notebook: those before it may have left memory or files that the next one misses.

    The first is taken in any case.
    """
    global _begun
    held = _held()
    if _begun and any(many > most for many, most in zip(held, WORN, strict=True)):
        os._exit(1)
    _begun += 1


def _held() -> tuple[int, int]:
    """Bytes in memory and open files; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE"), len(os.listdir("/proc/self/fd"))
    except OSError:
        return 0, 0
