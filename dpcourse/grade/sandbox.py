"""Where a student's process runs: under bubblewrap where it works, else as an ordinary process with limits."""

from __future__ import annotations

import functools
import os
import platform
import shutil
import struct
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpcourse.checks import clocks
from dpcourse.checks.clocks import Trouble
from dpcourse.grade.walls import interpreter, walls

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
    """The program, if running it works here; a kernel can forbid it."""
    program = shutil.which("bwrap")
    if not program:
        return None
    probe = [program, "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"]
    try:
        done = subprocess.run(probe, capture_output=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return program if done.returncode == 0 else None


def unfit(hidden: tuple[Path, ...] = ()) -> str:
    """Why this Python does not start in the sandbox with the packages that notebooks need; "" if it does."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["bwrap", *walls(Path(folder), hidden), interpreter(), "-s", "-B", "-c", "import numpy, pandas"]
        environment = {"PATH": "/usr/bin:/bin", "HOME": "/tmp"}
        try:
            done = subprocess.run(command, executable=_program(), capture_output=True, env=environment, timeout=60)
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
        "preexec_fn": functools.partial(_limit, limits),
    }
    try:
        if not sandboxed:
            return subprocess.Popen(worker, start_new_session=True, **options)
        with tempfile.TemporaryFile() as filter_:
            filter_.write(system_calls())
            filter_.seek(0)
            command = ["bwrap", *walls(folder, limits.hidden), "--seccomp", str(filter_.fileno()), *worker]
            return subprocess.Popen(command, executable=_program(), pass_fds=[filter_.fileno()], **options)
    except (OSError, subprocess.SubprocessError) as error:
        raise Trouble(f"no process can be started: {error}") from error


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


def _limit(limits: Limits) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file, limits.file))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    os.umask(0o077)


# -- a seccomp filter without libraries

# What is refused outright: fork, vfork, ptrace, reading others' memory, …; pidfd_open, pidfd_getfd, process_madvise;
# memory that no limit counts: shmget, semget, msgget, io_uring, vmsplice, landlock, memfd_secret; and to see or say
# which pages and files all sandboxes use: mincore, fadvise64, readahead, preadv2, pwritev2, cachestat, inotify,
# fanotify, mlock.
_X86 = (
    *(57, 58, 101, 310, 311, 165, 166, 272, 308, 321, 250, 248, 249, 298, 319, 29, 64, 68, 425, 434, 438, 440),
    *(278, 444, 445, 446, 447),
    *(27, 221, 187, 327, 328, 451, 253, 254, 294, 300, 149, 151, 325),
)
_ARM = (
    *(117, 270, 271, 40, 39, 97, 268, 280, 219, 217, 218, 241, 279, 194, 190, 186, 425, 434, 438, 440),
    *(75, 444, 445, 446, 447),
    *(232, 223, 213, 286, 287, 451, 26, 27, 262, 228, 230, 284),
)
# Audit number; clone, clone3, socket, fcntl; what is refused.
_ARCHITECTURES = {"x86_64": (0xC000003E, 56, 435, 41, 72, _X86), "aarch64": (0xC00000B7, 220, 435, 198, 25, _ARM)}
_CLONE_THREAD, _EPERM, _ENOSYS = 0x00010000, 1, 38
_AF_UNIX, _F_SETLEASE, _F_NOTIFY = 1, 1024, 1026


def system_calls() -> bytes:
    """A filter that refuses new processes and allows new threads; sockets are local, and nobody waits for a file.

    RLIMIT_NPROC does not bind root, so a fork bomb is stopped here: ``clone`` without ``CLONE_THREAD`` is refused, and
    ``clone3``, whose flags lie in memory, is said not to exist, so that the C library falls back to ``clone``. Some
    networks belong to no namespace (AF_VSOCK). A lease on a library would hold up everybody who opens it.
    """
    found = _ARCHITECTURES.get(platform.machine())
    allow, refuse, absent = 0x7FFF0000, 0x00050000 | _EPERM, 0x00050000 | _ENOSYS
    if found is None:
        return struct.pack("<HBBI", 0x06, 0, 0, allow)
    architecture, clone, clone3, socket, fcntl, refused = found
    load, equal, any_bit, give = 0x20, 0x15, 0x45, 0x06
    lines = [
        (load, 0, 0, 4),  # the architecture
        (equal, 1, 0, architecture),
        (give, 0, 0, refuse),
        (load, 0, 0, 0),  # the number of the call
    ]
    for number in refused:
        lines += [(equal, 0, 1, number), (give, 0, 0, refuse)]
    lines += [
        (equal, 0, 4, socket),
        (load, 0, 0, 16),  # the low half of its family
        (equal, 1, 0, _AF_UNIX),
        (give, 0, 0, refuse),
        (give, 0, 0, allow),
        (equal, 0, 5, fcntl),
        (load, 0, 0, 24),  # the low half of what is to be done
        (equal, 2, 0, _F_SETLEASE),
        (equal, 1, 0, _F_NOTIFY),
        (give, 0, 0, allow),
        (give, 0, 0, refuse),
        (equal, 0, 1, clone3),
        (give, 0, 0, absent),
        (equal, 1, 0, clone),
        (give, 0, 0, allow),
        (load, 0, 0, 16),  # the low half of clone's flags
        (any_bit, 1, 0, _CLONE_THREAD),
        (give, 0, 0, refuse),
        (give, 0, 0, allow),
    ]
    if platform.machine() == "x86_64":  # the x32 calls have numbers of their own
        lines[4:4] = [(0x35, 0, 1, 0x40000000), (give, 0, 0, refuse)]
    return b"".join(struct.pack("<HBBI", *line) for line in lines)
