"""Where the lessons' rooms are: the one place below `lessons` that knows their names.

`check("03.2", …)` and `widgets.explore_…()` find what belongs to a lesson here, and import it when it is asked for.
"""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType

LESSONS = "dpcourse.lessons"

# The one line a lesson adds for each of its explorers: name -> room.
EXPLORERS = {
    "explore_count": "lesson_00",
    "explore_uniqueness": "lesson_01",
    "explore_lists_left": "lesson_01",
    "explore_attacker": "lesson_02",
    "explore_clipping": "lesson_03",
    "explore_dimension": "lesson_04",
    "explore_composition": "lesson_05",
    "explore_truth": "lesson_06",
    "explore_estimates": "lesson_06",
    "explore_accuracy": "lesson_06",
    "explore_protocols": "lesson_07",
    "explore_private_training": "lesson_08",
    "explore_gradient_norms": "lesson_08",
    "explore_votes": "lesson_09",
    "explore_membership": "lesson_10",
    "explore_audit": "lesson_11",
    "explore_masks": "lesson_12",
    "explore_rounds": "lesson_12",
    "explore_marginals": "lesson_13",
    "explore_quarter": "lesson_14",
    "explore_choice": "lesson_14",
    "explore_groups": "lesson_15",
    "explore_two_hills": "two_hills",
    "explore_forge": "forge",
}


def find(room: str, part: str) -> ModuleType | None:
    """A part ("exercises", "explorer") of a room ("lesson_03", "capstone_1"), imported; None where it has none."""
    name = f"{LESSONS}.{room}"
    if importlib.util.find_spec(name) is None or importlib.util.find_spec(f"{name}.{part}") is None:
        return None
    return importlib.import_module(f"{name}.{part}")
