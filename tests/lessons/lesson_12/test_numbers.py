"""Numbers of lesson 12: ways to train compared, and what each fab gains at home."""

import numpy as np

from dpcourse.lessons import lesson_12 as l12


def test_client_level_costs_more_than_record_level_and_more_than_its_clip():
    ways, scores = l12.compared(2)
    means = dict(zip(ways, scores.mean(axis=1), strict=True))
    assert scores.shape == (6, 2) and (0.4 < scores).all() and (scores < 1).all()
    for_fabs, clipped = means["together, ε = 3 for a fab"], means["together, clip and equal votes"]
    assert for_fabs < means["together, ε = 3 for a wafer"] < means["one pool of all wafers"] and for_fabs < clipped


def test_privacy_for_wafers_takes_from_what_a_large_fab_gains():
    plain, private = l12.gains_at_home(5), l12.gains_at_home(5, epsilon=3.0)
    assert plain.shape == private.shape == (5, 6)
    assert np.mean(private[:, 0]) < np.mean(plain[:, 0])  # Taiwan
