"""The pictures of lesson 01 describe what they draw."""

import numpy as np

from dpcourse.lessons import lesson_01 as l01


def test_groups_that_say_the_same_are_counted():
    picture = l01.draw_groups(10, np.array([12, 40, 15]), np.array([0.0, 0.5, 1.0]), ">50K")
    assert "In 2 groups, with 27 people" in picture.alt
    assert picture.png() != l01.draw_groups(10, np.array([12, 40]), np.array([0.0, 0.5]), ">50K").png()


def test_the_other_pictures_say_their_numbers():
    linkage = l01.LinkageByColumns(("sex", "+ age"), np.array([0.1, 0.4]), np.array([0.5, 0.75]))
    recovered = l01.Recovered(64, np.array([0.0, 8.0]), (64, 512), np.array([[1, 0.6], [1, 0.75]]))
    for draw, data, words in (
        (l01.draw_linkage, linkage, "+ age: 40.0% of people re-identified, 75% of claims right"),
        (l01.draw_recovered, recovered, "with 512 answers 100% without noise, 75% at ±8"),
    ):
        picture = draw(data)
        assert words in picture.alt and picture.png()[:4] == b"\x89PNG"
