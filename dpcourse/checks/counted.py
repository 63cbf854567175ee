"""A table of noisy counts, tried out in a few hundred calls: what one call says of many cells is used.

Where every cell gets its own noise of one law, one call shows as many draws as there are cells, so a large table in
half of whose cells stands one person more is a large audit. That the cells do have their own noise of one law is looked
at first, on small tables whose counts are far apart.

False alarms, for Laplace noise of scale 1/ε and for the geometric noise of whole numbers: below 1e-8 a case, apart from
the audits, which keep to `chance.failure`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance, Diagnosis, Refused
from dpcourse.checks.cases import Mistake, frozen
from dpcourse.checks.noise import EXACT_TOTAL, NO_NOISE_ON_NOBODY, stops_on_nobody
from dpcourse.checks.noise_laws import Wanted, geometric, laplace, noise_wrong
from dpcourse.checks.vocabulary import Shared
from dpcourse.privacy import Guarantee

Shape = tuple[int, ...]
TABLES, REPEATS = 12, 30
CALLS = {0.5: 70, 1.0: 40, 3.0: 160}  # a call shows `large` many cells
CLASSES = ((0, 0), (1, 9), (20, 60), (300, 500))  # people in a cell: nobody, few, some, many

_NO_COUNTS = Diagnosis(
    "no-counts",
    "Where hundreds of people are, your counts are near 0 on average: that is noise alone, or a share.",
    "Count the people first, and add the noise to their number.",
)
NO_COUNTS = (
    Mistake.told(_NO_COUNTS, np.zeros_like),
    Mistake.told(_NO_COUNTS, lambda counts: counts / counts.sum()),
    Mistake(
        "presence",
        lambda counts: np.minimum(counts, 1),
        "You give 1, plus noise, wherever anybody is, however many they are.",
        "table[a, b] += 1 adds once for each *different* index; np.add.at and np.bincount add once a person.",
    ),
)


@dataclass(frozen=True)
class Counted:
    """Two cases, `small` and `large`, for an answer that counts people in declared cells and adds noise.

    Parameters
    ----------
    people : callable
        ``people(counts, rng) -> arguments``, as many people as `counts` says, in an order drawn anew.
    call : callable
        ``call(answer, arguments, shape, epsilon, rng) -> array``.
    few, many : tuple of int
        Shapes of a small table and of a large one.
    cell, noise : str
        What a cell is called, and how noise of its own is drawn for each.
    mistakes : sequence of Mistake
        ``gives(counts) -> array``: wrong counts that are known.
    """

    people: Callable[[np.ndarray, Generator], tuple[Any, ...]]
    call: Callable[[Answer, tuple[Any, ...], Shape, float, Generator], Any]
    few: Shape
    many: Shape
    cell: str
    noise: str
    mistakes: Sequence[Mistake] = ()

    def counts(self, rng: Generator, place: int) -> np.ndarray:
        """A small table with cells of every class; nobody is in row `place`, or in a fourth of the groups."""
        size = int(np.prod(self.few))
        empty = self.few[-1] if len(self.few) > 1 else size // 4
        classes = [CLASSES[member % (len(CLASSES) - 1) + 1] for member in range(size - empty)]
        full = rng.permutation([int(rng.integers(low, high + 1)) for low, high in classes])
        place = place * empty % size
        return np.concatenate((full[:place], np.zeros(empty, dtype=int), full[place:])).reshape(self.few)

    def release(self, answer: Answer, counts: np.ndarray, epsilon: float, rng: Generator) -> Iterator[np.ndarray]:
        """Noisy tables of one dataset, without end."""
        people = frozen(self.people(counts, rng))
        while True:
            table = np.asarray(self.call(answer, people, counts.shape, epsilon, rng), dtype=float)
            if table.shape != counts.shape:
                raise Refused(
                    Diagnosis(
                        "wrong-shape",
                        f"The result has shape {table.shape}, and {counts.shape} is wanted.",
                        f"One count for every declared {self.cell}, whether anybody is in it or not.",
                    )
                )
            if not np.isfinite(table).all():
                raise Refused(Diagnosis("nan", "The result holds NaN or infinity.", "Is something divided by zero?"))
            yield table

    def nobody(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        """A dataset of nobody is a dataset. An error would tell that it is empty."""
        empty = np.zeros(self.many, dtype=int)
        try:
            table = next(self.release(answer, empty, 1.0, chance.rng))
        except AnswerRaised as raised:
            return stops_on_nobody(raised)
        if table.any():
            return None
        return NO_NOISE_ON_NOBODY

    def small(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        """Are these counts, and has each cell noise of its own, whatever is in it?"""
        drawn = [self.counts(chance.rng, place) for place in range(TABLES)]
        truth = np.array([counts.ravel() for counts in drawn])[:, None, :]
        tables = []
        for counts in drawn:
            releases = self.release(answer, counts, 1.0, chance.rng)
            tables.append([next(releases).ravel() for _ in range(REPEATS)])
        results = np.array(tables)
        return (
            self._exact(results - truth, truth)
            or self._wrong_counts(results, drawn)
            or self._negative(results[np.broadcast_to(truth == 0, results.shape)])
            or self._uneven(results - truth, truth)
            or self._linked((results - truth).reshape(-1, truth.shape[-1]))
        )

    def _exact(self, errors: np.ndarray, truth: np.ndarray) -> Diagnosis | None:
        nobody = np.broadcast_to(truth == 0, errors.shape)
        if np.mean(errors[nobody] == 0) > 0.95 and np.mean(errors[~nobody] == 0) < 0.8:
            return Diagnosis(
                "empty-exact",
                f"A {self.cell} with nobody in it gets no noise: an exact 0 says that a person is not there, and "
                "anything else that somebody is.",
                f"Every *declared* {self.cell} needs noise, whether anybody is in it or not.",
            )
        if not errors.std(axis=1).any():
            return None
        if (np.ptp(errors, axis=2) < 1e-9).all():
            return Shared.SHARED_NOISE.seen(
                f"All {self.cell}s share one draw of noise: subtract two counts, and what is left is exact.",
                f"Draw noise for each {self.cell}: {self.noise}.",
            )
        if (np.ptp(errors.sum(axis=2), axis=1) < 0.1 * errors.std(axis=1).mean(axis=1)).all():
            return EXACT_TOTAL
        return None

    def _wrong_counts(self, results: np.ndarray, drawn: Sequence[np.ndarray]) -> Diagnosis | None:
        """Averages against true counts, by a t-test, of the fuller cells, where no cutting at zero shows."""
        means = results.mean(axis=1)
        error = np.maximum(results.std(axis=1, ddof=1) / np.sqrt(REPEATS), 1e-6)

        def off(counts: Sequence[np.ndarray]) -> np.ndarray:
            return np.abs(means - np.array([np.ravel(c) for c in counts])) / error

        truth = np.array([np.ravel(counts) for counts in drawn])
        full = truth >= CLASSES[2][0]
        wrong = np.where(full, off(drawn), 0)
        if wrong.max() < 12:
            return None
        wrongs = [off([np.asarray(m.gives(counts)) for counts in drawn])[full] for m in self.mistakes]
        fitting = [(float((each**2).sum()), place) for place, each in enumerate(wrongs) if each.max() < 12]
        if fitting:
            return self.mistakes[min(fitting)[1]].diagnosis
        table, place = np.unravel_index(np.argmax(wrong), wrong.shape)
        return Diagnosis(
            "wrong-counts",
            f"Your counts are wrong before any noise: where {truth[table, place]} people are, you give "
            f"{means[table, place]:.4g} on average over {REPEATS} calls.",
            f"Leave the noise out, and print the counts of a few people whose {self.cell} you know.",
        )

    def _negative(self, counts_of_nobody: np.ndarray) -> Diagnosis | None:
        """At ε = 1 more than a quarter of the 1e3 counts of nobody are negative."""
        if counts_of_nobody.min() < 0:
            return None
        return Diagnosis(
            "cut-at-zero",
            "Negative counts were cut, or made positive: none comes out. That is harmless for privacy, but not asked "
            f"for: {self.cell}s with nobody in them are given {counts_of_nobody.mean():.2g} people on average, and "
            "sums of many counts come out too large.",
            "Leave the counts as the noise makes them.",
        )

    def _uneven(self, errors: np.ndarray, truth: np.ndarray) -> Diagnosis | None:
        """Mean errors of 700 draws or more by the people in a cell, of 360 by its place."""
        everywhere = np.broadcast_to(truth, errors.shape)
        members = [(everywhere >= low) & (everywhere <= high) for low, high in CLASSES]
        sizes = np.array([np.abs(errors[some]).mean() for some in members])
        if sizes.max() > 1.6 * sizes.min():
            words = ("nobody is", "a few people are", "some dozens are", "hundreds are")
            least, most = sizes.argmin(), sizes.argmax()
            return Diagnosis(
                "noise-by-size",
                f"Your noise follows the size of the {self.cell}: the mean error is {sizes[least]:.2g} people where "
                f"{words[least]}, and {sizes[most]:.2g} where {words[most]}. Then the noise tells the size.",
                "The scale may depend on public numbers only: ε, and what one person can change.",
            )
        places = np.abs(errors).mean(axis=(0, 1))
        if places.min() > 0.55 * places.mean() and places.max() < 1.7 * places.mean():
            return None
        return Diagnosis(
            "uneven-noise",
            f"Not all {self.cell}s get noise of one size: it is {places.min():.2g} on average in "
            f"{self.cell} {_where(places.argmin(), self.few)}, and {places.max():.2g} in "
            f"{_where(places.argmax(), self.few)}, whoever is in them. Any record may be in any {self.cell}.",
            "One scale for all.",
        )

    def _linked(self, errors: np.ndarray) -> Diagnosis | None:
        """Signs of two cells' noise agree in three of four runs; the noise of the sum is that of its parts together."""
        signs = np.sign(errors)
        together = np.abs(signs.T @ signs / len(signs) - np.diag((signs**2).mean(axis=0))).max()
        share = errors.sum(axis=1).var() / max(errors.var(axis=0).sum(), 1e-300)
        if together < 0.5 and 0.3 < share < 3:
            return None
        return Diagnosis(
            "linked-noise",
            f"Some {self.cell}s share their noise: their sum or their difference has less noise than it should, or "
            "none.",
            f"A draw of its own for each {self.cell}: {self.noise}.",
        )

    def large(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        """The auditor: is one person more hidden, at several ε; and is there no more noise than that takes?"""
        seen = {epsilon: self._one_more(answer, epsilon, calls, chance.rng) for epsilon, calls in CALLS.items()}
        noise = [
            Wanted(shown - more, epsilon, (laplace(1 / epsilon), geometric(1 / epsilon)))
            for epsilon, (shown, more, _) in seen.items()
        ]
        much = f"The {self.cell}s are disjoint: one person is in one of them. Does ε have to be shared among them?"
        few = f"One person changes one {self.cell} by one. Which scale does that need?"
        hint = "The noise is right on average. Where does it depend on who is there?"
        return noise_wrong(noise, chance.failure / 2, unit=" people", too_much=much, few=few) or next(
            (wrong for e in (0.5, 3.0) if (wrong := _audited(seen[e], e, chance, self.cell, hint))), None
        )

    def _one_more(self, answer: Answer, epsilon: float, calls: int, rng: Generator) -> tuple[np.ndarray, ...]:
        """Noisy counts less the people known, whether one more was there, and whether anybody else was."""
        shown, more, alone = [], [], []
        for _ in range(calls):
            known = np.where(rng.random(self.many) < 0.4, 0, rng.integers(1, 13, size=self.many))
            here = rng.random(self.many) < 0.5
            table = next(self.release(answer, known + here, epsilon, rng))
            shown.append((table - known).ravel())
            more.append(here.ravel())
            alone.append((known == 0).ravel())
        return np.concatenate(shown), np.concatenate(more), np.concatenate(alone)


def _where(place: Any, shape: Shape) -> str:
    index = tuple(int(i) for i in np.unravel_index(int(place), shape))
    return str(index if len(index) > 1 else index[0])


def _audited(seen: tuple[np.ndarray, ...], epsilon: float, chance: Chance, cell: str, hint: str) -> Diagnosis | None:
    """`seen`: noisy counts less the people known, whether one more was there, whether the cell was else empty."""
    from dpcourse.audit import audit_outputs  # here, because only a check that audits needs it

    shown, more, alone = seen
    shown = np.round(shown, 2)  # the low bits of a float tell more than the exercise is about (lesson 14)
    for some, where in ((np.ones_like(more), f"in a {cell}"), (alone, f"in a {cell} with nobody else")):
        sides = [shown[some & (more == more_here)] for more_here in (False, True)]
        runs = min(len(side) for side in sides)
        confidence = 1 - chance.failure / 8  # two looks at each of two ε
        result = audit_outputs(
            *(side[:runs].tolist() for side in sides), claim=Guarantee(epsilon), confidence=confidence
        )
        if result.violated:
            return Diagnosis(
                "not-private",
                f"Your counts tell whether one more person is {where}: ε ≥ {result.epsilon_lower:.3g} at 99.9999% "
                f"confidence, you claim {Guarantee(epsilon)}. What gives it away, people known subtracted: "
                f"{result.event}.",
                hint,
            )
    return None
