"""Lesson 01: Break an anonymised table."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "numbers": ["ORDER", "Uniqueness"],
        "pictures": [
            "Candidates",
            "Groups",
            "LinkageByColumns",
            "Recovered",
            "draw_candidates",
            "draw_groups",
            "draw_linkage",
            "draw_recovered",
            "draw_uniqueness",
        ],
        "explorer": ["explore_uniqueness"],
    },
)
