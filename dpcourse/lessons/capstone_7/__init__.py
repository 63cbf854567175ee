"""Capstone 7: Recommend from one noisy matrix: what phones add up, and what never leaves them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "design": [
            "DELTA",
            "RIDGE",
            "SHARES",
            "TOP",
            "epsilon_of",
            "gram",
            "item_model",
            "noise_radius",
            "packed",
            "sigma",
            "symmetric_noise",
            "unpacked",
        ],
        "numbers": [
            "by_people",
            "central",
            "certified",
            "crossing",
            "federated",
            "hit_rate",
            "left_epsilon",
            "local_gram",
            "local_popularity",
            "noisy_sum",
            "popularity",
            "pushed",
            "raw_epsilons",
            "room",
            "rounds_epsilon",
            "scores_of",
            "without_noise",
        ],
        "pictures": ["draw_people", "draw_ridges"],
    },
)
