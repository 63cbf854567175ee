"""The pictures of lesson 02 describe what they draw, and redraw to the same bytes."""

import numpy as np

from dpcourse.lessons import lesson_02 as l02
from dpcourse.lessons.lesson_02.numbers import attacker


def test_no_mechanism_leaves_its_region_at_any_setting():
    for epsilon in (0.05, 0.5, 5.0):
        for delta in (0.0, 1e-5, 0.1):
            shown = attacker(epsilon, delta, 0.5)
            assert (shown.mechanism <= shown.best + 1e-6).all() and (shown.worst <= shown.best + 1e-12).all()


def test_delta_is_the_area_above_the_scaled_hill():
    for shown in (l02.hills("Gaussian", 1.0, 1.0), l02.hills("Gaussian", 0.8, 0.5), l02.hills("Laplace", 0.7, 0.5)):
        above = np.maximum(shown.yes - np.exp(shown.epsilon) * shown.no, 0)
        area = np.trapezoid(above, shown.x)  # what is cut off beyond 5 people is next to nothing
        assert abs(area - shown.delta) < 0.01
        tail = np.trapezoid(np.where(above > 1e-12, shown.yes, 0), shown.x)
        assert abs(tail - shown.tail) < 0.01


def test_laplace_hills_never_leave_the_band_of_their_epsilon():
    shown = l02.hills("Laplace", 2.0, epsilon=0.5)
    assert np.isclose((shown.yes / shown.no).max(), np.exp(0.5)) and shown.tail == 0 and shown.delta == 0


def test_the_other_pictures_say_their_numbers():
    rates, x = np.linspace(0, 1, 11), np.linspace(-2, 2, 9)
    attacks = 1.0, 0.0, rates, np.minimum(2 * rates, 1), ("guessing",), rates[None], (0.5,)
    steps = np.where(x < 1.5, 0.75, 0.0)[None]
    losses = x, ("a coin",), steps, 1.0, ((1.6, 0.8),)
    grid = np.geomspace(0.1, 5, 30)
    delta = "Noise", grid, 0.1 / grid, 0.2 / grid
    for draw, data, words in (
        (l02.draw_hills, (l02.hills("Gaussian", 1.0, 1.0),), "above the band with probability 0.309, and δ = 0.127"),
        (l02.draw_hills, (l02.hills("Laplace", 1.0, 1.0),), "between 0.37 and 2.72 times"),
        (l02.draw_attacks, attacks, "at most 20.0% allowed by ε = 1, δ = 0; guessing 10.0%"),
        (l02.draw_losses, losses, "a coin 0.75"),
        (l02.draw_delta, delta, "Noise: at ε = 1 the loss exceeds ε with probability 0.2"),
    ):
        picture = draw(*data)
        assert words in picture.alt
        assert picture.png() == draw(*data).png()
