"""What a mechanism promises: the claim, its neighbouring relation, and how bad arguments are refused."""

from dpcourse.privacy.claim import BudgetExhausted, Guarantee, Neighbours

__all__ = ["BudgetExhausted", "Guarantee", "Neighbours"]
