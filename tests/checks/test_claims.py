"""What is said of a claim that is not the wanted one; never that it is false."""

import dataclasses

import pytest

from dpcourse.checks.claims import claimed
from dpcourse.privacy import Guarantee, Neighbours

WANTED = Guarantee(0.5, 1e-6)
WORDS = "Replaced, two counts move.", "Which change is your noise made for?"
FEWEST = "Two of five may drop out: three shares are left."


def told(claim):
    return claimed(claim, WANTED, "a lot", WORDS, FEWEST)


def changed(**changes):
    return dataclasses.replace(WANTED, **changes)


def test_the_wanted_claim_and_its_rounding_pass():
    assert told(WANTED) is None
    assert told(changed(epsilon=365 * (0.5 / 365))) is None


def test_digits_that_could_be_a_count_do_not():
    for changes in ({"epsilon": 0.5 * (1 + 203e-14)}, {"delta": 1e-6 * (1 + 203e-14)}):
        assert "Such digits can tell about the records." in told(changed(**changes)).seen


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        (0.5, "a float"),
        ("(0.5, 1e-6)-DP", "a str"),
        (None, "NoneType"),
        (changed(condition="a record is one part"), "only if a record is one part"),
        (changed(neighbours=Neighbours.REPLACE_ONE), WORDS[0]),
        (Guarantee(1.0, 1e-6, Neighbours.REPLACE_ONE), WORDS[0]),
        (changed(epsilon=0.49), FEWEST),
        (changed(delta=1e-7), "Asked for is (0.5, 1e-06)"),
        (changed(epsilon=1.0), "promises less"),
        (changed(epsilon=float("inf"), delta=0.5), "promises less"),
        (changed(epsilon=0.500001), "promises less"),
    ],
)
def test_any_other_claim_is_told_what_is_asked_for(claim, words):
    wrong = told(claim)
    assert wrong.key == "claim"
    assert words in wrong.seen
    assert wrong.ask.count("?") == 1
    assert "false" not in wrong.seen + wrong.ask


def test_a_smaller_claim_is_not_said_to_promise_less():
    assert "promises less" not in told(changed(epsilon=0.4)).seen
    assert FEWEST not in told(changed(epsilon=0.6, delta=0.0)).seen + told(changed(delta=1e-7)).seen
    assert "promises less" not in told(changed(epsilon=0.6, delta=0.0)).seen
