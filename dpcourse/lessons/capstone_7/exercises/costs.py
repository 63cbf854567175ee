"""Capstone 7.1: what a raw Gram matrix costs one click and one person, where its noise is made for norm 1."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.once import between, near, whole
from dpcourse.checks.real_size import up_to_twice
from dpcourse.lessons.capstone_7.design import epsilon_of, sigma
from dpcourse.lessons.capstone_7.numbers import raw_epsilons


def _settings(rng: np.random.Generator) -> tuple[float, float, int]:
    return near(0.2 * 20 ** rng.random(), rng, 1.0), between(rng, 1e-9, 1e-3), int(rng.integers(3, 120))


def _wide(rng: np.random.Generator) -> tuple[float, float, int]:
    """One book up to twice as many as anybody in the shop has; a third have four or fewer."""
    clicks = whole(rng, 1, 4) if rng.random() < 1 / 3 else up_to_twice(rng, 1, 200)
    return near(0.1 * 60 ** rng.random(), rng, 1.0), between(rng, 1e-9, 1e-3), clicks


def _costs(moved):
    """ε of the changes `moved(clicks)`, of a click and of a person, instead of the right ones."""
    return lambda epsilon, delta, clicks: [epsilon_of(m, sigma(epsilon, delta), delta) for m in moved(clicks)]


RAW = Equals(
    _settings,
    raw_epsilons,
    (
        Mistake(
            "same-for-all",
            lambda epsilon, delta, clicks: (epsilon, epsilon),
            "You return the ε that the noise is made for, for the click and for the person.",
            "Write down x xᵀ for a person with two clicks. What is its norm?",
        ),
        Mistake(
            "times-clicks",
            lambda epsilon, delta, clicks: (epsilon, clicks * epsilon),
            "You return ε for one click, and `clicks` times as much for the person. The noise has that ε for a change "
            "of norm 1.",
            "One click is a whole row and a whole column of x xᵀ. What is the norm of that change?",
        ),
        Mistake(
            "times-clicks",
            lambda epsilon, delta, clicks: (raw_epsilons(epsilon, delta, clicks)[0], clicks * epsilon),
            "For the person you multiply ε by the number of clicks. Normal noise costs more: noise with ε = 3 for a "
            "change of norm 1 (δ = 1e-5) has ε = 21 for norm 5, not 15.",
            "What is the norm of x xᵀ, and what is the ε of this noise for a change of that norm?",
        ),
        Mistake(
            "times-norm",
            lambda epsilon, delta, clicks: (epsilon * math.sqrt(2 * clicks - 1), epsilon * clicks),
            "Your norms are right, and you multiply ε by them. Normal noise costs more: noise with ε = 3 for a "
            "change of norm 1 (δ = 1e-5) has ε = 21 for norm 5, not 15.",
            "Which deviation σ has noise with (ε, δ) for norm 1? Which ε has that σ, at the same δ, for norm 5?",
        ),
        Mistake(
            "one-click-more",
            _costs(lambda k: (math.sqrt(2 * k + 1), k)),
            "You price a click that comes on top of all `clicks`. One of them is meant: without it there are "
            "clicks − 1.",
            "Take one of the clicks out of x. Which entries of x xᵀ become 0?",
        ),
        Mistake(
            "click-of-norm-1",
            _costs(lambda k: (1, k)),
            "For the click you take a change of norm 1. That is its own entry on the diagonal.",
            "Take the click out of x. Which other entries of x xᵀ become 0?",
        ),
        Mistake(
            "diagonal-only",
            _costs(lambda k: (1, math.sqrt(k))),
            "You count the diagonal alone: k entries of 1 for a person, one of them for a click.",
            "Which other entries of x xᵀ are not zero?",
        ),
        Mistake(
            "upper-triangle",
            _costs(lambda k: (math.sqrt(k), math.sqrt(k * (k + 1) / 2))),
            "You count every pair of items once: the entries on the diagonal and above it.",
            "The norm is taken over all entries of x xᵀ. How often does a pair of items stand there?",
        ),
        Mistake(
            "click-for-person",
            _costs(lambda k: (math.sqrt(2 * k - 1),) * 2),
            "For the person you give the ε of one click.",
            "Without the person all of x xᵀ is gone. What is its norm?",
        ),
        Mistake(
            "person-for-click",
            _costs(lambda k: (k, k)),
            "For one click you give the ε of the whole person.",
            "Take one click out of x. Which entries of x xᵀ change?",
        ),
        Mistake(
            "one-side",
            _costs(lambda k: (math.sqrt(k), k)),
            "For the click you count its row of x xᵀ or its column, not both.",
            "Write down x xᵀ for three clicks, and for two of them. Where do they differ?",
        ),
        Mistake(
            "swapped",
            lambda epsilon, delta, clicks: raw_epsilons(epsilon, delta, clicks)[::-1],
            "You return the ε of the person first, and that of one click second.",
            "Which of the two does the task name first?",
        ),
    ),
    rtol=0.01,
    wide=_wide,
)
COSTS = (RAW,)
