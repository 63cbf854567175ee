"""Pictures of lesson 06: how often the truth is told, estimates with their intervals, and what a classifier loses."""

from dpcourse.lessons.lesson_06.pictures.models import Drops, Leak, TradeOff, draw_drops, draw_leak, draw_tradeoff
from dpcourse.lessons.lesson_06.pictures.reports import (
    EPSILON_RANGE,
    ErrorByEpsilon,
    Estimates,
    TruthTelling,
    draw_errors,
    draw_estimates,
    draw_truth,
)

__all__ = [
    "EPSILON_RANGE",
    "Drops",
    "ErrorByEpsilon",
    "Estimates",
    "Leak",
    "TradeOff",
    "TruthTelling",
    "draw_drops",
    "draw_errors",
    "draw_estimates",
    "draw_leak",
    "draw_tradeoff",
    "draw_truth",
]
