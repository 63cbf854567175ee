"""Families of events: what an auditor looks for in outputs of any kind.

A family is a function ``family(outputs, rows) -> iterator of candidates``. `rows` is the part of the runs it may look
at, and candidates are anything with ``counts(rows)`` and ``event(i)``, as in `thresholds`. To add one, add it to
`FAMILIES`: the first of two equally good events wins, so simple families come first. What only the rounding of floats
gives away is kept apart, in `FLOATING_POINT`: nearly every float mechanism fails there, whatever else is wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from dpcourse.audit.outputs import Column, Outputs, number
from dpcourse.audit.thresholds import (
    Candidates,
    Equalities,
    Thresholds,
    comparison,
    cuts_between,
    shortest_between,
)
from dpcourse.audit.vectors import direction, likelihood_ratio, products, shifts, single_coordinates, summaries

_LABELS = 100  # single labels tried
_SETS = 200  # sets of labels tried
_ROUND = 20  # binary digits: of an exponent below 0 or above 20, few numbers are written with fewer by chance
_ANY_EXCEPTION = ("the mechanism raises an exception", "the mechanism raises no exception")


Family = Callable[[Outputs, slice], Iterator[Candidates]]


def values_below(outputs: Outputs, rows: slice) -> Iterator[Candidates]:
    """output ≤ t."""
    for column in outputs.columns:
        cuts = cuts_between(column.numbers[:, rows])
        if cuts.size:
            # "not above" is only the same as "below" where everything is a number
            above = ">" if not np.isnan(column.numbers).any() else "is not ≤"
            yield Thresholds(column.numbers, cuts, comparison(column.name, above))


def labels(outputs: Outputs, rows: slice) -> Iterator[Candidates]:
    """output = label, and output among the labels that lean to one dataset."""
    for column in outputs.columns:
        seen = np.array([np.bincount(side[rows], minlength=column.codes.max() + 1) for side in column.codes])
        repeated = np.flatnonzero(seen.sum(axis=0) >= 2)
        if repeated.size == 0:
            continue
        here, there = seen[:, repeated]
        lean = (here - there) / np.sqrt(here + there)
        often = np.argsort(-(here + there), kind="stable")[:_LABELS]
        apart = np.argsort(-np.abs(lean), kind="stable")[:_LABELS]
        chosen = repeated[np.unique(np.concatenate([often, apart]))]
        yield Equalities(column.codes, chosen, _equal_words(column), fitted=chosen.size < repeated.size)
        if repeated.size > 2:
            yield _leaning(column, repeated, np.log((here + 1) / (there + 1)))


def _equal_words(column: Column) -> Callable[[int], tuple[str, str]]:
    def words(code: int) -> tuple[str, str]:
        predicate = column.text(code)
        if predicate.startswith("="):
            return f"{column.name} {predicate}", f"{column.name} ≠ {predicate[2:]}"
        return f"the mechanism {predicate}", f"not: the mechanism {predicate}"

    return words


def _leaning(column: Column, repeated: np.ndarray, log_ratio: np.ndarray) -> Thresholds:
    """Sets of labels, from those that favour the neighbour most: the best sets of any size (Neyman and Pearson)."""
    ratio = np.zeros(column.codes.max() + 1)
    ratio[repeated] = log_ratio
    distinct = np.unique(log_ratio)
    cuts = distinct[:-1] if distinct.size <= _SETS else np.quantile(distinct, np.linspace(0, 1, _SETS)[:-1])

    def words(cut: float) -> tuple[str, str]:
        inside = [column.text(code).removeprefix("= ") for code in repeated[log_ratio <= cut]]
        shown = ", ".join(inside[:6]) + (f", … ({len(inside)} in all)" if len(inside) > 6 else "")
        return f"{column.name} among {shown}", f"{column.name} not among {shown}"

    return Thresholds(ratio[column.codes], cuts, words, fitted=True)


def kinds(outputs: Outputs, rows: slice) -> Iterator[Candidates]:
    """The output is NaN, is None, the mechanism raises: failures are outputs."""
    for column in outputs.columns:
        present = np.unique(column.kinds[:, rows])
        if present.size < 2:
            continue

        def words(kind: int, column: Column = column) -> tuple[str, str]:
            predicate = column.kind_names[kind]
            subject = "the mechanism" if predicate.startswith("raises") else column.name
            return f"{subject} {predicate}", f"not: {subject} {predicate}"

        yield Equalities(column.kinds, present, words)
        raising = np.array([name.startswith("raises") for name in column.kind_names])
        if raising.sum() > 1:
            yield Equalities(raising[column.kinds].astype(int), np.array([1]), lambda _: _ANY_EXCEPTION)


def distances(outputs: Outputs, rows: slice) -> Iterator[Candidates]:
    """|output − c| ≤ t with c in the middle: noise of different size."""
    for column in outputs.columns:
        looked = column.numbers[:, rows]
        looked = looked[np.isfinite(looked)]
        if np.unique(looked).size < 8:
            continue
        low, centre, high = np.quantile(looked, [0.45, 0.5, 0.55])
        centre = float(shortest_between(np.array([low]), np.array([max(high, np.nextafter(low, np.inf))]))[0])
        with np.errstate(over="ignore"):
            away = np.abs(column.numbers - centre)
        middle = f"|{column.name} − {number(centre)}|" if centre else f"|{column.name}|"
        yield Thresholds(away, cuts_between(away[:, rows]), comparison(middle))


def coarse_multiples(outputs: Outputs, rows: slice) -> Iterator[Candidates]:
    """output is not a multiple of 2^j, for whole numbers and round fractions: which grid it lies on, or its parity."""
    for column in outputs.columns:
        if not _has_low_bits(column.numbers[:, rows]):
            yield from _multiples(column, rows)


def low_bits(outputs: Outputs, rows: slice) -> Iterator[Candidates]:
    """The same for fractions of many binary digits: a float's low bits tell what was added to it (Mironov 2012)."""
    for column in outputs.columns:
        if _has_low_bits(column.numbers[:, rows]):
            yield from _multiples(column, rows)


def _has_low_bits(looked: np.ndarray) -> bool:
    """Whether most of these are fractions, or beyond 2^53, and take more than `_ROUND` binary digits to write."""
    looked = looked[np.isfinite(looked) & (looked != 0)]
    rounded_to_whole = np.abs(looked) >= 2.0**53
    digits = np.frexp(looked)[1] - finest_power(looked)
    fine = (digits > _ROUND) & ((looked % 1 != 0) | rounded_to_whole)
    return bool(looked.size) and bool(2 * np.count_nonzero(fine) > looked.size)


def _multiples(column: Column, rows: slice) -> Iterator[Candidates]:
    finest = finest_power(column.numbers)
    present = np.unique(finest[:, rows][np.isfinite(finest[:, rows])])
    if present.size < 2:
        return
    yield Thresholds(finest, present[:-1], _multiple_words(column.name, ""))
    with np.errstate(divide="ignore"):
        size = np.where(np.isfinite(column.numbers), np.frexp(column.numbers)[1], 1 << 20)
    limits = np.unique(np.quantile(size[:, rows], [0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9], method="nearest"))
    for limit in limits[limits < 1 << 20].astype(int):
        small = np.where(size <= limit, finest, np.nan)
        yield Thresholds(small, present[:-1], _multiple_words(column.name, f"|{column.name}| < 2^{limit} and "))


def _multiple_words(name: str, condition: str) -> Callable[[float], tuple[str, str]]:
    def words(power: float) -> tuple[str, str]:
        text = f"{condition}{name} is not a multiple of 2^{int(power) + 1}"
        return text, f"not: {text}" if condition else f"{name} is a multiple of 2^{int(power) + 1}"

    return words


def finest_power(values: np.ndarray) -> np.ndarray:
    """The j for which each value is an odd multiple of 2^j; ∞ for 0, NaN where it is not finite.

    Examples
    --------
    >>> finest_power(np.array([0.75, 1.0, 6.0, 0.0]))
    array([-2.,  0.,  1., inf])
    """
    finite = np.isfinite(values)
    fraction, exponent = np.frexp(np.where(finite, values, 1.0))
    digits = np.abs(fraction * 2.0**53).astype(np.int64)
    with np.errstate(divide="ignore"):
        zeros = np.log2((digits & -digits).astype(float))
    powers = np.where(digits == 0, np.inf, exponent - 53 + zeros)
    return np.where(finite, powers, np.nan)


FAMILIES: list[Family] = [
    labels,
    values_below,
    kinds,
    distances,
    summaries,
    likelihood_ratio,
    shifts,
    direction,
    products,
    single_coordinates,
    coarse_multiples,
]
FLOATING_POINT: list[Family] = [low_bits]
