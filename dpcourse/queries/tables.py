"""Private counts: of all, by category, by several categories at once."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dpcourse.mechanisms import GeometricMechanism
from dpcourse.privacy import Neighbours, arguments
from dpcourse.queries.estimate import Estimate
from dpcourse.queries.records import Cells, column

if TYPE_CHECKING:
    import pandas as pd


def private_count(values: Any, *, epsilon: float, neighbours: Neighbours = Neighbours.ADD_REMOVE, rng=None) -> Estimate:
    """How many records there are, or how many are true, with discrete Laplace noise: ε-DP.

    Every record counts except one that is the boolean ``False``: so a column of anything is counted whole, and a column
    of flags (``age > 40``) by its ``True``. The sensitivity is 1 under both relations.

    Parameters
    ----------
    values : sequence of n records
        Private. Nothing they hold raises; a missing value is a record and counts.
    epsilon : float
        ε in [1e-12, ∞).
    neighbours : Neighbours
        The relation of the guarantee.
    rng : None, int or numpy.random.Generator
        Leave it at None for a real release.

    Returns
    -------
    Estimate
        `value` is an int, and may be negative.

    Raises
    ------
    TypeError, ValueError
        For a public argument, naming it and its value.

    Examples
    --------
    >>> ages = np.array([23, 54, 61])
    >>> private_count(ages > 40, epsilon=1.0, rng=0).value
    3
    """
    mechanism = GeometricMechanism(epsilon, 1, neighbours)
    data = column(values)
    if isinstance(data, np.ndarray) and data.dtype.kind != "O":
        count = int(data.sum()) if data.dtype.kind == "b" else len(data)
    else:
        count = len(data) - sum(record is False or record is np.False_ for record in data)
    return _noisy(count, mechanism, rng)


def private_histogram(
    values: Any,
    *,
    epsilon: float,
    categories: Iterable[Hashable],
    other: Hashable | None = None,
    neighbours: Neighbours = Neighbours.ADD_REMOVE,
    rng=None,
) -> Estimate:
    """How many records fall in each declared category, with discrete Laplace noise in every cell: ε-DP for all.

    One record more changes one cell by one; one record replaced changes two. So the L1 sensitivity of the whole
    histogram is 1 under add-remove and 2 under replace-one, however many cells there are.

    Parameters
    ----------
    values : sequence of n records
        Private. A record in no declared category is counted in `other`, or nowhere.
    epsilon : float
        ε in [1e-12, ∞).
    categories : sequence of distinct hashable values
        Public: from a codebook, never from the data. A category nobody has gets a noisy zero: leaving it out tells.
    other : hashable, optional
        One of the categories, which takes the records of no category. Unless given these are dropped.
    neighbours : Neighbours
        The relation of the guarantee.
    rng : None, int or numpy.random.Generator
        Leave it at None for a real release.

    Returns
    -------
    Estimate
        `value` has shape (k,), int64, in the order of `categories`; cells may be negative.

    Raises
    ------
    TypeError, ValueError
        For a public argument, naming it and its value.

    Examples
    --------
    >>> estimate = private_histogram(["a", "a", "?"], epsilon=1.0, categories=["a", "b"], rng=1)
    >>> estimate.value.shape, round(estimate.standard_error, 2)
    ((2,), 1.36)
    """
    cells = Cells("categories", categories, other)
    mechanism = GeometricMechanism(epsilon, _changes(neighbours), neighbours)
    codes = cells.codes(values)
    return _noisy(np.bincount(codes[codes >= 0], minlength=len(cells)), mechanism, rng)


def private_crosstab(
    frame: pd.DataFrame,
    columns: Sequence[str],
    *,
    epsilon: float,
    categories: Mapping[str, Iterable[Hashable]],
    other: Mapping[str, Hashable] | None = None,
    neighbours: Neighbours = Neighbours.ADD_REMOVE,
    rng=None,
) -> Estimate:
    """How many records have each combination of declared categories, with discrete Laplace noise in every cell: ε-DP.

    Parameters
    ----------
    frame : DataFrame of n records
        Private. A record with an undeclared value is counted under that column's `other`, or nowhere.
    columns : sequence of str
        Public: one or more of the frame's columns.
    epsilon : float
        ε in [1e-12, ∞).
    categories : dict
        Public: for each of `columns` its distinct values. Every combination is a cell, observed or not.
    other : dict, optional
        For some of `columns`, the category that takes what is undeclared.
    neighbours, rng
        As for `private_histogram`, whose sensitivity this has.

    Returns
    -------
    Estimate
        `value` is a DataFrame of int64: a row for each combination of all columns but the last, a column for each
        category of the last (a single column named "count" where `columns` is one).

    Raises
    ------
    TypeError, ValueError
        For a public argument, naming it and its value.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"sex": ["F", "M", "M"], "rich": ["no", "no", "yes"]})
    >>> estimate = private_crosstab(frame, ["sex", "rich"], epsilon=1.0, rng=1,
    ...                             categories={"sex": ["F", "M"], "rich": ["no", "yes"]})
    >>> estimate.value.shape
    (2, 2)
    """
    import pandas as pd

    arguments.member("frame", frame, pd.DataFrame)
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise TypeError(f"columns must be a sequence of column names, got {columns!r}")
    names = list(columns)
    if not names or len(set(names)) < len(names):
        raise ValueError(f"columns must be one or more distinct names, got {columns!r}")
    arguments.member("categories", categories, Mapping)
    other = {} if other is None else arguments.member("other", other, Mapping)
    for name in names:
        if name not in frame.columns:
            raise ValueError(f"columns must be columns of the frame, got {name!r}")
        if name not in categories:
            raise ValueError(f"categories must declare every column, got none for {name!r}")
    cells = [Cells(f"categories[{name!r}]", categories[name], other.get(name)) for name in names]
    mechanism = GeometricMechanism(epsilon, _changes(neighbours), neighbours)

    shape = tuple(len(cell) for cell in cells)
    codes = [cell.codes(frame[name]) for cell, name in zip(cells, names, strict=True)]
    declared = np.all([code >= 0 for code in codes], axis=0)
    flat = np.ravel_multi_index(tuple(code[declared] for code in codes), shape)
    estimate = _noisy(np.bincount(flat, minlength=math.prod(shape)), mechanism, rng)

    if len(names) == 1:
        table = pd.DataFrame({"count": estimate.value}, index=pd.Index(cells[0].labels, name=names[0]))
    else:
        rows = pd.MultiIndex.from_product([cell.labels for cell in cells[:-1]], names=names[:-1])
        rows = rows if len(names) > 2 else rows.get_level_values(0)
        header = pd.Index(cells[-1].labels, name=names[-1])
        table = pd.DataFrame(estimate.value.reshape(-1, shape[-1]), index=rows, columns=header)
    return Estimate(table, estimate.standard_error, estimate.guarantee)


def _changes(neighbours: Neighbours) -> int:
    """L1 sensitivity of counts over disjoint cells."""
    return 1 if arguments.member("neighbours", neighbours, Neighbours) is Neighbours.ADD_REMOVE else 2


def _noisy(counts: int | np.ndarray, mechanism: GeometricMechanism, rng) -> Estimate:
    return Estimate(mechanism.release(counts, rng=rng), math.sqrt(mechanism.variance), mechanism.guarantee)
