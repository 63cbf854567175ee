"""Composition of claims by formula."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcourse.accounting import PrivacyAccountant, PrivacyLoss, amplify_by_sampling, composition
from dpcourse.privacy import Guarantee, Neighbours

claims = st.lists(st.builds(Guarantee, st.floats(0.01, 2), st.floats(0, 1e-4)), min_size=1, max_size=12)


def test_reference_values():
    hundred = [Guarantee(0.1)] * 100
    assert composition.basic(hundred).epsilon == pytest.approx(10, rel=1e-12)
    assert composition.advanced(hundred, 1e-5).epsilon == pytest.approx(5.85024, rel=1e-5)
    assert composition.advanced(hundred, 1e-5).delta == 1e-5
    assert composition.advanced(hundred, 1e-5, tight=True).epsilon == pytest.approx(5.298, rel=1e-4)


@given(claims=claims, times=st.lists(st.integers(1, 20), min_size=12, max_size=12))
def test_a_mapping_counts(claims, times):
    """Claims with counts are claims one after another, to the last digit."""
    counted = dict(zip(claims, times, strict=False))
    one_by_one = [claim for claim, count in counted.items() for _ in range(count)]
    assert composition.basic(counted) == composition.basic(one_by_one)
    for tight in (True, False):
        assert composition.advanced(counted, 1e-6, tight=tight) == composition.advanced(one_by_one, 1e-6, tight=tight)


def test_sums_beyond_any_float_promise_nothing():
    assert composition.basic([Guarantee(1e308)] * 2) == composition.basic({Guarantee(1e308): 2}) == Guarantee(math.inf)
    assert composition.basic({Guarantee(math.inf, 1e-6): 2}) == Guarantee(math.inf, 2e-6)
    assert composition.advanced([Guarantee(1e200)], 1e-5) == Guarantee(math.inf, 1e-5)


@pytest.mark.parametrize(("epsilon", "least"), [(0.01, 24), (0.1, 29), (0.5, 187)])
def test_where_advanced_composition_starts_to_win(epsilon, least):
    def wins(k: int) -> bool:
        claims = [Guarantee(epsilon)] * k
        return composition.advanced(claims, 1e-5).epsilon < composition.basic(claims).epsilon

    assert wins(least) and not wins(least - 1)
    assert least == math.floor(2 * math.log(1e5) / (2 - math.exp(epsilon)) ** 2) + 1


@settings(max_examples=40, deadline=None)
@given(claims=claims, slack=st.floats(1e-9, 1e-2))
def test_every_formula_bounds_the_exact_price(claims, slack):
    """The worst mechanisms with these claims, composed exactly, at the δ of each formula."""
    loss = PrivacyLoss.identity()
    for claim in claims:
        loss = loss.compose(PrivacyLoss.from_guarantee(claim))
    total = composition.basic(claims)
    assert loss.delta(total.epsilon * (1 + 1e-9)) <= total.delta * (1 + 1e-6) + 1e-15
    for tight in (True, False):
        total = composition.advanced(claims, slack, tight=tight)
        assert loss.epsilon(total.delta) <= total.epsilon * (1 + 2e-3)


def test_parallel():
    both = composition.parallel([Guarantee(0.3, 1e-6), Guarantee(1.0)])
    assert both == Guarantee(1.0, 1e-6)
    with pytest.raises(ValueError, match="add-remove neighbours to compose in parallel"):
        composition.parallel([Guarantee(1.0, 0.0, Neighbours.REPLACE_ONE)])


@given(epsilon=st.floats(0.01, 2), delta=st.floats(0, 1e-6))
def test_groups(epsilon, delta):
    claim = Guarantee(epsilon, delta)
    assert composition.group(claim, 1) == claim
    two = composition.group(claim, 2)
    assert two.epsilon == pytest.approx(2 * epsilon) and two.delta == pytest.approx((1 + math.exp(epsilon)) * delta)
    five = composition.group(claim, 5)
    assert five.delta == pytest.approx(delta * math.expm1(5 * epsilon) / math.expm1(epsilon), rel=1e-9)


def test_groups_of_enormous_claims():
    assert composition.group(Guarantee(700.0, 1e-306), 2).delta == pytest.approx(1e-306 * math.exp(700), rel=1e-12)
    assert composition.group(Guarantee(800.0, 1e-306), 2) == Guarantee(math.inf)
    assert composition.group(Guarantee(math.inf, 1e-6), 2) == Guarantee(math.inf)
    assert composition.group(Guarantee(800.0), 2) == Guarantee(1600.0)
    assert composition.group(Guarantee(1e-300, 1e-12), 10**9).delta == pytest.approx(1e-3)


def test_nothing_is_promised_when_delta_reaches_one():
    assert composition.basic([Guarantee(1.0, 0.6)] * 2).epsilon == math.inf
    assert composition.group(Guarantee(5.0, 0.1), 3).epsilon == math.inf


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: composition.basic([]), ValueError, "guarantees must be at least one"),
        (
            lambda: composition.basic([Guarantee(1.0), Guarantee(1.0, 0.0, Neighbours.REPLACE_ONE)]),
            ValueError,
            "all under one relation",
        ),
        (lambda: composition.basic({Guarantee(1.0): 0}), ValueError, "guarantees must be ≥ 1, got 0"),
        (lambda: composition.basic([1.0]), TypeError, "guarantees must be a Guarantee, got 1.0"),
        (lambda: composition.advanced([Guarantee(1.0)], 0.0), ValueError, r"slack must be in \(0, 1\), got 0.0"),
        (lambda: composition.group(Guarantee(1.0), 0), ValueError, "size must be ≥ 1, got 0"),
        (lambda: composition.group(1.0, 2), TypeError, "guarantee must be a Guarantee, got 1.0"),
    ],
)
def test_bad_arguments_are_named(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_conditions_are_kept_each_once():
    public, honest = Guarantee(0.5, 1e-6, condition="n is public"), Guarantee(0.1, condition="fabs train as they say")
    both = "n is public and fabs train as they say"
    mixed = [public, honest, public, Guarantee(0.2)]
    assert (
        composition.basic(mixed).condition
        == both
        == composition.advanced(mixed, 1e-5).condition
        == composition.parallel(mixed).condition
    )
    assert composition.group(public, 2).condition == "n is public" == amplify_by_sampling(public, 0.1).condition
    accountant = PrivacyAccountant()
    for claim in mixed:
        accountant.compose(claim)
    assert accountant.guarantee(1e-5).condition == both and composition.basic([Guarantee(1.0)]).condition == ""
