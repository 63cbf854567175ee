"""What an event is, and two ways to count many of one kind at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dpcourse.audit.curve import normal_shares
from dpcourse.audit.outputs import number

_CUTS = 200  # thresholds tried of one statistic


@dataclass(frozen=True)
class Event:
    """A set of outputs, in words, and in which runs it happened.

    Attributes
    ----------
    text, opposite : str
        The event and its complement, as read by people.
    happened : callable
        ``happened(rows) -> bool ndarray of shape (2, rows)``: in which of these runs, on either dataset.
    """

    text: str
    opposite: str
    happened: Callable[[slice], np.ndarray]

    def hits(self, rows: slice) -> tuple[int, int]:
        """How often it happened on either dataset among these runs."""
        here, there = np.count_nonzero(self.happened(rows), axis=1)
        return int(here), int(there)

    def complement(self) -> Event:
        """The event that this one does not happen."""
        return Event(self.opposite, self.text, lambda rows: ~self.happened(rows))


class Candidates(Protocol):
    """Many events of one kind, counted at once."""

    @property
    def fitted(self) -> bool:
        """Whether the outputs of the two datasets were told apart to find them.

        Then they are judged on other runs than those they were found in.
        """

    def counts(self, rows: slice) -> np.ndarray:
        """Hits of every event on either dataset, shape (2, events)."""

    def curve(self, rows: slice, counts: np.ndarray) -> np.ndarray | None:
        """The same hits as shares of the runs, as far as they are no luck, where that is known."""

    def event(self, index: int) -> Event:
        """One of them by itself, with its words."""


@dataclass(frozen=True)
class Thresholds:
    """The events "statistic ≤ cut".

    Attributes
    ----------
    values : ndarray, shape (2, runs)
        The statistic; NaN is never below a cut.
    cuts : ndarray, shape (events,)
    words : callable
        ``words(cut) -> (text, opposite)``.
    fitted : bool
    """

    values: np.ndarray
    cuts: np.ndarray
    words: Callable[[float], tuple[str, str]]
    fitted: bool = False

    def counts(self, rows: slice) -> np.ndarray:
        """Values at or below each cut on either dataset, shape (2, events)."""
        return np.array([np.searchsorted(np.sort(side[rows]), self.cuts, side="right") for side in self.values])

    def curve(self, rows: slice, counts: np.ndarray) -> np.ndarray | None:
        """The shares of the two normal laws that fit the statistic, if any do."""
        return normal_shares(self.values[:, rows], self.cuts, counts)

    def event(self, index: int) -> Event:
        """The event "statistic ≤ cut"."""
        cut = self.cuts[index]
        return Event(*self.words(float(cut)), lambda rows: self.values[:, rows] <= cut)


@dataclass(frozen=True)
class Equalities:
    """The events "code = one of `chosen`", for codes ≥ 0 of shape (2, runs)."""

    codes: np.ndarray
    chosen: np.ndarray
    words: Callable[[int], tuple[str, str]]
    fitted: bool = False

    def counts(self, rows: slice) -> np.ndarray:
        """How often each chosen code stands on either dataset, shape (2, events)."""
        size = int(self.chosen.max()) + 1
        return np.array([np.bincount(side[rows], minlength=size)[self.chosen] for side in self.codes])

    def curve(self, rows: slice, counts: np.ndarray) -> np.ndarray | None:
        """None: codes have no order, so nothing smooth goes through their counts."""
        return None

    def event(self, index: int) -> Event:
        """The event "code = this one"."""
        code = int(self.chosen[index])
        return Event(*self.words(code), lambda rows: self.codes[:, rows] == code)


def comparison(name: str, above: str = ">") -> Callable[[float], tuple[str, str]]:
    """The words of "name ≤ cut" and of its opposite."""
    return lambda cut: (f"{name} ≤ {number(cut)}", f"{name} {above} {number(cut)}")


def cuts_between(values: np.ndarray) -> np.ndarray:
    """At most some 200 thresholds between the values seen, each the shortest number that separates the same values."""
    distinct = np.unique(values[~np.isnan(values)])
    if distinct.size < 2:
        return distinct[:0]
    if distinct.size > _CUTS:
        tails = np.geomspace(2 / distinct.size, 0.02, 20)
        shares = np.unique(np.concatenate([tails, np.linspace(0.02, 0.98, _CUTS - 40), 1 - tails]))
        at = np.unique((shares * (distinct.size - 1)).astype(int))
    else:
        at = np.arange(distinct.size - 1)
    return np.unique(shortest_between(distinct[at], distinct[at + 1]))


def shortest_between(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """For each pair the number in [low, high) with the fewest decimals.

    Examples
    --------
    >>> shortest_between(np.array([0.2437, 3.0, 99_990.0]), np.array([0.2519, 4.0, 100_001.0])).tolist()
    [0.25, 3.0, 100000.0]
    """
    best = low.copy()
    open_ = np.isfinite(low) & np.isfinite(high)
    for decimals in range(-6, 12):
        unit = 10.0 ** abs(decimals)  # exact, which 10.0**-5 is not
        rounded = np.ceil(low / unit) * unit if decimals < 0 else np.ceil(low * unit) / unit
        fits = open_ & (low <= rounded) & (rounded < high)
        best[fits] = rounded[fits]
        open_ &= ~fits
        if not open_.any():
            break
    return best
