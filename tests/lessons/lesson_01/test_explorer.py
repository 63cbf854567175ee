"""The explorers of lesson 01 say what they draw."""

import numpy as np
import pytest

from dpcourse import widgets


@pytest.fixture(scope="module")
def lists():
    return widgets.explore_lists_left()


def test_a_billion_lists_fall_to_one(lists):
    text = lists.show(shown=6, hamlet="A")
    assert "1,121,099,408 → " in text and text.endswith(" → 1. It is the true one.")
    assert "No table is published. Lists of people that fit: 1,121,099,408." in lists.show(shown=0)


def test_the_still_says_it_too(lists):
    lists.show(shown=6, hamlet="A")
    panel = lists.front.view["p"][0]
    written = [label["t"] for label in panel["s"]]
    assert written[0] == "1,121,099,408" and written[-1] == "1"
    assert all(f"{count:,}" in written for count in lists.numbers.lists)


def test_lists_are_struck_out_and_never_come_back(lists):
    for hamlet in "ABCDEF":
        lists.show(shown=6, hamlet=hamlet)
        assert (np.diff(np.array(lists.numbers.lists, dtype=float)) <= 0).all() and lists.numbers.lists[-1] >= 1


def test_what_is_not_yet_published_is_not_drawn(lists):
    text = lists.show(shown=1, hamlet="B")
    assert f"{lists.numbers.lists[1]:,}. " in text and f"{lists.numbers.lists[2]:,}" not in text
    written = [label["t"] for label in lists.front.view["p"][0]["s"] if label["t"]]
    assert len(written) == 2
