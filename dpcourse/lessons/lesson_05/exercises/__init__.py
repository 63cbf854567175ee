"""Exercises of lesson 05: what many answers cost together."""

from __future__ import annotations

from dpcourse.checks.base import Exercise
from dpcourse.lessons.lesson_05.exercises.counts import COUNTS
from dpcourse.lessons.lesson_05.exercises.ledger import DELTA, FILTER
from dpcourse.lessons.lesson_05.exercises.prices import FIRST_K, PARALLEL, PRICE

EXERCISES = (
    Exercise("05.1", "Quote the better price", PRICE, call="price(k, epsilon, delta)"),
    Exercise("05.2", "Where advanced composition starts to pay", FIRST_K, call="first_k(epsilon, delta)"),
    Exercise("05.3", "Parallel composition", PARALLEL, call="parallel(epsilons, neighbours)"),
    Exercise("05.4", "Many counts, one ε", COUNTS.cases, call="noisy_counts(flags, epsilon, rng)"),
    Exercise("05.5", "δ of a loss distribution", DELTA, call="delta(losses, masses, infinite, epsilon)"),
    Exercise("05.6", "A filter that adds up", FILTER, call="grant(requests, budget)"),
)
