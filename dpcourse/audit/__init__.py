"""The auditor: take a mechanism, two neighbouring datasets and a claim, and try to refute the claim."""

from dpcourse.audit.canaries import CanaryRun, train_with_canaries
from dpcourse.audit.certify import audit, audit_outputs
from dpcourse.audit.gdp import GdpAudit, audit_gdp, gdp_mu
from dpcourse.audit.neighbours import Generated, NeighbourSource, Records, Scores, number_between, one_of
from dpcourse.audit.one_run import audit_one_run, epsilon_from_guesses
from dpcourse.audit.rates import certified_epsilon, clopper_pearson
from dpcourse.audit.replay import Replay, replay
from dpcourse.audit.result import AuditResult, Finding
from dpcourse.audit.search import SearchResult, search_neighbours

__all__ = [
    "AuditResult",
    "CanaryRun",
    "Finding",
    "GdpAudit",
    "Generated",
    "NeighbourSource",
    "Records",
    "Replay",
    "Scores",
    "SearchResult",
    "audit",
    "audit_gdp",
    "audit_one_run",
    "audit_outputs",
    "certified_epsilon",
    "clopper_pearson",
    "epsilon_from_guesses",
    "gdp_mu",
    "number_between",
    "one_of",
    "replay",
    "search_neighbours",
    "train_with_canaries",
]
