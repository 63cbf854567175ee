"""Pictures of lesson 12: they say in words what they show, and take new data into the same picture."""

import numpy as np
import pytest

from dpcourse.lessons import lesson_12 as l12

READINGS = np.linspace(-0.9, 0.9, 20)


def reconstruction(error=0.0):
    return l12.Reconstruction(READINGS, READINGS + error)


def course(gain=0.0):
    rows = np.array([[0.6, 0.7, 0.8], [0.65, 0.7, 0.72]]) + gain
    return l12.Course(np.arange(1, 4), rows, ("1 step", "25 steps"), 0.81, "one pool", "Drift")


def models(gain=0.0):
    return l12.Models(("alone", "together"), np.array([[0.7, 0.72], [0.8, 0.84]]) + gain, "Two ways")


def masking(*gone, total=0.25):
    dropped = tuple(i in gone for i in range(3))
    values, masked = np.array([0.5, -0.25, 0.1]), np.array([0.3, 0.9, 0.1])
    return l12.Masking(("a", "b", "c"), values, masked, dropped, 2, 0.25, total, 0.2)


CASES = [
    (l12.draw_reconstruction, reconstruction(), reconstruction(0.1), "readings to within 0.1"),
    (l12.draw_course, course(), course(0.01), "1 step: 61.0% after round 1, 81.0% after round 3"),
    (l12.draw_models, models(), models(0.01), "together: 83.0%, from 81.0% to 85.0%"),
]


@pytest.mark.parametrize(("draw", "first", "second", "words"), CASES)
def test_new_data_go_into_the_same_picture_and_its_words(draw, first, second, words):
    picture = draw(first)
    before = picture.png()
    assert draw(second, into=picture) is picture
    assert words in picture.alt and picture.png() != before
    draw(first, into=picture)
    assert picture.png() == draw(first, into=picture).png()


def test_masking_says_who_dropped_out_and_whether_there_is_a_sum():
    assert "Dropped out: b." in l12.draw_masking(masking(1)).alt
    assert "1 left, 2 needed: no sum" in l12.draw_masking(masking(1, 2, total=None)).alt
    assert l12.draw_masking(masking()).png() != l12.draw_masking(masking(1)).png()
