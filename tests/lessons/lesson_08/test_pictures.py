"""Pictures of lesson 08: they say in words what they show, and take new data into the same picture."""

import numpy as np
import pytest

from dpcourse.lessons import lesson_08 as l08
from dpcourse.lessons.lesson_08.pictures import norm_marks

NORMS = np.linspace(0, 3, 301)


def norms(clip_norm, stage="At the first step"):
    return l08.GradientNorms(clip_norm, stage, NORMS, float((NORMS > clip_norm).mean()), 0.5, 0.4, 3.0, 0.2)


def scores(metric="accuracy", at=1.0):
    return l08.Scores(metric, np.array([0.1, 1.0]), np.array([0.8, 0.83]), np.array([0.01, 0.002]), 0.84, at)


def turn(x=1.0):
    return l08.Turn(1.0, {"each": (np.array([-1.0, 0]), np.zeros(2)), "batch": (np.array([-1.0, 0]), np.array([x, 0]))})


def cost(factor=1.0):
    return l08.BatchCost(np.array([64, 1024]), factor * np.array([[0.7, 3.7]]), ("σ = 1",), 1e-5)


CASES = [
    (l08.draw_turn, turn(), turn(0.5), "batch, by 1.50 C"),
    (l08.draw_batch_cost, cost(), cost(1.1), "to 4.07 at 1,024"),
]


@pytest.mark.parametrize(("draw", "first", "second", "words"), CASES)
def test_new_data_go_into_the_same_picture_and_its_words(draw, first, second, words):
    picture = draw(first)
    before = picture.png()
    assert draw(second, into=picture) is picture
    assert words in picture.alt and picture.png() != before
    draw(first, into=picture)
    assert picture.png() == draw(first, into=picture).png()


@pytest.mark.parametrize(
    ("draw", "first", "second", "words"),
    [
        (l08.draw_norms, norms(1.0), norms(0.2, "After training"), "cuts 93%"),
        (l08.draw_scores, scores(), scores("Brier score", None), "0.800 ± 0.010 at ε = 0.1"),
    ],
)
def test_the_explorers_pictures_say_what_they_show(draw, first, second, words):
    assert words in draw(second).alt and draw(first).png() != draw(second).png()


def test_both_parts_of_the_histogram_hold_everybody():
    whole, cut = norm_marks(norms(1.03)).marks[:2]  # C is inside a bin
    np.testing.assert_allclose((whole.y2 - whole.y).sum(), (NORMS <= 1.03).mean())
    np.testing.assert_allclose((cut.y2 - cut.y).sum(), (NORMS > 1.03).mean())
