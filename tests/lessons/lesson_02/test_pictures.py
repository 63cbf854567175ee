"""The pictures of lesson 02 describe what they draw, and redraw to the same bytes."""

import numpy as np

from dpcourse.lessons import lesson_02 as l02
from dpcourse.lessons.lesson_02.numbers import attacker


def test_the_attacker_picture_follows_its_data():
    picture = l02.draw_attacker(attacker(1.0, 0.0, 0.5))
    assert "right at most 73.1%" in picture.alt and "between 26.9% and 73.1%" in picture.alt
    before = picture.png()
    assert l02.draw_attacker(attacker(0.1, 0.01, 0.2), into=picture) is picture
    assert "δ = 0.01" in picture.alt and "leaving aside" in picture.alt and picture.png() != before
    assert picture.parts["best"].get_ydata()[0] == 0.01
    assert l02.draw_attacker(attacker(1.0, 0.0, 0.5), into=picture).png() == before


def test_no_mechanism_leaves_its_region_at_any_setting():
    for epsilon in (0.05, 0.5, 5.0):
        for delta in (0.0, 1e-5, 0.1):
            shown = attacker(epsilon, delta, 0.5)
            assert (shown.mechanism <= shown.best + 1e-6).all() and (shown.worst <= shown.best + 1e-12).all()


def test_the_other_pictures_say_their_numbers():
    rates, x = np.linspace(0, 1, 11), np.linspace(-2, 2, 9)
    attacks = l02.Attacks(1.0, 0.0, rates, np.minimum(2 * rates, 1), ("guessing",), rates[None])
    losses = l02.Losses(x, ("a coin",), np.where(x < 1.5, 0.75, 0.0)[None], epsilon=1.0)
    grid = np.geomspace(0.1, 5, 30)
    delta = l02.DeltaCurve("Noise", grid, 0.1 / grid, 0.2 / grid)
    for draw, data, words in (
        (l02.draw_attacks, attacks, "at most 20.0% allowed by ε = 1, δ = 0; guessing 10.0%"),
        (l02.draw_losses, losses, "a coin 0.75"),
        (l02.draw_delta, delta, "Noise: at ε = 1 the loss exceeds ε with probability 0.2"),
    ):
        picture = draw(data)
        assert words in picture.alt
        assert picture.png() == draw(data, into=picture).png()
