"""Pictures of lesson 12: picture and words follow the numbers."""

import numpy as np
import pytest

from dpcourse.lessons import lesson_12 as l12

READINGS = np.linspace(-0.9, 0.9, 20)


def course(gain):
    rows = np.array([[0.6, 0.7, 0.8], [0.65, 0.7, 0.72]]) + gain
    return np.arange(1, 4), rows, ("1 step", "25 steps"), 0.81, "one pool", "Drift"


def models(gain):
    return ("alone", "together"), np.array([[0.7, 0.72], [0.8, 0.84]]) + gain, "Two ways"


def masking(*gone, total=0.25):
    dropped = tuple(i in gone for i in range(3))
    values, masked = np.array([0.5, -0.25, 0.1]), np.array([0.3, 0.9, 0.1])
    return (l12.Masking(("a", "b", "c"), values, masked, dropped, 2, 0.25, total, 0.2),)


CASES = [
    (l12.draw_reconstruction, (READINGS, READINGS), (READINGS, READINGS + 0.1), "readings to within 0.1"),
    (l12.draw_course, course(0.0), course(0.01), "1 step: 61.0% after round 1, 81.0% after round 3"),
    (l12.draw_models, models(0.0), models(0.01), "together: 83.0%, from 81.0% to 85.0%"),
    (l12.draw_masking, masking(), masking(1), "Dropped out: b."),
    (l12.draw_masking, masking(), masking(1, 2, total=None), "1 left, 2 needed: no sum"),
]


@pytest.mark.parametrize(("draw", "first", "second", "words"), CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_pictures_say_what_they_show(draw, first, second, words, picture_says):
    picture_says(draw, first, second, words)
