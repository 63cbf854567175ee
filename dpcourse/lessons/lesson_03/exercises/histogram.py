"""Exercise 03.3: a table over declared categories."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Mistake, either_order
from dpcourse.checks.counting import (
    IN_ANOTHER_ORDER,
    any_table,
    cell_counts,
    in_another_order,
    large_table,
    one_more,
    tables,
)
from dpcourse.checks.diagnosis import Diagnosis, a
from dpcourse.checks.named import word
from dpcourse.checks.noise_laws import geometric, laplace
from dpcourse.checks.once import whole
from dpcourse.checks.release import Probe, Release
from dpcourse.checks.vocabulary import Shared
from dpcourse.checks.words import Words
from dpcourse.lessons.lesson_03.exercises.undeclared import only_undeclared, strangers, undeclared_counted

_FORMS = ("{}{}", "{3}", "not-{3}", "{2}", "{}-{}", "Group {} no. {}", "größer {}, {}")  # of names
Table = tuple[list[str], list[str]]  # values and declared categories


def _people(counts: np.ndarray, rng: Generator) -> Table:
    """So many records of each category, whose names are drawn anew."""
    form = _FORMS[rng.integers(len(_FORMS))]
    categories = [
        form.format("ABCDEFGH"[number // 100], number % 100, number, word(number))
        for number in rng.choice(800, counts.size, replace=False)
    ]
    return rng.permutation(np.repeat(categories, counts)).tolist(), categories


def _of_any_length(counts: np.ndarray, rng: Generator) -> Table:
    """The same, every other time with undeclared values among them, or (one in ten of these) nothing else.

    Every third time names begin alike, and only what comes after up to sixty letters tells them apart.
    """
    values, categories = _people(counts, rng)
    if rng.random() < 0.5:
        unknown = rng.choice(strangers(categories, rng), whole(rng, 1, max(1, len(values) // 4))).tolist()
        values = rng.permutation([*values, *unknown]).tolist() if rng.random() < 0.9 else unknown
    before = "".join(rng.choice(list("abc "), whole(rng, 1, 60))) if rng.random() < 1 / 3 else ""
    return [before + one for one in values], [before + one for one in categories]


def _table(rng: Generator) -> Table:
    """A few records; nobody has the last of the declared categories."""
    return _people(np.append(rng.integers(1, 5, int(rng.integers(3, 6))), 0), rng)


def _counts(values: list[str], categories: list[str]) -> np.ndarray:
    there = Counter(values)
    return np.array([there[category] for category in categories])


def _undeclared(rng: Generator) -> tuple[Any, Any]:
    values, categories = _table(rng)
    return either_order((values, categories), ([*values, "?"], categories), rng)


def _shapes(answer: Answer, chance: Chance) -> Diagnosis | None:
    """One count a declared category, in their order, whatever was observed."""
    for _ in range(4):
        values, categories = _table(chance.rng)
        result = answer(list(values), list(categories), 1.0, rng=chance.rng)
        if result is None:
            return Diagnosis("returns-nothing", "Your function returns nothing (None).", "Is a `return` missing?")
        if isinstance(result, dict):
            return Diagnosis("wrong-type", "An array is wanted, one count for each category in order.")
        length = np.size(result)
        if length == len(set(values)) != len(categories):
            return Diagnosis(
                "observed-categories",
                f"{len(categories)} categories were declared and {length} come back: those that somebody has. "
                "So the table says that nobody is in the missing one.",
                "Over which categories do you count? What should an empty one get?",
            )
        missing = [cell for cell, count in zip(categories, np.ravel(result), strict=False) if count != count]
        if missing:
            return Diagnosis(
                "nan",
                f"The count of {missing[0]!r} is NaN (not a number).",
                "Nobody in these data has this value. How many people is that, and does their count get noise?",
            )
        if np.shape(result) != (len(categories),):
            return Diagnosis(
                "wrong-shape", f"The result has shape {np.shape(result)}, and {(len(categories),)} is wanted."
            )
    values, categories = _table(chance.rng)
    values = [*values, "?"]
    try:
        length = np.size(answer(list(values), list(categories), 1.0, rng=chance.rng))
    except Exception as error:
        return Diagnosis(
            "undeclared-raises",
            f"A record with an undeclared value stops your function ({error}): an error is an output, and it tells.",
            "Drop such records silently.",
        )
    if length != len(categories):
        return Diagnosis(
            "undeclared-cell", "An undeclared value gets a cell of its own.", "Drop records with undeclared values."
        )
    return None


def _list_compared(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A list compared with a string is one False; an array is compared entry by entry. Noise beyond 90: e^-90."""
    values, categories = _people(np.full(3, 1000), chance.rng)

    def most_off(people: Any, truth: int) -> float:
        cells = np.asarray(answer(people, list(categories), 1.0, rng=chance.rng), dtype=float)
        return float(np.abs(cells - truth).max())

    try:
        seen = most_off(list(values), 0) <= 90 and most_off(np.array(values), 1000) <= 90
    except AnswerRaised:
        return None
    if not seen:
        return None
    return Diagnosis(
        "list-compared",
        "Your counts lie around 0. With an array of the same values they are right, and `values` is a list.",
        'What is ["a", "b"] == "a" in Python? Make it an array first, or use `values.count`.',
    )


def _other_forms(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Who takes arrays and tables too adds noise to them: 20 calls alike have probability 1e-20. An error is fine."""
    import pandas as pd  # here, because only this look needs it

    values, categories = _people(chance.rng.integers(5, 40, 3), chance.rng)
    for people in (np.array(values), pd.Series(values)):
        try:
            cells = [np.asarray(answer(people, categories, 1.0, rng=chance.rng), dtype=float) for _ in range(20)]
        except (AnswerRaised, ValueError, TypeError):
            continue
        if (np.ptp(cells, axis=0) < 0.3).all():
            seen = f"Your function takes {a(people)} of values, too, and then your counts have no noise."
            other = "an array" if isinstance(people, np.ndarray) else "a Series"
            return Shared.NOT_EVERYWHERE.seen(seen, f"Does your noise depend on whether `values` is a list or {other}?")
    return None


_SORTED_NAMES = Mistake.told(IN_ANOTHER_ORDER, lambda values, categories: _counts(values, sorted(categories)))
_SHARES, _PRESENCE = cell_counts(_counts)
_WRONG_COUNTS = (
    replace(_SHARES, ask="Do you divide by the number of people?"),
    replace(
        _PRESENCE, ask="counts[places] += 1 adds once for each different place. Which function adds once a person?"
    ),
)
_CELLS = Release(
    data=tables(_people, (6,)),
    many=large_table(_people, (24,)),
    anew=any_table(_of_any_length, lambda rng: (whole(rng, 1, 80),)),
    truth=_counts,
    noise=(laplace, geometric),
    mistakes=(*_WRONG_COUNTS, *in_another_order(_counts), _SORTED_NAMES),
    nobody=([], list("ABCD")),
    before=(undeclared_counted(_table), only_undeclared(_table), _other_forms),
    neighbours=(
        Probe(
            _undeclared,
            "A person with an undeclared value changes your table by more than ε allows. Where do they come in?",
            "undeclared-tells",
            runs=2500,
            view=lambda cells: round(float(cells[-1] - cells[0]), 3),
        ),
    ),
    after=(one_more(_people, (60,), "cell"),),
    looks=(1, 30),
    words=Words(
        unit=" people",
        cell="cell",
        draw="size=len(categories)",
        empty="What would Boris see if Ana were the only one in such a cell?",
        shared="Does every cell have noise of its own? What is left when Boris subtracts two that share their noise?",
        too_much="A person is in one cell only. How many cells change if one person is added? Is ε divided by that?",
        too_little="By how much can one person change one cell, and which scale does that need?",
    ),
)
HISTOGRAM = (_shapes, _list_compared, *_CELLS.cases)
