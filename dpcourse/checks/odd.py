"""What no right answer returns in any call: NaN, or something of another form than it should have.

Cases that look at counts, sums and places of many results may not see it: an array without entries adds nothing to a
count, and NaN is never too large.
"""

from __future__ import annotations

import numbers
import operator
from collections.abc import Collection
from typing import Any

import numpy as np

from dpcourse.checks import forms
from dpcourse.checks.diagnosis import Diagnosis

_TEXTS = {"nan", "+nan", "-nan", b"nan", b"+nan", b"-nan"}
NAN = Diagnosis("nan", "At least one of your results holds NaN (not a number).", "Where is something divided by zero?")


def holds_nan(result: Any) -> bool:
    """Whether NaN is in a result, or in one of its parts.

    >>> holds_nan({"sum": np.array([1.0, np.nan])}), holds_nan([1.0, "none"])
    (True, False)
    """
    if type(result) in (float, int, bool, type(None)):
        return result != result
    if isinstance(result, numbers.Number):  # those of NumPy and decimals, too
        return bool(result != result)
    if isinstance(result, str | bytes):  # which `float` reads
        return result.strip().lower() in _TEXTS
    if isinstance(result, list | tuple):
        if forms.NUMBERS.issuperset(map(type, result)):
            return any(map(operator.ne, result, result))
        return any(map(holds_nan, result))
    if isinstance(result, dict):
        return any(map(holds_nan, result.values()))
    if isinstance(result, np.ndarray) or hasattr(result, "to_numpy"):
        array = np.asarray(result)
        return any(map(holds_nan, array.flat)) if array.dtype.kind in "OSU" else bool((array != array).any())
    return False


def wider(result: Any) -> str:
    """What kind of numbers are in a result, or in one of its parts, that say more than real ones of 64 bits; or "".

    >>> wider([1.0, {"sum": np.array([1j])}]), wider([1.0, 2])
    ('complex', '')
    """
    if type(result) in forms.FLAT:
        return ""
    if isinstance(result, list | tuple | set | frozenset):
        return "" if forms.FLAT.issuperset(map(type, result)) else next(filter(None, map(wider, result)), "")
    if isinstance(result, dict):
        return next(filter(None, map(wider, (*result, *result.values()))), "")
    if isinstance(result, complex | np.complexfloating):
        return "complex"
    if isinstance(result, np.ndarray | np.generic):
        kind = result.dtype
        if kind.kind == "O":
            return next(filter(None, map(wider, np.ravel(result).tolist())), "")
        long = kind.kind == "f" and kind.itemsize > 8
        return "complex" if kind.kind == "c" else f"{8 * kind.itemsize} bits long" if long else ""
    return next(filter(None, map(wider, result.to_numpy().flat)), "") if hasattr(result, "to_numpy") else ""


def dimensions(result: Any) -> int | None:
    """Of a number, an array, or lists of such; None of what has none, or does not tell them, such as an empty list."""
    if isinstance(result, bool | int | float | complex | str):
        return 0
    if isinstance(result, list | tuple):
        inside = dimensions(result[0]) if result else None
        return None if inside is None else 1 + inside
    return getattr(result, "ndim", None)


class Odd:
    """Results looked at one by one; `diagnosis` says what was wrong with the first that was, or is None.

    Nothing is wrong with what has one of the keys in `fine`.
    """

    def __init__(self, fine: Collection[str] = ()) -> None:
        self._fine = fine
        self.diagnosis: Diagnosis | None = None

    def _note(self, found: Diagnosis) -> None:
        if self.diagnosis is None and found.key not in self._fine:
            self.diagnosis = found

    def look(self, result: Any, before: int | None) -> int | None:
        """How many dimensions results of this function have: `before`, if it returned one that has some."""
        found = dimensions(result)
        if found is not None and before is not None and found != before:
            seen = f"Your result has {found} dimension{'s' * (found != 1)} in one call and {before} in another."
            self._note(Diagnosis("wrong-shape", seen, "What decides the shape of your result?"))
        if holds_nan(result):
            self._note(NAN)
        if kind := wider(result):
            seen = f"In your result are numbers that are {kind}."
            self._note(Diagnosis("wrong-type", seen, "Real ones of 64 bits are enough. Which of yours are others?"))
        return found if before is None else before

    def compare(self, result: Any, wanted: tuple[int, ...]) -> None:
        """With the shape that results of this call have to have."""
        if (shape := np.shape(result)) != wanted:
            seen = f"In one call your result has shape {shape}, and {wanted or 'a single value'} is wanted."
            self._note(Diagnosis("wrong-shape", seen, "What decides the shape of your result?"))
