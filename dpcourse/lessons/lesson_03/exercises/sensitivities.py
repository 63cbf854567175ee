"""Exercise 03.1: five sensitivities that the lesson does not have, from public numbers alone."""

from __future__ import annotations

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Mistake
from dpcourse.checks.cases.exact import holds_text
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import between, whole

_FIVE = "Which five numbers does the exercise ask for? Return them as numbers, in one tuple."
_NAMES = (
    "the sum of squares, one record added or removed",
    "the sum of squares, one record replaced",
    "the gap between two groups, one record replaced",
    "the table of ticks, one person added or removed",
    "the table of ticks, one person replaced",
)


def right_sensitivities(low: float, high: float, boxes: int, ticks: int) -> tuple[float, ...]:
    """The L1 sensitivity of the five questions, in the order of `_NAMES`.

    Examples
    --------
    >>> right_sensitivities(-2, 10, boxes=5, ticks=3)
    (100, 100, 20, 3, 5)
    """
    size = max(abs(low), abs(high))
    smallest = 0 if low <= 0 <= high else min(abs(low), abs(high))
    return size**2, size**2 - smallest**2, 2 * size, ticks, min(2 * ticks, boxes)


def _known_sensitivities(low: float, high: float, boxes: int, ticks: int) -> list[Mistake]:
    """`gives` is the place and the wrong value."""
    size = max(abs(low), abs(high))
    return [
        Mistake(
            "upper-bound-only",
            (0, high**2),
            "For the sum of squares, added, you give high². A record at low counts too, and |low| may be larger.",
            "Which record has the largest square?",
        ),
        Mistake(
            "square-of-width",
            (0, (high - low) ** 2),
            "For the sum of squares, added, you give (high − low)². A record that is added counts from 0.",
            "How large can its square be?",
        ),
        Mistake(
            "not-squared",
            (0, size),
            "For the sum of squares, added, you give the sensitivity of the sum.",
            "Records are squared first.",
        ),
        Mistake(
            "bounds-only",
            (1, abs(high**2 - low**2)),
            "For the sum of squares, replaced, you give the difference of the squares of the bounds. With low = −3 and "
            "high = 3 that would be 0.",
            "Which record between the bounds has the smallest square?",
        ),
        Mistake(
            "one-square-only",
            (1, size**2),
            "For the sum of squares, replaced, you give the largest square. The other record's square may have to be "
            "above 0.",
            "With low = 8 and high = 10, what is the smallest square a record can have?",
        ),
        Mistake(
            "square-of-width",
            (1, (high - low) ** 2),
            "For the sum of squares, replaced, you give (high − low)². The records are squared before they are "
            "subtracted.",
            "With low = 8 and high = 10: 100 − 64 or (10 − 8)²?",
        ),
        Mistake(
            "same-group",
            (2, high - low),
            "For the gap, you give high − low: as if a person could not change the group.",
            "Take somebody from the first group away and put somebody into the second. What does the gap do?",
        ),
        Mistake(
            "one-of-two",
            (2, size),
            "For the gap, you give what one record weighs. But one goes and another comes.",
            "One leaves the first group, one joins the second. Do the two changes cancel or add up?",
        ),
        Mistake(
            "width-for-size",
            (2, 2 * (high - low)),
            "For the gap, you give 2(high − low). A record that comes counts from 0, not from low.",
            "How much does one record change the total of its group?",
        ),
        Mistake(
            "one-box",
            (3, 1),
            "For the table of ticks, added, you give 1: as if a person could tick one box only.",
            "How many of the counts can one person change?",
        ),
        Mistake(
            "all-boxes",
            (3, boxes),
            "For the table of ticks, added, you give the number of boxes.",
            "May one person tick them all?",
        ),
        Mistake(
            "more-than-boxes",
            (4, 2 * ticks),
            "For the table of ticks, replaced, you give 2·ticks. With boxes = 5 and ticks = 3 that would be 6 counts.",
            "How many counts are there that can change?",
        ),
        Mistake(
            "one-of-two-people",
            (4, ticks),
            "For the table of ticks, replaced, you give what one person has ticked.",
            "The person who comes may have ticked other boxes. How many counts change then?",
        ),
        Mistake(
            "one-box",
            (4, 2),
            "For the table of ticks, replaced, you give 2: as if a person could tick one box only.",
            "How many boxes can the two people have ticked between them?",
        ),
    ]


def _draw(rng: np.random.Generator, kind: int) -> tuple[float, float, int, int]:
    """Bounds: both positive; low below zero and the larger; low below zero and the smaller; both negative."""
    a, b = sorted(rng.choice(np.arange(2, 50), 2, replace=False).tolist())
    low, high = ((a, b), (-b, a), (-a, b), (-b, -a))[kind % 4]
    boxes = int(rng.integers(5, 12))
    ticks = int(rng.integers(2, boxes // 2 + 1)) if kind % 2 else int(rng.integers(boxes // 2 + 1, boxes))
    return low, high, boxes, ticks


def _draw_any(rng: np.random.Generator, kind: int) -> tuple[float, float, int, int]:
    """The same with bounds of any size, one of which may be 0, and up to 500 boxes."""
    a, b = sorted(between(rng, 0.01, 1e5) for _ in range(2))
    low, high = ((a, b), (-b, a), (-a, b), (-b, -a), (0.0, b), (-b, 0.0))[kind % 6]
    boxes = whole(rng, 1, 500)
    return low, high, boxes, whole(rng, 1, boxes)


def _sensitivities(answer: Answer, chance: Chance) -> Diagnosis | None:
    drawn = [_draw(chance.rng, kind) for kind in range(8)] + [_draw_any(chance.rng, kind) for kind in range(12)]
    got = []
    for arguments in drawn:
        result = answer(*arguments)
        try:
            if holds_text(result):
                raise TypeError
            got.append(np.asarray(result, dtype=float))
        except (TypeError, ValueError):
            return Diagnosis("wrong-type", f"Five numbers are wanted; you return {result!r}.", _FIVE)
        if got[-1].shape != (5,):
            return Diagnosis("wrong-shape", f"Five numbers are wanted; the result has shape {got[-1].shape}.", _FIVE)
    right = np.array([right_sensitivities(*arguments) for arguments in drawn], dtype=float)
    table = np.array(got)
    wrong_places = [place for place in range(5) if not np.allclose(table[:, place], right[:, place])]
    if not wrong_places:
        return None
    known = [_known_sensitivities(*arguments) for arguments in drawn]
    for entry in range(len(known[0])):
        mistake = known[0][entry]
        place, _ = mistake.gives
        if place in wrong_places and np.allclose(table[:, place], [one[entry].gives[1] for one in known]):
            return mistake.diagnosis
    place = wrong_places[0]
    if not table[:, place].any():
        return Diagnosis(
            "all-zero",
            f"For {_NAMES[place]}, you give 0, as if nobody could change it.",
            "Write down two neighbours. What is the number for the one, and what for the other?",
        )
    row = int(np.argmin(np.isclose(table[:, place], right[:, place])))
    low, high, boxes, ticks = drawn[row]
    given = f"low = {low:.6g}, high = {high:.6g}" if place < 3 else f"boxes = {boxes}, ticks = {ticks}"
    squares = (("low²", low**2), ("high²", high**2)) if place < 2 else ()
    named = next(
        (f", which is {name}" for name, value in squares if value and np.isclose(table[row, place], value)), ""
    )
    return Diagnosis(
        "wrong-value",
        f"With {given}, {_NAMES[place]}, can change by {right[row, place]:.6g}; you give "
        f"{table[row, place]:.6g}{named}.",
        "Write down two neighbours that are as far apart as they can be.",
    )


SENSITIVITIES = (_sensitivities,)
