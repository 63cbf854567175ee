"""Lesson 00: Publish your first private number."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "numbers": ["NoisyCount", "WINDOW", "noisy_count"],
        "pictures": ["CountBySize", "draw_count", "draw_relative_error"],
        "explorer": ["explore_count"],
    },
)
