"""Pictures of lesson 09: picture and words follow the numbers."""

import numpy as np
import pytest

from dpcourse.lessons import lesson_09 as l09

LAMBDAS = np.array([1e-4, 1e-2, 1.0])


def moves(share):
    return LAMBDAS, 1 / LAMBDAS, {"people": share / LAMBDAS, "worst": 0.9 / LAMBDAS}


def tuning(best):
    means = {"output": np.array([0.6, best, 0.75]), "objective": np.array([0.8, 0.84, 0.75])}
    return LAMBDAS, np.array([0.85, 0.84, 0.75]), means, dict.fromkeys(means, np.full(3, 0.02)), 1.0


def comparison(first):
    return ["a", "b"], np.array([first, 0.8]), np.array([0.01, 0.02]), np.array([0.5, 0.5]), 0.75


CASES = [
    (l09.draw_moves, moves(0.2), moves(0.4), "people reach 40% to 40%"),
    (l09.draw_tuning, tuning(0.7), tuning(0.82), "output is best at λ = 0.01 with 82.0%"),
    (l09.draw_comparison, comparison(0.84), comparison(0.83), "a 83.0% at 0.50"),
]


@pytest.mark.parametrize(("draw", "first", "second", "words"), CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_pictures_say_what_they_show(draw, first, second, words, picture_says):
    picture_says(draw, first, second, words)
