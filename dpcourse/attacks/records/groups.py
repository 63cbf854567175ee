"""Who is alike in a table, and linkage: joining a table without names to one that has them.

Every function works on whole columns; none goes over people one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd


def group_numbers(frame: pd.DataFrame, columns: Sequence[str]) -> np.ndarray:
    """Number the groups of rows that agree on `columns` (missing values agree with each other).

    Parameters
    ----------
    frame : DataFrame
        One row a person.
    columns : sequence of str
        At least one column of `frame`.

    Returns
    -------
    ndarray of int64, shape (n,)
        0 for the group of the first row, then upwards in order of appearance.

    Raises
    ------
    TypeError, ValueError
        If `frame` is no data frame, or `columns` is empty or names a column that is not there.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [40, 31, 40], "sex": ["F", "M", "F"]})
    >>> group_numbers(people, ["age", "sex"])
    array([0, 1, 0])
    """
    columns = _columns("frame", frame, columns)
    groups = np.zeros(len(frame), dtype=np.int64)
    for column in columns:
        codes, values = pd.factorize(frame[column], use_na_sentinel=False)
        # At most n groups times the values of one column: far from overflow, because groups are renumbered every time.
        groups, _ = pd.factorize(groups * len(values) + codes)
    return groups


def group_sizes(frame: pd.DataFrame, columns: Sequence[str]) -> np.ndarray:
    """For each row, how many rows (itself included) agree with it on `columns`; shape (n,)."""
    groups = group_numbers(frame, columns)
    return np.bincount(groups)[groups] if len(groups) else groups


def unique_share(frame: pd.DataFrame, columns: Sequence[str]) -> float:
    """The share of people whom nobody else equals on `columns` (0 for an empty table).

    Examples
    --------
    >>> people = pd.DataFrame({"age": [40, 31, 40, 52], "sex": ["F", "M", "F", "F"]})
    >>> unique_share(people, ["sex"]), unique_share(people, ["sex", "age"])
    (0.25, 0.5)
    """
    return float(np.mean(group_sizes(frame, columns) == 1)) if len(frame) else 0.0


def unique_curve(frame: pd.DataFrame, columns: Sequence[str]) -> np.ndarray:
    """The share of unique people on the first column, the first two, the first three, …; shape (len(columns),).

    Examples
    --------
    >>> people = pd.DataFrame({"age": [40, 31, 40, 52], "sex": ["F", "M", "F", "F"]})
    >>> unique_curve(people, ["sex", "age"])
    array([0.25, 0.5 ])
    """
    columns = _columns("frame", frame, columns)
    groups = np.zeros(len(frame), dtype=np.int64)
    shares = []
    for column in columns:
        codes, values = pd.factorize(frame[column], use_na_sentinel=False)
        groups, _ = pd.factorize(groups * len(values) + codes)
        # Each group of one holds one person.
        shares.append(np.count_nonzero(np.bincount(groups) == 1) / max(len(frame), 1))
    return np.array(shares)


def k_anonymity(frame: pd.DataFrame, columns: Sequence[str]) -> int:
    """The largest k for which the table is k-anonymous on `columns`: the size of its smallest group (0 if empty).

    Sweeney 2002, doi:10.1142/S0218488502001648. `columns` are the quasi-identifiers: what an attacker may know.
    """
    return int(group_sizes(frame, columns).min(initial=len(frame)))


def diversity(frame: pd.DataFrame, columns: Sequence[str], sensitive: str) -> np.ndarray:
    """For each row, how many different values of `sensitive` its group on `columns` holds; shape (n,).

    Where this is 1, k-anonymity hides which row is yours and tells what it says. Its minimum over the table is the ℓ of
    distinct ℓ-diversity (Machanavajjhala et al. 2007, doi:10.1145/1217299.1217302).

    Examples
    --------
    >>> wards = pd.DataFrame({"ward": ["A", "A", "B", "B"], "illness": ["flu", "flu", "flu", "gout"]})
    >>> k_anonymity(wards, ["ward"]), diversity(wards, ["ward"], "illness")
    (2, array([1, 1, 2, 2]))
    """
    _columns("frame", frame, [sensitive])
    groups = group_numbers(frame, columns)
    values = group_numbers(frame, [sensitive])
    pairs = np.unique(np.stack([groups, values]), axis=1)
    return np.bincount(pairs[0])[groups] if len(groups) else groups


@dataclass(frozen=True)
class Linkage:
    """What linking a register of known people to a released table gave.

    Attributes
    ----------
    candidates : ndarray of int, shape (m,)
        For each person of the register, how many released rows agree with them.
    match : ndarray of int, shape (m,)
        The position of the released row where exactly one agrees, −1 elsewhere.
    """

    candidates: np.ndarray
    match: np.ndarray

    @property
    def claimed(self) -> np.ndarray:
        """Whether the attacker names a row for this person; shape (m,), bool."""
        return self.match >= 0

    def __str__(self) -> str:
        return f"{int(self.claimed.sum()):,} of {len(self.match):,} people have exactly one released row that fits them"


def link(released: pd.DataFrame, register: pd.DataFrame, on: Sequence[str]) -> Linkage:
    """Join a released table without names to a register with names, on the columns both have.

    A match is a claim, not yet a fact: the person may not be in the release at all, and the row may be a look-alike's.

    Parameters
    ----------
    released, register : DataFrame
        The table without names, and what the attacker knows.
    on : sequence of str
        Columns of both, recorded in the same way.

    Returns
    -------
    Linkage

    Examples
    --------
    >>> released = pd.DataFrame({"age": [40, 31, 40], "sex": ["F", "M", "F"], "income": [">50K", "<=50K", "<=50K"]})
    >>> register = pd.DataFrame({"name": ["Ali", "Eva"], "age": [31, 40], "sex": ["M", "F"]})
    >>> linkage = link(released, register, on=["age", "sex"])
    >>> linkage.candidates, linkage.match
    (array([1, 2]), array([ 1, -1]))
    """
    on = _columns("released", released, on)
    _columns("register", register, on)
    groups = group_numbers(pd.concat([released[on], register[on]], ignore_index=True), on)
    ours, theirs = groups[: len(released)], groups[len(released) :]
    counts = np.bincount(ours, minlength=groups.max(initial=-1) + 1)
    position = np.full(len(counts), -1)
    position[ours] = np.arange(len(released))
    candidates = counts[theirs]
    return Linkage(candidates, np.where(candidates == 1, position[theirs], -1))


def _columns(name: str, frame: pd.DataFrame, columns: Sequence[str]) -> list[str]:
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"{name} must be a DataFrame, got {type(frame).__name__}")
    if isinstance(columns, str):
        raise TypeError(f"columns must be a sequence of names, got the string {columns!r}")
    columns = list(columns)
    missing = [column for column in columns if column not in frame.columns]
    if not columns or missing:
        raise ValueError(f"columns must be columns of {name}, at least one, got {missing or columns!r}")
    return columns
