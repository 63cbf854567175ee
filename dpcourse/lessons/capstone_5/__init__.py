"""Capstone 5: Learn from patients in fifty hospitals: the patient as the unit, noise shared, hospitals dropping out."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "design": [
            "CLIP",
            "DELTA",
            "HOSPITALS",
            "ROUNDS",
            "SHARES",
            "THRESHOLD",
            "WEIGHTS",
            "Rows",
            "auc",
            "epsilon_of",
            "scaled",
        ],
        "numbers": [
            "UPDATE",
            "VISITS",
            "WAYS",
            "alone",
            "alone_private",
            "certified",
            "claim_at",
            "compared",
            "fit",
            "group_epsilon",
            "lied",
            "multiplier",
            "plain",
            "tested",
        ],
        "pictures": ["draw_sizes", "draw_ways"],
    },
)
