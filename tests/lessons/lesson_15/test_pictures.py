"""Pictures of lesson 15: picture and words follow the numbers."""

import numpy as np
import pytest

from dpcourse.lessons import lesson_15 as l15

EPSILONS = np.array([0.03, 0.1, 1.0])


def counts(width):
    return ("a", "b", "c"), np.array([5000, 100, 700]), (0.1, 1.0), (width, 3)


def changes(mean):
    spread = np.array([0.2, 0.3])
    return (l15.Changes(("a", "b"), np.array([900, 80]), np.array([mean, 0.1]), spread, 2 * spread, spread, 0.1),)


def spread(small):
    return {"sex": (np.array([40, 9000]), np.array([small, 0.6])), "race": (np.array([300]), np.array([1.0]))}, 0.1


def metrics(value):
    names = ("impact", "opportunity")
    draws = {name: value + np.array([[0, 0.2], [0, 0.1], [0, 0.02]]) for name in names}
    reach = dict.fromkeys(names, np.array([0.3, 0.1, 0.02]))
    return EPSILONS, draws, reach, dict.fromkeys(names, 0.3), dict.fromkeys(names, 1.0), "a against b"


CASES = [
    (l15.draw_group_counts, counts(30), counts(20), "it is 20% of the smallest group (100 people) and 0.4%"),
    (l15.draw_changes, changes(-0.3), changes(0.2), "a +0.20 ± 0.20, single releases ± 0.40"),
    (l15.draw_spread, spread(1.5), spread(1.2), "from 1.20 in the smallest group (40 people)"),
    (l15.draw_metrics, metrics(0.3), metrics(0.2), "0.30 (one more release 0.00 to 0.60, with 95%) at ε = 0.03"),
]


@pytest.mark.parametrize(("draw", "first", "second", "words"), CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_pictures_say_what_they_show(draw, first, second, words, picture_says):
    picture_says(draw, first, second, words)
