"""Events: every kind of output is looked at, and what is fitted is fitted to the part that may be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcourse.audit import audit
from dpcourse.audit.events import choose_event
from dpcourse.audit.families import FAMILIES, FLOATING_POINT, finest_power
from dpcourse.audit.outputs import Outputs, Raised
from dpcourse.audit.thresholds import cuts_between, shortest_between
from dpcourse.privacy import Guarantee

ONE = Guarantee(1.0)


def raises_sometimes(data, rng):
    if data and rng.random() < 0.6:
        raise ValueError("no such person")
    return float(rng.integers(3))


def wobbling(data, rng):
    return np.round(data[0] * np.ones(2) + [0, data[1]] + rng.laplace(scale=1), 6)  # the same noise twice


# What leaks, on which neighbours, and a part of the event that must be named.
LEAKS = {
    "number": (lambda d, rng: round(d + rng.laplace(scale=0.2), 3), 0, 1, "output"),
    "integer": (lambda d, rng: int(rng.integers(5)) + 4 * d, 0, 1, "output"),
    "boolean": (lambda d, rng: bool(rng.random() < 0.1 + 0.8 * d), 0, 1, "output"),
    "label": (lambda d, rng: "yes" if rng.random() < 0.1 + 0.8 * d else "no", 0, 1, "'yes'"),
    "None": (lambda d, rng: None if rng.random() < 0.1 + 0.8 * d else 3, 0, 1, ""),
    "NaN": (lambda d, rng: math.nan if rng.random() < 0.1 + 0.8 * d else 0.0, 0, 1, ""),
    "type": (lambda d, rng: True if d else 1, 0, 1, ""),
    "exception": (raises_sometimes, 0, 1, "raises ValueError"),
    "exception's words": (lambda d, rng: [1, 2][d + 2] if d else {}["x"], 0, 1, "raises"),
    "tuple": (lambda d, rng: (int(rng.integers(2)), "ab"[int(rng.random() < 0.1 + 0.8 * d)]), 0, 1, "output"),
    "part of a tuple": (lambda d, rng: ("a", round(d + rng.laplace(scale=0.2), 3)), 0, 1, "output[1]"),
    "dict": (lambda d, rng: {"n": round(d + rng.laplace(scale=0.2), 3)}, 0, 1, "output['n']"),
    "length": (lambda d, rng: [0] * int(rng.integers(1, 4) + 3 * d), 0, 1, "length"),
    "vector": (lambda d, rng: np.round(d + rng.laplace(scale=2, size=40), 3), 0, 1, ""),
    "one noise for two answers": (wobbling, (0, 0), (0, 1), "output"),
    "size of the noise": (lambda d, rng: round(rng.laplace(scale=1 + 9 * d), 3), 0, 1, "output"),
    "low bits": (lambda d, rng: d + rng.laplace(scale=1), 0, 1, "multiple of 2^"),
    "no noise": (lambda d, rng: d, 0, 1, "output"),
    "string against number": (lambda d, rng: "1" if d else 1, 0, 1, ""),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_finds_the_leak(leak):
    """ε is 2 or more in each: missed with probability far below 1e-6 at 4,000 runs a side."""
    mechanism, data, neighbour, said = LEAKS[leak]
    result = audit(mechanism, data, neighbour, claim=ONE, runs=4000, rng=70)
    assert result.violated, result
    assert said in result.event


@pytest.mark.parametrize("leak", LEAKS)
def test_finds_nothing_where_both_datasets_are_the_same(leak):
    """ε = 0 is claimed and true, at 99.9%: any false alarm among 19 with probability 2% at most; the seed is fixed."""
    mechanism, data, _, _ = LEAKS[leak]
    assert not audit(mechanism, data, data, claim=Guarantee(0.0), runs=1000, rng=71).violated


def test_runs_that_certify_are_not_looked_at_when_the_event_is_chosen():
    class Difference:
        def one(self, hits, false_hits, runs, events):
            return (hits - false_hits) / runs

        def two(self, counts, events):
            return 0.0

    rng = np.random.default_rng(0)
    first = rng.normal(size=100), rng.normal(size=100) + 1
    other = rng.normal(size=100) + 50, rng.normal(size=100) - 50
    chosen = [
        choose_event(
            Outputs.collect(*map(np.concatenate, zip(first, later, strict=True))), first=100, score=Difference()
        )
        for later in (other, other[::-1])
    ]
    assert chosen[0].text == chosen[1].text and chosen[0].opposite == chosen[1].opposite


@pytest.mark.parametrize("family", [*FAMILIES, *FLOATING_POINT], ids=lambda family: family.__name__)
def test_counts_and_hits_of_every_event_agree(family):
    rng = np.random.default_rng(1)
    for sides in (
        rng.laplace(size=(2, 60)).round(2),
        rng.integers(0, 4, (2, 60)),
        rng.laplace(size=(2, 60, 3)),
        [[None, 1.0, "a", math.nan] * 15, [2.0, "a", Raised("ValueError", "x"), (1, 2)] * 15],
    ):
        outputs = Outputs.collect(sides[0], sides[1])
        for candidates in family(outputs, slice(0, 30)):
            counts = candidates.counts(slice(30, 60))
            for i in range(counts.shape[1]):
                event = candidates.event(i)
                assert tuple(counts[:, i]) == event.hits(slice(30, 60))
                assert event.text and event.opposite and event.text != event.opposite


def test_equal_outputs_are_equal_however_they_are_written():
    mixed = [1, 1.0, np.float64(1), np.int8(1), True, "1", None, math.nan, np.float32("nan"), (1, 2), [1, 2]]
    codes = Outputs.collect(mixed, mixed).columns[0].codes
    assert (codes[0] == codes[1]).all()
    assert len(set(codes[0][:4])) == 1 and codes[0][7] == codes[0][8]
    assert len(set(codes[0])) == 7


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_finest_power_divides_and_no_finer_one_is_needed(value):
    power = finest_power(np.array([value]))[0]
    if value == 0:
        assert power == math.inf
    else:
        # In two steps, because 2^1074 is no float.
        mantissa = math.ldexp(math.ldexp(value, half := -int(power) // 2), -int(power) - half)
        assert mantissa == int(mantissa) and int(mantissa) % 2 == 1


@given(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=50, unique=True))
def test_cuts_separate_what_they_should(values):
    values = np.sort(values)
    cuts = shortest_between(values[:-1], values[1:])
    assert (values[:-1] <= cuts).all() and (cuts < values[1:]).all()
    assert cuts_between(np.array(values)).size == len(values) - 1


def test_many_values_get_a_limited_number_of_cuts():
    assert 100 < cuts_between(np.random.default_rng(0).normal(size=50_000)).size <= 220
    assert cuts_between(np.full(100, 3.0)).size == 0
