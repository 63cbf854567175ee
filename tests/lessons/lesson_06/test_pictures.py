"""Pictures of lesson 06: they say what they show, and drawing again into them shows the new numbers."""

from __future__ import annotations

import numpy as np
import pytest

from dpcourse.lessons import lesson_06 as l06
from dpcourse.lessons.lesson_06.numbers import measured_tradeoff

E = np.array([0.5, 1.0, 5.0])
CASES = {
    "errors": (
        l06.draw_errors,
        l06.ErrorByEpsilon(E, 900 / E, 500 / E, E, 900 / E, 500 / E),
        l06.ErrorByEpsilon(E, 800 / E, 400 / E, E, 900 / E, 500 / E),
    ),
    "gains": (
        l06.draw_gains,
        l06.Gains(["ε = 1", "true"], ["accuracy", "F1"], np.array([[0.2, 0.6], [0.3, 0.7]]), np.full((2, 2), 0.05)),
        l06.Gains(["ε = 1", "true"], ["accuracy", "F1"], np.array([[-0.1, 0.6], [0.3, 0.7]]), np.full((2, 2), 0.1)),
    ),
    "leak": (
        l06.draw_leak,
        l06.Leak(["sex", "age"], np.array([0.6, 0.5]), np.array([0.6, 0.6]), np.array([0.8, 0.7]), np.zeros(2), 1.0),
        l06.Leak(["sex", "age"], np.array([0.6, 0.5]), np.array([0.6, 0.6]), np.array([0.9, 0.7]), np.zeros(2), 1.0),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_says_what_it_shows_and_is_drawn_again(name):
    draw, first, second = CASES[name]
    picture = draw(first)
    before, said = picture.png(), picture.alt
    assert len(said) > 60 and "nan" not in said
    assert draw(second, into=picture) is picture
    assert picture.png() != before and picture.alt != said
    draw(first, into=picture)
    assert picture.png() == before or name == "gains"


@pytest.mark.parametrize("name", CASES)
def test_numbers_of_the_data_are_in_the_alternative_text(name):
    draw, first, _ = CASES[name]
    expected = {
        "errors": "900",
        "gains": "0.70",
        "leak": "80%",
    }[name]
    assert expected in draw(first).alt


def test_the_trade_off_says_its_scores():
    first, second = (l06.draw_tradeoff(measured_tradeoff(*which)) for which in ((1.0,), (5.0, "AUC")))
    assert "0.842" in first.alt and first.png() != second.png()
