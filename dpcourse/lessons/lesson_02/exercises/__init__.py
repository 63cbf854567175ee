"""Exercises of lesson 02: a coin, exact ε of small mechanisms, what attacks prove, claims to state and one to break."""

from dpcourse.checks.base import Exercise
from dpcourse.lessons.lesson_02.exercises.claims import CLAIMS
from dpcourse.lessons.lesson_02.exercises.coin import COIN
from dpcourse.lessons.lesson_02.exercises.consequences import HOUSEHOLD, SHOWN
from dpcourse.lessons.lesson_02.exercises.event import EVENT
from dpcourse.lessons.lesson_02.exercises.exact import EPSILON

EXERCISES = (
    Exercise("02.1", "A coin for any ε", COIN, call="coin(answer, epsilon, rng)"),
    Exercise("02.2", "The smallest ε at a given δ", EPSILON, call="smallest_epsilon(p, q, delta)"),
    Exercise("02.3", "What an attack proves", SHOWN, call="epsilon_shown(fpr, tpr, delta)"),
    Exercise("02.4", "What a household needs of each person", HOUSEHOLD, call="per_person(epsilon, delta, k)"),
    Exercise("02.5", "State three claims", CLAIMS),
    Exercise("02.6", "The event that breaks a claim", EVENT, call="event(output)"),
)
