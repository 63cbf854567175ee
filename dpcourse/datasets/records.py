"""Records as they come: each is read on its own, so that no record can raise, or change how another one is read.

A column has one dtype, and one odd record changes it: 1j makes pandas keep everybody's 30 as 30+0j. So nothing here
reads a column as a whole, save one of plain numbers, where that is the same.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import Any

import numpy as np
import pandas as pd


def floats(values: Sequence | np.ndarray | pd.Series) -> np.ndarray:
    """Each record as a float; NaN for whatever is no real number."""
    if getattr(getattr(_column(values), "dtype", None), "kind", "O") in "biuf":
        with np.errstate(all="ignore"):
            return pd.Series(values).to_numpy(dtype=float, na_value=math.nan)
    records = list(values)
    if set(map(type, records)) <= {str, int, float}:
        try:
            return np.fromiter(map(float, records), dtype=float, count=len(records))  # the same, faster
        except (OverflowError, ValueError):
            pass
    return np.fromiter(map(_float, records), dtype=float, count=len(records))


def places(values: Sequence | np.ndarray | pd.Series, place: Mapping[str, int]) -> np.ndarray:
    """The place of each record's string; 0 for whatever is none of them."""
    records = list(_column(values))
    if set(map(type, records)) <= {str}:
        return np.fromiter(map(place.get, records, repeat(0)), dtype=np.int64, count=len(records))  # the same, faster
    return np.fromiter((_place(record, place) for record in records), dtype=np.int64, count=len(records))


def _column(values: Any) -> Any:
    """`values`, if their shape, which is public, is that of one column."""
    if getattr(values, "ndim", 1) != 1:
        raise ValueError(f"values must be one-dimensional, got shape {values.shape}")
    return values


def _float(record: Any) -> float:
    try:
        if isinstance(record, complex | np.complexfloating):
            record = record.real if record.imag == 0 else math.nan
        if not isinstance(record, str | bytes | numbers.Number | np.bool_) or isinstance(record, np.timedelta64):
            return math.nan
        try:
            return float(record)  # type: ignore[arg-type]
        except OverflowError:  # an integer beyond the range of floats
            return math.inf if record > 0 else -math.inf  # type: ignore[operator]
    except Exception:  # text that is no number, somebody's own class
        return math.nan


def _place(record: Any, place: Mapping[str, int]) -> int:
    try:
        return place.get(record, 0) if isinstance(record, str) else 0
    except Exception:  # somebody's own kind of string
        return 0
