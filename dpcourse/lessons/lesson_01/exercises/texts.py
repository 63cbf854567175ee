"""Exercises 01.1, 01.2 and 01.4: values that are nearly alike, as in columns of a census."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
from numpy.random import Generator

_LONG = 30_000  # rows, from which on other words take too long


def reworded(frame: pd.DataFrame, rng: Generator) -> pd.DataFrame:
    """Five in six times, but in long tables, the values of all columns of text are other ones, and nearly alike.

    They begin with the same word, or differ in case and blanks, or are a letter once, and twice with a sign between, so
    that two columns glued with this sign are the same text in different rows.
    """
    kind = str(rng.choice(["as it is", "begins alike", "begins alike", "case", "sign", "sign"]))
    if kind == "as it is" or len(frame) > _LONG:
        return frame
    spelt = _spelt(kind, rng)
    return frame.assign(**{name: frame[name].map(_by_place(frame[name], spelt)) for name in texts(frame)})


def texts(frame: pd.DataFrame) -> pd.Index:
    """The columns that hold no numbers."""
    return frame.columns[[not pd.api.types.is_numeric_dtype(one) for one in frame.dtypes]]


def _by_place(values: pd.Series, spelt: Callable[[int, str], str]) -> dict[str, str]:
    return {value: spelt(place, value) for place, value in enumerate(sorted(values.unique()))}


def _spelt(kind: str, rng: Generator) -> Callable[[int, str], str]:
    """What becomes of a value, by its place among those of its column, which are four at most."""
    if kind == "begins alike":
        start = str(rng.choice(["Married-", "Self-emp-", "Never "]))
        return lambda place, value: start + value
    if kind == "case":
        return lambda place, value: ("elm", "Elm", "elm ", " elm")[place]
    signs = ["", *rng.permutation([" ", "-", ","]).tolist()]
    return lambda place, value: "a" + (signs[place] and f"{signs[place]}a")
