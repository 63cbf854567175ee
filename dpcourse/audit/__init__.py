"""The auditor: take a mechanism, two neighbouring datasets and a claim, and try to refute the claim."""

from dpcourse.audit.certify import AuditResult, audit, certified_epsilon, clopper_pearson
from dpcourse.audit.one_run import audit_one_run, epsilon_from_guesses

__all__ = [
    "AuditResult",
    "audit",
    "audit_one_run",
    "certified_epsilon",
    "clopper_pearson",
    "epsilon_from_guesses",
]
