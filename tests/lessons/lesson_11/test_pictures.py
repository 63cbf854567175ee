"""Pictures of lesson 11: they say in words what they show, and take new data into the same picture."""

import numpy as np
import pytest

from dpcourse.lessons import lesson_11 as l11


def histograms(cut):
    shares = np.array([0.5, 0.3, 0.2])
    return l11.TwoHistograms(np.linspace(0, 3, 4), shares, shares[::-1], cut, (0.5, 0.2))


def alarms(share):
    return l11.Alarms(("a\nway", "b"), np.array([share, 0.1]), np.array([0.3, 0.0]), np.array([0.9, 0.2]), 0.2)


def one_run(found):
    return l11.OneRun(np.array([1.0, 1.0, 4.0]), np.array([0.2, 0.3, found]), 0.95, 2000)


CASES = [
    (l11.draw_histograms, histograms(1.0), histograms(2.0), "50.0% of the runs on one and in 20.0%"),
    (l11.draw_alarms, alarms(0.5), alarms(0.6), "a way 60%; b 10%"),
    (l11.draw_one_run, one_run(1.5), one_run(2.5), "0.2 to 0.3 where 1 is stated, 2.5 to 2.5 where 4"),
]


@pytest.mark.parametrize(("draw", "first", "second", "words"), CASES)
def test_new_data_go_into_the_same_picture_and_its_words(draw, first, second, words):
    picture = draw(first)
    before = picture.png()
    assert draw(second, into=picture) is picture
    assert words in picture.alt and picture.png() != before
    draw(first, into=picture)
    assert picture.png() == draw(first, into=picture).png()
