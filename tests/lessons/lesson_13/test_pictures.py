"""Pictures of lesson 13: picture and words follow the numbers."""

import numpy as np
import pytest

from dpcourse.lessons import lesson_13 as l13

EPSILONS = np.array([0.1, 1.0, 10.0])


def quality(error):
    errors = {"tree": np.array([[0.08, 0.09], [0.05, 0.05], [error, error]])}
    return EPSILONS, errors, {"tree": np.array([[0.78, 0.8], [0.8, 0.8], [0.82, 0.84]])}, 0.85, 0.75


def copies(share):
    return ("copies", "tree\n(ε = 3)"), np.array([share, 0.13]), np.array([0.14, 0.13])


CASES = [
    (
        l13.draw_tree,
        ("a", (("a", "b"), ("a", "income-per-year"))),
        ("a", (("a", "b"), ("b", "c"), ("b", "d"))),
        "a – b, b – c, b – d",
    ),
    (l13.draw_quality, quality(0.03), quality(0.02), "tree: error from 8.5% to 2%, accuracy from 79% to 83%"),
    (l13.draw_copies, copies(1.0), copies(0.68), "copies: 68% of those it was made from, 14% of those never seen"),
]


@pytest.mark.parametrize(("draw", "first", "second", "words"), CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_pictures_say_what_they_show(draw, first, second, words, picture_says):
    picture_says(draw, first, second, words)


def test_a_parent_stands_above_the_middle_of_its_children():
    picture = l13.draw_tree("a", (("a", "b"), ("a", "c"), ("c", "d"), ("c", "e")))
    place = {label["t"]: (label["x"], label["y"]) for label in picture.view["p"][0]["s"]}
    assert place["c"][0] == pytest.approx((place["d"][0] + place["e"][0]) / 2, abs=1)
    assert place["a"][1] > place["b"][1] == place["c"][1] > place["d"][1]
