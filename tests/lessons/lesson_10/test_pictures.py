"""Pictures of lesson 10: redrawing into a picture gives what drawing afresh gives, and the words follow the numbers."""

import numpy as np
import pytest

from dpcourse.lessons import lesson_10 as l10

FPR = np.geomspace(1e-3, 1, 20)


def worlds(shift):
    scores = np.linspace(-1, 1, 30)
    return tuple(l10.Worlds(name, scores, scores + shift, shift) for name in ("ordinary", "exposed"))


def rocs(tpr, epsilon=1.0):
    curve = l10.Curve("LiRA", FPR, FPR**tpr, 0.9 * FPR**tpr, np.minimum(1.1 * FPR**tpr, 1))
    return l10.Rocs(f"ε = {epsilon:g}", (curve,), "95%", epsilon, 1e-5, FPR, np.minimum(2.7 * FPR, 1), FPR**0.9)


CASES = [
    (l10.draw_worlds, worlds(0.5), worlds(1.0), "1.00 with"),
]


@pytest.mark.parametrize(("draw", "first", "second", "said"), CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_redrawing_sets_data_and_words(draw, first, second, said):
    picture = draw(first)
    before = picture.alt
    assert draw(second, into=picture) is picture
    assert said in picture.alt and said not in before and len(before) > 60
    fresh = draw(second)
    assert fresh.alt == picture.alt
    for axes, other in zip(picture.axes, fresh.axes, strict=True):
        assert axes.get_ylim() == other.get_ylim()
        for old, new in zip(axes.lines, other.lines, strict=True):
            np.testing.assert_array_equal(old.get_xydata(), new.get_xydata())
        for old, new in zip(axes.patches, other.patches, strict=True):
            np.testing.assert_array_equal(old.get_path().vertices, new.get_path().vertices)
    assert picture.png()[:4] == b"\x89PNG"


def test_the_curves_say_what_the_claim_allows():
    first, second = l10.draw_rocs(rocs(0.9)), l10.draw_rocs(rocs(0.95, 2.0))
    assert "limit of ε = 2, δ = 1e-05 2.70%" in second.alt and first.png() != second.png()


def test_without_a_claim_nothing_is_forbidden():
    data = l10.Rocs("no claim", (l10.Curve("LiRA", FPR, FPR**0.9),))
    picture = l10.draw_rocs(data)
    assert "limit" not in picture.alt and "nan" not in picture.alt
    assert [mark["k"] for mark in picture.view["p"][0]["k"]] == ["line", "line"]
