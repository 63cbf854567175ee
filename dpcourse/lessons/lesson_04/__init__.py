"""Lesson 04: Answer many questions, or one whose answer is not a number."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "numbers": ["Dimensions", "multiplier", "noise_by_dimension"],
        "pictures": ["draw_choice", "draw_failure", "draw_median"],
        "questions": ["claims", "twelve_questions"],
        "explorer": ["explore_dimension"],
    },
)
