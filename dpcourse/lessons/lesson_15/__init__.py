"""Lesson 15: Ask who pays for the noise."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "numbers": ["ByGroup", "DELTA", "scores_by_group"],
        "pictures": [
            "MOST_GROUPS",
            "draw_changes",
            "draw_group_counts",
            "draw_metrics",
            "draw_spread",
        ],
        "effects": ["Changes", "beside", "disagree", "error_and_reach", "group_changes", "spread_by"],
        "quiet": ["quietly"],
        "recipes": ["Change", "Recipe", "changes_by_recipe"],
        "explorer": ["explore_groups"],
    },
)
