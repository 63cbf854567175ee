"""Explorers: one function each, `widgets.explore_…()`, that returns a widget with controls and a picture.

They live with their lessons and are found by name, `dpcourse.registry.EXPLORERS`, when one is first asked for.
"""

from __future__ import annotations

from typing import Any

from dpcourse.registry import EXPLORERS, find

__all__ = ["EXPLORERS", *EXPLORERS]


def __getattr__(name: str) -> Any:
    if name in EXPLORERS:
        return getattr(find(EXPLORERS[name], "explorer"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; explorers are {', '.join(sorted(EXPLORERS))}")


def __dir__() -> list[str]:
    return sorted({*globals(), *EXPLORERS})
