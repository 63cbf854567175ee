"""Entries of results, one by one: the last one without noise is found, and right ones are not accused."""

import numpy as np
import pytest

from dpcourse.checks.entries import quiet_entry, quiet_number


@pytest.mark.parametrize("sizes", [np.full(64, 21), np.arange(20, 84)], ids=["one size", "many sizes"])
@pytest.mark.parametrize("place", [-1, 0, 12])
def test_an_entry_without_noise_is_found(sizes, place):
    rng = np.random.default_rng(1)
    calls = [rng.random(size) for size in sizes]
    assert quiet_entry(calls, 1e-7, rng) == ""
    for one in calls:
        one[place] = 0.4 + 0.2 * rng.random()
    found = quiet_entry(calls, 1e-7, rng)
    assert found == ("" if place == 12 and len(set(sizes)) > 1 else f"the entry at index {place}")


def test_an_exact_number_now_and_then_is_no_quiet_entry():
    """As where results are of single precision."""
    rng = np.random.default_rng(3)
    calls = rng.random((300, 9))
    calls[::60, 0] = 0.5
    assert quiet_entry(list(calls), 1e-7, rng) == ""


def test_right_places_are_rarely_refused():
    """At 1% in each of 300 trials; more than 12 are refused with probability 1e-5."""
    rng = np.random.default_rng(2)
    assert sum(bool(quiet_entry(list(rng.random((40, 9))), 0.01, rng)) for _ in range(300)) <= 12


@pytest.mark.parametrize("sizes", [np.full(240, 21), np.arange(240) % 40 + 8], ids=["one size", "many sizes"])
@pytest.mark.parametrize("place", [-1, 0])
def test_a_number_with_less_noise_is_found(sizes, place):
    rng = np.random.default_rng(3)
    calls = [rng.normal(size=size) for size in sizes]
    assert quiet_number(calls, 1e-7) == ""
    for one in calls:
        one[place] *= 0.6
    assert quiet_number(calls, 1e-7).startswith(f"the number at index {place} has 0.")


def test_right_numbers_are_rarely_refused():
    """At 1% in each of 300 trials; more than 12 are refused with probability 1e-5."""
    rng = np.random.default_rng(4)
    assert sum(bool(quiet_number(rng.normal(size=(40, 9)), 0.01)) for _ in range(300)) <= 12
