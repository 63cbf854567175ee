"""What is publicly known about the columns of a table: bounds, categories and size, each with its reason.

A bound read from the data is an answer about the data, and costs privacy. A bound that was published with the
questionnaire costs nothing. So every query, encoder and synthesizer of the course takes its bounds from a `Schema`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from dpcourse.datasets import records


class SchemaError(ValueError):
    """A table does not fit its schema; the message lists every misfit."""


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

    def misfits(self, values: pd.Series) -> str:
        """What is wrong with a column, in words; empty if nothing is."""
        unknown = ~values.map(lambda value: isinstance(value, str) and value in self.categories).astype(bool)
        if not unknown.any():
            return ""
        named = ", ".join(sorted({repr(value) for value in values[unknown]})[:5])
        return f"{self.name}: {unknown.sum()} values are not declared categories (among them {named})"


@dataclass(frozen=True)
class Schema:
    """The columns of a table, its label, and its size where that is public.

    Parameters
    ----------
    columns : tuple of Numeric or Categorical
        In the order of the table.
    label : str
        The categorical column to be predicted: two categories, the second is the positive class.
    n : int
        The number of records, a published constant. Code uses it and never ``len(frame)``.
    n_reason : str
        Where the number of records was published.
    not_used : tuple of str
        Columns that a table may carry and that nothing here looks at.

    Examples
    --------
    >>> from dpcourse.datasets import ADULT_SCHEMA
    >>> ADULT_SCHEMA.bounds["age"], ADULT_SCHEMA.categories["sex"], ADULT_SCHEMA.n
    ((17, 90), ('Female', 'Male'), 45222)
    >>> print(ADULT_SCHEMA.reasons["age"])
    From 17, because the codebook kept AAGE > 16; to 90, because the survey of 1994 top-coded age at 90.
    """

    columns: tuple[Numeric | Categorical, ...]
    label: str
    n: int
    n_reason: str
    not_used: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(set(self.names)) < len(self.names):
            raise ValueError(f"columns of a schema must have different names, got {', '.join(self.names)}")
        if self.label not in self.categories:
            raise ValueError(f"label of a schema must be one of its categorical columns, got {self.label!r}")

    def __getitem__(self, name: str) -> Numeric | Categorical:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"{name!r} is not a column of the schema; it has {', '.join(self.names)}")

    def __str__(self) -> str:
        lines = [f"{self.n:,} records. {self.n_reason}"]
        for column in self.columns:
            domain = f"{column.size} categories"
            if isinstance(column, Numeric):
                domain = f"{column.low:,} to {column.high:,}"
            lines.append(f"  {column.name:<16} {domain:<14} {column.reason}")
        return "\n".join(lines)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, label included, in the order of the table."""
        return tuple(column.name for column in self.columns)

    @property
    def bounds(self) -> dict[str, tuple[int, int]]:
        """(low, high) of each numeric column."""
        return {column.name: (column.low, column.high) for column in self.columns if isinstance(column, Numeric)}

    @property
    def categories(self) -> dict[str, tuple[str, ...]]:
        """The categories of each categorical column, label included."""
        return {column.name: column.categories for column in self.columns if isinstance(column, Categorical)}

    @property
    def reasons(self) -> dict[str, str]:
        """Why each column's bounds or categories are public."""
        return {column.name: column.reason for column in self.columns}

    @property
    def determined(self) -> dict[str, str]:
        """The numeric columns that are the code of a categorical one, and of which."""
        numeric = [column for column in self.columns if isinstance(column, Numeric)]
        return {column.name: column.determined_by for column in numeric if column.determined_by}

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The columns of the `X` of `encode`, in order."""
        return tuple(name for column in self._features for name in _feature_names(column))

    @property
    def _features(self) -> list[Numeric | Categorical]:
        """Numbers first, then categories. A category whose code is a number already is not needed twice."""
        numeric = [column for column in self.columns if isinstance(column, Numeric)]
        repeated = {self.label, *self.determined.values()}
        return [*numeric, *(c for c in self.columns if isinstance(c, Categorical) and c.name not in repeated)]

    def repeated(self, frame: pd.DataFrame) -> list[str]:
        """The columns of the schema that a table has more than once, so that a record would count more than once."""
        return [name for name in self.names if list(frame.columns).count(name) > 1]

    def encode(self, frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        """Features and labels as numbers, by public facts alone: a record's row depends on that record only.

        Numbers are scaled to [−1, 1] by the declared bounds (gradient descent is slow along a column that hardly varies
        around a mean far from 0), categories become one column of {0, 1} each (a pair of categories a single column).
        Out-of-domain records are clipped or mapped to a declared category, silently. 30, 30.0 and "30" are the same
        number. What a reader of files guesses from a whole column comes before this: declare the types there.

        Parameters
        ----------
        frame : DataFrame
            Any number of records of this schema.

        Returns
        -------
        X : ndarray of float, shape (len(frame), len(self.feature_names))
            Entries in [−1, 1].
        y : ndarray of int, shape (len(frame),)
            1 for the second category of the label, else 0.

        Raises
        ------
        SchemaError
            If a column is there twice.
        """
        if repeated := self.repeated(frame):
            raise SchemaError(f"the table must have each column once, but repeats {', '.join(repeated)}")
        blocks = []
        for column in self._features:
            if isinstance(column, Numeric):
                blocks.append(2 * column.scaled(frame[column.name])[:, None] - 1)
            elif column.size == 2:
                blocks.append(column.codes(frame[column.name])[:, None].astype(float))
            else:
                blocks.append(np.eye(column.size)[column.codes(frame[column.name])])
        return np.hstack(blocks), self[self.label].codes(frame[self.label])

    def validate(self, frame: pd.DataFrame) -> None:
        """The data owner's check that a table fits the schema. It is not a release: keep its answer to yourself.

        Raises
        ------
        SchemaError
            Listing every column that is missing, repeated or undeclared, or holds values outside its domain.
        """
        repeated = self.repeated(frame)
        there = [name for name in self.names if name in frame and name not in repeated]
        problems = [f"{name}: the column is missing" for name in self.names if name not in frame]
        problems += [f"{name}: the column is repeated" for name in repeated]
        known = {*self.names, *self.not_used}
        problems += [f"{name}: the column is not declared" for name in frame.columns if name not in known]
        problems += [self[name].misfits(frame[name]) for name in there]
        for name, source in self.determined.items():
            if name in there and source in there:
                expected = self.bounds[name][0] + self[source].codes(frame[source])
                wrong = int((records.floats(frame[name]) != expected).sum())
                problems.append(f"{name}: {wrong} values are not the code of {source}" if wrong else "")
        found = [problem for problem in problems if problem]
        if found:
            raise SchemaError("the table does not fit its schema: " + "; ".join(found))


def _feature_names(column: Numeric | Categorical) -> list[str]:
    if isinstance(column, Numeric):
        return [column.name]
    if column.size == 2:
        return [f"{column.name}={column.categories[1]}"]
    return [f"{column.name}={category}" for category in column.categories]
