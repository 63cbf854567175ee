"""Mechanisms: each carries its claim (`guarantee`), what it leaks (`privacy_loss`), and its work (`release`, …)."""

from dpcourse.accounting import HasPrivacyLoss, Mechanism
from dpcourse.mechanisms.additive import GaussianMechanism, GeometricMechanism, LaplaceMechanism
from dpcourse.mechanisms.selection import AboveThreshold, ExponentialMechanism, NoisyMax
from dpcourse.mechanisms.subsampled import PoissonSubsampled

__all__ = [
    "AboveThreshold",
    "ExponentialMechanism",
    "GaussianMechanism",
    "GeometricMechanism",
    "HasPrivacyLoss",
    "LaplaceMechanism",
    "Mechanism",
    "NoisyMax",
    "PoissonSubsampled",
]
