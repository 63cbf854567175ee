"""Capstone 6: One credit model of five banks: blinded lists, a shared product, noise that nobody knows."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "design": [
            "BANKS",
            "BITS",
            "COLUMNS",
            "DELTA",
            "FEWEST",
            "HONEST",
            "MOST",
            "PRIME",
            "LIE",
            "LyingRun",
            "Run",
            "meet",
            "normal",
            "opened",
            "times",
            "uniform",
        ],
        "numbers": [
            "Models",
            "aligned",
            "auc",
            "best_bank",
            "blinded",
            "epsilon_with",
            "first_hash",
            "guessed",
            "hashed",
            "lie",
            "models",
            "rows_of",
            "same_customers_five_times",
            "scores",
            "sent_bytes",
        ],
        "residuals": ["Rounds", "from_own_features", "recovered", "residual_rounds", "told"],
        "pictures": ["draw_needed", "draw_told"],
    },
)
