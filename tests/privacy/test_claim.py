"""The claim says what it promises, and refuses what is no claim."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcourse.privacy import Guarantee, Neighbours

BAD_EPSILONS = [-1, math.nan, "1", None, True]
BAD_DELTAS = [-1, 1, math.nan, "0", None, False]


def test_reads_as_a_claim_with_its_relation():
    assert str(Guarantee(1.0, 1e-5)) == "(ε=1, δ=1e-05)-DP, adding or removing one record"
    assert str(Guarantee(math.inf, 0.0, Neighbours.REPLACE_ONE)) == "(ε=∞, δ=0)-DP, replacing one record"


def test_the_relations_have_their_published_values():
    assert {relation.value for relation in Neighbours} == {"add-remove", "replace-one"}


@pytest.mark.parametrize("epsilon", BAD_EPSILONS)
def test_refuses_a_bad_epsilon_by_name_and_value(epsilon):
    with pytest.raises((TypeError, ValueError), match="epsilon") as error:
        Guarantee(epsilon)
    assert repr(epsilon) in str(error.value)


@pytest.mark.parametrize("delta", BAD_DELTAS)
def test_refuses_a_bad_delta_by_name_and_value(delta):
    with pytest.raises((TypeError, ValueError), match="delta") as error:
        Guarantee(1.0, delta)
    assert repr(delta) in str(error.value)


def test_refuses_a_number_beyond_any_float_by_name():
    for huge in (10**400, 10**5000, Fraction(10**400)):
        with pytest.raises(ValueError, match="epsilon must fit a float"):
            Guarantee(huge)


def test_refuses_a_relation_that_is_a_string():
    with pytest.raises(TypeError, match="neighbours.*'add-remove'"):
        Guarantee(1.0, 0.0, "add-remove")


@given(st.floats(1e-6, 1e6), st.floats(1e-12, 0.99))
def test_a_printed_claim_is_never_smaller_than_the_claim(epsilon, delta):
    text = str(Guarantee(epsilon, delta))
    printed = [float(part.split("=")[1].rstrip(")-DP")) for part in text.split(", a")[0].split(", ")]
    # But for the last bits of a float: 0.01 · 1e-5 is just above 1e-7, and reads 1e-07.
    assert printed[0] >= epsilon * (1 - 1e-12) and printed[1] >= delta * (1 - 1e-12)
    assert printed[0] <= epsilon * 1.002 and printed[1] <= delta * 1.002
