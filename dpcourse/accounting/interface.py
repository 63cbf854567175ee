"""What an accountant takes, as types: the loss alone, or all that a mechanism of this package says of itself."""

from __future__ import annotations

import inspect
from typing import Any, Protocol, TypeGuard, runtime_checkable

import numpy as np

from dpcourse.accounting.pld import PrivacyLoss
from dpcourse.privacy import Guarantee, Neighbours


@runtime_checkable
class HasPrivacyLoss(Protocol):
    """Anything with a `privacy_loss()`."""

    def privacy_loss(self) -> PrivacyLoss:
        """The loss of one run, in both directions."""
        ...


class _Static(type(Protocol)):  # type: ignore[misc]
    """`isinstance` looks at what is there without asking for it: a `.guarantee` may raise, and say so only if asked."""

    def __instancecheck__(cls, instance: Any) -> bool:
        missing = object()
        names = ("neighbours", "guarantee", "privacy_loss", "renyi_divergence", "zcdp")
        return all(inspect.getattr_static(instance, name, missing) is not missing for name in names)


class Mechanism(HasPrivacyLoss, Protocol, metaclass=_Static):
    """What every mechanism of the package offers beside its work. Each of these may raise where it has nothing to say.

    Examples
    --------
    >>> from dpcourse.mechanisms import GaussianMechanism
    >>> isinstance(GaussianMechanism.from_noise_multiplier(2.0), Mechanism)  # whose `.guarantee` raises: it has no δ
    True
    >>> isinstance(Guarantee(1.0), Mechanism)
    False
    """

    @property
    def neighbours(self) -> Neighbours:
        """The relation that all of it is about."""
        ...

    @property
    def guarantee(self) -> Guarantee:
        """The (ε, δ) claim of one run."""
        ...

    @property
    def zcdp(self) -> float:
        """ρ of one run."""
        ...

    def renyi_divergence(self, orders: np.ndarray) -> np.ndarray:
        """The Rényi curve of one run at orders > 1."""
        ...


def has_privacy_loss(source: Any) -> TypeGuard[HasPrivacyLoss]:
    """Whether `source` is an object with a `privacy_loss()`, not the class of such objects."""
    return isinstance(source, HasPrivacyLoss) and not isinstance(source, type)
