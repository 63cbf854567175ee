"""Lesson 08: Train a model without remembering anyone: private logistic regression."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "numbers": [
            "GradientNorms",
            "NOISE",
            "NoisyStep",
            "PEOPLE",
            "RATE",
            "STAGES",
            "Scores",
            "measured_scores",
            "norms_at",
        ],
        "pictures": [
            "draw_batch_cost",
            "draw_scores",
            "draw_turn",
        ],
        "explorer": ["explore_gradient_norms", "explore_private_training"],
    },
)
