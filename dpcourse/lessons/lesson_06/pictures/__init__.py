"""Pictures of lesson 06: how often the truth is told, estimates with their intervals, and what a classifier gains."""

from dpcourse.lessons.lesson_06.pictures.models import (
    Gains,
    Leak,
    TradeOff,
    draw_gains,
    draw_leak,
    draw_tradeoff,
    tradeoff_marks,
)
from dpcourse.lessons.lesson_06.pictures.reports import (
    EPSILON_RANGE,
    ErrorByEpsilon,
    Estimates,
    TruthTelling,
    draw_errors,
    estimate_marks,
    truth_marks,
)

__all__ = [
    "EPSILON_RANGE",
    "ErrorByEpsilon",
    "Estimates",
    "Gains",
    "Leak",
    "TradeOff",
    "TruthTelling",
    "draw_errors",
    "draw_gains",
    "draw_leak",
    "draw_tradeoff",
    "estimate_marks",
    "tradeoff_marks",
    "truth_marks",
]
