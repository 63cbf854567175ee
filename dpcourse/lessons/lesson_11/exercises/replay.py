"""Exercise 11.4: freeze the noise, and see how far the data move an output."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.measured import as_measured
from dpcourse.checks.once import whole
from dpcourse.checks.vocabulary import Shared


class _Vector:
    """Adds noise to a scaled vector of so many numbers; how far two neighbours are apart depends on the draw.

    Of a dataset of several numbers their sum is released, of a number itself.
    """

    def __init__(self, rng: Generator, size: int) -> None:
        self.base = rng.normal(size=size)
        self.shares = rng.uniform(0.5, 3.0, size=size) * rng.choice([-1.0, 1.0], size=size)
        self.most = rng.uniform(2, 7)

    def __call__(self, value, rng):
        factor = rng.uniform(1, self.most)  # a random rounding grid, say
        return self.base + np.sum(value) * self.shares * factor + rng.laplace(scale=5.0, size=self.base.size)


def _hidden(mechanism: Callable[[Any, Generator], np.ndarray]) -> Callable[[Any, Generator], np.ndarray]:
    """The same without its attributes: how far the data move it has to be found by running it."""
    return lambda value, rng: mechanism(value, rng)


def moved(answer: Answer, chance: Chance) -> Diagnosis | None:
    rng = chance.rng
    data: Any
    neighbour: Any
    asked = [(1, 150)] * 6 + [(400, 600)] * 2
    early = bool(rng.random() < 0.5)
    for many, size in [(12, 4)] * 6 + [(whole(rng, *seeds), whole(rng, 1, 100)) for seeds in asked]:
        mechanism, (data, neighbour) = _hidden(_Vector(rng, size)), (rng.uniform(0.5, 2), 3 * rng.uniform(0.5, 2))
        if (many, size) != (12, 4) and rng.random() < 0.3:  # counts
            data = whole(rng, 1, 10_000)
            neighbour = data + int(rng.choice((-1, 1)))
        elif (many, size) != (12, 4) and rng.random() < 0.6:  # with one record removed, or added
            records = as_measured(rng.normal(scale=2, size=whole(rng, 2, 100)), rng)
            data, neighbour = (records, records[1:]) if rng.random() < 0.5 else (records[1:], records)
        seeds = rng.choice(rng.choice((2 * many, 2**31)), size=many, replace=False).tolist()
        differences = np.array(
            [mechanism(data, np.random.default_rng(s)) - mechanism(neighbour, np.random.default_rng(s)) for s in seeds]
        )
        lengths = np.abs(differences).sum(axis=1)
        if many >= 400:  # once among the first third of the seeds, and once among the last
            order, early = _largest_in_third(lengths, 0 if early else 2, rng), not early
            seeds, differences, lengths = [seeds[at] for at in order], differences[order], lengths[order]
        got = np.asarray(answer(mechanism, data, neighbour, list(seeds)))
        if got.ndim or got.dtype.kind not in "iuf":
            return Diagnosis(
                "wrong-shape", f"One number is wanted, and this is {got!r:.60}.", "The largest L1 distance."
            )
        wrong = _judge_moved(float(got), differences, lengths)
        if wrong and (many, size) != (12, 4):
            seen = f"With {many} seeds and arrays of {size} numbers you give {got:.4g}; {lengths.max():.4g} is right."
            return Shared.NOT_EVERYWHERE.seen(seen, "With twelve seeds and four numbers you are right. What differs?")
        if wrong:
            return wrong
    return None


def _largest_in_third(lengths: np.ndarray, third: int, rng: Generator) -> np.ndarray:
    """An order of the seeds in which the largest length has changed places with one of this third."""
    order, place = np.arange(lengths.size), int(rng.integers(lengths.size // 3)) + third * lengths.size // 3
    largest = int(lengths.argmax())
    order[[place, largest]] = largest, place
    return order


def _judge_moved(got: float, differences: np.ndarray, lengths: np.ndarray) -> Diagnosis | None:
    def near(value: float) -> bool:
        return math.isclose(got, value, rel_tol=1e-9)

    if near(lengths.max()):
        return None
    euclidean = np.linalg.norm(differences, axis=1)
    known = [
        (lengths.mean(), "That is the mean over the seeds. One is enough to break a claim.", "max, not mean.", "mean"),
        (lengths.min(), "That is the smallest distance.", "The largest one breaks the claim.", "smallest"),
        (
            euclidean.max(),
            "That is a Euclidean distance. Laplace noise is for L1: the sum of the changes.",
            "np.abs(difference).sum()",
            "l2-for-l1",
        ),
        (
            np.abs(differences).max(),
            "That is the largest change of one coordinate. Together the coordinates change by more.",
            "Add their changes up.",
            "largest-coordinate",
        ),
        (
            differences.sum(axis=1).max(),
            "Changes of different sign cancel in your sum.",
            "Absolute values first.",
            "signed",
        ),
        (
            np.abs(differences.sum(axis=1)).max(),
            "Changes of different sign cancel in your sum.",
            "Absolute values first, then the sum.",
            "signed",
        ),
        (lengths[0], "You look at the first seed only.", "The largest distance over all seeds.", "first-seed"),
        (lengths[-1], "You keep the last seed only.", "The largest distance over all seeds.", "last-seed"),
    ]
    for value, diagnosis, hint, key in known:
        if near(float(value)):
            return Diagnosis(key, diagnosis, hint)
    return Diagnosis(
        "noise-not-frozen",
        f"You give {got:.4g}, where the data move the output by {lengths.max():.4g}. The two runs did not have the "
        "same noise.",
        "A fresh np.random.default_rng(seed) for each of the two calls: a generator that was used has moved on.",
    )
