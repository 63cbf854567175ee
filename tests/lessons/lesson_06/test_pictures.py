"""Pictures of lesson 06: picture and words follow the numbers."""

import numpy as np
import pytest

from dpcourse.lessons import lesson_06 as l06

E = np.array([0.5, 1.0, 5.0])


def errors(l1):
    return E, l1 / E, 500 / E, E, 900 / E, 500 / E


def gains(first):
    return ["ε = 1", "true"], ["accuracy", "F1"], np.array([[first, 0.6], [0.3, 0.7]]), np.full((2, 2), 0.05)


def leak(rest):
    return ["sex", "age"], np.array([0.6, 0.5]), np.array([0.6, 0.6]), np.array([rest, 0.7]), 1.0


CASES = [
    (l06.draw_errors, errors(900), errors(800), "at ε = 1 L1 800 and L2 500"),
    (l06.draw_gains, gains(0.2), gains(-0.1), "ε = 1: accuracy -0.10, F1 0.60"),
    (l06.draw_leak, leak(0.8), leak(0.9), "90% from the columns left in clear"),
]


@pytest.mark.parametrize(("draw", "first", "second", "words"), CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_pictures_say_what_they_show(draw, first, second, words, picture_says):
    picture_says(draw, first, second, words)
