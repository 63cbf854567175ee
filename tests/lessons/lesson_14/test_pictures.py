"""Pictures of lesson 14: picture and words follow the numbers."""

import numpy as np
import pytest

from dpcourse.lessons import lesson_14 as l14


def combs(start):
    floats, places = start + np.arange(50) * np.spacing(start), np.arange(50)
    return floats, {"0 + noise": places % 5 == 0, "1 + noise": places % round(start / 50) == 0, "grid": places == 0}


CASES = [
    (l14.draw_combs, combs(150.0), combs(350.0), "of the first two together: 2"),
]


@pytest.mark.parametrize(("draw", "first", "second", "words"), CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_pictures_say_what_they_show(draw, first, second, words, picture_says):
    picture_says(draw, first, second, words)


def test_diagrams_say_where_the_trust_ends():
    picture = l14.draw_deployments()
    for pattern in l14.PATTERNS.values():
        assert pattern.alt in picture.alt and "trust boundary" in pattern.alt
        boxes = set(pattern.boxes)
        assert {box for arrow in pattern.arrows for box in arrow} == boxes
    assert picture.png()[:4] == b"\x89PNG"
