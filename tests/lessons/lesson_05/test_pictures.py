"""Pictures of lesson 05: picture and words follow the numbers."""

import numpy as np
import pytest

from dpcourse.lessons import lesson_05 as l05

X = np.linspace(0.0, 1.0, 50)


def total_loss(worst):
    return np.linspace(-worst / 3, worst / 3, 11), np.ones(10), worst


def region(first):
    epsilons = np.geomspace(0.01, 1, 20)
    return epsilons, np.where(epsilons < 0.69, first / epsilons**0.1, np.inf), 24 + 50 * epsilons, 1e-5


def orders(basic):
    alpha = np.geomspace(1.2, 200, 30)
    return alpha, basic / 3 + (np.log(alpha) - 2) ** 2, basic, 1e-5


def thresholds(level):
    ages = np.arange(18, 91)
    return ages, {"one": np.full(73, level), "other": level * np.linspace(0.5, 0.1, 73)}


def choice(start):
    return X, np.exp(-30 * X), np.full(50, 1e-3), np.where(X > start, 1 - np.exp(start - X), 0)


CASES = [
    (l05.draw_total_loss, total_loss(10.0), total_loss(20.0), "−20 and 20"),
    (l05.draw_advanced_region, region(24), region(30), "from 48 answers at ε = 0.01"),
    (l05.draw_orders, orders(10.0), orders(6.0), "basic composition gives 6"),
    (l05.draw_thresholds, thresholds(100.0), thresholds(50.0), "one 50; other 25 falling to 5"),
    (l05.draw_choice, choice(0.2), choice(0.4), "zero up to 0.41"),
]


@pytest.mark.parametrize(("draw", "first", "second", "words"), CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_pictures_say_what_they_show(draw, first, second, words, picture_says):
    picture_says(draw, first, second, words)
