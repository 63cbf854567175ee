"""Rows of SQL that were read at once, and are fetched as from a cursor."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any


class Rows:
    """What a statement gave; nothing, before there was one."""

    def __init__(self, rows: Iterable[Any] = ()) -> None:
        self._left = iter(rows)

    def fetchone(self) -> Any:
        return next(self._left, None)

    def fetchmany(self, size: int = 1) -> list[Any]:
        return list(itertools.islice(self._left, size))

    def fetchall(self) -> list[Any]:
        return list(self._left)

    def __iter__(self) -> Iterator[Any]:
        return self._left

    def close(self) -> None:
        self._left = iter(())
