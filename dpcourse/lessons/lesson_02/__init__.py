"""Lesson 02: State what is promised."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "numbers": ["Attacker", "Hills", "attacker", "hills"],
        "pictures": [
            "draw_attacks",
            "draw_delta",
            "draw_hills",
            "draw_losses",
        ],
        "explorer": ["explore_attacker"],
    },
)
