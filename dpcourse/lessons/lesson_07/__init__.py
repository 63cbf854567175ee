"""Lesson 07: Choose whom to trust."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "numbers": ["Protocols", "protocols"],
        "pictures": [
            "draw_days",
            "draw_models",
            "draw_scaling",
            "draw_shuffling",
            "draw_trust",
        ],
        "explorer": ["explore_protocols"],
    },
)
