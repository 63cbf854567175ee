"""How much memory something may take in this process."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

try:
    import resource
except ImportError:  # on Windows
    resource = None  # type: ignore[assignment]


@contextlib.contextmanager
def room(size: int) -> Iterator[None]:
    """Inside, the process can take so many bytes more, and gets a `MemoryError` for more than that.

    Only where the system tells what it has (Linux).
    """
    now = _address_space()
    if resource is None or not now:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = now + size if soft == resource.RLIM_INFINITY else min(now + size, soft)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _address_space() -> int:
    try:
        with open("/proc/self/statm", "rb", buffering=0) as file:
            return int(file.read(100).split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0
