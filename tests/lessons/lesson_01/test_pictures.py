"""The pictures of lesson 01 describe what they draw, and redraw to the same bytes."""

import numpy as np

from dpcourse.lessons import lesson_01 as l01


def test_uniqueness_names_the_share_at_the_columns_known():
    data = l01.Uniqueness(("sex", "age"), np.array([0.1, 0.6]), known=2, people=50)
    picture = l01.draw_uniqueness(data)
    assert "60.0% with age" in picture.alt and "Marked: 2 columns" in picture.alt
    other = l01.draw_uniqueness(l01.Uniqueness(data.columns, data.shares, 1, 50))
    assert "Marked: 1 column." in other.alt and other.png() != picture.png()


def test_groups_that_say_the_same_are_counted():
    data = l01.Groups(10, np.array([12, 40, 15]), np.array([0.0, 0.5, 1.0]), ">50K")
    picture = l01.draw_groups(data)
    assert "In 2 groups, with 27 people" in picture.alt
    assert picture.parts["alike"].get_xdata().tolist() == [12, 15]
    assert picture.png() == l01.draw_groups(data, into=picture).png()


def test_the_other_pictures_say_their_numbers():
    linkage = l01.LinkageByColumns(("sex", "+ age"), np.array([0.1, 0.4]), np.array([0.5, 0.75]))
    candidates = l01.Candidates(("ten people", "+ sex"), [1000, 1])
    recovered = l01.Recovered(64, np.array([0.0, 8.0]), (64, 512), np.array([[1, 0.6], [1, 0.75]]), 0.5)
    for draw, data, words in (
        (l01.draw_linkage, linkage, "+ age: 40.0% of people re-identified, 75% of claims right"),
        (l01.draw_candidates, candidates, "1,000 after ten people, 1 after + sex"),
        (l01.draw_recovered, recovered, "with 512 answers 100% without noise, 75% at ±8"),
    ):
        picture = draw(data)
        assert words in picture.alt
        assert picture.png() == draw(data, into=picture).png()
