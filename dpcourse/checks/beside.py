"""What a result has beside its numbers: a class of its own, attributes, the categories of a column.

The grader's worker has this file beside it, so that a result crosses as what it is: it imports nothing of the package.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

PLAIN = (int, float, complex, str, list, tuple)
_OF_A_TABLE = {"_mgr", "_item_cache", "_attrs", "_flags", "_name"}


def of_its_own(value: Any) -> bool:
    """Whether a number, text, list, array or table is of a class of its own, or keeps more than its values and labels.

    Examples
    --------
    >>> class Count(float): ...
    >>> of_its_own(Count(3.2)), of_its_own(np.float64(3.2)), of_its_own(np.ma.array([1.0]))
    (True, False, True)
    """
    kind = type(value)
    if isinstance(value, np.generic):
        return kind is not value.dtype.type
    if isinstance(value, np.ndarray):
        return kind is not np.ndarray
    if isinstance(value, PLAIN):
        return kind not in PLAIN and kind is not bool
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(value, pandas.Series | pandas.DataFrame):
        return False
    return (
        kind not in (pandas.Series, pandas.DataFrame)
        or bool(value.attrs)
        or not vars(value).keys() <= _OF_A_TABLE
        or any(_more_categories(pandas, axis) for axis in value.axes)
        or any(str(dtype) == "category" for dtype in np.ravel(np.asarray(value.dtypes, dtype=object)))
    )


def _more_categories(pandas: Any, axis: Any) -> bool:
    return isinstance(axis, pandas.CategoricalIndex) and set(axis.categories) != set(axis)
