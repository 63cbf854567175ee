"""What the grader keeps and lends to a student's process, and what may be asked of it."""

from __future__ import annotations

import inspect
import math
import numbers
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dpcourse.gauntlet.sealed import Sealed
from dpcourse.grade import wire
from dpcourse.grade.room import room

MOST_RUNS = 2_000_000  # of a sealed mechanism, which runs here
MOST_NUMBERS = wire.LARGEST // 8  # that one call makes: more of them could not cross
MOST_BYTES = 2**30  # that it may take: what it makes, copies on the way, libraries that it loads
DIMENSIONS = 64  # of an array, at most
_HOW_MANY = ("size", "shape", "runs")  # parameters that say how many numbers are made

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
    "method": "function",
    "builtin_function_or_method": "function",
    "builtin_method": "function",  # one that knows its class
}


def _product(value: Any) -> float:
    """How many numbers an array of this size or shape has; 0 for what is neither."""
    parts = value if isinstance(value, list | tuple) else [value]
    if isinstance(value, np.ndarray):
        parts = value.ravel().tolist() if value.size <= DIMENSIONS else []
    if not 0 < len(parts) <= DIMENSIONS or not all(isinstance(part, numbers.Real) for part in parts):
        return 0.0
    try:
        return math.prod(abs(float(part)) for part in parts)
    except OverflowError:
        return math.inf


def not_too_many(call: Callable[..., Any], arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
    """`ValueError` where a call would make more than could cross."""
    owner = getattr(call, "__self__", None)
    mechanism = owner if isinstance(owner, Sealed) and call == owner.batch else None
    if mechanism is None and all(_product(value) <= MOST_NUMBERS for value in (*arguments, *keywords.values())):
        return
    try:
        given = inspect.signature(call).bind(*arguments, **keywords).arguments
    except (TypeError, ValueError):
        return  # the call itself says what is wrong
    made = max((_product(given[name]) for name in _HOW_MANY if name in given), default=0.0)
    if mechanism is not None:
        if made > MOST_RUNS:
            raise ValueError(f"more than {MOST_RUNS:,} runs at once")
        made *= _of_a_run(mechanism, given["data"])
    if made > MOST_NUMBERS:
        raise ValueError(f"more than {MOST_NUMBERS:,} numbers at once")


def _of_a_run(mechanism: Sealed, data: Any) -> float:
    """How many numbers one run gives, or makes on the way where there are more data than the mechanism came with."""
    given = np.size(mechanism(data, np.random.default_rng(0)))
    return max(given, np.size(data) / max(1, np.size(mechanism.data)))


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


def nowhere(words: str) -> str:
    """The same without addresses: where something lies in the grader's memory is nobody's business.

    >>> nowhere("no generator: <function collect at 0x7f2a10c3e8b0>")
    'no generator: <function collect at 0x…>'
    """
    return re.sub(r"\b0x[0-9a-fA-F]+", "0x…", words)


def asked(thing: Any, name: str, arguments: Sequence[Any] | None, keywords: Mapping[str, Any] | None) -> Any:
    """An attribute of something that stays here, or with arguments what calling it gives.

    Raises
    ------
    AttributeError
        Where it is not to be had.
    ValueError
        Where it would keep the grader busy, or take its memory.
    """
    kind = type(thing).__name__
    if not _lets_through(thing, _ALIASES.get(kind, kind), name):
        raise AttributeError(f"{kind!r} object has no attribute {name!r}")
    found = thing if name == "__call__" else list if name == "__iter__" else getattr(thing, name)
    if name == "__iter__":
        arguments, keywords = [thing], None
    if arguments is None:
        return found
    with room(MOST_BYTES):
        try:
            not_too_many(found, arguments, keywords or {})
            return found(*arguments, **(keywords or {}))
        except MemoryError:
            raise ValueError(f"more than {MOST_BYTES:,} bytes at once") from None
