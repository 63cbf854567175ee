"""Results that are numbers and nothing else: what leaves beside them leaves without any noise."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpcourse.checks.beside import of_its_own
from dpcourse.checks.diagnosis import Diagnosis, Refused, a

_NAMES = (None, "count", "row_0", "col_0")  # that pandas itself gives to counts and to their axes
_PAYLOAD = np.uint64(2**51 - 1)  # bits of a NaN that no computation sets


def only_numbers(given: Any, public: Sequence[Any] = ()) -> Any:
    """The same; `Refused` where more than its numbers leaves with it.

    Numbers are those of Python and NumPy, of 64 bits at most: no complex ones, no text that reads like one, no
    fractions. They may stand alone, in arrays, in lists and tuples, and in tables whose labels count from 0 or are one
    of the `public` arguments. Nothing may be of a class of its own, a masked array included, or have attributes.

    Examples
    --------
    >>> only_numbers([1, 2.5])
    [1, 2.5]
    >>> only_numbers("2.5")
    Traceback (most recent call last):
        ...
    dpcourse.checks.diagnosis.Refused: Numbers are wanted; you return a str.
    """
    if of_its_own(given):
        raise _leaks("Your result is more than numbers: it is of a class of its own, or has attributes.")
    if isinstance(given, list | tuple):
        for item in given:
            if type(item) is not float:  # most are
                only_numbers(item)
        return given
    array, table = np.asarray(given), type(given).__module__.startswith("pandas") and hasattr(given, "axes")
    kind = array.dtype
    if table:
        _labelled(given, public)
    if kind.kind == "O" and (table or array is given):
        for item in array.flat:
            only_numbers(item)
    elif kind.kind not in "biuf":
        complex_ = kind.kind == "c"
        of = " of complex ones" if complex_ and array.ndim else ""
        ask = "Which part of yours is not real?" if complex_ else ""
        raise Refused(Diagnosis("wrong-type", f"Numbers are wanted; you return {a(given)}{of}.", ask))
    if kind.kind == "b" and (array.view(np.uint8) > 1).any():
        raise _leaks("Your result has truth values of other bytes than 0 and 1.")
    if kind == np.float64 and (array.view(np.uint64)[np.isnan(array)] & _PAYLOAD).any():
        raise _leaks("Your result has a NaN with a number in its spare bits.")
    if kind.kind == "f" and kind.itemsize > 8:
        raise _leaks(f"Your result has {8 * kind.itemsize} bits a number, and 64 are enough for any noise.")
    return given


def parts(given: Any, wanted: Sequence[str]) -> dict[str, Any]:
    """What an answer returned, a dict of numbers with these keys and no other: what else it holds would leave too.

    `claim` may be anything, and so may dicts in it.
    """
    if not isinstance(given, dict) or any(key not in given for key in wanted):
        raise Refused(Diagnosis("wrong-type", f"A dict with {', '.join(wanted)} is wanted; you return {a(given)}."))
    if more := sorted(str(key) for key in given if key not in wanted):
        which = f"{', '.join(f'`{key}`' for key in more)}, which {'was' if len(more) == 1 else 'were'} not asked for."
        raise Refused(Diagnosis("leaks", f"Your dict also has {which}", "Which keys does the task name?"))
    for key in wanted:
        if key != "claim" and not isinstance(given[key], dict):
            only_numbers(given[key])
    return given


def _labelled(table: Any, public: Sequence[Any]) -> None:
    """Labels and names that are no secret."""
    for axis, labels in enumerate(table.axes):
        allowed = [
            list(range(table.shape[axis])),
            *(list(one) for one in public if isinstance(one, list | tuple | np.ndarray)),
        ]
        if not any(len(one) == len(labels) and all(map(operator.eq, one, labels)) for one in allowed):
            raise _leaks(f"Your result has labels of its own, such as {list(labels)[0]!r}: they leave with it.")
    for name in (getattr(table, "name", None), *(axis.name for axis in table.axes)):
        if not (name is None or type(name) is str and name in _NAMES):
            raise _leaks(f"Your result has a name, {name!r}.")


def _leaks(seen: str) -> Refused:
    return Refused(Diagnosis("leaks", seen, "What does the claim say about it? np.asarray drops it."))
