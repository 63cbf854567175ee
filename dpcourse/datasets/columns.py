"""One column of a table as the public knows it: numbers between bounds, or strings from a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from dpcourse.datasets import records


@dataclass(frozen=True)
class Numeric:
    """A column of whole numbers between public bounds.

    Parameters
    ----------
    name : str
        Name of the column.
    low, high : int
        The smallest and the largest value, low < high.
    edges : tuple of int
        Bins for counting: bin i holds ``edges[i] ≤ value < edges[i + 1]``, from `low` to `high` + 1.
    reason : str
        Why these bounds may be known without looking at the data.
    logarithmic : bool
        Whether `Schema.encode` scales the logarithm of 1 + value − low, for amounts that spread over powers of ten.
    determined_by : str or None
        The categorical column of which this one is the code: `low` for its first category, `low` + 1 for its second, ….

    Examples
    --------
    >>> hours = Numeric("hours", 1, 99, (1, 40, 41, 100), "two digits on the form")
    >>> hours.codes([0, 39, 40, 41, 1000, float("nan")])
    array([0, 0, 1, 2, 2, 0])
    """

    name: str
    low: int
    high: int
    edges: tuple[int, ...]
    reason: str
    logarithmic: bool = False
    determined_by: str | None = None

    def __post_init__(self) -> None:
        if self.low >= self.high:
            raise ValueError(f"low of {self.name} must be below high, got {self.low} and {self.high}")
        if (*self.edges[:1], *self.edges[-1:]) != (self.low, self.high + 1):
            raise ValueError(f"edges of {self.name} must run from {self.low} to {self.high + 1}, got {self.edges}")
        if any(a >= b for a, b in pairwise(self.edges)):
            raise ValueError(f"edges of {self.name} must increase, got {self.edges}")

    @property
    def size(self) -> int:
        """The number of bins."""
        return len(self.edges) - 1

    def clipped(self, values: Sequence | np.ndarray | pd.Series) -> np.ndarray:
        """Floats within the bounds. What is no number becomes `low`, silently: a record must never raise."""
        numbers = records.floats(values)
        return np.clip(np.where(np.isnan(numbers), self.low, numbers), self.low, self.high)

    def codes(self, values: Sequence | np.ndarray | pd.Series) -> np.ndarray:
        """The bin of each value, 0 to `size` − 1, after clipping."""
        return np.searchsorted(np.asarray(self.edges[1:-1]), self.clipped(values), side="right")

    def scaled(self, values: Sequence | np.ndarray | pd.Series) -> np.ndarray:
        """The values on [0, 1], by the public bounds alone."""
        above, span = self.clipped(values) - self.low, self.high - self.low
        return np.log1p(above) / np.log1p(span) if self.logarithmic else above / span

    def features(self, values: Sequence | np.ndarray | pd.Series, bins: bool) -> np.ndarray:
        """What `Schema.encode` makes of a column: one number of [−1, 1], or a column of {0, 1} for each bin."""
        return np.eye(self.size)[self.codes(values)] if bins else 2 * self.scaled(values)[:, None] - 1

    def feature_names(self, bins: bool) -> list[str]:
        """A name for each column of `features`."""
        if not bins:
            return [self.name]
        spans = [(low, above - 1) for low, above in pairwise(self.edges)]
        return [f"{self.name}={low}" if low == high else f"{self.name}={low}–{high}" for low, high in spans]

    def misfits(self, values: pd.Series) -> str:
        """What is wrong with a column, in words; empty if nothing is."""
        numbers = records.floats(values)
        outside = ~((numbers >= self.low) & (numbers <= self.high) & (numbers == np.floor(numbers)))
        if not outside.any():
            return ""
        return f"{self.name}: {outside.sum()} values are not whole numbers from {self.low} to {self.high}"


@dataclass(frozen=True)
class Categorical:
    """A column of strings from a public list.

    Parameters
    ----------
    name : str
        Name of the column.
    categories : tuple of str
        Every value that may occur, whether it does or not; at least one, all different.
    reason : str
        Why the list may be known without looking at the data.

    Examples
    --------
    >>> Categorical("sex", ("Female", "Male"), "the codebook").codes(["Male", "Female", "?", None])
    array([1, 0, 0, 0])
    """

    name: str
    categories: tuple[str, ...]
    reason: str

    def __post_init__(self) -> None:
        strings = {category for category in self.categories if isinstance(category, str)}
        if not strings or len(strings) < len(self.categories):
            raise ValueError(f"categories of {self.name} must be one or more different strings, got {self.categories}")

    @property
    def size(self) -> int:
        """The number of categories."""
        return len(self.categories)

    def codes(self, values: Sequence | np.ndarray | pd.Series) -> np.ndarray:
        """The position of each value in `categories`; what is not declared becomes 0, silently."""
        return records.places(values, {category: place for place, category in enumerate(self.categories)})

    def features(self, values: Sequence | np.ndarray | pd.Series, bins: bool = False) -> np.ndarray:
        """A column of {0, 1} for each category; one column in all where there are two categories."""
        codes = self.codes(values)
        return codes[:, None].astype(float) if self.size == 2 else np.eye(self.size)[codes]

    def feature_names(self, bins: bool = False) -> list[str]:
        """A name for each column of `features`."""
        return [f"{self.name}={category}" for category in self.categories[1 if self.size == 2 else 0 :]]

    def misfits(self, values: pd.Series) -> str:
        """What is wrong with a column, in words; empty if nothing is."""
        unknown = ~values.map(lambda value: isinstance(value, str) and value in self.categories).astype(bool)
        if not unknown.any():
            return ""
        named = ", ".join(sorted({repr(value) for value in values[unknown]})[:5])
        return f"{self.name}: {unknown.sum()} values are not declared categories (among them {named})"
