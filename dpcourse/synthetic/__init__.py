"""Synthetic tables: release noisy marginals once, then draw as many artificial people from them as you like."""

from dpcourse.synthetic.marginals import Marginal, NoisyCounts
from dpcourse.synthetic.tree import TreeSynthesizer

__all__ = ["Marginal", "NoisyCounts", "TreeSynthesizer"]
