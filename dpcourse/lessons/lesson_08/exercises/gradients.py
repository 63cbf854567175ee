"""Exercises 08.1 and 08.2: the norm of each example's gradient, and the clipped sum."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import expit

from dpcourse.checks.cases import Equals, Mistake, Returns
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.gaussian import clipped
from dpcourse.checks.measured import as_measured
from dpcourse.checks.once import between, whole

_N, _D = 30_000, 87  # people to train on in the lesson, and columns


def _shape(rng: Generator) -> tuple[int, int]:
    """Rows and columns, up to twice as many as in the lesson: not both at once, which takes long."""
    n = whole(rng, 1, 2 * _N)
    return n, whole(rng, 1, min(2 * _D, 10**6 // n))


# 08.1 The norm of a gradient in closed form


def _people(rng: Generator, n: int | None = None, d: int | None = None) -> tuple[Any, ...]:
    n, d = n or int(rng.integers(4, 40)), d or int(rng.integers(2, 12))
    weights = rng.normal(size=d) / max(2, np.sqrt(d))
    return rng.normal(size=(n, d)) * 2, rng.integers(0, 2, n), weights, float(rng.normal())


def _any_people(rng: Generator, n: int, d: int) -> tuple[Any, ...]:
    """The same, or data as measured, or all weights 0, as in the first step of a training, or no intercept yet."""
    X, y, weights, intercept = _people(rng, n, d)
    first = rng.random() < 0.25
    weights, intercept = (rng.choice((not first, 4 * (not first))) * one for one in (weights, intercept))
    X = as_measured(between(rng, 0.01, 1.0) * X if rng.random() < 0.5 else X, rng)
    return X, y, weights, 0.0 if rng.random() < 0.25 else intercept


def _miss(X: np.ndarray, y: np.ndarray, weights: np.ndarray, intercept: float) -> np.ndarray:
    return np.abs(expit(X @ weights + intercept) - y)


def _lengths(X: np.ndarray, one: bool = True) -> np.ndarray:
    return np.sqrt((X**2).sum(axis=1) + one)


GRADIENT_NORMS = (
    Equals(
        _people,
        lambda X, y, w, b: _miss(X, y, w, b) * _lengths(X),
        wide=lambda rng: _any_people(rng, *_shape(rng)),
        full=lambda rng: _any_people(rng, whole(rng, _N, 2 * _N), _D),
        mistakes=(
            Mistake(
                "intercept-left-out",
                lambda X, y, w, b: _miss(X, y, w, b) * _lengths(X, one=False),
                "Your norms leave out the intercept. Its gradient is p − y, and it betrays a person as well as any "
                "other: an example with x = 0 would never be clipped.",
                "The row is (x, 1), not x.",
            ),
            Mistake(
                "squared",
                lambda X, y, w, b: (_miss(X, y, w, b) * _lengths(X)) ** 2,
                "These are the squares of the norms.",
                "Is a root missing?",
            ),
            Mistake(
                "residual-left-out",
                lambda X, y, w, b: _lengths(X),
                "These are the norms of the rows (x, 1). The gradient is the row times p − y.",
                "How far off is the prediction for this example?",
            ),
            Mistake(
                "l1-norm",
                lambda X, y, w, b: _miss(X, y, w, b) * np.abs(np.c_[X, np.ones(len(X))]).sum(axis=1),
                "These are L1 norms. Gaussian noise hides what is bounded in L2.",
                "Add up squares, and take the root.",
            ),
            Mistake(
                "signed",
                lambda X, y, w, b: (expit(X @ w + b) - y) * _lengths(X),
                "Some of your norms are negative: they carry the sign of p − y.",
                "A norm is a length.",
            ),
            Mistake(
                "norm-of-the-batch",
                lambda X, y, w, b: np.linalg.norm((expit(X @ w + b) - y) @ np.c_[X, np.ones(len(X))]),
                "That is one number, the norm of the batch's gradient. One norm for each example is wanted.",
                "Norm first, sum later: examples cancel in the sum.",
            ),
        ),
    ),
)


# 08.2 The clipped sum


def batch(rng: Generator, n: int | None = None, d: int | None = None) -> tuple[np.ndarray, float]:
    """Gradients much shorter and much longer than C, one of them zero; an even number of them if none is given."""
    n, d = n or 2 * int(rng.integers(6, 20)), d or int(rng.integers(20, 40))
    C = float(rng.uniform(0.5, 3))
    directions = rng.normal(size=(n, d))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    lengths = C * np.exp(rng.uniform(-3, 3, size=(n, 1)))
    lengths[rng.integers(n)] = 0.0
    return directions * lengths, C


def _few_rows(rng: Generator) -> tuple[np.ndarray, float]:
    """One to three rows, none of them zero, up to a billion times as long as C: so few are in small batches."""
    C, rows = between(rng, 1e-2, 1e2), rng.normal(size=(whole(rng, 1, 3), whole(rng, 1, 2 * _D)))
    lengths = C * 10 ** rng.uniform(-2, 9, (len(rows), 1))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True) * lengths, C


def _any_batch(rng: Generator) -> tuple[np.ndarray, float]:
    """Of a few rows two times in five, and of nobody once in twenty times, as a Poisson batch may be; some twice."""
    if rng.random() < 0.4:
        return _few_rows(rng)
    (gradients, C), by = batch(rng, *_shape(rng)), between(rng, 1e-2, 1e2)
    if rng.random() < 0.5:  # people of whom the model knows the same
        gradients = gradients[rng.integers(len(gradients), size=len(gradients))]
    return by * gradients[: 0 if rng.random() < 0.1 else None], by * C


def in_groups(gradients: np.ndarray, C: float, size: int, mean: bool) -> np.ndarray:
    groups = [gradients[start : start + size] for start in range(0, len(gradients), size)]
    sums = [clipped(group.mean(axis=0) if mean else group.sum(axis=0), C) for group in groups]
    return np.sum(sums, axis=0)


EACH_ROW = "Clip each row on its own. Then add."
MICROBATCH = Diagnosis(
    "microbatch",
    "You clip sums or means of several examples (a microbatch). One person more can turn such a sum around, from −C "
    "to +C, so the sensitivity under add-remove is at least 2C. If a new row shifts the groups, every group can "
    "change. Your noise multiplier is at most half of what you claim.",
    "One example, one norm, one clip.",
)
NOT_CLIPPED = Diagnosis(
    "not-clipped",
    "The long gradients come through whole. One example can then move the sum as far as it likes.",
    "Multiply each by min(1, C/norm).",
)
PER_COORDINATE = Diagnosis(
    "clipped-by-coordinate",
    "You clip each coordinate to [−C, C]. With d coordinates a gradient can then be as long as C√d.",
    "The norm of the whole gradient is what counts.",
)
NORMALISED = Diagnosis(
    "normalised",
    "You bring every gradient to length C, the short ones too. That is as private. But small mistakes now count as "
    "much as large ones, so the sum is bent further from the gradient than clipping alone bends it.",
    "A factor above 1 is never wanted: min(1, …).",
)


def by_coordinate(gradients: np.ndarray, C: float) -> np.ndarray:
    return np.clip(gradients, -C, C).sum(axis=0)


def normalised(gradients: np.ndarray, C: float) -> np.ndarray:
    return (C * gradients / np.maximum(np.linalg.norm(gradients, axis=1, keepdims=True), 1e-300)).sum(axis=0)


CLIPPED_SUM = (
    Returns(batch, what="array", shape=lambda gradients, C: gradients.shape[1:], random=False),
    Equals(
        batch,
        lambda gradients, C: clipped(gradients, C).sum(axis=0),
        wide=_any_batch,
        full=lambda rng: batch(rng, whole(rng, _N, 2 * _N), _D),
        mistakes=(
            Mistake(
                "batch-clipped",
                lambda g, C: clipped(g.sum(axis=0), C),
                "You clip the sum of the batch, not each example. One person can turn it around, so it moves by 2C.",
                EACH_ROW,
            ),
            Mistake(
                "batch-clipped",
                lambda g, C: clipped(g.mean(axis=0), C),
                "You clip the mean of the batch, not each example. One person can turn it around, so it moves by 2C.",
                EACH_ROW,
            ),
            *(
                Mistake.told(MICROBATCH, lambda g, C, size=size, mean=mean: in_groups(g, C, size, mean))
                for size in (2, 3, 4, 8)
                for mean in (False, True)
            ),
            Mistake.told(PER_COORDINATE, by_coordinate),
            Mistake.told(NORMALISED, normalised),
            Mistake.told(NOT_CLIPPED, lambda g, C: g.sum(axis=0)),
            Mistake(
                "twice-the-clip",
                lambda g, C: clipped(g, 2 * C).sum(axis=0),
                "You clip to 2C.",
                "Adding an example may move the sum by C, and no further.",
            ),
            Mistake(
                "one-factor-for-all",
                lambda g, C: (g * min(1, C / np.linalg.norm(g, axis=1).max())).sum(axis=0),
                "All gradients are shortened by one factor, that of the longest. Whoever joins with a long "
                "gradient then shortens everybody's, and moves the sum by more than C.",
                "A factor for each row, from its own norm.",
            ),
            Mistake(
                "dropped",
                lambda g, C: g[np.linalg.norm(g, axis=1) <= C].sum(axis=0),
                "You drop the long gradients. That is as private, but the examples that the model gets most wrong "
                "then teach it nothing.",
                "Shorten them to length C instead.",
            ),
            Mistake(
                "mean-for-sum",
                lambda g, C: clipped(g, C).mean(axis=0),
                "You return the mean. It is divided by the number of examples in the batch, which is private.",
                "The sum is wanted. A public number will divide it later.",
            ),
        ),
        rtol=1e-4,  # so that a guard against 0/0 such as C / (norm + 1e-6), Opacus's, is right too
        atol=1e-4,
    ),
)
