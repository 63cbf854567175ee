"""Exercise 03.3, values that no category is: those that are nothing like one, and those that nearly are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Case, Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import near, whole
from dpcourse.checks.vocabulary import Shared

_MANY = 1000  # records of one undeclared value; noise at ε = 1 is beyond 90 with probability e^-90
Draw = Callable[[Generator], tuple[list[str], list[str]]]


def strangers(categories: Sequence[str], rng: Generator) -> list[str]:
    """Values that are no category: a sign, and what differs from a category by its case, a blank or a letter."""
    longest, some = max(categories, key=len), str(rng.choice(categories))
    alike = [f"{longest}x", f"{longest} "]
    for one in (longest, some):
        alike += [f" {one}", f"{one} ", one.upper(), one.lower(), one.swapcase(), one[:-1], f"{one}+"]
        alike += [one.replace("-", " "), one.replace(" ", "-"), one.replace("-", ""), one.replace(" ", "")]
    unlike = ["?", "", f"Z{rng.integers(100)}"]
    return [value for value in dict.fromkeys([*unlike, *alike]) if value not in categories]


def undeclared_counted(draw: Draw) -> Case:
    """Records with undeclared values, a thousand of each, must not be counted anywhere."""

    def case(answer: Answer, chance: Chance) -> Diagnosis | None:
        for _ in range(3):
            values, categories = draw(chance.rng)
            unknown = strangers(categories, chance.rng)
            if np.abs(_off(answer, values, categories, unknown, chance.rng)).max() <= 90:
                continue
            for value in unknown:
                off = _off(answer, values, categories, [value], chance.rng)
                place = int(np.abs(off).argmax())
                if abs(off[place]) > 90:
                    return _counted(value, categories[place], off[place], last=place == len(categories) - 1)
        return None

    return case


def _off(
    answer: Answer, values: Sequence[str], categories: Sequence[str], unknown: Sequence[str], rng: Generator
) -> np.ndarray:
    """How far counts are from the truth where a thousand records of each of these values are added."""
    people = [*values, *(value for value in unknown for _ in range(_MANY))]
    there = Counter(values)
    given = np.asarray(answer(people, list(categories), 1.0, rng=rng), dtype=float)
    return given - [there[category] for category in categories]


def _counted(value: str, category: str, off: float, *, last: bool) -> Diagnosis:
    cell = f"the cell of {category!r}{', the last one,' if last else ''}"
    return Diagnosis(
        "undeclared-counted",
        f"A thousand records have the undeclared value {value!r}, and {cell} comes out {off:.0f} too large.",
        "Drop such records: they are in no cell. How do you compare a value with a category? (In Python an index of −1 "
        "is the last cell.)",
    )


def only_undeclared(draw: Draw) -> Case:
    """Where all values are undeclared, the zeros need noise: whole noise at ε = 1 is all 0 forty times with 1e-13."""

    def case(answer: Answer, chance: Chance) -> Diagnosis | None:
        for most in (1, 300):
            _, categories = draw(chance.rng)
            values = chance.rng.choice(strangers(categories, chance.rng), whole(chance.rng, 1, most)).tolist()
            epsilon = near(0.5, chance.rng, 2.0)
            tables = [
                np.asarray(answer(list(values), list(categories), epsilon, rng=chance.rng), float) for _ in range(40)
            ]
            if not np.ptp(tables, axis=0).any():
                return Shared.NOBODY.seen(
                    f"{len(values):,} record{'s have' if len(values) > 1 else ' has an'} undeclared value"
                    f"{'s' if len(values) > 1 else ''}, there are no others, and your table has no noise.",
                    "What would Boris see if one person with a declared value were added?",
                )
        return None

    return case
