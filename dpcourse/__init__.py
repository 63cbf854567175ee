"""dpcourse: the package behind the course. Every mechanism carries its claim; every claim is composed and audited.

Names are looked up when first asked for (SPEC 1), so that ``import dpcourse`` itself costs next to nothing.
"""

import importlib

__version__ = "0.1.0"
_ROOMS = {
    "accounting": ["PrivacyAccountant", "PrivacyLoss"],
    "mechanisms": ["ExponentialMechanism", "GaussianMechanism", "GeometricMechanism", "LaplaceMechanism"],
    "privacy": ["BudgetExhausted", "Guarantee", "Neighbours"],
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}
__all__ = sorted(_ROOM_OF)


def __getattr__(name: str):
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'dpcourse' has no attribute {name!r}")
    return getattr(importlib.import_module(f"dpcourse.{_ROOM_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
