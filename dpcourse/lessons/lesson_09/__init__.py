"""Lesson 09: Train privately without touching the gradients."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "numbers": ["NoisyWinner", "Votes", "vote", "vote_epsilon"],
        "pictures": ["draw_comparison", "draw_moves", "draw_tuning"],
        "explorer": ["explore_votes"],
    },
)
