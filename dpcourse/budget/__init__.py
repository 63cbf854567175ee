"""A privacy budget kept in a file, spent by filters that no order of questions can overspend."""

from dpcourse.budget.ledger import Entry, LedgerError, PrivacyLedger

__all__ = ["Entry", "LedgerError", "PrivacyLedger"]
