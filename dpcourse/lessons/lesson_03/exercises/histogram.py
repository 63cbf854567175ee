"""Exercise 03.3: a table over declared categories."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance, Diagnosis
from dpcourse.checks.cases import Audited, Returns, View, either_order
from dpcourse.checks.noise import cell_noise, exact_total, nobody
from dpcourse.checks.noise_laws import Wanted, geometric, laplace, noise_wrong
from dpcourse.checks.vocabulary import Shared
from dpcourse.privacy import Guarantee

CLAIM = Guarantee(1.0)


def _table(rng: Generator) -> tuple[list[str], list[str]]:
    """Declared categories, the last of which nobody has; and a few records, for answers that loop over them."""
    categories = [f"{letter}{rng.integers(100)}" for letter in rng.permutation(list("ABCDEFGH"))[: rng.integers(4, 7)]]
    values = [categories[place] for place in rng.integers(0, len(categories) - 1, int(rng.integers(3, 15)))]
    return values + categories[:-1], categories


def _large_table(rng: Generator) -> tuple[list[str], list[str]]:
    """The same, with twenty records or more in every category but the last."""
    values, categories = _table(rng)
    return values + [category for category in categories[:-1] for _ in range(rng.integers(20, 40))], categories


def _empty_or_one(rng: Generator) -> tuple[Any, Any]:
    values, categories = _table(rng)
    return either_order((values, categories), ([*values, categories[-1]], categories), rng)


def _frequent(rng: Generator) -> tuple[Any, Any]:
    values, categories = _table(rng)
    return either_order((values, categories), ([*values, categories[0]], categories), rng)


def _undeclared(rng: Generator) -> tuple[Any, Any]:
    values, categories = _table(rng)
    return either_order((values, categories), ([*values, "?"], categories), rng)


def _counts(data: tuple[list[str], list[str]]) -> np.ndarray:
    values, categories = data
    return np.array([values.count(category) for category in categories])


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


def _right_cells(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Counts so far apart that no noise mixes them up: beyond 90 its scale of 1 leaves e^-90 of Laplace noise.

    A thousand records with undeclared values must not be counted anywhere.
    """
    rng = chance.rng
    categories: list[str] = []
    while categories == sorted(categories):
        _, categories = _table(rng)
    wanted = 300 * (1 + np.arange(len(categories)))
    while (np.diff(wanted) > 0).all() or (np.diff(wanted) < 0).all():
        wanted = rng.permutation(wanted)
    values = [category for category, count in zip(categories, wanted, strict=True) for _ in range(count)]
    without = np.asarray(answer(list(values), list(categories), 1.0, rng=rng), dtype=float)
    if (np.abs(without - wanted) > 90).any():
        return _other_cells(without, wanted)
    unknown = ["?"] * 500 + [f"Z{rng.integers(100)}"] * 500
    off = np.asarray(answer(values + unknown, list(categories), 1.0, rng=rng), dtype=float) - wanted
    if (np.abs(off) > 90).any():
        place = int(np.abs(off).argmax())
        where = "the last cell" if place == len(categories) - 1 else f"cell {place}"
        return Diagnosis(
            "undeclared-counted",
            f"A thousand records have undeclared values, and {where} comes out {off[place]:.0f} too large.",
            "Drop such records: they are in no cell. (In Python an index of −1 is the last cell.)",
        )
    return None


def _other_cells(cells: np.ndarray, wanted: np.ndarray) -> Diagnosis:
    """What a table holds that does not hold the counts."""
    seen = f"People in the declared categories: {wanted.tolist()}. Your table: {np.round(cells).astype(int).tolist()}."
    if (np.abs(np.sort(cells) - np.sort(wanted)) <= 90).all():
        return Shared.WRONG_ORDER.seen(seen, "Those are the counts in another order: keep that of `categories`.")
    if (np.abs(cells) <= 90).all():
        return Diagnosis(
            "no-counts",
            f"{seen} That is about zero.",
            "Is it noise alone, or a share where the number of people is wanted?",
        )
    return Diagnosis("wrong-counts", seen, "One count for each category: how many records have this value?")


def _negative_cut(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Where nobody is, noise is negative in a quarter of the runs at least: never in 100, once in 10^12."""
    data = _table(chance.rng)
    cells = [float(np.asarray(_call_table(answer, data, chance.rng))[-1]) for _ in range(100)]
    if min(cells) < 0:
        return None
    return Diagnosis(
        "negative-cut",
        "In a hundred tables no count was negative where nobody is: you cut negative counts, or turn their sign. That "
        "is private, but counts near zero are then too large on average.",
        "Leave negative counts as they are.",
    )


def _call_table(answer: Answer, data: Any, rng: Generator) -> Any:
    return answer(*data, 1.0, rng=rng)


def _call_at(answer: Answer, data: Any, epsilon: float, rng: Generator) -> Any:
    return answer(*data, epsilon, rng=rng)


def _cells(answer: Answer, data: Any, rng: Generator) -> np.ndarray:
    return np.asarray(_call_table(answer, data, rng), dtype=float)


def _padded(cells: Any) -> np.ndarray:
    """Tables of any length as eight numbers, so that a case can stack them."""
    return np.pad(np.asarray(cells, dtype=float), (0, 8 - np.size(cells)))


def _last_cell(cells: np.ndarray) -> float:
    return round(float(cells[-1]), 3)


def _first_cell(cells: np.ndarray) -> float:
    return round(float(cells[0]), 3)


def _differences(cells: np.ndarray) -> float:
    return round(float(cells[-1] - cells[0]), 3)


def _noise(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Laplace or geometric noise of scale 1/ε in every cell with twenty people or more; 9,000 errors at each ε."""
    seen = []
    for epsilon in (0.5, 2.0):
        errors = []
        for data in (_large_table(chance.rng) for _ in range(20)):
            truth, runs = _counts(data)[:-1], -(-9000 // (20 * (len(data[1]) - 1)))
            cells = [np.asarray(_call_at(answer, data, epsilon, chance.rng), dtype=float)[:-1] for _ in range(runs)]
            errors.append(np.ravel(cells - truth))
        seen.append(Wanted(np.concatenate(errors), epsilon, (laplace(1 / epsilon), geometric(1 / epsilon))))
    much = "A person is in one cell only. Does ε have to be divided by the number of cells?"
    return noise_wrong(seen, chance.failure, unit=" people", too_much=much)


def _silent_when_empty(answer: Answer, chance: Chance, result: Any) -> Diagnosis | None:
    """The cell that nobody is in comes out the same every time."""
    data = _table(chance.rng)
    if len({float(np.asarray(_call_table(answer, data, chance.rng))[-1]) for _ in range(30)}) > 1:
        return None
    return Diagnosis(
        "empty-cell-without-noise",
        "A cell that nobody is in always comes out the same, and one that somebody is in does not: the first person "
        "in it shows.",
        "What would Boris see if Ana were the only one in such a cell?",
    )


def _shared(answer: Answer, chance: Chance, result: Any) -> Diagnosis | None:
    return Shared.SHARED_NOISE.seen(
        f"Each cell by itself keeps ε = 1, but the difference of two tells: ε ≥ {result.epsilon_lower:.3g}.",
        "Does every cell have noise of its own? What is left when Boris subtracts two cells that share their noise?",
    )


HISTOGRAM = (
    _shapes,
    Returns(
        lambda rng: (*_table(rng), 1.0), what="array", shape=lambda values, categories, epsilon: (len(categories),)
    ),
    _right_cells,
    Audited(
        _empty_or_one,
        CLAIM,
        call=_cells,
        view=_last_cell,
        runs=3000,
        hint="By how much can one person change one cell, and which scale does that need?",
        key="too-little-noise",
        diagnose=_silent_when_empty,
        also=(View(_differences, hint="Which cells share their noise?", key="shared-noise", diagnose=_shared),),
    ),
    Audited(
        _frequent,
        CLAIM,
        call=_cells,
        view=_first_cell,
        runs=3000,
        hint="By how much can one person change one cell, and which scale does that need?",
        key="too-little-noise",
    ),
    Audited(
        _undeclared,
        CLAIM,
        call=_cells,
        view=_differences,
        runs=2500,
        hint="A person with an undeclared value changes your table by more than ε allows.",
        key="undeclared-tells",
    ),
    _negative_cut,
    nobody(_cells, ([], list("ABCD")), (4,)),
    cell_noise(_cells, _large_table, _counts),
    exact_total(_cells, _empty_or_one, _counts),
    _noise,
)
