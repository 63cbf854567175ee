"""Exercises of lesson 02: the coin, exact ε and δ of small mechanisms, and what a claim leaves."""

from dpcourse.checks.base import Exercise
from dpcourse.lessons.lesson_02.exercises.coin import COIN
from dpcourse.lessons.lesson_02.exercises.consequences import BELIEF, GROUP, POWER
from dpcourse.lessons.lesson_02.exercises.exact import DELTA, EPSILON

EXERCISES = (
    Exercise("02.1", "A coin for any ε", COIN, call="coin(answer, epsilon, rng)"),
    Exercise("02.2", "The exact ε of two distributions", EPSILON, call="exact_epsilon(p, q)"),
    Exercise("02.3", "The exact δ at a given ε", DELTA, call="exact_delta(p, q, epsilon)"),
    Exercise("02.4", "The best attack a claim allows", POWER, call="largest_tpr(epsilon, delta, fpr)"),
    Exercise("02.5", "How far a belief can rise", BELIEF, call="largest_belief(prior, epsilon)"),
    Exercise("02.6", "A household of k", GROUP, call="group_claim(epsilon, delta, k)"),
)
