"""Exercise 05.4: several counts with one ε."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from dpcourse.checks.cases import Mistake, either_order
from dpcourse.checks.counting import (
    YES_COUNTS,
    YesCounts,
    any_questions,
    in_another_order,
    one_yes_each,
    yes_and_no,
)
from dpcourse.checks.noise_laws import geometric, laplace
from dpcourse.checks.release import Probe
from dpcourse.checks.words import Words


def _everybody_alike(rng: Generator) -> tuple[np.ndarray, np.ndarray]:
    """Whoever says yes says yes to all ten; one more does. All counts are the same even number, without that person."""
    yes, no = 2 * int(rng.integers(5, 20)), int(rng.integers(5, 40))
    flags = np.repeat(rng.permutation(yes + no)[:, None] < yes, 10, axis=1)
    return flags, np.insert(flags, int(rng.integers(len(flags) + 1)), True, axis=0)


def _alike(rng: Generator):
    flags, more = _everybody_alike(rng)
    return either_order((flags,), (more,), rng)


def _only_one_says_yes_to_all(rng: Generator):
    """Everybody else says yes to the first question at most."""
    flags = (rng.random(int(rng.integers(50, 200))) < rng.uniform(0.3, 0.9))[:, None] & (np.arange(10) == 0)
    more = np.insert(flags, int(rng.integers(len(flags) + 1)), True, axis=0)
    return either_order((flags,), (more,), rng)


def _sum(counts: np.ndarray) -> float:
    return round(float(np.sum(counts)), 2)


_QUESTIONS = 17  # in the table on which the law of the noise is looked at
COUNTS = YesCounts(
    data=(yes_and_no(1000, 12), yes_and_no(8000, 12), one_yes_each(8000, 12)),
    many=yes_and_no(4000, _QUESTIONS),
    anew=any_questions,
    truth=lambda flags: flags.sum(axis=0),
    sensitivity=lambda flags: flags.shape[1],
    noise=(laplace, geometric),
    nobody=(np.zeros((0, 12), dtype=bool),),
    mistakes=(*YES_COUNTS, *in_another_order(lambda flags: flags.sum(axis=0))),
    scales=(
        Mistake(
            "composition-forgotten",
            lambda epsilon, flags: 1 / epsilon,
            "Each count has noise for the whole ε, as if it were the only one: your noise has scale about 1/ε. "
            "k such answers cost kε.",
            "The same person is in all k counts. By how much can she change all of them together?",
        ),
        Mistake(
            "l2-sensitivity",
            lambda epsilon, flags: math.sqrt(flags.shape[1]) / epsilon,
            "The scale of your noise is about √k/ε. Square roots belong to the L2 sensitivity and to Gaussian noise.",
            "For Laplace noise the L1 sensitivity counts: the sum of the changes.",
        ),
    ),
    neighbours=(
        Probe(_alike, "One person is in all the counts. Does your noise know who is there?", view=_sum),
        Probe(_only_one_says_yes_to_all, "Is the noise the same where nobody says yes to all?", view=_sum),
    ),
    looks=(1, 200),
    words=Words(
        scale="k/ε",
        unit=" people",
        too_much=f"k is {_QUESTIONS} here, and one person can change each of the k counts by one. Which scale is "
        "enough for all of them?",
        too_little=f"k is {_QUESTIONS} here. How much can one person change all the counts together, and is that in "
        "the scale?",
    ),
)
