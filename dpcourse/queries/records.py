"""Private records as they come: read one by one, silently, so that no record can make a query fail or move another.

An exception is an output too. So are a changed data type and a warning: whether a list is read as numbers or as text
must not depend on what one person wrote. That is why nothing here asks NumPy to guess a common type.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from dpcourse.mechanisms.additive.grid import granularity
from dpcourse.privacy import Neighbours, arguments

# A record is at most 2^27 steps, so fewer than 2^35 of them cannot wrap an int64.
_RECORD_BITS = 26


def column(values: Any) -> np.ndarray | list[Any]:
    """`values` as a one-dimensional array or a list; its shape is public, its contents are not looked at."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise TypeError(f"values must be a sequence of records, got {type(values).__name__}")
    if getattr(values, "ndim", 1) != 1:
        raise ValueError(f"values must be one-dimensional, got shape {values.shape}")  # type: ignore[attr-defined]
    if isinstance(values, np.ndarray):
        return values
    kind = getattr(values, "dtype", None)
    if isinstance(kind, np.dtype) and kind.kind in "biuf":
        return np.asarray(values)  # a pandas column of plain numbers
    return list(values)


def numbers_in(values: Any, bounds: tuple[float, float], missing: float) -> np.ndarray:
    """Records as floats within `bounds`: clipped, and `missing` where a record is no number at all.

    Parameters
    ----------
    values : sequence of anything
    bounds : (float, float)
    missing : float
        Within the bounds.

    Returns
    -------
    ndarray of float, one per record
    """
    data = column(values)
    if isinstance(data, np.ndarray) and data.dtype.kind in "biuf":
        plain = data
    else:
        data = list(data)
        simple = set(map(type, data)) <= {float, np.float64}
        plain = np.array(data if simple else [_number(record) for record in data], dtype=float)
    with np.errstate(all="ignore"):
        floats = plain.astype(float)
        return np.where(np.isnan(floats), missing, np.clip(floats, *bounds))


def _number(record: Any) -> float:
    try:
        if isinstance(record, complex | np.complexfloating):  # one 1j makes pandas keep everybody's 30 as 30+0j
            record = record.real if record.imag == 0 else math.nan
        if not isinstance(record, numbers.Number | np.bool_) or isinstance(record, np.timedelta64):
            return math.nan
        return float(record)  # type: ignore[arg-type]
    except Exception:  # an integer too large for a float, somebody's own class
        return math.nan


def declared(bounds: tuple[float, float]) -> tuple[float, float]:
    """`bounds` as a pair low < high of a size that a grid of floats can carry; a public argument, so it may raise."""
    low, high = arguments.interval("bounds", bounds)
    if not 1e-250 <= high - low <= 1e250 or max(abs(low), abs(high)) > 1e250:
        raise ValueError(f"bounds must be between 1e-250 and 1e250 apart and no larger, got {bounds!r}")
    return low, high


def middle(bounds: tuple[float, float], missing: float | None) -> float:
    """Where a record goes that is no number: `missing`, which is public, or half-way between the bounds."""
    if missing is None:
        return bounds[0] / 2 + bounds[1] / 2
    value = arguments.real("missing", missing)
    if not bounds[0] <= value <= bounds[1]:
        raise ValueError(f"missing must be within bounds {bounds}, got {missing!r}")
    return value


def _equals_itself(label: Hashable) -> bool:
    try:
        return bool(label == label)
    except Exception:  # pandas.NA is neither equal nor unequal
        return False


class Steps:
    """Records as whole numbers of steps from a public centre, and the exact sensitivity of their sum.

    The step is a power of two made from the bounds and ε alone. Rounding comes before adding, so that the sum of what
    was rounded is an integer of known sensitivity: float sums depend on the order of their terms (arXiv:2207.10635).
    """

    def __init__(self, bounds: tuple[float, float], centre: float, epsilon: float) -> None:
        reach = max(abs(bounds[0] - centre), abs(bounds[1] - centre))
        self.centre = centre
        self.size = granularity(reach, max(reach, reach / epsilon), _RECORD_BITS)
        self.lowest, self.highest = (int(np.rint((bound - centre) / self.size)) for bound in bounds)

    def total(self, records: np.ndarray) -> int:
        """The sum of the records, each rounded to whole steps from the centre first."""
        return int(np.rint((records - self.centre) / self.size).astype(np.int64).sum())

    def sensitivity(self, neighbours: Neighbours) -> int:
        """By how many steps one record moves the total."""
        if neighbours is Neighbours.ADD_REMOVE:
            return max(abs(self.lowest), abs(self.highest))
        return self.highest - self.lowest


class Cells:
    """Declared categories, and where each record falls among them."""

    def __init__(self, name: str, categories: Iterable[Hashable], other: Hashable | None = None) -> None:
        if isinstance(categories, str | bytes) or not isinstance(categories, Iterable):
            raise TypeError(f"{name} must be a sequence of values, got {categories!r}")
        self.labels = list(categories)
        try:
            self.place = {label: place for place, label in enumerate(self.labels)}
        except TypeError:
            raise TypeError(f"{name} must hold hashable values, got {self.labels!r}") from None
        if not self.labels:
            raise ValueError(f"{name} must not be empty, got {self.labels!r}")
        if len(self.place) < len(self.labels):
            raise ValueError(f"{name} must not repeat a value, got {self.labels!r}")
        if not all(map(_equals_itself, self.labels)):
            raise ValueError(f"{name} must not hold NaN or NA, which equal nothing, got {self.labels!r}")
        self.unknown = -1
        if other is not None:
            try:
                known = other in self.place
            except TypeError:
                raise TypeError(f"other must be hashable, got {other!r}") from None
            if not known:
                raise ValueError(f"other must be one of the declared {name}, got {other!r}")
            self.unknown = self.place[other]

    def __len__(self) -> int:
        return len(self.labels)

    def codes(self, values: Any) -> np.ndarray:
        """The place of each record's category; for the unknown, the place of `other`, or −1 without one."""
        data = column(values)
        records = data.tolist() if isinstance(data, np.ndarray) else data
        return np.fromiter(map(self._code, records), dtype=np.int64, count=len(records))

    def _code(self, record: Any) -> int:
        try:
            return self.place.get(record, self.unknown)
        except Exception:  # not hashable, so not a category
            return self.unknown
