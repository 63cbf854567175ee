"""What no right answer returns in any call: NaN, or another number of dimensions than in the other calls.

Cases that look at counts, sums and places of many results may not see it: an array without entries adds nothing to a
count, and NaN is never too large.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpcourse.checks.diagnosis import Diagnosis

NAN = Diagnosis("nan", "At least one of your results holds NaN (not a number).", "Where is something divided by zero?")


def holds_nan(result: Any) -> bool:
    """Whether NaN is in a result, or in one of its parts.

    >>> holds_nan({"sum": np.array([1.0, np.nan])}), holds_nan([1.0, "nan"])
    (True, False)
    """
    if isinstance(result, float | np.floating):
        return bool(result != result)
    if isinstance(result, list | tuple):
        return any(map(holds_nan, result))
    if isinstance(result, dict):
        return any(map(holds_nan, result.values()))
    if isinstance(result, np.ndarray) or hasattr(result, "to_numpy"):
        array = np.asarray(result)
        return any(map(holds_nan, array.flat)) if array.dtype == object else bool((array != array).any())
    return False


def dimensions(result: Any) -> int | None:
    """Of a number or an array; None of what has none, or may be written in two ways, such as a list."""
    if isinstance(result, bool | int | float | complex | str):
        return 0
    return getattr(result, "ndim", None)


class Odd:
    """Results looked at one by one; `diagnosis` says what was wrong with the first that was, or is None."""

    def __init__(self) -> None:
        self.diagnosis: Diagnosis | None = None

    def look(self, result: Any, before: int | None) -> int | None:
        """How many dimensions results of this function have: `before`, if it returned one that has some."""
        found = dimensions(result)
        if found is not None and before is not None and found != before:
            seen = f"Your result has {found} dimension{'s' * (found != 1)} in one call and {before} in another."
            self.diagnosis = self.diagnosis or Diagnosis("wrong-shape", seen, "What decides the shape of your result?")
        if holds_nan(result):
            self.diagnosis = self.diagnosis or NAN
        return found if before is None else before
