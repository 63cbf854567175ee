"""Lesson 10: Ask a model whom it has seen: membership inference."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "numbers": ["Curve", "FLOOR", "RATES", "Rocs", "measured", "measured_roc", "report", "under_the_limit"],
        "pictures": ["draw_rocs", "draw_worlds"],
        "explorer": ["explore_membership"],
    },
)
