"""Lesson 03: Decide how much noise is enough."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "numbers": [
            "HIGHEST",
            "Change",
            "MeanError",
            "Spread",
            "Widths",
            "largest_change",
            "mean_error",
            "median_reach",
            "spread",
            "widths",
        ],
        "pictures": ["dollars", "draw_spread", "draw_table", "draw_widths"],
        "explorer": ["explore_clipping"],
    },
)
