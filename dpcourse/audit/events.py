"""Which event tells two datasets apart best? Families propose, a score on other runs chooses.

The half of the runs that chooses is split once more. A family may fit what it likes to the first part (which labels
lean which way, a projection of vectors); its events are then counted on the second part, where nothing was fitted.
Events that are not fitted to the difference of the two datasets (thresholds at common quantiles) are counted on both
parts. The one with the best score is handed on to be certified on runs nobody has looked at.

A family is a function ``family(outputs, rows) -> iterator of candidates``. `rows` is the part it may look at, and
candidates are anything with ``counts(rows)`` and ``event(i)``, as in `thresholds`. To add one, add it to `FAMILIES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from dpcourse.audit.outputs import Column, Outputs, number
from dpcourse.audit.thresholds import (
    Candidates,
    Equalities,
    Event,
    Thresholds,
    comparison,
    cuts_between,
    shortest_between,
)
from dpcourse.audit.vectors import direction, likelihood_ratio, products, shifts, summaries, telling

_LABELS = 100  # single labels tried
_SETS = 200  # sets of labels tried
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


def granularity(outputs: Outputs, rows: slice) -> Iterator[Candidates]:
    """output is not a multiple of 2^j: the low bits of a float tell what was added to it (Mironov 2012)."""
    for column in outputs.columns:
        finest = finest_power(column.numbers)
        present = np.unique(finest[:, rows][np.isfinite(finest[:, rows])])
        if present.size < 2:
            continue
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


@dataclass(frozen=True)
class Counts:
    """What a choice gave among some runs.

    Attributes
    ----------
    expected, unexpected, trials : int
        How often the event happened where it was expected, how often where not, and among how many. Of two events,
        sums.
    right, wrong : tuple of int
        With two events: the runs on `data`, and those on its neighbour, in which exactly one of the two happened, and
        it was the one expected there, or the other one.
    """

    expected: int
    unexpected: int
    trials: int
    right: tuple[int, int] = (0, 0)
    wrong: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Choice:
    """The event expected on `data`, the event expected on its neighbour, or one of each to be counted together."""

    on_data: Event | None
    on_neighbour: Event | None

    @property
    def pooled(self) -> bool:
        return self.on_data is not None and self.on_neighbour is not None

    def counts(self, rows: slice) -> Counts:
        """Both datasets' runs among `rows`, counted."""
        runs = rows.stop - rows.start
        if self.on_data is None or self.on_neighbour is None:
            here, there = self._events[0].hits(rows)
            return Counts(here, there, runs) if self.on_neighbour is None else Counts(there, here, runs)
        mine, theirs = self.on_data.happened(rows), self.on_neighbour.happened(rows)
        here, there = (mine & ~theirs).sum(axis=1).tolist(), (theirs & ~mine).sum(axis=1).tolist()
        (a, b), (c, d) = mine.sum(axis=1).tolist(), theirs.sum(axis=1).tolist()
        return Counts(a + d, b + c, 2 * runs, (here[0], there[1]), (there[0], here[1]))

    @property
    def text(self) -> str:
        return " on one dataset, ".join(event.text for event in self._events) + (" on the other" if self.pooled else "")

    @property
    def opposite(self) -> str:
        told = " on one dataset, ".join(event.opposite for event in self._events)
        return told + (" on the other" if self.pooled else "")

    @property
    def _events(self) -> list[Event]:
        return [event for event in (self.on_data, self.on_neighbour) if event is not None]


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
    telling,
    granularity,
]


class Score(Protocol):
    """How good events are, larger being better, if they are the best of `events`."""

    def one(self, hits: np.ndarray, false_hits: np.ndarray, runs: np.ndarray, events: int) -> np.ndarray: ...

    def two(self, counts: Counts, events: int) -> float: ...


def choose_event(
    data: Sequence[Any],
    neighbour: Sequence[Any],
    *,
    first_half: int,
    score: Score,
    families: Sequence[Family] | None = None,
) -> Choice:
    """The event with the best score among all that the families propose, its direction, and whether to count two.

    Parameters
    ----------
    data, neighbour : sequences of outputs, equally long
    first_half : int
        The runs before this one are for choosing; the others are not looked at.
    score : Score
    families : sequence of families, optional
    """
    outputs = Outputs.collect(data, neighbour)
    fitting, judging = slice(0, first_half // 2), slice(first_half // 2, first_half)
    proposed = [c for family in (families or FAMILIES) for c in family(outputs, fitting)]
    if not proposed:
        return Choice(Event("anything happens", "nothing happens", partial(_always, outputs)), None)
    rows = [judging if candidates.fitted else slice(0, first_half) for candidates in proposed]
    counts = [candidates.counts(seen) for candidates, seen in zip(proposed, rows, strict=True)]
    ends = np.cumsum([count.shape[1] for count in counts])
    runs = np.repeat([seen.stop - seen.start for seen in rows], np.diff(ends, prepend=0))
    here, there = np.concatenate(counts, axis=1)
    # Every event and its complement, on either dataset; the first of equals wins, so simple families come first.
    here, there, runs = np.append(here, runs - here), np.append(there, runs - there), np.tile(runs, 2)
    tried = 2 * len(runs)
    scores = np.stack([score.one(here, there, runs, tried), score.one(there, here, runs, tried)])

    def event(index: int) -> Event:
        plain = index % ends[-1]
        which = int(np.searchsorted(ends, plain, side="right"))
        found = proposed[which].event(int(plain - (ends[which - 1] if which else 0)))
        return found if plain == index else found.complement()

    def together(i: int, j: int) -> tuple[Choice, float]:
        """Two events, and how good they are on the runs neither was fitted to."""
        pair = Choice(event(i), event(j))
        unseen = min(runs[i], runs[j]) < first_half
        return pair, score.two(pair.counts(judging if unseen else slice(0, first_half)), tried)

    side = int(scores[1].max() > scores[0].max())
    best, value = (None, max(float(scores.max()), 0.0))
    for i, j in dict.fromkeys([tuple(scores.argmax(axis=1).tolist()), *_partners(here, there, runs)]):
        pair, worth = together(i, j)
        if worth > value:
            best, value = pair, worth
    if best is not None:
        return best
    alone = event(int(scores[side].argmax()))
    return Choice(None, alone) if side else Choice(alone, None)


def _partners(here: np.ndarray, there: np.ndarray, runs: np.ndarray) -> Iterator[tuple[int, int]]:
    """Pairs of events, the one most telling for `data` and the one for its neighbour, from common to rare.

    How rare an event may be for its rates to be known well enough depends on how many runs are behind it, and two
    events together have more: several degrees of caution are tried, as standard deviations the rates are moved by.
    """
    p, q = (here + 0.5) / (runs + 1), (there + 0.5) / (runs + 1)
    log_p, log_q = np.log(p), np.log(q)
    spread_p, spread_q = np.sqrt((1 - p) / (p * runs)), np.sqrt((1 - q) / (q * runs))
    for caution in (1.0, 1.5, 2.0, 3.0, 4.0):
        doubt = caution * (spread_p + spread_q)
        yield int(np.argmax(log_p - log_q - doubt)), int(np.argmax(log_q - log_p - doubt))


def _always(outputs: Outputs, rows: slice) -> np.ndarray:
    return np.ones((2, rows.stop - rows.start), dtype=bool)
