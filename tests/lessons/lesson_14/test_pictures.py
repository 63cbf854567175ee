"""Pictures of lesson 14: redrawing into a picture gives what drawing afresh gives, and the words follow the numbers."""

from dataclasses import replace

import numpy as np
import pytest

from dpcourse.lessons import lesson_14 as l14

DAYS = np.arange(92)


def timeline(spends):
    return l14.Timeline(np.arange(1, spends + 1), 0.05 * np.arange(1, spends + 1), ["ana", "ben"] * (spends // 2), 1.0)


def refusing(spends):
    return replace(timeline(spends), refused=[(spends + 0.5, 0.05 * spends + 0.1)], why="refused: ben’s own 0.1")


def combs(start):
    floats = start + np.arange(50) * np.spacing(start)
    places = np.arange(50)
    return l14.Combs(floats, {"0 + noise": places % 5 == 0, "1 + noise": places % 7 == 0, "grid": places == 0})


CASES = [
    (l14.draw_timeline, timeline(10), timeline(4), "4 entries (ana 2, ben 2) to 0.2"),
    (l14.draw_timeline, refusing(10), refusing(4), "Crosses: 1 requests, refused: ben’s own 0.1"),
    (l14.draw_combs, combs(150.0), combs(300.0), "of the first two together: 2"),
]


@pytest.mark.parametrize(("draw", "first", "second", "said"), CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_redrawing_sets_data_and_words(draw, first, second, said):
    picture = draw(first)
    assert draw(second, into=picture) is picture
    assert said in picture.alt and len(picture.alt) > 60
    fresh = draw(second)
    assert fresh.alt == picture.alt
    for old, new in zip(picture.axes[0].lines, fresh.axes[0].lines, strict=True):
        np.testing.assert_array_equal(old.get_xydata(), new.get_xydata())
    for old, new in zip(picture.axes[0].collections, fresh.axes[0].collections, strict=True):
        assert len(old.get_segments()) == len(new.get_segments())
    assert picture.png()[:4] == b"\x89PNG"


def test_diagrams_say_where_the_trust_ends():
    picture = l14.draw_deployments()
    for pattern in l14.PATTERNS.values():
        assert pattern.alt in picture.alt and "trust boundary" in pattern.alt
        boxes = set(pattern.boxes)
        assert {box for arrow in pattern.arrows for box in arrow} == boxes
    assert picture.png()[:4] == b"\x89PNG" and l14.draw_deployments(into=picture) is picture
