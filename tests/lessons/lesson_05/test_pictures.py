"""Pictures of lesson 05: redrawing into a picture gives what drawing afresh gives, and the words follow the numbers."""

import numpy as np
import pytest

from dpcourse.lessons import lesson_05 as l05

X = np.linspace(0.0, 1.0, 50)


def total_loss(worst):
    return l05.TotalLoss(np.linspace(-worst / 3, worst / 3, 11), np.ones(10), worst)


def region(delta):
    epsilons = np.geomspace(0.01, 1, 20)
    return l05.Region(epsilons, np.where(epsilons < 0.69, 24 / epsilons**0.1, np.inf), 24 + 50 * epsilons, delta)


def orders(basic):
    alpha = np.geomspace(1.2, 200, 30)
    return l05.Orders(alpha, basic / 3 + (np.log(alpha) - 2) ** 2, basic, 1e-5)


def thresholds(level):
    ages = np.arange(18, 91)
    return l05.Thresholds(ages, {"one": np.full(73, level), "other": level * np.linspace(0.5, 0.1, 73)})


def choice(shift):
    response = np.where(X > 0.4, 1 - np.exp(0.4 - X), 0)
    return l05.Choice(X, np.exp(-30 * X), np.full(50, shift), response)


CASES = [
    (l05.draw_total_loss, total_loss(10.0), total_loss(20.0), "20"),
    (l05.draw_advanced_region, region(1e-5), region(1e-6), "0.01"),
    (l05.draw_orders, orders(10.0), orders(6.0), "basic composition gives 6"),
    (l05.draw_thresholds, thresholds(100.0), thresholds(50.0), "one 50; other 25 falling to 5"),
    (l05.draw_choice, choice(1e-3), choice(2e-3), "zero up to 0.41"),
]


@pytest.mark.parametrize(("draw", "first", "second", "said"), CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_redrawing_sets_data_and_words(draw, first, second, said):
    picture = draw(first)
    before = picture.alt
    assert draw(second, into=picture) is picture
    assert said in picture.alt and len(before) > 60
    fresh = draw(second)
    assert fresh.alt == picture.alt
    for old, new in zip(picture.axes[0].lines, fresh.axes[0].lines, strict=True):
        np.testing.assert_array_equal(old.get_xydata(), new.get_xydata())
    assert picture.png()[:4] == b"\x89PNG"
