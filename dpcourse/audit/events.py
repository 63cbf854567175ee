"""Which event tells two datasets apart best? Families propose, a score on other runs chooses.

The half of the runs that chooses is split once more. A family (`families`) may fit what it likes to the first part
(which labels lean which way, a projection of vectors); its events are then counted on the second part, where nothing
was fitted. Events that are not fitted to the difference of the two datasets (thresholds at common quantiles) are
counted on both parts. The one with the best score is handed on to be certified on runs nobody has looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from dpcourse.audit.families import FAMILIES, Family
from dpcourse.audit.outputs import Outputs
from dpcourse.audit.thresholds import Event


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
