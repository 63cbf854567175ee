"""Exercises checked by trying to break the answer: `check("03.2", answer)`, `progress()`."""

from dpcourse.checks.base import Chance, CheckResult, Exercise
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.environment import check_environment
from dpcourse.checks.registry import check, progress
from dpcourse.checks.rehearsal import Rehearsal, rehearse

__all__ = [
    "CheckResult",
    "Exercise",
    "Rehearsal",
    "Chance",
    "Diagnosis",
    "check",
    "check_environment",
    "progress",
    "rehearse",
]
