"""What a table of noisy counts gives away beyond a single cell: uneven, shared or too little noise, an exact total."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance, Diagnosis
from dpcourse.checks.cases import Audited
from dpcourse.checks.cases.known import Pairs
from dpcourse.checks.vocabulary import Shared
from dpcourse.privacy import Guarantee

Release = Callable[[Answer, Any, np.random.Generator], np.ndarray]
RUNS = 400
EXACT_TOTAL = Shared.EXACT_TOTAL.seen(
    "Your counts always add up to the same total. So the number of people comes out without any noise, and whoever "
    "knows all others sees whether one more is there.",
    "Leave the noisy counts as they are: n is private under adding and removing.",
)
NO_NOISE_ON_NOBODY = Shared.NOBODY.seen(
    "When nobody is in the data, your counts have no noise.", "Zeros need noise too."
)


def stops_on_nobody(raised: AnswerRaised) -> Diagnosis:
    """An answer that raises on an empty dataset."""
    return Shared.NOBODY.seen(
        f"When nobody is in the data your function stops with {raised}. An error is an output: it tells the empty "
        "dataset from one with a single person.",
        "Noise around zeros is a fine answer.",
    )


def cell_noise(release: Release, data: Callable[[np.random.Generator], Any], truth: Callable[[Any], np.ndarray]):
    """A case: all cells get noise of one size, and each its own.

    `release` is called `RUNS` times on one dataset, at an ε where discrete and continuous Laplace noise have mean sizes
    between 0.8 and 1.2. The relative deviation of a cell's mean size is 0.05, so that the largest is 2.2 times the
    smallest, and two cells correlate by 0.5, with a probability below 1e-12.
    """

    def case(answer: Answer, chance: Chance) -> Diagnosis | None:
        people = data(chance.rng)
        errors = np.array([np.ravel(release(answer, people, chance.rng) - truth(people)) for _ in range(RUNS)])
        size = np.abs(errors).mean(axis=0)
        if size.max() > 2.2 * size.min():
            least, most = (int(np.ravel(truth(people))[at]) for at in (size.argmin(), size.argmax()))
            return Shared.UNEVEN_NOISE.seen(
                f"Not all cells get noise of one size: where {least} people are counted it is {size.min():.2g} on "
                f"average, and {size.max():.2g} where {most} are. Any record may be in any cell.",
                "One scale for all, from public numbers only.",
            )
        linked = np.abs(np.corrcoef(errors.T) - np.eye(errors.shape[1])).max()
        if linked > 0.5:
            return Shared.LINKED_NOISE.seen(
                "Some cells share their noise: their sum or their difference has less noise than it should, or none.",
                "A draw of its own for each cell.",
            )
        return None

    return case


def exact_total(release: Release, pairs: Pairs, truth: Callable[[Any], np.ndarray]) -> Audited:
    """A case: the sum of all cells is attacked. Noise that cancels, or counts scaled to n, leave n exact."""

    def total(answer: Answer, data: Any, rng: np.random.Generator) -> float:
        return round(float(release(answer, data, rng).sum()), 2)

    def name(answer: Answer, chance: Chance, _: Any) -> Diagnosis | None:
        people = pairs(chance.rng)[0]
        sums = [total(answer, people, chance.rng) - truth(people).sum() for _ in range(50)]
        if np.ptp(sums) > 0.1:
            return None
        return EXACT_TOTAL

    hint = "What does the sum of all your counts tell?"
    return Audited(pairs, Guarantee(1.0), runs=1000, call=total, diagnose=name, hint=hint, key="total-not-private")


def nobody(release: Release, empty: Any, shape: tuple[int, ...]):
    """A case: a dataset of nobody is a dataset. An error would tell that it is empty."""

    def case(answer: Answer, chance: Chance) -> Diagnosis | None:
        try:
            # Noise of whole numbers is zero 46% of the time: in four cells, forty times, with probability 1e-54.
            results = np.array([release(answer, empty, chance.rng) for _ in range(40)])
        except AnswerRaised as raised:
            return stops_on_nobody(raised)
        if results.shape[1:] == shape and np.isfinite(results).all() and results.any():
            return None
        return NO_NOISE_ON_NOBODY

    return case
