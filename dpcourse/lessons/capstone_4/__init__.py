"""Capstone 4: Choose tests together: sums under encryption, what an opened sum tells, and noise on chip counts."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "design": [
            "BITS",
            "COUNT_BITS",
            "FACTORIAL",
            "NEEDED",
            "OFFSET",
            "PARTIES",
            "SHARES",
            "TOY_PRIMES",
            "below",
            "deal",
        ],
        "numbers": [
            "BUDGET",
            "Known",
            "boasted",
            "bound",
            "ciphertexts",
            "compared",
            "exponents",
            "flipped",
            "forged",
            "known",
            "left_epsilon",
            "shared_noise",
        ],
        "pictures": ["draw_coverage", "draw_knowledge"],
    },
)
