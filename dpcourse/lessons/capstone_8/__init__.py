"""Capstone 8: A year of one home: reports every day, sums that hide a year, and an alarm that stays at home."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "design": [
            "BUCKETS",
            "CAP",
            "DELTA",
            "HOMES",
            "SHARES",
            "alarm_limit",
            "epsilon_of",
            "sigma",
            "year_norm",
        ],
        "numbers": [
            "FORTNIGHT",
            "MEMORY",
            "Read",
            "at_full_size",
            "buckets",
            "caps",
            "counted",
            "fresh",
            "fresh_read",
            "left_epsilon",
            "memory",
            "noise_at_home",
            "noise_once",
            "numbers",
            "one_day",
            "one_day_means",
            "piecewise",
            "read_off",
            "remembered_fortnight",
            "rms",
            "room",
            "truth",
        ],
        "pictures": ["draw_caps", "draw_home", "draw_year"],
    },
)
