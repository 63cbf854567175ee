"""Numbers of lesson 01, against slower ways to get them."""

from math import comb

import numpy as np
import pandas as pd

from dpcourse.lessons import lesson_01 as l01

KINDS = np.repeat(np.arange(32), np.random.default_rng(1).integers(1, 200, 32))  # a population of 32 kinds of people


def test_a_hamlet_counts_its_people():
    frame = pd.DataFrame(
        {
            "sex": ["Male", "Female"],
            "age": [30, 75],
            "marital-status": ["Never-married"] * 2,
            "income-per-year": ["<=50K", ">50K"],
        }
    )
    assert l01.cells_of(frame).tolist() == [(1 * 4 + 1) * 4, 3 * 4 + 1]
    assert l01.draw_hamlet(KINDS, 10, np.random.default_rng(2)).sum() == 10


def test_lists_left_begin_with_stars_and_bars():
    left = l01.lists_left(l01.draw_hamlet(KINDS, 10, np.random.default_rng(3)))
    assert left[0] == comb(41, 10) and len(left) == 7


def test_a_single_list_is_found_where_counting_finds_one():
    """The same hamlets drawn again, counted exactly. Weights that tie have probability 0."""
    only_one, right = [], []
    for seed in range(40):
        many = l01.rebuild_many(KINDS, 10, 1, np.random.default_rng(seed))
        hamlet = l01.draw_hamlet(KINDS, 10, np.random.default_rng(seed))
        only_one.append(many.only_one == (l01.lists_left(hamlet)[-1] == 1))
        right.append(many.right == 1 or many.only_one == 0)
    assert all(only_one) and all(right)


def test_generalising_leaves_the_income():
    people = [
        {
            "age": 20,
            "sex": "Male",
            "race": "White",
            "education-num": 9,
            "native-country": "United-States",
            "marital-status": "Married-civ-spouse",
            "income-per-year": "<=50K",
        },
        {
            "age": 60,
            "sex": "Female",
            "race": "Other",
            "education-num": 16,
            "native-country": "Cuba",
            "marital-status": "Widowed",
            "income-per-year": ">50K",
        },
    ]
    frame = pd.DataFrame(people)
    coarse = l01.generalise(frame)
    assert coarse.columns[-1] == "income" and coarse["country"].tolist() == ["US", "other"]
    assert coarse["married"].tolist() == [True, False]
