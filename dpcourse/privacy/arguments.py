"""Refuse a bad argument by its name and value.

Nearly all that come here are *public* (ε, δ, sensitivity, bounds, shapes). An array that a mechanism is to hide comes
through `finite_array` with `private`, and a refusal then names its kind and shape, never what is in it. The refusal is
an output all the same: one that depends on a record tells neighbouring datasets apart, and no noise covers it. So what
takes such an array says so, and asks for values that are finite numbers whatever the data are.
"""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

SMALLEST_NOISE = 1e-150


def real(name: str, value: Any) -> float:
    """`value` as a float; `TypeError` unless it is a real number (booleans and strings are not)."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a real number, got {value!r}")
    try:
        return float(value)
    except OverflowError:  # not printed: it may have any number of digits
        raise ValueError(f"{name} must fit a float, got a number beyond 1.8e308") from None


def positive(name: str, value: Any, *, infinite: bool = False) -> float:
    """`value` as a float in (0, ∞); ∞ itself only where `infinite` allows it."""
    number = real(name, value)
    if not number > 0 or (math.isinf(number) and not infinite):
        bound = "> 0" if infinite else "> 0 and finite"
        raise ValueError(f"{name} must be {bound}, got {value!r}")
    return number


def noise(name: str, value: Any, *, zero: bool = False) -> float:
    """`value`, noise in sensitivities, as a float in [1e-150, ∞), or 0 where `zero` allows it.

    With less, ρ = 1/(2 noise²) is beyond what a float holds.
    """
    number = nonnegative(name, value) if zero else positive(name, value)
    if 0 < number < SMALLEST_NOISE:
        raise ValueError(f"{name} must be ≥ {SMALLEST_NOISE}, got {value!r}")
    return number


def nonnegative(name: str, value: Any, *, infinite: bool = False) -> float:
    """`value` as a float in [0, ∞); ∞ itself only where `infinite` allows it."""
    number = real(name, value)
    if not number >= 0 or (math.isinf(number) and not infinite):
        bound = "≥ 0" if infinite else "≥ 0 and finite"
        raise ValueError(f"{name} must be {bound}, got {value!r}")
    return number


def probability(name: str, value: Any, *, zero: bool = True, one: bool = True) -> float:
    """`value` as a float in [0, 1]; `zero` and `one` say whether the ends are allowed."""
    number = real(name, value)
    inside = (0 <= number if zero else 0 < number) and (number <= 1 if one else number < 1)
    if not inside:
        interval = f"{'[' if zero else '('}0, 1{']' if one else ')'}"
        raise ValueError(f"{name} must be in {interval}, got {value!r}")
    return number


def integer(name: str, value: Any, *, minimum: int | None = None, maximum: int | None = None) -> int:
    """`value` as an int that fits a float, within these bounds; floats and booleans are refused even if whole."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    real(name, value)
    number = int(value)
    if minimum is not None and number < minimum:
        raise ValueError(f"{name} must be ≥ {minimum}, got {value!r}")
    if maximum is not None and number > maximum:
        raise ValueError(f"{name} must be ≤ {maximum}, got {value!r}")
    return number


def interval(name: str, value: Any) -> tuple[float, float]:
    """A pair (low, high) of finite numbers with low < high."""
    try:
        low, high = value
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a pair (low, high), got {value!r}") from None
    low, high = real(f"{name}[0]", low), real(f"{name}[1]", high)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"{name} must be finite with low < high, got {value!r}")
    return low, high


def member(name: str, value: Any, kind: type) -> Any:
    """`value` if it is an instance of `kind` (an enum or a claim), else `TypeError`."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be a {kind.__name__}, got {value!r}")
    return value


def finite_array(name: str, value: Any, *, private: bool = False) -> np.ndarray:
    """`value` as a float array of finite numbers (integers and floats only), else `TypeError`/`ValueError`.

    Where it is `private` the error shows nothing of what is in it.
    """
    array = np.asarray(value)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must hold real numbers, got {kind_of(array) if private else repr(value)}")
    array = array.astype(float)
    if not np.isfinite(array).all():
        bad = f"NaN or ∞ in {kind_of(array)}" if private else repr(array[~np.isfinite(array)].flat[0])
        raise ValueError(f"{name} must be finite, got {bad}")
    return array


def kind_of(array: np.ndarray) -> str:
    """What may be said of a private array: the kind of its entries, without their length as text, and its shape.

    >>> kind_of(np.array(["salary 81000"]))
    'an array of str_ with shape (1,)'
    """
    return f"an array of {array.dtype.type.__name__} with shape {array.shape}"
