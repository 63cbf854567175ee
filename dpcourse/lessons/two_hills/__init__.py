"""Two hills: what a mechanism may publish with and without one person. Several lessons show it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "numbers": ["WITH", "WITHOUT", "Hills", "coin_hills", "composed_hills", "gaussian_hills", "laplace_hills"],
        "pictures": ["draw_hills"],
        "explorer": ["explore_two_hills"],
    },
)
