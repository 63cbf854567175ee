"""Exercise 04.2: many counts at once, with Gaussian noise.

Outputs are floats and are rounded before the auditor sees them, as in lesson 03.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance, Diagnosis
from dpcourse.checks.cases import Audited, Returns, either_order
from dpcourse.checks.columns import counts_wrong
from dpcourse.checks.vocabulary import Shared
from dpcourse.mechanisms import GaussianMechanism
from dpcourse.privacy import Guarantee

APPROXIMATE = Guarantee(1.0, 1e-5)


_SIGMA = GaussianMechanism(1.0, 1e-5).sigma


def _everyone(rng: Generator) -> tuple[Any, Any]:
    """A table of flags, and the same with one person who says yes to everything."""
    d = int(rng.integers(30, 60))
    flags = rng.random((int(rng.integers(20, 60)), d)) < 0.5
    return either_order((flags,), (np.vstack([flags, np.ones((1, d), dtype=bool)]),), rng)


def _call_counts(answer: Answer, data: Any, rng: Generator) -> Any:
    return answer(data[0], _SIGMA, rng=rng)


def _along(output: Any) -> float:
    """The direction in which the person moves the answer: where the two datasets differ most."""
    cells = np.asarray(output, dtype=float)
    return round(float(cells.sum() / math.sqrt(cells.size)), 3)


def _first_two(output: Any) -> float:
    cells = np.asarray(output, dtype=float)
    return round(float(cells[0] - cells[1]), 3)


def _only_first(rng: Generator) -> tuple[Any, Any]:
    (flags,), _ = _everyone(rng)
    person = np.zeros((1, flags.shape[1]), dtype=bool)
    person[0, 0] = True
    return either_order((flags,), (np.vstack([flags, person]),), rng)


def _first_of_many(rng: Generator) -> tuple[Any, Any]:
    """Everybody says yes to one question; one person more says yes to all: noise scaled to the rows that are there."""
    flags = np.eye(40, dtype=bool)[rng.integers(40, size=30)]
    return either_order((flags,), (np.vstack([flags, np.ones((1, 40), dtype=bool)]),), rng)


def _shared_noise(answer: Answer, chance: Chance, result: Any) -> Diagnosis | None:
    (flags,), _ = _everyone(chance.rng)
    gaps = {round(float(np.subtract(*answer(flags, _SIGMA, rng=chance.rng)[:2])), 6) for _ in range(20)}
    if len(gaps) > 1:
        return None
    return Shared.SHARED_NOISE.seen(
        "The difference of two of your counts is always the same: they share one noise.",
        "Draw one normal number for each count (size=d).",
    )


def _every_direction(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The counts are those of the table; the noise is normal; and no count or combination of counts is without it.

    The errors of 600 releases of 40 counts, in units of σ: independent noise of the smallest σ has a least singular
    value above √600 − √40 − 5.5, 0.52 of √600, with probability 1 − 3e-7. Wider along the ones and narrower across
    them is private too, by a factor of √2 at most, hence 0.3.
    """
    sizes = {}
    for n in (3000, 50):
        flags = chance.rng.random((n, 40)) < chance.rng.permutation(np.linspace(0.2, 0.8, 40))
        released = np.array([np.asarray(answer(flags, _SIGMA, rng=chance.rng), dtype=float) for _ in range(600)])
        if n == 3000:  # where counts cut at zero are the counts themselves
            wrong = counts_wrong(released, flags, chance.failure / 4)
            if wrong:
                return wrong
        errors = released - flags.sum(axis=0)
        least = np.linalg.svd(errors, compute_uv=False)[-1] / math.sqrt(600 * 40) / _SIGMA
        if not least >= 0.3:
            return Diagnosis(
                "a-count-without-noise",
                f"In a table of {n:,} people some count, or some sum or difference of your counts, has (nearly) no "
                "noise. A person can change that one too.",
                "Noise of the same σ on every count, however large it is, and a draw of its own for each.",
            )
        if n == 3000:
            wrong = _not_normal(errors)
            if wrong:
                return wrong
        sizes[n] = float(np.sqrt(np.mean(errors**2)) / (_SIGMA * math.sqrt(40)))
    return _too_wide(sizes)


def _too_wide(sizes: dict[int, float]) -> Diagnosis | None:
    """Noise in units of σ√d, by the number of rows; chance moves it by half a percent."""
    if sizes[3000] > 3 * sizes[50]:
        return Diagnosis(
            "scale-from-data",
            f"Your noise follows the rows. In a table of 50 people it is {sizes[50]:.3g} times as wide as sigma_1·√d, "
            f"in one of 3,000 it is {sizes[3000]:.3g} times. Then its width tells how many people there are.",
            "flags.shape is (n, d). Which of the two numbers says how many counts one person can change?",
        )
    if sizes[3000] < 1.45:
        return None
    return Shared.TOO_MUCH_NOISE.seen(
        f"Your noise is {sizes[3000]:.3g} times as wide as sigma_1·√d, in every table with 40 questions.",
        "One person changes d counts by one each. How long is that change, in L2?",
    )


def _not_normal(errors: np.ndarray) -> Diagnosis | None:
    """Half of all normal numbers lie within 0.6745 deviations; of Laplace noise 61% do, of uniform noise 39%.

    Over 24,000 independent errors the share has a deviation of 0.003, and 0.013 if much of the noise is common to all
    columns.

    Laplace noise of the same deviation is not private enough: in one count it is, but over d counts its loss approaches
    that of Gaussian noise of σ/√2. At (1, 1e-5) and d = 40 the δ at ε = 1 is 6e-4.
    """
    share = float(np.mean(np.abs(errors) < 0.6745 * np.sqrt(np.mean(errors**2, axis=0))))
    if 0.43 < share < 0.575:
        return None
    return Diagnosis(
        "not-gaussian",
        f"{share:.0%} of your errors are smaller than 0.67 of their standard deviation; of normal noise 50% are.",
        "Gaussian noise is asked for, and `sigma_1` is for that alone: Laplace noise as wide as this breaks the claim, "
        "since over many counts together its losses grow as if it were narrower by √2.",
    )


COUNTS = (
    Returns(
        lambda rng: (rng.random((20, 5)) < 0.5, _SIGMA), what="array", shape=lambda flags, sigma: (flags.shape[1],)
    ),
    Audited(
        _only_first,
        APPROXIMATE,
        call=_call_counts,
        view=_first_two,
        runs=3000,
        diagnose=_shared_noise,
        hint="Even one changed count gives the person away.",
        key="too-little-noise",
    ),
    Audited(
        _everyone,
        APPROXIMATE,
        call=_call_counts,
        view=_along,
        runs=8000,
        hint="One person can change all d counts. Each alone hides the person; together they do not. How long is "
        "a vector of d ones?",
        key="sensitivity-not-in-scale",
    ),
    Audited(
        _first_of_many,
        APPROXIMATE,
        call=_call_counts,
        view=_along,
        runs=3000,
        hint="The size of your noise follows the rows that are there. A row may say yes to all d questions, and that "
        "is public.",
        key="scale-from-data",
    ),
    _every_direction,
)
