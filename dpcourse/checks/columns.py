"""One noisy count a column: is it the count that the noise is on?"""

from __future__ import annotations

import numpy as np
from scipy import stats

from dpcourse.checks.base import Diagnosis


def counts_wrong(released: np.ndarray, flags: np.ndarray, failure: float) -> Diagnosis | None:
    """What releases, shape (runs, d), of one large table have on average, if not its counts, flags.sum(axis=0).

    A Student-t test a column, together at `failure`; the noise may be of any size, and it needs some hundred runs.
    """
    runs, d = released.shape
    mean = released.mean(axis=0)
    band = stats.t.isf(failure / (2 * d), runs - 1) * released.std(axis=0, ddof=1) / np.sqrt(runs) + 1e-6

    def near(wanted: np.ndarray | float) -> bool:
        return bool((np.abs(mean - wanted) <= band).all())

    people, counts = len(flags), flags.sum(axis=0)
    if near(counts):
        return None
    first = int(np.argmax(np.abs(mean - counts) / band))
    seen = (
        f"{counts[first]:,} of {people:,} people say yes to question {first}; over {runs} releases you give "
        f"{mean[first]:,.4g} on average."
    )
    if near(0.0) or near(flags.any(axis=0).astype(float)) or near(flags[0].astype(float)):
        return Diagnosis("no-counts", f"{seen} With this noise that is nothing.", "Where do all the rows come in?")
    if near(flags.mean(axis=0)):
        return Diagnosis("shares", f"{seen} That is their share.", "The number of people is wanted: a sum, not a mean.")
    if near(people - counts):
        return Diagnosis("counts-no", f"{seen} That is who says no.", "True is yes.")
    if near(people):
        return Diagnosis("counts-everybody", f"{seen} That is everybody.", "Add up the column: True counts as 1.")
    if near(counts[::-1]) or near(np.sort(counts)) or near(np.sort(counts)[::-1]):
        return Diagnosis("wrong-order", f"{seen} That is the count of another question.", "Keep the order of columns.")
    return Diagnosis(
        "wrong-counts", seen, "How many people say yes to each question? Nothing may be added to that but noise."
    )
