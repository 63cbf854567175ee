"""Releases of counts: the wrong counts that everybody makes, tables to try them on, and an audit of all cells at once.

In disjoint cells one call shows as many draws of noise as there are cells. So a large table in half of whose cells
stands one person more is a large audit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Case, Chance
from dpcourse.checks.cases.known import Mistake, frozen
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import whole
from dpcourse.checks.release import Release
from dpcourse.checks.vocabulary import Shared
from dpcourse.privacy import Guarantee

Shape = tuple[int, ...]
People = Callable[[np.ndarray, Generator], tuple[Any, ...]]
CLASSES = ((1, 9), (20, 60), (300, 500))  # people in a cell: few, some, many
CALLS = {0.5: 70, 3.0: 160}  # ε: calls of the audit


def yes_and_no(people: int, questions: int) -> Callable[[Generator], tuple[np.ndarray]]:
    """A kind of dataset for a `Release`: flags, one row a person, with many shares of yes among the questions."""
    return lambda rng: (rng.random((people, questions)) < rng.permutation(np.linspace(0.2, 0.8, questions)),)


def one_yes_each(people: int, questions: int) -> Callable[[Generator], tuple[np.ndarray]]:
    """The same where everybody says yes to one question: the largest row of the table adds up to 1."""
    return lambda rng: (np.eye(questions, dtype=bool)[rng.integers(questions, size=people)],)


def any_questions(rng: Generator) -> tuple[np.ndarray]:
    """Flags with as many questions as nobody has seen before, 1 to 200, and a share of yes for each, 0 and 1 too."""
    questions = whole(rng, 1, 200)
    return (rng.random((100, questions)) < np.clip(rng.uniform(-0.2, 1.2, questions), 0, 1),)


YES_COUNTS: tuple[Mistake, ...] = (
    Mistake(
        Shared.SHARE,
        lambda flags, *_: flags.mean(axis=0),
        "That is a share of the people, not a count: whatever the data, it lies around a number between 0 and 1.",
        "How many are True? (And a mean of nobody is no number at all.)",
    ),
    Mistake(
        Shared.COUNTS_EVERYBODY,
        lambda flags, *_: np.full(flags.shape[1:], len(flags)),
        "You count everybody, whatever they say.",
        "How many are True?",
    ),
    Mistake(
        Shared.COUNTS_NO,
        lambda flags, *_: len(flags) - flags.sum(axis=0),
        "You count those who are False.",
        "How many are True?",
    ),
)


class YesCounts(Release):
    """Counts of yes under noise so wide that a share, or a yes or no, cannot be told from nothing."""

    def around_the_truth(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        wrong = super().around_the_truth(answer, chance)
        if wrong is None or wrong.key != Shared.IGNORES_DATA.key:
            return wrong
        return Shared.IGNORES_DATA.seen(
            wrong.seen,
            "Is that noise alone, or a share, or a yes or no? Leave the noise out: what comes out, and how many are "
            "True?",
        )


IN_ANOTHER_ORDER = Shared.WRONG_ORDER.seen("Your counts are right, and stand in another order than is asked for.")


def in_another_order(truth: Callable[..., np.ndarray]) -> tuple[Mistake, ...]:
    """The right counts in the wrong places: reversed, or sorted by size."""
    return (
        Mistake.told(IN_ANOTHER_ORDER, lambda *people: truth(*people)[::-1]),
        Mistake.told(IN_ANOTHER_ORDER, lambda *people: np.sort(truth(*people))),
        Mistake.told(IN_ANOTHER_ORDER, lambda *people: np.sort(truth(*people))[::-1]),
    )


def cell_counts(truth: Callable[..., np.ndarray]) -> tuple[Mistake, ...]:
    """Wrong counts of people in cells, made from the right ones."""
    nothing = "Where hundreds of people are, your counts are near 0 on average: that is noise alone, or a share."
    return (
        Mistake(Shared.IGNORES_DATA, lambda *people: truth(*people) / max(truth(*people).sum(), 1), nothing),
        Mistake(
            "presence",
            lambda *people: np.minimum(truth(*people), 1),
            "You give 1, plus noise, wherever anybody is, however many they are.",
            "table[a, b] += 1 adds once for each *different* index; which function adds once a person?",
        ),
    )


def tables(people: People, shape: Shape, kinds: int = 12) -> Sequence[Callable[[Generator], tuple[Any, ...]]]:
    """Kinds of datasets for a `Release`: cells of every class, and nobody in one row, or in a fourth of the groups.

    ``people(counts, rng)`` are the arguments for as many people as `counts` says, in an order drawn anew.
    """

    def kind(place: int) -> Callable[[Generator], tuple[Any, ...]]:
        return lambda rng: people(_counts(shape, place, rng), rng)

    return tuple(kind(place) for place in range(kinds))


def _counts(shape: Shape, place: int, rng: Generator) -> np.ndarray:
    size = int(np.prod(shape))
    empty = shape[-1] if len(shape) > 1 else size // 4
    classes = [CLASSES[member % len(CLASSES)] for member in range(size - empty)]
    full = rng.permutation([int(rng.integers(low, high + 1)) for low, high in classes])
    start = place * empty % size
    return np.concatenate((full[:start], np.zeros(empty, dtype=int), full[start:])).reshape(shape)


def any_table(people: People, shape: Callable[[Generator], Shape]) -> Callable[[Generator], tuple[Any, ...]]:
    """``anew`` for a `Release` of counts: a shape of its own, half of whose cells are empty, and a person at least.

    Every other time nearly all people may be in a few cells, as in many a column of a census.
    """

    def drawn(rng: Generator) -> tuple[Any, ...]:
        counts = np.maximum(rng.integers(-3, 5, size=shape(rng)), 0)
        if rng.random() < 0.5:
            shares = rng.dirichlet(np.full(counts.size, 10 ** rng.uniform(-1.5, 1.5) / counts.size))
            counts = rng.multinomial(whole(rng, 10, 1000), shares).reshape(counts.shape)
        counts.flat[rng.integers(counts.size)] += 1
        return people(counts, rng)

    return drawn


def large_table(people: People, shape: Shape) -> Callable[[Generator], tuple[Any, ...]]:
    """``many`` for a `Release` of counts: a large table, a third of whose cells are empty."""
    return lambda rng: people(np.maximum(rng.integers(-6, 13, size=shape), 0), rng)


def one_more(people: People, shape: Shape, cell: str, epsilons: Sequence[float] = tuple(CALLS)) -> Case:
    """The auditor: is one person more hidden, in every cell of a large table, at several ε?"""

    def case(answer: Answer, chance: Chance) -> Diagnosis | None:
        for epsilon in epsilons:
            seen = _known_subtracted(people, shape, answer, epsilon, chance.rng)
            wrong = _told_apart(seen, epsilon, chance.failure / (2 * len(epsilons)), cell)
            if wrong:
                return wrong
        return None

    return case


def _known_subtracted(
    people: People, shape: Shape, answer: Answer, epsilon: float, rng: Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Noisy counts less the people known, whether one more was there, and whether nobody else was."""
    shown, more, alone = [], [], []
    for _ in range(CALLS[epsilon]):
        known = np.where(rng.random(shape) < 0.4, 0, rng.integers(1, 13, size=shape))
        here = rng.random(shape) < 0.5
        table = np.asarray(answer(*frozen(people(known + here, rng)), epsilon, rng=rng), dtype=float)
        shown.append((table - known).ravel())
        more.append(here.ravel())
        alone.append((known == 0).ravel())
    return np.concatenate(shown), np.concatenate(more), np.concatenate(alone)


def _told_apart(
    seen: tuple[np.ndarray, np.ndarray, np.ndarray], epsilon: float, failure: float, cell: str
) -> Diagnosis | None:
    from dpcourse.audit import audit_outputs  # here, because only a check that audits needs it

    shown, more, alone = seen
    shown = np.round(shown, 2)  # the low bits of a float tell more than the exercise is about (lesson 14)
    for some, where in ((np.ones_like(more), f"in a {cell}"), (alone, f"in a {cell} with nobody else")):
        sides = [shown[some & (more == more_here)] for more_here in (False, True)]
        runs = min(len(side) for side in sides)
        outputs = (side[:runs].tolist() for side in sides)
        result = audit_outputs(*outputs, claim=Guarantee(epsilon), confidence=1 - failure)
        if result.violated:
            return Diagnosis(
                "not-private",
                f"Your counts tell whether one more person is {where}: ε ≥ {result.epsilon_lower:.3g} at 99.9999% "
                f"confidence, you claim {Guarantee(epsilon)}. What gives it away, people known subtracted: "
                f"{result.event}.",
                "The noise is right on average. Where does it depend on who is there?",
            )
    return None
