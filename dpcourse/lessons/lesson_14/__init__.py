"""Lesson 14: Run it for years: what goes wrong outside the notebook."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "numbers": [
            "Chooser",
            "DAYS",
            "DELTA",
            "METHODS",
            "Quarter",
            "choose",
            "largest_epsilon",
            "price_curves",
            "quarter",
        ],
        "pictures": [
            "draw_combs",
        ],
        "deployments": ["PATTERNS", "draw_deployments"],
        "explorer": ["explore_choice", "explore_quarter"],
    },
)
