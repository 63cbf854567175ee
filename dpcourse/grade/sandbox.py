"""Where a student's process runs: under bubblewrap where it works, else as an ordinary process with limits."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpcourse.checks import clocks
from dpcourse.checks.clocks import Trouble
from dpcourse.grade.calls import KNOWN, system_calls
from dpcourse.grade.walls import interpreter, walls

NO_HUGE_PAGES = 41  # PR_SET_THP_DISABLE, which whatever is started keeps
# What stays possible without bubblewrap, because process and grader then belong to the same user.
WITHOUT = (
    "read and change files of the user who grades, other submissions and the grades among them",
    "read the grader's memory or send it signals, where the system lets one process of a user do so to another",
    "import the checks, and with them the known answers, from where dpcourse is installed",
    "use the network",
    "leave processes behind",
)


@dataclass(frozen=True)
class Limits:
    """What a process may use: seconds of processor time for one cell or one call of an answer, memory, bytes of a file.

    By the wall clock it may be `PATIENCE` times as many seconds. A whole question has the seconds it has at home.
    Folders that are `hidden` show nowhere in the sandbox.
    """

    seconds: float = 10.0
    memory: int = 2 * 2**30
    file: int = 2**24
    hidden: tuple[Path, ...] = ()


@functools.cache
def bubblewrap() -> str | None:
    """The program, if running it works here: a kernel can forbid it, and its calls have to be known."""
    program = shutil.which("bwrap")
    if not program or not KNOWN:
        return None
    probe = [program, "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"]
    try:
        done = subprocess.run(probe, capture_output=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return program if done.returncode == 0 else None


def unfit(hidden: tuple[Path, ...] = ()) -> str:
    """Why this Python does not start in the sandbox with the packages that notebooks need; "" if it does."""
    program = [interpreter(), "-s", "-B", "-c", "import numpy, pandas"]
    options: dict[str, Any] = {"env": {"PATH": "/usr/bin:/bin", "HOME": "/tmp"}, "capture_output": True, "timeout": 60}
    with tempfile.TemporaryDirectory() as folder, walled(Path(folder), hidden) as (command, passed):
        try:
            done = subprocess.run([*command, *program], executable=_program(), pass_fds=[passed], **options)
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
    said = done.stderr.decode(errors="replace").strip().splitlines()
    return "" if done.returncode == 0 else said[-1] if said else f"it ends with {done.returncode}"


def start(folder: Path, limits: Limits, *, sandboxed: bool) -> subprocess.Popen[bytes]:
    """A worker in a staged folder.

    Raises
    ------
    Trouble
        Where it cannot be started. One that is to be sandboxed never runs without: the probe is not asked again, as it
        may fail in a bad moment.
    """
    worker = [interpreter(), "-s", "-B", str(folder / "worker.py")]
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": "/tmp",
        "PYTHONPATH": str(folder),
        "PYTHONHASHSEED": "0",  # the same order in a set of names, in any process
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "DPCOURSE_SOURCE": "twin",
        "MPLBACKEND": "Agg",
        "LANG": "C.UTF-8",
    }
    options: dict[str, Any] = {
        "stdin": subprocess.PIPE,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.DEVNULL,
        "env": environment,
        "cwd": folder,
        "preexec_fn": functools.partial(_limit, limits, getattr(ctypes.CDLL(None), "prctl", None)),
    }
    try:
        if not sandboxed:
            return subprocess.Popen(worker, start_new_session=True, **options)
        with walled(folder, limits.hidden) as (command, passed):
            return subprocess.Popen([*command, *worker], executable=_program(), pass_fds=[passed], **options)
    except (OSError, subprocess.SubprocessError) as error:
        raise Trouble(f"no process can be started: {error}") from error


@contextlib.contextmanager
def walled(folder: Path, hidden: tuple[Path, ...] = ()) -> Iterator[tuple[list[str], int]]:
    """bubblewrap's command, up to the program that it starts, and the descriptor to pass on to it."""
    with tempfile.TemporaryFile() as filter_:
        filter_.write(system_calls())
        filter_.seek(0)
        yield ["bwrap", *walls(folder, hidden), "--seccomp", str(filter_.fileno())], filter_.fileno()


def _program() -> str:
    program = shutil.which("bwrap")
    if program is None:
        raise FileNotFoundError("bubblewrap is gone")
    return program


def address_space(process: int) -> int:
    """Bytes that the largest of them has mapped; 0 where the system does not tell."""
    try:
        pages = [int((place / "statm").read_text(encoding="ascii").split()[0]) for place in clocks.family(process)]
        return max(pages) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _limit(limits: Limits, prctl: Any) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file, limits.file))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    if prctl:
        prctl(NO_HUGE_PAGES, 1, 0, 0, 0)  # of such a page, one byte that stays mapped keeps two megabytes
    os.umask(0o077)
