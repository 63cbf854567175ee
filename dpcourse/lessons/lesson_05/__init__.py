"""Lesson 05: Add up what many questions cost."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "numbers": ["NOISES", "Prices", "five_prices", "where_advanced_pays"],
        "pictures": [
            "draw_advanced_region",
            "draw_choice",
            "draw_orders",
            "draw_thresholds",
            "draw_total_loss",
        ],
        "explorer": ["explore_composition"],
    },
)
