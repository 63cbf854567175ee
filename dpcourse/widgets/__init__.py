"""Explorers: one function each, `widgets.explore_…()`, that returns a widget with sliders and a picture.

They are found by name in the table below, and their module is imported when one is first asked for.
"""

from __future__ import annotations

import importlib
from typing import Any

# The one line a lesson adds for each of its explorers: name -> module.
EXPLORERS = {
    "explore_count": "l00",
    "explore_uniqueness": "l01",
    "explore_attacker": "l02",
    "explore_clipping": "l03",
    "explore_dimension": "l04",
    "explore_composition": "l05",
    "explore_protocols": "l07",
    "explore_truth": "l06",
    "explore_estimates": "l06",
    "explore_accuracy": "l06",
    "explore_private_training": "l08",
    "explore_gradient_norms": "l08",
    "explore_votes": "l09",
    "explore_masks": "l12",
    "explore_rounds": "l12",
    "explore_membership": "l10",
    "explore_audit": "l11",
    "explore_marginals": "l13",
    "explore_quarter": "l14",
    "explore_choice": "l14",
    "explore_groups": "l15",
}

__all__ = ["EXPLORERS", *EXPLORERS]


def __getattr__(name: str) -> Any:
    if name in EXPLORERS:
        return getattr(importlib.import_module(f"{__name__}.{EXPLORERS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; explorers are {', '.join(sorted(EXPLORERS))}")


def __dir__() -> list[str]:
    return sorted({*globals(), *EXPLORERS})
