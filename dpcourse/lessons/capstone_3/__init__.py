"""Capstone 3: Which devices will fail? One report a device, shuffled reports, or a secure sum."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "fleet": ["Fleet"],
        "caps": ["best_cap", "cap_sum"],
        "design": [
            "DELTA",
            "EPSILON",
            "RATE",
            "ROUNDS",
            "START",
            "auc",
            "deviation",
            "left_epsilon",
            "shuffled_epsilon",
        ],
        "numbers": [
            "Remaining",
            "accuracy_of_never",
            "aggregated",
            "exact_gradient",
            "first_gradient",
            "fitted",
            "lied",
            "one_report",
            "proposal",
            "proposal_epsilons",
            "remaining",
            "shuffled",
        ],
        "pictures": ["draw_sums", "draw_ways"],
    },
)
