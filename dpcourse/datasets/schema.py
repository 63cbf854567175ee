"""What is publicly known about the columns of a table: bounds, categories and size, each with its reason.

A bound read from the data is an answer about the data, and costs privacy. A bound that was published with the
questionnaire costs nothing. So every query, encoder and synthesizer of the course takes its bounds from a `Schema`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpcourse.datasets import records
from dpcourse.datasets.columns import Categorical, Numeric


class SchemaError(ValueError):
    """A table does not fit its schema; the message lists every misfit."""


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
        """The columns of the `X` of `encode`, in order, numbers scaled."""
        return self.feature_names_of("scaled")

    def feature_names_of(self, numeric: str) -> tuple[str, ...]:
        """The columns of the `X` of `encode`, in order, with the numbers "scaled" or in "bins"."""
        bins = _in_bins(numeric)
        return tuple(name for column in self._features for name in column.feature_names(bins))

    @property
    def largest_norm(self) -> float:
        """The largest L2 norm of a row of ``encode(numeric="bins")``, a public constant: one 1 a column at most."""
        return math.sqrt(len(self._features))

    @property
    def _features(self) -> list[Numeric | Categorical]:
        """Numbers first, then categories. A category whose code is a number already is not needed twice."""
        numeric = [column for column in self.columns if isinstance(column, Numeric)]
        repeated = {self.label, *self.determined.values()}
        return [*numeric, *(c for c in self.columns if isinstance(c, Categorical) and c.name not in repeated)]

    def repeated(self, frame: pd.DataFrame) -> list[str]:
        """The columns of the schema that a table has more than once, so that a record would count more than once."""
        return [name for name in self.names if list(frame.columns).count(name) > 1]

    def encode(self, frame: pd.DataFrame, numeric: str = "scaled") -> tuple[np.ndarray, np.ndarray]:
        """Features and labels as numbers, by public facts alone: a record's row depends on that record only.

        Categories become one column of {0, 1} each (a pair of categories a single column). Numbers are either scaled
        to [−1, 1] by the declared bounds (gradient descent is slow along a column that hardly varies around a mean far
        from 0), or become one column of {0, 1} for each declared bin, which lets a linear model bend.
        Out-of-domain records are clipped or mapped to a declared category, silently. 30, 30.0 and "30" are the same
        number. What a reader of files guesses from a whole column comes before this: declare the types there.

        Parameters
        ----------
        frame : DataFrame
            Any number of records of this schema.
        numeric : {"scaled", "bins"}
            What becomes of numbers.

        Returns
        -------
        X : ndarray of float, shape (len(frame), len(self.feature_names_of(numeric)))
            Entries in [−1, 1]. With bins every row has a norm of at most `largest_norm`.
        y : ndarray of int, shape (len(frame),)
            1 for the second category of the label, else 0.

        Raises
        ------
        ValueError
            If `numeric` is neither.
        SchemaError
            If a column is there twice.
        """
        bins = _in_bins(numeric)
        if repeated := self.repeated(frame):
            raise SchemaError(f"the table must have each column once, but repeats {', '.join(repeated)}")
        blocks = [column.features(frame[column.name], bins) for column in self._features]
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


def _in_bins(numeric: str) -> bool:
    if numeric not in ("scaled", "bins"):
        raise ValueError(f'numeric must be "scaled" or "bins", got {numeric!r}')
    return numeric == "bins"
