"""Capstone 2: Compare suppliers without showing them: additive shares, and noise nobody adds alone."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "design": ["BINS", "BUDGET", "MODULUS", "PARTIES", "SHARES", "SUPPLIERS", "uniform"],
        "numbers": [
            "LotErrors",
            "Row",
            "gaussian_errors",
            "lie",
            "lot_errors",
            "naming_bound",
            "naming_reached",
            "observed",
            "own_rate_error",
            "proposal",
            "stayers_epsilon",
            "worst_four",
            "worst_four_bound",
            "worst_four_costs",
        ],
        "pictures": ["draw_release", "draw_units"],
    },
)
