"""Which event tells two datasets apart best? Families propose, a score on other runs chooses.

The part of the runs that chooses is split once more. A family (`families`) may fit what it likes to the first part
(which labels lean which way, a projection of vectors); its events are then counted on the second part, where nothing
was fitted. Events that are not fitted to the difference of the two datasets (thresholds at common quantiles) are
counted on both parts. The one with the best score is handed on to be certified on runs nobody has looked at. A score
is told among how many events the best was looked for, because the best of many is lucky; where the counts lie on a
`curve`, it is not, and the curve is scored instead of the counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from dpcourse.audit.curve import RUNS
from dpcourse.audit.families import FAMILIES, Family
from dpcourse.audit.outputs import Outputs
from dpcourse.audit.thresholds import Candidates, Event


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

    @property
    def exclude(self) -> bool:
        """Whether two events never happened both in one run."""
        return sum(self.right) + sum(self.wrong) == self.expected + self.unexpected

    @classmethod
    def of_two(cls, here: np.ndarray, there: np.ndarray, runs: int) -> Counts:
        """Of two events that exclude each other, from the hits of each on `data` and on its neighbour."""
        (a, b), (c, d) = np.rint([here, there]).astype(int).tolist()
        return cls(a + d, b + c, 2 * runs, (a, d), (b, c))


@dataclass(frozen=True)
class Choice:
    """The event expected on `data`, the event expected on its neighbour, or one of each to be counted together.

    `on_curve` says whether it was chosen by a `curve`, on which no luck chooses, and no event off it may be better.
    `score` is what it was chosen by, and `tried` among how many events; a score of 0 or less says that none was worth
    anything.
    """

    on_data: Event | None
    on_neighbour: Event | None
    on_curve: bool = False
    score: float = 0.0
    tried: int = 0

    @property
    def pooled(self) -> bool:
        """Whether two events are counted together."""
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
        """What happens, in words."""
        return " on one dataset, ".join(event.text for event in self._events) + (" on the other" if self.pooled else "")

    @property
    def signs(self) -> tuple[str, str]:
        """What points to `data`, and what points to its neighbour."""
        return (self.on_data.text if self.on_data else "", self.on_neighbour.text if self.on_neighbour else "")

    @property
    def opposite(self) -> str:
        """The same of what happens else."""
        told = " on one dataset, ".join(event.opposite for event in self._events)
        return told + (" on the other" if self.pooled else "")

    @property
    def _events(self) -> list[Event]:
        return [event for event in (self.on_data, self.on_neighbour) if event is not None]


class Score(Protocol):
    """How good events are, larger being better, if each is the best of that many."""

    def one(self, hits: np.ndarray, false_hits: np.ndarray, runs: np.ndarray, events: np.ndarray) -> np.ndarray:
        """Of single events: hits where each is expected and where it is not, among how many runs."""

    def two(self, counts: Counts, events: int) -> float:
        """Of two events counted together."""


def choose_event(
    outputs: Outputs, *, first: int, score: Score, families: Sequence[Family] = FAMILIES, besides: int = 0
) -> Choice:
    """The event with the best score among all that the families propose, its direction, and whether to count two.

    Parameters
    ----------
    outputs : Outputs
        Of runs on two datasets.
    first : int
        The runs before this one are for choosing; the others, which will certify, are not looked at.
    score : Score
    families : sequence of families
    besides : int
        How many events of other families were tried, if the score is to be compared with theirs.
    """
    proposed = [c for family in families for c in family(outputs, slice(0, first // 2))]
    if not proposed:
        return Choice(Event("anything happens", "nothing happens", _always), None)
    others = max(outputs.runs - first, 1)  # where all runs choose, nothing is foretold
    events = _CountedEvents.count(proposed, first, others, besides)
    here, there, tried = events.here, events.there, events.tried
    scores = np.stack([score.one(here, there, events.runs, tried), score.one(there, here, events.runs, tried)])
    rival = events.best_off_curve(score, others)
    best, value = None, max(float(scores.max()), 0.0)
    for i, j in dict.fromkeys([tuple(scores.argmax(axis=1).tolist()), *events.partners()]):
        pair, counts = events.pair(i, j)
        worth = score.two(counts, int(max(tried[i], tried[j])))
        if worth > value:
            best, value = pair, worth
    if best is not None:
        return replace(best, on_curve=best.on_curve and value >= rival, score=value, tried=2 * tried.size)
    side = int(scores[1].max() > scores[0].max())
    index = int(scores[side].argmax())
    alone, on_curve = events.event(index), bool(events.on_curve[index]) and value >= rival
    on_data, on_neighbour = (None, alone) if side else (alone, None)
    return Choice(on_data, on_neighbour, on_curve, float(scores.max()), 2 * tried.size)


def choose_and_split(outputs: Outputs, score: Score, families: Sequence[Family] = FAMILIES) -> tuple[Choice, int]:
    """`choose_event`, and how many runs it looked at: half of them, or a fifth where that shows a curve.

    Whether it does is seen in that fifth alone, so either way the runs after those looked at decide nothing.
    """
    runs = outputs.runs
    if runs // 5 >= RUNS:
        choice = choose_event(outputs, first=runs // 5, score=score, families=families)
        if choice.on_curve:
            return choice, runs // 5
    return choose_event(outputs, first=runs // 2, score=score, families=families), runs // 2


@dataclass(frozen=True)
class _CountedEvents:
    """Every proposed event and behind them all their complements, with hits among the runs each may be judged on.

    Attributes
    ----------
    here, there : ndarray, shape (events,)
        Hits on `data` and on its neighbour; where there is a curve, those it foretells.
    runs : ndarray of int, shape (events,)
        Among how many runs: those looked at, or those the curve is asked about.
    tried : ndarray of int, shape (events,)
        Among how many events luck could choose.
    seen : ndarray of int, shape (events,)
        How many runs were looked at.
    on_curve : ndarray of bool, shape (events,)
    ends : ndarray of int, shape (families' candidates,)
        Where the events of each end.
    """

    proposed: list[Candidates]
    ends: np.ndarray
    first: int
    here: np.ndarray
    there: np.ndarray
    runs: np.ndarray
    tried: np.ndarray
    seen: np.ndarray
    on_curve: np.ndarray

    @classmethod
    def count(cls, proposed: list[Candidates], first: int, others: int, besides: int) -> _CountedEvents:
        """Counts among the `first` runs, and on a curve what they say of that many `others`, which will certify.

        Events off a curve are the best of all of them and of those tried `besides`.
        """
        hits, runs, seen, on_curve = [], [], [], []
        for candidates in proposed:
            rows = slice(first // 2 if candidates.fitted else 0, first)
            counts = candidates.counts(rows)
            curve = candidates.curve(rows, counts)
            hits.append(counts if curve is None else curve * others)
            seen.append(np.full(counts.shape[1], rows.stop - rows.start))
            runs.append(seen[-1] if curve is None else np.full(counts.shape[1], others))
            on_curve.append(np.full(counts.shape[1], curve is not None))
        among, smooth = np.tile(np.concatenate(runs), 2), np.tile(np.concatenate(on_curve), 2)
        here, there = np.concatenate(hits, axis=1)
        # The first of equals wins, so simple families come first, and events before complements.
        here, there = np.append(here, among[: here.size] - here), np.append(there, among[: there.size] - there)
        tried = np.where(smooth, 1, 2 * among.size + besides)
        ends = np.cumsum([some.shape[1] for some in hits])
        return cls(proposed, ends, first, here, there, among, tried, np.tile(np.concatenate(seen), 2), smooth)

    def best_off_curve(self, score: Score, others: int) -> float:
        """What the best event off the curve would be worth, if it were as frequent among that many others."""
        off = ~self.on_curve
        if not off.any():
            return -np.inf
        share, runs, tried = others / self.seen[off], np.full(off.sum(), others), self.tried[off]
        here, there = self.here[off] * share, self.there[off] * share
        return float(max(score.one(here, there, runs, tried).max(), score.one(there, here, runs, tried).max()))

    def event(self, index: int) -> Event:
        plain = index % (self.here.size // 2)
        which = int(np.searchsorted(self.ends, plain, side="right"))
        found = self.proposed[which].event(int(plain - (self.ends[which - 1] if which else 0)))
        return found if plain == index else found.complement()

    def pair(self, i: int, j: int) -> tuple[Choice, Counts]:
        """Two events together, with their hits on the runs neither was fitted to."""
        smooth = bool(self.on_curve[i] and self.on_curve[j])
        pair = Choice(self.event(i), self.event(j), smooth)
        fewer = min(self.seen[i], self.seen[j])
        counts = pair.counts(slice(self.first - fewer, self.first))
        if smooth and counts.exclude:
            counts = Counts.of_two(self.here[[i, j]], self.there[[i, j]], int(self.runs[i]))
        return pair, counts

    def partners(self) -> Iterator[tuple[int, int]]:
        """Pairs of events, the one most telling for `data` and the one for its neighbour, from common to rare.

        How rare an event may be for its rates to be known well enough depends on how many runs are behind it, and two
        events together have more: several degrees of caution are tried, as standard deviations the rates are moved by,
        and many of them on a curve, where no luck chooses among them.
        """
        p, q = (self.here + 0.5) / (self.runs + 1), (self.there + 0.5) / (self.runs + 1)
        log_p, log_q = np.log(p), np.log(q)
        spread_p, spread_q = np.sqrt((1 - p) / (p * self.runs)), np.sqrt((1 - q) / (q * self.runs))
        for caution in np.geomspace(0.25, 4.0, 30) if self.on_curve.any() else (1.0, 1.5, 2.0, 3.0, 4.0):
            doubt = caution * (spread_p + spread_q)
            yield int(np.argmax(log_p - log_q - doubt)), int(np.argmax(log_q - log_p - doubt))


def _always(rows: slice) -> np.ndarray:
    return np.ones((2, rows.stop - rows.start), dtype=bool)
