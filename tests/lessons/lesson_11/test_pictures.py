"""Pictures of lesson 11: picture and words follow the numbers."""

import numpy as np
import pytest

from dpcourse.lessons import lesson_11 as l11


def histograms(here):
    shares = np.array([0.5, 0.3, 0.2])
    return np.linspace(0, 3, 4), shares, shares[::-1], here, (here / 2, 0.2)


def one_run(found):
    return np.array([1.0, 1.0, 4.0]), np.array([0.2, 0.3, found]), 0.95, 2000


CASES = [
    (l11.draw_histograms, histograms(1.0), histograms(0.8), "40.0% of the runs with Ana and in 20.0%"),
    (l11.draw_one_run, one_run(1.5), one_run(2.5), "0.2 to 0.3 where 1 is stated, 2.5 to 2.5 where 4"),
]


@pytest.mark.parametrize(("draw", "first", "second", "words"), CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_pictures_say_what_they_show(draw, first, second, words, picture_says):
    picture_says(draw, first, second, words)
