"""Capstone 1: Train a yield model over six fabs: the wafer as the unit, and noise inside secure aggregation."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "numbers": [
            "CLIP",
            "DELTA",
            "ROUNDS",
            "SHARES",
            "WEIGHTS",
            "accuracies",
            "epsilon_with",
            "local_epsilon",
            "noise_multiplier",
            "right",
            "train",
        ],
        "pictures": ["draw_gains", "draw_ways"],
    },
)
