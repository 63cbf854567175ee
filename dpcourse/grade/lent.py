"""What the grader keeps and lends to a student's process, and what may be asked of it."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dpcourse.gauntlet.sealed import Sealed

MOST_RUNS = 2_000_000  # of a sealed mechanism, which runs here

# What a student's process may ask of things that stay here, by type. A name that is not listed is refused.
_WITH = {"__enter__", "__exit__"}
LETS_THROUGH: Mapping[str, frozenset[str]] = {
    "function": frozenset({"__call__"}),  # and methods, which come from names that are let through
    "Sealed": frozenset({"__call__", "batch", "claim", "data", "neighbour", "name"}),
    "Connection": frozenset(
        {"execute", "executemany", "commit", "rollback", "cursor", "in_transaction", "create_function"} | _WITH
    ),
    "Cursor": frozenset(
        {"execute", "executemany", "fetchone", "fetchmany", "fetchall", "rowcount", "close", "__iter__"}
    ),
}
_ALIASES = {
    "Watched": "Connection",
    "WatchedCursor": "Cursor",
    "method": "function",
    "builtin_function_or_method": "function",
    "builtin_method": "function",  # one that knows its class
}


def _largest(given: Sequence[Any]) -> float:
    one = [v.item() if isinstance(v, np.ndarray) and v.size == 1 else v for v in given]
    return max((float(value) for value in one if isinstance(value, numbers.Real)), default=0.0)


def _lets_through(thing: Any, kind: str, name: str) -> bool:
    """Whether a student's process may ask this of something that stays here.

    What an exercise made for answers to call, such as a source of numbers, may be called. What a lesson or a simulator
    made, such as a bank, has public names, which are as open at home.
    """
    module = type(thing).__module__
    if kind in LETS_THROUGH and not module.startswith(("dpcourse.datasets.", "dpcourse.lessons.capstone")):
        return name in LETS_THROUGH[kind]
    if module.startswith("dpcourse.lessons.") and ".exercises" in module:
        return name == "__call__"
    return module.startswith(("dpcourse.lessons.", "dpcourse.datasets.")) and not name.startswith("_")


def asked(thing: Any, name: str, arguments: Sequence[Any] | None, keywords: Mapping[str, Any] | None) -> Any:
    """An attribute of something that stays here, or with arguments what calling it gives.

    Raises
    ------
    AttributeError
        Where it is not to be had.
    ValueError
        Where it would keep the grader busy.
    """
    kind = type(thing).__name__
    if not _lets_through(thing, _ALIASES.get(kind, kind), name):
        raise AttributeError(f"{kind!r} object has no attribute {name!r}")
    if name == "__iter__":
        return list(thing)
    found = thing if name == "__call__" else getattr(thing, name)
    if arguments is None:
        return found
    given = (*arguments, *(keywords or {}).values())
    if isinstance(getattr(thing, "__self__", thing), Sealed) and _largest(given) > MOST_RUNS:
        raise ValueError(f"more than {MOST_RUNS:,} runs at once")
    return found(*arguments, **(keywords or {}))
