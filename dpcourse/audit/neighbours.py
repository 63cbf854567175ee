"""Which datasets there are, and which of them are neighbours: what a search for a telling pair draws from.

A bug shows on some pairs of neighbours and not on others. Which ones is not known in advance, but what people forget is
known: the bounds, what lies beyond them, the missing value, nobody, one person alone, everybody alike. Sources draw
such records and such datasets often.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator

from dpcourse.privacy import Neighbours, arguments

Record = Callable[[Generator], Any]
_LIMITS = (709.5, -745.0)  # one more, and exp overflows; one less, and it is 0


class NeighbourSource(Protocol):
    """Draws pairs of neighbours, and changes pairs into others. What a pair is, is its own business."""

    def draw(self, rng: Generator) -> Any:
        """A pair."""

    def mutate(self, pair: Any, rng: Generator) -> Any:
        """A pair made from another one, which stays as it is."""

    def datasets(self, pair: Any) -> tuple[Any, Any]:
        """The two datasets of a pair, as a mechanism takes them."""


def number_between(low: float, high: float, *, beyond: bool = False, missing: bool = False) -> Record:
    """Numbers between public bounds, which are drawn most often.

    Parameters
    ----------
    low, high : float
        Finite, low < high.
    beyond : bool
        Whether people may enter other numbers, and the mechanism has to see to it.
    missing : bool
        The same of NaN.

    Examples
    --------
    >>> record, rng = number_between(0, 10), np.random.default_rng(8)
    >>> all(0 <= record(rng) <= 10 for _ in range(100))
    True
    """
    low, high = (float(arguments.finite_array(name, value)) for name, value in (("low", low), ("high", high)))
    if low >= high:
        raise ValueError(f"low must be below high, got {low!r} and {high!r}")
    span = high - low
    inside = [low, low, high, high, (low + high) / 2, min(max(0.0, low), high)]
    outside = [low - span, high + span, high + 1e3 * span, low - 1e6 * span, high + 1e6 * span]

    def record(rng: Generator) -> float:
        kind = rng.random()
        if missing and kind < 0.15:
            return float("nan")
        if beyond and kind < 0.4:
            return float(rng.choice(outside))
        return float(rng.choice(inside)) if kind < 0.85 else float(rng.uniform(low, high))

    return record


def one_of(values: Sequence[Any]) -> Record:
    """One of a few values, all equally likely."""
    if not len(values):
        raise ValueError(f"values must not be empty, got {values!r}")
    return lambda rng: values[int(rng.integers(len(values)))]


@dataclass(frozen=True)
class RecordPair:
    """Some records that both datasets hold, and what stands at `place` among them in the one and in the other."""

    shared: tuple[Any, ...]
    place: int
    here: tuple[Any, ...]
    there: tuple[Any, ...]


@dataclass(frozen=True)
class Records:
    """Datasets of records, drawn one by one.

    Parameters
    ----------
    record : callable
        ``record(rng) -> record``, as `number_between`, `one_of` or one's own.
    neighbours : Neighbours
        One record more or less, or one record replaced.
    least, most : int
        How many records a dataset holds; `most` ≥ 1, and more than `least` where records come and go.
    collect : callable
        ``collect(list of records) -> dataset``.

    Examples
    --------
    >>> people = Records(number_between(0, 1), Neighbours.ADD_REMOVE, most=5)
    >>> here, there = people.datasets(people.draw(np.random.default_rng(8)))
    >>> abs(len(here) - len(there))
    1
    """

    record: Record
    neighbours: Neighbours
    least: int = 0
    most: int = 40
    collect: Callable[[list[Any]], Any] = np.array

    def __post_init__(self) -> None:
        arguments.member("neighbours", self.neighbours, Neighbours)
        fewest = arguments.integer("least", self.least, minimum=0) + (not self._fixed)
        if arguments.integer("most", self.most, minimum=1) < fewest:
            raise ValueError(f"most must be at least {fewest}, or there are no neighbours, got {self.most!r}")

    @classmethod
    def of_schema(cls, schema: Any, neighbours: Neighbours, *, least: int = 0, most: int = 40) -> Records:
        """Tables of a `dpcourse.datasets.Schema`: numbers in their public bounds, declared categories."""
        columns = {name: number_between(low, high) for name, (low, high) in schema.bounds.items()}
        columns |= {name: one_of(labels) for name, labels in schema.categories.items()}
        draws = [columns[name] for name in schema.names]
        whole = {name for name in schema.names if name in schema.bounds}

        def row(rng: Generator) -> tuple[Any, ...]:
            values = [draw(rng) for draw in draws]
            return tuple(round(v) if name in whole else v for name, v in zip(schema.names, values, strict=True))

        def table(rows: list[Any]) -> Any:
            import pandas as pd

            # Types as declared: those of an empty table would be anything, and that would tell it from others.
            return pd.DataFrame(rows, columns=list(schema.names)).astype(dict.fromkeys(whole, "int64"))

        return cls(row, neighbours, least, most, table)

    @property
    def _fixed(self) -> bool:
        return self.neighbours is Neighbours.REPLACE_ONE

    def draw(self, rng: Generator) -> RecordPair:
        """Nobody, a few or many besides the one; of one to three different kinds."""
        room = self.most - 1
        size = int(rng.integers(0, min(3, room) + 1)) if rng.random() < 0.6 else int(rng.integers(0, room + 1))
        kinds = [self.record(rng) for _ in range(rng.integers(1, 4))]
        shared = tuple(kinds[i] for i in rng.integers(len(kinds), size=max(size, self.least - self._fixed)))
        return self._with_the_one(shared, rng)

    def mutate(self, pair: RecordPair, rng: Generator) -> RecordPair:
        """Somebody else who differs, or other people around them."""
        shared, kind = list(pair.shared), int(rng.integers(7))
        if kind == 0 or not shared:
            return self._with_the_one(pair.shared, rng)
        if kind == 1:  # the one is like somebody else
            return replace(pair, there=(shared[rng.integers(len(shared))],))
        if kind == 2:
            shared = shared * 2
        elif kind == 3:
            shared = shared[: len(shared) // 2]
        elif kind == 4:
            shared[rng.integers(len(shared))] = self.record(rng)
        elif kind == 5:
            shared = [shared[rng.integers(len(shared))]] * len(shared)
        else:
            shared = [*shared, *([self.record(rng)] * int(rng.integers(1, 4)))]
        shared = shared[: self.most - 1]
        if len(shared) < self.least - self._fixed:
            return pair
        return replace(pair, shared=tuple(shared), place=min(pair.place, len(shared)))

    def datasets(self, pair: RecordPair) -> tuple[Any, Any]:
        """With the one and without, or with the one and with another in their place."""
        before, after = list(pair.shared[: pair.place]), list(pair.shared[pair.place :])
        return self.collect([*before, *pair.here, *after]), self.collect([*before, *pair.there, *after])

    def _with_the_one(self, shared: tuple[Any, ...], rng: Generator) -> RecordPair:
        here = (self.record(rng),) if self._fixed else ()
        like_somebody = shared and rng.random() < 0.3
        there = shared[int(rng.integers(len(shared)))] if like_somebody else self.record(rng)
        return RecordPair(shared, int(rng.integers(len(shared) + 1)), here, (there,))


@dataclass(frozen=True)
class Scores:
    """Vectors of which one person moves every entry by the sensitivity at most: scores, utilities, answers to queries.

    They move together, one against the others, one alone, or every which way: the patterns of Ding et al. 2018
    (arXiv:1805.10277), who found the bugs of sparse vector and noisy max with them.

    Parameters
    ----------
    length : int
    sensitivity : float
        > 0.
    largest : float
        Of the entries, roughly.

    Examples
    --------
    >>> scores = Scores(3)
    >>> here, there = scores.datasets(scores.draw(np.random.default_rng(8)))
    >>> bool(np.abs(here - there).max() <= 1)
    True
    """

    length: int
    sensitivity: float = 1.0
    largest: float = 1e4

    def __post_init__(self) -> None:
        arguments.integer("length", self.length, minimum=1)
        arguments.positive("sensitivity", self.sensitivity)
        arguments.positive("largest", self.largest)

    def draw(self, rng: Generator) -> tuple[np.ndarray, np.ndarray]:
        """All alike, a few levels, far apart or at the limits of exp; moved together or against each other."""
        size, kind = self.length, int(rng.integers(5))
        base: np.ndarray = np.zeros(size)
        if kind == 1:
            base = rng.integers(-2, 3, size) * self.sensitivity
        elif kind == 2:
            base[rng.integers(size)] = rng.choice([-1, 1]) * self.largest ** rng.random()
        elif kind == 3:
            base += rng.choice([-1, 1]) * self.largest ** rng.random()
        elif kind == 4:
            at_a_limit = rng.choice(_LIMITS) * rng.choice([1, 2])  # of exp(u) and of exp(u/2)
            base[: size if rng.random() < 0.5 else 1] = np.clip(at_a_limit, -self.largest, self.largest)
        return base, self._step(rng)

    def mutate(self, pair: tuple[np.ndarray, np.ndarray], rng: Generator) -> tuple[np.ndarray, np.ndarray]:
        """Another move, the same one around the middle, some entries moved otherwise, or somewhere else."""
        base, step = pair
        kind, some = int(rng.integers(5)), rng.random(self.length) < max(0.2, 1 / self.length)
        if kind == 0:
            return base, self._step(rng)
        if kind == 1:
            return base.mean() - step / 2, step
        if kind == 2:
            return base, np.where(some, -step, step)
        if kind == 3:
            return np.where(some, base.mean(), base), step
        return base + some * rng.integers(-2, 3) * self.sensitivity, step

    def datasets(self, pair: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Before the move and after it."""
        here, there = pair[0], pair[0] + pair[1]
        too_far = np.abs(there - here) > self.sensitivity  # by rounding
        return here, np.where(too_far, np.nextafter(there, here), there)

    def _step(self, rng: Generator) -> np.ndarray:
        kind, signs = int(rng.integers(4)), np.ones(self.length)
        if kind == 1:
            signs = rng.choice([-1.0, 1.0], self.length)
        elif kind == 2:
            signs[rng.integers(self.length)] = -1.0
        elif kind == 3:
            signs = np.where(np.arange(self.length) == rng.integers(self.length), 1.0, 0.0)
        return signs * rng.choice([-1, 1]) * self.sensitivity


@dataclass(frozen=True)
class Generated:
    """Datasets from a generator of one's own.

    Parameters
    ----------
    draw_dataset : callable
        ``draw_dataset(rng) -> dataset``.
    draw_neighbour : callable
        ``draw_neighbour(dataset, rng) -> dataset``: one of its neighbours under the claim's relation.
    mutate_dataset : callable, optional
        ``mutate_dataset(dataset, rng) -> dataset``; without it, a pair changes by its neighbour only.
    """

    draw_dataset: Callable[[Generator], Any]
    draw_neighbour: Callable[[Any, Generator], Any]
    mutate_dataset: Callable[[Any, Generator], Any] | None = None

    def draw(self, rng: Generator) -> tuple[Any, Any]:
        """A dataset and one of its neighbours."""
        data = self.draw_dataset(rng)
        return data, self.draw_neighbour(data, rng)

    def mutate(self, pair: tuple[Any, Any], rng: Generator) -> tuple[Any, Any]:
        """A neighbour of the one, of the other, or of the one changed."""
        data = pair[int(rng.integers(2))]
        if self.mutate_dataset is not None and rng.random() < 0.5:
            data = self.mutate_dataset(data, rng)
        return data, self.draw_neighbour(data, rng)

    def datasets(self, pair: tuple[Any, Any]) -> tuple[Any, Any]:
        """The pair itself."""
        return pair
