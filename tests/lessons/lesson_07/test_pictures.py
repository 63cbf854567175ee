"""Pictures of lesson 07: redrawing into a picture gives what drawing afresh gives, and the words follow the numbers."""

import numpy as np
import pytest

from dpcourse.lessons import lesson_07 as l07

X = np.geomspace(0.1, 8, 20)


def days(ceiling):
    numbers = np.arange(1, 50)
    return l07.Days(numbers, 0.5 * numbers, ceiling * (1 - np.exp(-numbers / 5)), ceiling)


def shuffling(local):
    people = np.array([100, 1000, 10_000])
    return l07.Shuffling(people, local / np.sqrt(people), np.array([local, local / 2, local / 4]), local, 1e-6)


def models(scale):
    off = {"central": np.array([0.0, 2.0, 3.0]), "local": scale * np.ones(3)}
    return l07.Models(("a", "b", "c"), off, {name: np.full(3, scale) for name in off})


def scaling(power):
    people = np.geomspace(1e3, 1e8, 10)
    return l07.Scaling(people, {"central": 1 / people, "local": people**power})


CASES = [
    (l07.draw_days, days(2.0), days(3.0), "ceiling of 3"),
    (l07.draw_shuffling, shuffling(1.0), shuffling(2.0), "ε₀ = 2"),
    (l07.draw_models, models(100.0), models(400.0), "local about 400"),
    (l07.draw_scaling, scaling(-0.5), scaling(-0.25), "local falls from 0.18"),
]


@pytest.mark.parametrize(("draw", "first", "second", "said"), CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_redrawing_sets_data_and_words(draw, first, second, said):
    picture = draw(first)
    assert len(picture.alt) > 60
    assert draw(second, into=picture) is picture
    assert said in picture.alt
    fresh = draw(second)
    assert fresh.alt == picture.alt
    for old, new in zip(picture.axes[0].lines, fresh.axes[0].lines, strict=True):
        np.testing.assert_array_equal(old.get_xydata(), new.get_xydata())
    assert picture.png()[:4] == b"\x89PNG"


def test_the_trust_diagram_says_in_words_who_must_be_trusted():
    picture = l07.draw_trust()
    for words in ("Central", "Shuffled", "must not conspire", "only the phone must be trusted"):
        assert words in picture.alt
    assert l07.draw_trust(into=picture) is picture and picture.png()[:4] == b"\x89PNG"
