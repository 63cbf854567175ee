"""dpcourse: the package behind the course. Every mechanism carries its claim; every claim is composed and audited.

Names are looked up when first asked for (SPEC 1), so that ``import dpcourse`` itself costs next to nothing.
"""

import importlib
import importlib.util

__version__ = "0.1.0"
_ROOMS = {
    "accounting": ["PrivacyAccountant", "PrivacyLoss"],
    "mechanisms": ["ExponentialMechanism", "GaussianMechanism", "GeometricMechanism", "LaplaceMechanism"],
    "privacy": ["BudgetExhausted", "Guarantee", "Neighbours"],
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}
__all__ = sorted(_ROOM_OF)


def __getattr__(name: str):
    if name in _ROOM_OF:
        return getattr(importlib.import_module(f"dpcourse.{_ROOM_OF[name]}"), name)
    if not name.startswith("_") and importlib.util.find_spec(f"dpcourse.{name}"):
        return importlib.import_module(f"dpcourse.{name}")
    raise AttributeError(f"module 'dpcourse' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
