"""dpcourse: the package behind the course. Every mechanism carries its claim; every claim is composed and audited."""

from dpcourse.accounting import PrivacyAccountant, PrivacyLoss
from dpcourse.mechanisms import ExponentialMechanism, GaussianMechanism, GeometricMechanism, LaplaceMechanism
from dpcourse.privacy import BudgetExhausted, Guarantee, Neighbours

__version__ = "0.1.0"
__all__ = [
    "BudgetExhausted",
    "ExponentialMechanism",
    "GaussianMechanism",
    "GeometricMechanism",
    "Guarantee",
    "LaplaceMechanism",
    "Neighbours",
    "PrivacyAccountant",
    "PrivacyLoss",
]
