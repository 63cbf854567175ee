"""The pictures of lesson 00 describe what they draw."""

import numpy as np

from dpcourse.lessons.lesson_00.numbers import two_days
from dpcourse.lessons.lesson_00.pictures import (
    NoisyCount,
    draw_count,
    draw_relative_error,
    draw_two_days,
)


def count(epsilon, half_width):
    errors = np.arange(-80, 81)
    return NoisyCount(epsilon, 1000, 0.95, half_width, errors, np.tanh(epsilon / 2) * np.exp(-epsilon * abs(errors)))


def test_count_picture_follows_its_data():
    picture = draw_count(count(1.0, 3))
    assert "ε = 1" in picture.alt and "-3 to 3" in picture.alt
    assert draw_count(count(0.1, 30)).png() != picture.png()


def test_relative_error_picture_names_each_epsilon():
    counts = np.array([10.0, 100.0, 1000.0])
    data = (0.1, 1.0), counts, np.log(20) / np.outer([0.1, 1.0], counts)
    picture = draw_relative_error(*data)
    assert "at ε = 0.1 it falls from 300% of 10 people to 3% of 1,000" in picture.alt
    assert picture.png() == draw_relative_error(*data).png()


def test_two_days_keep_the_band_of_their_epsilon():
    shown = two_days(0.5)
    ratio = shown.monday / shown.tuesday
    assert np.isclose(ratio.max(), np.exp(0.5)) and np.isclose(ratio.min(), np.exp(-0.5))
    assert "between 0.61 and 1.65 times" in draw_two_days(shown).alt
