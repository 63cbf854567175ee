"""Privacy-loss distributions: dominating pairs, their composition on a grid, and the questions one asks of it."""

from dpcourse.accounting.pld.loss import PrivacyLoss

__all__ = ["PrivacyLoss"]
