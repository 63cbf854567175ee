"""Pictures of lesson 10: picture and words follow the numbers."""

import numpy as np
import pytest

from dpcourse.lessons import lesson_10 as l10

FPR = np.geomspace(1e-3, 1, 20)


def worlds(shift):
    scores = np.linspace(-1, 1, 30)
    return (tuple((name, scores, scores + shift, shift) for name in ("ordinary", "exposed")),)


def rocs(tpr, epsilon=1.0):
    curve = l10.Curve("LiRA", FPR, FPR**tpr, 0.9 * FPR**tpr, np.minimum(1.1 * FPR**tpr, 1))
    return (l10.Rocs(f"ε = {epsilon:g}", (curve,), "95%", epsilon, 1e-5, FPR, np.minimum(2.7 * FPR, 1), FPR**0.9),)


CASES = [
    (l10.draw_worlds, worlds(0.5), worlds(1.0), "1.00 with"),
    (l10.draw_rocs, rocs(0.9), rocs(0.95, 2.0), "limit of ε = 2, δ = 10⁻⁵ 2.70%"),
]


@pytest.mark.parametrize(("draw", "first", "second", "words"), CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_pictures_say_what_they_show(draw, first, second, words, picture_says):
    picture_says(draw, first, second, words)


def test_without_a_claim_nothing_is_forbidden():
    data = l10.Rocs("no claim", (l10.Curve("LiRA", FPR, FPR**0.9),))
    picture = l10.draw_rocs(data)
    assert "limit" not in picture.alt and "nan" not in picture.alt
    assert [mark["k"] for mark in picture.view["p"][0]["k"]] == ["line", "line"]
