"""Lesson 00: Publish your first private number."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "numbers": ["NoisyCount", "TwoDays", "WINDOW", "noisy_count", "two_days"],
        "pictures": ["draw_count", "draw_relative_error", "draw_two_days"],
        "explorer": ["explore_count"],
    },
)
