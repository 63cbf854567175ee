"""Lesson 12: Train a model together without handing over the data: federated rounds."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "numbers": [
            "BITS",
            "FABS",
            "Masking",
            "SCALE",
            "Tradeoff",
            "compared",
            "gains_at_home",
            "masked_sum",
            "tradeoff",
            "updates",
        ],
        "pictures": [
            "draw_course",
            "draw_masking",
            "draw_models",
            "draw_reconstruction",
        ],
        "explorer": ["explore_masks", "explore_rounds"],
    },
)
