"""The auditor: take a mechanism, two neighbouring datasets and a claim, and try to refute the claim."""

from dpcourse.audit.canaries import CanaryRun, train_with_canaries
from dpcourse.audit.certify import AuditResult, Finding, audit, audit_outputs
from dpcourse.audit.gdp import GdpAudit, audit_gdp, gdp_mu
from dpcourse.audit.one_run import audit_one_run, epsilon_from_guesses
from dpcourse.audit.rates import certified_epsilon, clopper_pearson
from dpcourse.audit.replay import Replay, replay

__all__ = [
    "AuditResult",
    "CanaryRun",
    "Finding",
    "GdpAudit",
    "Replay",
    "audit",
    "audit_gdp",
    "audit_one_run",
    "audit_outputs",
    "certified_epsilon",
    "clopper_pearson",
    "epsilon_from_guesses",
    "gdp_mu",
    "replay",
    "train_with_canaries",
]
