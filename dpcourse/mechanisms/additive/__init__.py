"""Noise that is added to a number: Laplace, geometric, Gaussian, all on a grid of integers."""

from dpcourse.mechanisms.additive.gaussian import GaussianMechanism
from dpcourse.mechanisms.additive.laplace import GeometricMechanism, LaplaceMechanism

__all__ = ["GaussianMechanism", "GeometricMechanism", "LaplaceMechanism"]
