"""Lesson 03: Decide how much noise is enough."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "numbers": ["HIGHEST", "MeanError", "mean_error"],
        "pictures": ["Table", "TwoReleases", "dollars", "draw_clipping", "draw_table", "draw_two_releases"],
        "explorer": ["explore_clipping"],
    },
)
