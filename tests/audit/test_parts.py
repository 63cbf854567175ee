"""Structured outputs are taken apart, whatever they are made of, and nothing an output does raises."""

from __future__ import annotations

import dataclasses
import decimal
import fractions
import math

import numpy as np
import pandas as pd
import pytest

from dpcourse.audit import audit
from dpcourse.audit.outputs import Outputs
from dpcourse.audit.parts import take_apart
from dpcourse.privacy import Guarantee


@dataclasses.dataclass
class Release:
    total: float
    note: str = "noisy"


class Hostile:
    """Cannot be compared, hashed or told apart."""

    __hash__ = None

    def __eq__(self, other):
        raise ValueError("no")

    def __repr__(self):
        return "hostile"


class Labelled:
    """Holds a label, and fails where asked for what only some objects can give."""

    def __init__(self, label):
        self.label = label

    def __eq__(self, other):
        return self.label == other.label

    def __hash__(self):
        return hash(self.label)

    def __repr__(self):
        return f"<{self.label}>"


class Unhashable(Labelled):
    def __hash__(self):
        raise RuntimeError("no")


class Incomparable(Labelled):
    def __hash__(self):
        return 0

    def __eq__(self, other):
        raise RuntimeError("no")


class Wordless(Labelled):
    def __hash__(self):
        return hash(self.label)

    def __repr__(self):
        raise RuntimeError("no")


class Closed(Labelled):
    def __hash__(self):
        return hash(self.label)

    def __getattr__(self, name):
        raise RuntimeError("no")


class Silent(Exception):
    def __str__(self):
        raise RuntimeError("no")


def holds_itself(value):
    items = [value]
    items.append({"again": items})
    return items


def raises(error):
    raise error


def near(d, rng):
    return round(d + rng.laplace(scale=0.1), 4)


def coin(d, rng):
    return bool(rng.random() < 0.1 + 0.8 * d)


def leaves(d, rng):
    raise SystemExit if coin(d, rng) else ValueError


# Every one leaks ε ≥ 2 somewhere inside.
LEAKS = {
    "nested dict": lambda d, rng: {"n": {"x": near(d, rng)}, "m": [1, 2]},
    "dict of arrays": lambda d, rng: {"w": np.round(d + rng.laplace(size=5), 3), "b": 1.0},
    "tuple of arrays": lambda d, rng: (np.round(d + rng.laplace(scale=0.5, size=8), 3), round(rng.normal(), 3)),
    "ragged list": lambda d, rng: [np.round(rng.normal(size=3), 2), np.round(d + rng.laplace(scale=0.3, size=2), 3)],
    "arrays of varying length": lambda d, rng: np.round(d + rng.laplace(scale=0.2, size=int(rng.integers(1, 4))), 3),
    "dataclass": lambda d, rng: Release(near(d, rng)),
    "frame": lambda d, rng: pd.DataFrame({"a": [1.0, 2.0], "b": np.round(d + rng.laplace(scale=0.3, size=2), 2)}),
    "numbers as text": lambda d, rng: f"{near(d, rng):.4f}",
    "length of a text": lambda d, rng: "x" * int(rng.integers(1, 4) + 3 * d) + str(rng.random())[:6],
    "Decimal": lambda d, rng: decimal.Decimal(repr(near(d, rng))),
    "Fraction": lambda d, rng: fractions.Fraction(near(d, rng)),
    "complex": lambda d, rng: complex(0, near(d, rng)),
    "integers beyond floats": lambda d, rng: 2**60 + int(rng.integers(3)) + 5 * d,
    "integers beyond all floats": lambda d, rng: 10**400 + int(rng.integers(3)) + 5 * d,
    "infinities in a vector": lambda d, rng: np.array([math.inf if coin(d, rng) else 1.0, rng.normal()]),
    "huge floats": lambda d, rng: 1e308 * (1 + 0.1 * rng.random()) * (1 if coin(d, rng) else -1),
    "some exceptions": lambda d, rng: 1 / 0 if rng.random() < 0.1 else np.round(d + rng.laplace(size=6) / 2, 2),
    "what cannot be compared": lambda d, rng: [Hostile(), coin(d, rng)],
    "leaving altogether": leaves,
    "exceptions without words": lambda d, rng: raises(Silent if coin(d, rng) else ValueError),
    "integers too long to print": lambda d, rng: 10**5000 + coin(d, rng),
    "negative ones": lambda d, rng: -(10**5000) - coin(d, rng),
    "integers too long to print as keys": lambda d, rng: {10**5000: coin(d, rng)},
    "what holds itself": lambda d, rng: holds_itself(coin(d, rng)),
    "what cannot be hashed": lambda d, rng: Unhashable(coin(d, rng)),
    "what fails when compared": lambda d, rng: Incomparable(coin(d, rng)),
    "what cannot be printed": lambda d, rng: Wordless(coin(d, rng)),
    "keys that cannot be printed": lambda d, rng: {Wordless(1): coin(d, rng)},
    "what cannot be looked into": lambda d, rng: Closed(coin(d, rng)),
    "durations": lambda d, rng: np.timedelta64(round(1e9 * near(d, rng)), "ns"),
    "durations in a list": lambda d, rng: [np.timedelta64(round(1e3 * near(d, rng)), "ms"), 1],
    "durations without a length": lambda d, rng: np.timedelta64("NaT" if coin(d, rng) else 3, "M"),
    "days": lambda d, rng: np.datetime64("2020-01-01") + coin(d, rng),
    "one of 100 coordinates": lambda d, rng: np.round(rng.laplace(size=100) + 8 * d * (np.arange(100) == 41), 3),
    "one count without noise": lambda d, rng: np.append(np.round(rng.laplace(size=60), 3), 3 + d),
    "correlation": lambda d, rng: np.round(rng.normal() * np.array([1.0, 1 - 2 * d]) + rng.normal(size=2) / 9, 3),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_what_leaks_inside_is_found(leak):
    """ε is 2 or more in each: missed with probability far below 1e-6 at 1,000 runs a side."""
    assert audit(LEAKS[leak], 0, 1, claim=Guarantee(1.0), runs=1000, rng=11).violated


@pytest.mark.parametrize("leak", LEAKS)
def test_nothing_is_found_where_both_datasets_are_the_same(leak):
    """ε = 0 is claimed and true, at 99.9%: a false alarm among all with probability 2.2% at most; the seed is fixed."""
    assert not audit(LEAKS[leak], 0, 0, claim=Guarantee(0.0), runs=300, rng=12).violated


def test_durations_are_compared_in_seconds():
    outputs = [np.timedelta64(1, "m"), np.timedelta64(1500, "ms"), np.timedelta64("NaT", "s"), np.timedelta64(2, "s")]
    (column,) = Outputs.collect(outputs, outputs).columns
    np.testing.assert_array_equal(column.numbers[0], [60, 1.5, np.nan, 2])
    assert column.name == "output in seconds" and column.text(column.codes[0, 0]) == "= 1 minutes"


def test_plain_outputs_have_no_parts():
    for outputs in ([1, 2.0, None], [True, False], [None, ValueError]):
        found = take_apart(outputs)
        assert not found.values and not found.numbers and found.vectors is None


def test_missing_parts_and_other_shapes_are_kept_apart():
    found = take_apart([{"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 4.0}, {"a": 5.0}])
    assert found.values["output['b']"][:2] == [2.0, 4.0] and found.values["output['b']"][2] != 4.0
    np.testing.assert_array_equal(found.vectors, [[1, 2], [3, 4], [np.nan, np.nan]])
    long = take_apart([np.arange(n, dtype=float) for n in (2, 3, 2)])
    assert long.numbers["the length of output"].tolist() == [2, 3, 2]
    assert long.numbers["the sum of output"].tolist() == [1, 3, 1]
