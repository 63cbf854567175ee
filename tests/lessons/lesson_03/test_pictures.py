"""The numbers of lesson 03 agree with trying everything, and its pictures describe what they draw."""

from itertools import product

import numpy as np
import pytest

from dpcourse.lessons import lesson_03 as l03
from dpcourse.lessons.lesson_03.pictures import clipping_marks
from dpcourse.privacy import Neighbours

GAINS = np.repeat([0.0, 3_000.0, 40_000.0, 99_999.0], [900, 70, 25, 5])


@pytest.mark.parametrize(
    ("f", "added", "replaced"),
    [
        (sum, 60, 70),
        (lambda data: sum(data) / len(data), 35, 70 / 4),
        (lambda data: [data.count(value) for value in (-10, 20, 60)], 1, 2),
        (max, 70, 70),
    ],
)
def test_the_largest_change_meets_the_formula(f, added, replaced):
    """Records between −10 and 60: the formulas of the lesson's table."""
    change = l03.largest_change(f, (-10, 20, 60), Neighbours.ADD_REMOVE)
    assert np.isclose(change.size, added) and abs(len(change.here) - len(change.there)) == 1
    change = l03.largest_change(f, (-10, 20, 60), Neighbours.REPLACE_ONE, n=4)
    assert np.isclose(change.size, replaced) and len(change.here) == len(change.there) == 4
    assert sum(np.sort(change.here) != np.sort(change.there)) >= 1


def test_how_far_the_median_can_jump_agrees_with_trying_everything():
    """Five records among four values, all 1,024 datasets: the largest local sensitivity within k replacements."""
    domain = (0, 1, 3, 7)
    local = {
        data: max(
            abs(np.median(data) - np.median((*data[:i], value, *data[i + 1 :]))) for i in range(5) for value in domain
        )
        for data in product(domain, repeat=5)
    }
    for data in [(0, 0, 0, 0, 0), (0, 1, 1, 3, 7), (3, 3, 3, 3, 7), (1, 1, 3, 3, 3)]:
        distance = {other: sum(a != b for a, b in zip(data, other, strict=True)) for other in local}
        tried = [max(local[other] for other in local if distance[other] <= k) for k in range(6)]
        assert np.allclose(l03.median_reach(data, (0, 7)), tried)


def test_releases_of_a_mean_have_the_error_that_is_stated():
    """20,000 releases: a relative standard error of a deviation of 0.8%, so 4% is off less than once in a million."""
    shown = l03.spread(GAINS, 1.0, (1_000, 20_000, 99_999), people=500, releases=20_000, rng=3)
    assert np.allclose(shown.published.std(axis=1), shown.noise, rtol=0.04)
    assert (abs(shown.published.mean(axis=1) - shown.clipped) < 4.9 * shown.noise / np.sqrt(20_000)).all()
    curve = l03.mean_error(GAINS, 1.0, 20_000, 500)
    for bound, total in zip(shown.bounds, shown.total, strict=True):
        assert np.isclose(np.interp(bound, curve.bounds, curve.total), total, rtol=0.02)


def test_hills_as_far_apart_as_their_scale_keep_the_factor_e():
    shown = l03.widths(500.0, scales=(1.0, 500.0))
    assert np.isclose((shown.with_person[1] / shown.without[1]).max(), np.e)
    assert np.isclose((shown.without[1] / shown.with_person[1]).max(), np.e)
    assert np.minimum(shown.with_person[0], shown.without[0]).max() < 1e-50


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 10.0])
@pytest.mark.parametrize("people", [50, 500, 45_222])
def test_the_explorer_has_no_empty_decade(epsilon, people):
    """At most half a decade or so of the error axis lies beyond what is drawn."""
    panel = clipping_marks(l03.mean_error(GAINS, epsilon, 20_000, people))
    total = l03.mean_error(GAINS, epsilon, 20_000, people).total
    assert total.max() <= panel.y.high < 2.6 * total.max() and total.min() / 6.5 < panel.y.low <= 0.4 * total.min()


def test_pictures_say_their_numbers():
    table = ("day", "night"), np.array([12.0, 3.0]), 5.8, np.array([10.0, 9.5]), "Shifts"
    for draw, data, words in (
        (l03.draw_widths, (l03.widths(99_999, (1, 99_999)),), "neither is more than 2.72 times as high"),
        (
            l03.draw_spread,
            (l03.spread(GAINS, 1.0, (1_000, 99_999), 500, 20, rng=1),),
            "With the bound $99,999 they",
        ),
        (l03.draw_table, table, "1 of them lies outside its interval. day 12, night 3."),
    ):
        picture = draw(*data)
        assert words in picture.alt and picture.png() == draw(*data).png()
