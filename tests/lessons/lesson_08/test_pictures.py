"""Pictures of lesson 08: picture and words follow the numbers."""

import numpy as np
import pytest

from dpcourse.lessons import lesson_08 as l08
from dpcourse.lessons.lesson_08.pictures import norm_marks
from dpcourse.plots.still import boxes

NORMS = np.linspace(0, 3, 301)


def norms(clip_norm, stage="At the first step"):
    return l08.GradientNorms(clip_norm, stage, NORMS, float((NORMS > clip_norm).mean()), 0.5, 0.4, 3.0, 0.2)


def scores(metric="accuracy", at=1.0):
    return l08.Scores(metric, np.array([0.1, 1.0]), np.array([0.8, 0.83]), np.array([0.01, 0.002]), 0.84, at)


def turn(x):
    return 1.0, {"each": (np.array([-1.0, 0]), np.zeros(2)), "batch": (np.array([-1.0, 0]), np.array([x, 0]))}


def cost(factor):
    return np.array([64, 1024]), factor * np.array([[0.7, 3.7]]), ("σ = 1",), 1e-5


CASES = [
    (l08.draw_turn, turn(1.0), turn(0.5), "batch, by 1.50 C"),
    (l08.draw_batch_cost, cost(1.0), cost(1.1), "to 4.07 at 1,024"),
    (l08.draw_scores, (scores(),), (scores("Brier score", None),), "Brier score without privacy"),
]


@pytest.mark.parametrize(("draw", "first", "second", "words"), CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_pictures_say_what_they_show(draw, first, second, words, picture_says):
    picture_says(draw, first, second, words)


def test_both_parts_of_the_histogram_hold_everybody():
    whole, cut = norm_marks(norms(1.03)).marks[:2]  # C is inside a bin
    np.testing.assert_allclose((whole.y2 - whole.y).sum(), (NORMS <= 1.03).mean())
    np.testing.assert_allclose((cut.y2 - cut.y).sum(), (NORMS > 1.03).mean())


def test_a_unit_is_as_long_upright_as_across():
    """Else the circle of clipped gradients is none."""
    picture = l08.draw_turn(*turn(1.0))
    for box, panel in zip(boxes(picture.view, picture.width)[0], picture.view["p"], strict=True):
        across, upright = (box[side] / (panel[axis]["b"] - panel[axis]["a"]) for side, axis in ("wx", "hy"))
        assert across == pytest.approx(upright, rel=0.01)
