"""Pictures of lesson 06: how often the truth is told, estimates with their intervals, and what a classifier gains."""

from dpcourse.lessons.lesson_06.pictures.models import Gains, Leak, TradeOff, draw_gains, draw_leak, draw_tradeoff
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
    "ErrorByEpsilon",
    "Estimates",
    "Gains",
    "Leak",
    "TradeOff",
    "TruthTelling",
    "draw_errors",
    "draw_estimates",
    "draw_gains",
    "draw_leak",
    "draw_tradeoff",
    "draw_truth",
]
