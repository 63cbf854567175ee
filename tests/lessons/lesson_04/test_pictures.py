"""Pictures of lesson 04: picture and words follow the numbers."""

import numpy as np
import pytest

from dpcourse.lessons import lesson_04 as l04

EPSILONS = np.geomspace(0.1, 20, 30)
AGES = np.arange(17, 91)


def failure(at):
    return EPSILONS, (1e-5, 1e-2), np.array([(EPSILONS / at) ** 4, (EPSILONS / at) ** 3]), (at, at)


def choice(first):
    return ("Sales", "Craft"), ("exponential", "noisy max"), np.array([[first, 1 - first], [0.6, 0.4]]), 0.01


def median(truth):
    weights = np.exp(-np.abs(AGES - truth) / 3)
    return AGES, (0.1, 0.5), np.array([weights, weights**2]) / weights.sum(), truth


CASES = [
    (l04.draw_failure, failure(8.0), failure(6.5), "for δ = 10⁻⁵ it passes 1, where the promise breaks, at ε = 6.50"),
    (l04.draw_choice, choice(0.5), choice(0.7), "exponential: Sales 0.70, Craft 0.30"),
    (l04.draw_median, median(38.0), median(45.0), "the true one is 45"),
]


@pytest.mark.parametrize(("draw", "first", "second", "words"), CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_pictures_say_what_they_show(draw, first, second, words, picture_says):
    picture_says(draw, first, second, words)
