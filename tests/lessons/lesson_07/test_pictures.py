"""Pictures of lesson 07: picture and words follow the numbers."""

import numpy as np
import pytest

from dpcourse.lessons import lesson_07 as l07


def days(ceiling):
    numbers = np.arange(1, 50)
    return numbers, 0.5 * numbers, ceiling * (1 - np.exp(-numbers / 5)), ceiling


def shuffling(local):
    people = np.array([100, 1000, 10_000])
    return people, local / np.sqrt(people), np.array([local, local / 2, local / 4]), local, 1e-6


def models(scale):
    off = {"central": np.array([0.0, 2.0, 3.0]), "local": scale * np.ones(3)}
    return ("a", "b", "c"), off, {"central": np.full(3, 2.0), "local": np.full(3, scale)}


def scaling(power):
    people = np.geomspace(1e3, 1e8, 10)
    return people, {"central": 1 / people, "local": people**power}


CASES = [
    (l07.draw_days, days(2.0), days(3.0), "ceiling of 3"),
    (l07.draw_shuffling, shuffling(1.0), shuffling(2.0), "ε₀ = 2"),
    (l07.draw_models, models(100.0), models(400.0), "local about 400"),
    (l07.draw_scaling, scaling(-0.5), scaling(-0.25), "local falls from 0.18"),
]


@pytest.mark.parametrize(("draw", "first", "second", "words"), CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_pictures_say_what_they_show(draw, first, second, words, picture_says):
    picture_says(draw, first, second, words)


def test_the_trust_diagram_says_in_words_who_must_be_trusted():
    picture = l07.draw_trust()
    for words in ("Central", "Shuffled", "must not conspire", "only the phone must be trusted"):
        assert words in picture.alt
    assert picture.png()[:4] == b"\x89PNG"
