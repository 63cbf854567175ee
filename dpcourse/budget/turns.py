"""One asker of a question at a time, across threads and processes, by a lock that the system drops when one dies."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


@contextlib.contextmanager
def turn(ledger: Path, question: str, patience: float) -> Iterator[None]:
    """Hold the lock of one question, a file beside the ledger; `TimeoutError` after `patience` seconds without it.

    The lock tells a question that somebody is drawing from one whose drawer died. No promise rests on it: what is paid,
    drawn and stored is decided by the ledger's own transactions.
    """
    path = ledger.with_name(f"{ledger.name}-{hashlib.sha256(question.encode()).hexdigest()[:20]}.turn")
    deadline = time.monotonic() + patience
    while (handle := _taken(path)) is None:
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {patience:g} s")
        time.sleep(0.005)
    try:
        yield
    finally:
        # Removed while still held: whoever waits for the old file sees that it is gone, and takes the new one.
        with contextlib.suppress(OSError):
            path.unlink()
        os.close(handle)


def _taken(path: Path) -> int | None:
    """The file, locked, or None if somebody else has it. Every call opens it anew: threads exclude each other too."""
    handle = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        if os.path.samestat(os.fstat(handle), os.stat(path)):
            return handle
    except OSError:  # somebody else has it, or has just removed it
        pass
    os.close(handle)
    return None
