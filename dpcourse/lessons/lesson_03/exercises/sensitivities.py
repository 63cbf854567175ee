"""Exercise 03.1: five sensitivities, from the bounds and n alone."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Trial, Wrong
from dpcourse.checks.cases.exact import holds_text

_NAMES = (
    "the sum, one record added or removed",
    "the sum, one record replaced",
    "the mean of n records, one replaced",
    "the histogram, one record added or removed",
    "the histogram, one record replaced",
)


def _right_sensitivities(low: float, high: float, n: int) -> tuple[float, ...]:
    return max(abs(low), abs(high)), high - low, (high - low) / n, 1.0, 2.0


def _known_sensitivities(low: float, high: float, n: int) -> list[tuple[int, float, Wrong]]:
    """Place, wrong value, diagnosis."""
    return [
        (0, high - low, Wrong(
            "For the sum under add-remove you give U − L. A record that is added counts in full, not from L.",
            "How large can the one record be that comes or goes, its sign aside?", "width-for-size")),
        (0, high, Wrong(
            "For the sum under add-remove you give U. A record at L moves the sum too, and here |L| may be larger.",
            "Take the larger of |L| and |U|.", "upper-bound-only")),
        (1, max(abs(low), abs(high)), Wrong(
            "For the sum under replace-one you give what one record weighs; but one goes and another comes.",
            "What is the farthest a record can move?", "size-for-width")),
        (1, 2 * max(abs(low), abs(high)), Wrong(
            "Twice the add-remove value bounds the sum under replace-one, but it is not the smallest bound.",
            "From which value to which can the replaced record move?", "doubled")),
        (2, high / n, Wrong(
            "Upper bound over n is right for the mean only where L = 0.", "A record moves from L to U.", "max-over-n")),
        (2, high - low, Wrong("That is the sensitivity of the sum.", "The mean divides it by n.", "forgot-n")),
        (3, 2.0, Wrong(
            "One record more adds one to one cell of the histogram.", "No other cell changes.", "relations-swapped")),
        (4, 1.0, Wrong(
            "A replaced record leaves one cell and enters another.", "Both cells count in the L1 norm.", "one-cell")),
        (4, math.sqrt(2), Wrong("That is the L2 sensitivity.", "In L1 the two changes add up.", "l2-norm")),
    ]  # fmt: skip


def _sensitivities(answer: Answer, trial: Trial) -> Wrong | None:
    drawn = []
    # Both bounds positive; L below zero and the larger one; L below zero and the smaller one; both negative.
    for kind in (0, 1, 2, 3, 0, 1, 2, 3):
        a, b = (float(x) for x in np.sort(trial.rng.uniform(1, 100, 2)).round(1))
        low, high = ((a, b + 0.5), (-b - 0.5, a / 2), (-a / 2, b + 0.5), (-b - 0.5, -a))[kind]
        drawn.append((low, high, int(trial.rng.integers(3, 500))))
    got = []
    for arguments in drawn:
        result = answer(*arguments)
        try:
            if holds_text(result):
                raise TypeError
            got.append(np.asarray(result, dtype=float))
        except (TypeError, ValueError):
            return Wrong(f"Five numbers are wanted; you return {result!r}.", "", "wrong-type")
        if got[-1].shape != (5,):
            return Wrong(f"Five numbers are wanted; the result has shape {got[-1].shape}.", "", "wrong-shape")
    right = np.array([_right_sensitivities(*arguments) for arguments in drawn])
    table = np.array(got)
    wrong_places = [place for place in range(5) if not np.allclose(table[:, place], right[:, place])]
    if not wrong_places:
        return None
    known = [_known_sensitivities(*arguments) for arguments in drawn]
    for entry in range(len(known[0])):
        place, _, wrong = known[0][entry]
        values = [one[entry][1] for one in known]
        if place in wrong_places and np.allclose(table[:, place], values):
            return wrong
    place = wrong_places[0]
    low, high, n = drawn[0]
    return Wrong(
        f"For bounds ({low:g}, {high:g}) and n = {n}, {_NAMES[place]} can change by {right[0, place]:.6g}; you give "
        f"{table[0, place]:.6g}.",
        "Write down two neighbours that are as far apart as they can be.",
        "wrong-value",
    )


SENSITIVITIES = (_sensitivities,)
