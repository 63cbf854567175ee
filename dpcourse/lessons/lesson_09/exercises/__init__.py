"""Exercises of lesson 09: noise for a model, noise for an objective, and what one person moves in a vote.

Data are drawn anew for every check. Answers draw their noise in floats, so audits look at rounded statistics: the hole
in the low bits is lesson 14's.
"""

from __future__ import annotations

from dpcourse.checks.base import Exercise
from dpcourse.lessons.lesson_09.exercises.model import SHARE
from dpcourse.lessons.lesson_09.exercises.perturb import PERTURB
from dpcourse.lessons.lesson_09.exercises.votes import PRICE, vote_moves
from dpcourse.lessons.lesson_09.exercises.winner import NOISY_WINNER

EXERCISES = (
    Exercise("09.1", "Noise for a model", PERTURB, call="perturb(weights, n, lam, epsilon, rng)"),
    Exercise("09.2", "Where ε goes", SHARE, call="share(epsilon, n, lam)"),
    Exercise("09.3", "What one person moves", (vote_moves,), call="vote_moves(neighbours)"),
    Exercise("09.4", "The winner, with noise", NOISY_WINNER, call="noisy_winner(votes, epsilon, rng)"),
    Exercise("09.5", "The price of a plan", PRICE, call="price(questions, answers, threshold_sigma, vote_sigma)"),
)
