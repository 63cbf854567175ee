"""A privacy budget kept in a file, spent by filters that no order of questions can overspend."""

from dpcourse.budget.ledger import Entry, LedgerError, PrivacyLedger
from dpcourse.budget.session import AnswerRefused, LedgerSession

__all__ = ["AnswerRefused", "Entry", "LedgerError", "LedgerSession", "PrivacyLedger"]
