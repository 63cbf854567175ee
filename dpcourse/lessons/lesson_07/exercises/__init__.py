"""Exercises of lesson 07: local protocols, memory, and the shuffler."""

from __future__ import annotations

from dpcourse.checks.base import Exercise
from dpcourse.lessons.lesson_07.exercises.amplified import COST, SHUFFLED
from dpcourse.lessons.lesson_07.exercises.estimate import ESTIMATE
from dpcourse.lessons.lesson_07.exercises.phone import DAILY
from dpcourse.lessons.lesson_07.exercises.protocols import PROTOCOL
from dpcourse.lessons.lesson_07.exercises.unary import UNARY

EXERCISES = (
    Exercise("07.1", "Which protocol", PROTOCOL, call="best_protocol(k, epsilon)"),
    Exercise("07.2", "Optimized unary encoding", UNARY, call="unary_reports(codes, k, epsilon, rng)"),
    Exercise("07.3", "From bits to counts", ESTIMATE, call="estimate(reports, epsilon)"),
    Exercise("07.4", "What T days cost", COST, call="cost(days, epsilon_daily, epsilon_permanent)"),
    Exercise("07.5", "After the shuffler", SHUFFLED, call="shuffled(epsilon, n, delta)"),
    Exercise("07.6", "A phone that reports every day", DAILY, call="daily_reports(answer, days, k, epsilon, rng)"),
)
