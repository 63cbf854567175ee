"""Lesson 01: See why removing names fails."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "numbers": [
            "HAMLET",
            "KNOWN",
            "ORDER",
            "SHAPE",
            "TABLES",
            "Candidates",
            "LinkageByColumns",
            "Rebuilt",
            "Recovered",
            "TwoTables",
            "Uniqueness",
            "cells_of",
            "draw_hamlet",
            "equations",
            "generalise",
            "linkage_by_columns",
            "rebuild_many",
            "recover_many",
            "lists_left",
            "two_tables",
        ],
        "pictures": ["draw_groups", "draw_linkage", "draw_recovered"],
        "explorer": ["explore_lists_left", "explore_uniqueness"],
    },
)
