"""Lesson 13: Publish a whole table, privately."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "numbers": [
            "DELTA",
            "NoisyTable",
            "Quality",
            "TABLES",
            "accuracy_on_people",
            "coverage",
            "found_again",
            "measured",
            "noisy_table",
            "other_ways",
            "pair_errors",
            "quality",
            "zcdp_worth",
        ],
        "pictures": [
            "FLOOR",
            "LARGEST_COUNT",
            "draw_copies",
            "draw_quality",
            "draw_tree",
        ],
        "explorer": ["explore_marginals"],
    },
)
