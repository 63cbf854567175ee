"""Milestones of capstone 7: what raw counts cost, a phone's message, noise, the model, the list, the whole."""

from dpcourse.checks.base import Exercise
from dpcourse.lessons.capstone_7.exercises.costs import COSTS
from dpcourse.lessons.capstone_7.exercises.model import MODEL, RECOMMEND
from dpcourse.lessons.capstone_7.exercises.noise import NOISE
from dpcourse.lessons.capstone_7.exercises.phone import PHONE
from dpcourse.lessons.capstone_7.exercises.whole import WHOLE

EXERCISES = (
    Exercise(
        "capstone 7.1",
        "A click and a person",
        COSTS,
        call="raw_epsilons(epsilon, delta, clicks)",
        allowed=("accounting", "mechanisms"),
    ),
    Exercise("capstone 7.2", "A message of norm 1", PHONE, call="contribution(clicks, items)"),
    Exercise("capstone 7.3", "Noise for a symmetric matrix", NOISE, call="noisy_gram(total, sigma, rng)"),
    Exercise("capstone 7.4", "A model of items", MODEL, call="item_model(gram, ridge)"),
    Exercise("capstone 7.5", "A list made on the phone", RECOMMEND, call="recommend(clicks, model, popular, many)"),
    Exercise(
        "capstone 7.6",
        "The whole recommender",
        WHOLE,
        call="recommender(messages, phones, items, epsilon, delta, shares, rng)",
        own_work=False,
    ),
)
