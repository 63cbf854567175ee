"""Exercise 04.2: many counts at once, with Gaussian noise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import either_order
from dpcourse.checks.counting import (
    YES_COUNTS,
    YesCounts,
    any_questions,
    in_another_order,
    one_yes_each,
    yes_and_no,
)
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.gaussian import noise_ends
from dpcourse.checks.noise_laws import normal
from dpcourse.checks.once import whole
from dpcourse.checks.release import Probe
from dpcourse.checks.vocabulary import Shared
from dpcourse.checks.words import Words
from dpcourse.mechanisms import GaussianMechanism
from dpcourse.privacy import Guarantee

_CLAIM = Guarantee(1.0, 1e-5)
_SIGMA = GaussianMechanism(1.0, 1e-5).sigma
WIDEST = 1.45  # times σ√d: noise that is wider is more than is asked for


def _one_more(flags: np.ndarray, person: np.ndarray, rng: Generator) -> tuple[Any, Any]:
    return either_order((flags,), (np.vstack([flags, person]),), rng)


def _yes_to_all(rng: Generator) -> tuple[Any, Any]:
    d = int(rng.integers(30, 60))
    return _one_more(rng.random((int(rng.integers(20, 60)), d)) < 0.5, np.ones(d, dtype=bool), rng)


def _yes_to_the_first(rng: Generator) -> tuple[Any, Any]:
    d = int(rng.integers(30, 60))
    return _one_more(rng.random((int(rng.integers(20, 60)), d)) < 0.5, np.arange(d) == 0, rng)


def _first_of_many(rng: Generator) -> tuple[Any, Any]:
    """Everybody says yes to one question; one person more says yes to all: noise scaled to the rows that are there."""
    return _one_more(np.eye(40, dtype=bool)[rng.integers(40, size=30)], np.ones(40, dtype=bool), rng)


def _along(output: Any) -> float:
    """The direction in which the person moves the answer: where the two datasets differ most."""
    cells = np.asarray(output, dtype=float)
    return round(float(cells.sum() / math.sqrt(cells.size)), 3)


def _first_two(output: Any) -> float:
    cells = np.asarray(output, dtype=float)
    return round(float(cells[0] - cells[1]), 3)


def _normal_and_no_wider(answer: Answer, chance: Chance) -> Diagnosis | None:
    """1,500 releases of 40 counts of 1,000 people, where counts cut at zero are the counts themselves."""
    sample = COUNTS.sample(answer, yes_and_no(1000, 40)(chance.rng), 1.0, 1500, chance.rng)
    wide = float(np.sqrt(np.mean(sample.errors**2)) / sample.scale)
    if normal(sample.scale).often_exact(sample.errors.ravel(), chance.failure / 3):
        return Shared.NO_NOISE.seen("Now and then a result has no noise.", "When does your function leave it out?")
    return (
        _not_normal(sample.errors)
        or _too_wide(wide)
        or noise_ends(sample.errors.ravel() / (wide * sample.scale), chance.failure / 3)
        or _too_wide_elsewhere(answer, chance)
    )


def _too_wide_elsewhere(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Sixty tables of other sizes, each asked about once: errors that normal noise `WIDEST` times as wide has not."""
    for _ in range(60):
        people, questions = whole(chance.rng, 1, 3000), whole(chance.rng, 1, 200)
        sample = COUNTS.sample(answer, yes_and_no(people, questions)(chance.rng), 1.0, 1, chance.rng)
        off = float(np.sum(sample.errors**2)) / sample.scale**2
        if stats.chi2.sf(off / WIDEST**2, questions) < chance.failure / (3 * 60):
            return Shared.TOO_MUCH_NOISE.seen(
                f"With {people:,} people and {questions} questions your counts are off by "
                f"{math.sqrt(off / questions):.3g} times sigma_1·√d; with 40 questions they are not.",
                "For which tables does your function count, and how wide is its noise for the others?",
            )
    return None


def _too_wide(wide: float) -> Diagnosis | None:
    """Noise in units of σ√d; chance moves it by half a percent."""
    if wide < WIDEST:
        return None
    seen = f"Your noise is {wide:.3g} times as wide as sigma_1·√d, in every table with 40 questions."
    if abs(wide / _SIGMA - 1) < 0.03:
        return Shared.TOO_MUCH_NOISE.seen(
            f"{seen} sigma_1 was {_SIGMA:.3g}.", "Is sigma_1 in it twice, as in a variance?"
        )
    return Shared.TOO_MUCH_NOISE.seen(seen, "One person changes d counts by one each. How long is that change, in L2?")


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
        "Gaussian noise is asked for, and `sigma_1` is made for it. Laplace noise of the same standard deviation would "
        "break the claim; wider Laplace noise is not asked for. Which method of `rng` draws normal noise?",
    )


def _sigma_1(epsilon: float) -> float:
    """So much narrower than at ε = 1; at other round ε a whole number, often an `int`."""
    sigma = _SIGMA / epsilon
    if epsilon == 1 or float(f"{epsilon:.1g}") != epsilon:
        return sigma
    whole = max(round(sigma), 1)
    return whole if whole % 2 else float(whole)


class _Counts(YesCounts):
    def scale(self, arguments: tuple[Any, ...], epsilon: float) -> float:
        return _sigma_1(epsilon) * math.sqrt(arguments[0].shape[1])


COUNTS = _Counts(
    data=(yes_and_no(1000, 40), yes_and_no(12_000, 40), one_yes_each(12_000, 40)),
    anew=any_questions,
    truth=lambda flags: flags.sum(axis=0),
    noise=(),  # more of it than asked for is right as well: see `_normal_and_no_wider`
    least=(normal,),
    claim=_CLAIM,
    call=lambda answer, arguments, epsilon, rng: answer(*arguments, _sigma_1(epsilon), rng=rng),
    nobody=(np.zeros((0, 40), dtype=bool),),
    mistakes=(*YES_COUNTS, *in_another_order(lambda flags: flags.sum(axis=0))),
    neighbours=(
        Probe(
            _yes_to_the_first,
            "Even one changed count gives the person away. Which σ hides that?",
            "too-little-noise",
            runs=3000,
            view=_first_two,
            what="count 0 − count 1",
        ),
        Probe(
            _yes_to_all,
            "One person can change all d counts. Each alone hides the person; together they do not. How long is "
            "a vector of d ones?",
            "sensitivity-not-in-scale",
            runs=5000,
            view=_along,
            what="sum of the counts/√d",
        ),
        Probe(
            _first_of_many,
            "The size of your noise follows the rows that are there. A row may say yes to all d questions, and that "
            "is public.",
            Shared.SCALE_FROM_DATA.key,
            runs=3000,
            view=_along,
            what="sum of the counts/√d",
        ),
    ),
    after=(_normal_and_no_wider,),
    looks=(1, 400),
    words=Words(
        cell="count",
        draw="size=d",
        from_data="flags.shape is (n, d). Which of the two numbers says how many counts one person can change?",
    ),
)
