"""Lesson 11: Audit a mechanism: does the code keep its promise?."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "numbers": ["Certifiable", "DELTA", "NAMES", "RUNS", "certifiable", "museum"],
        "pictures": [
            "draw_histograms",
            "draw_one_run",
        ],
        "explorer": ["explore_audit"],
    },
)
