"""Numbers of lesson 11: the museum, audited."""

from dpcourse.gauntlet import EXHIBITS
from dpcourse.lessons import lesson_11 as l11


def test_the_museum_has_every_exhibit_and_accuses_no_repaired_one():
    """False alarms: 27 audits at 99.9%, with a fixed seed."""
    museum = l11.museum(400)
    assert list(museum.index) == [one.name for one in EXHIBITS] and not museum["accused"].any()
    few = museum["needs"] <= 400
    assert museum["caught"][few].all() and 0 < few.sum() < len(museum)
    assert museum.loc["scale upside down", "claim"] == "(ε=0.5, δ=0)-DP, adding or removing one record"
