"""Lesson 06: Let people protect themselves: randomized response on Adult."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "numbers": [
            "EPSILON_RANGE",
            "EXAMPLE_COUNTS",
            "Estimates",
            "GROUPS",
            "TradeOff",
            "TruthTelling",
            "estimates",
            "measured_tradeoff",
            "truth_telling",
            "two_bits",
        ],
        "pictures": [
            "draw_errors",
            "draw_gains",
            "draw_leak",
        ],
        "exercises": ["collect"],
        "explorer": ["explore_accuracy", "explore_estimates", "explore_truth"],
    },
)
