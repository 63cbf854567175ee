"""The auditor: take a mechanism, two neighbouring datasets and a claim, and try to refute the claim."""

from dpcourse.audit.certify import AuditResult, audit, certified_epsilon, clopper_pearson

__all__ = ["AuditResult", "audit", "certified_epsilon", "clopper_pearson"]
