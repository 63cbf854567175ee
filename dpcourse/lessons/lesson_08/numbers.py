"""Numbers of lesson 08."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dpcourse.datasets import load_grid
from dpcourse.learning.gradients import Examples, clipped_gradient_sum, gradient_norms

GRID = load_grid("lesson_08")

STAGES = ("At the first step", "After training")
PEOPLE, RATE, NOISE = 3_000, 0.1, 5.0


@dataclass(frozen=True)
class GradientNorms:
    """Gradient norms of all examples at one point of the training, and what a clip at `clip_norm` does to their sum.

    ``whole`` and ``clipped`` are the lengths of the mean gradient and of the mean clipped one, ``turned`` the angle
    between the two in degrees, ``noise_share`` the length of a step's noise over that of the clipped sum of a batch.
    """

    clip_norm: float
    stage: str
    norms: np.ndarray
    clipped_share: float
    whole: float
    clipped: float
    turned: float
    noise_share: float


@dataclass(frozen=True)
class Scores:
    """A score of private models over ε: mean and deviation over models; `plain` without privacy; `at` marks one ε."""

    metric: str
    epsilons: np.ndarray
    mean: np.ndarray
    spread: np.ndarray
    plain: float
    at: float | None = None


@dataclass(frozen=True)
class NoisyStep:
    """One step of a training in one dimension, for the auditor: what `rule` makes of a batch of gradients, plus
    Gaussian noise of deviation `sigma`. Rounded to six digits, because floating-point noise tells more than its claim
    (lesson 14)."""

    rule: Callable[[np.ndarray], float]
    sigma: float

    def batch(self, gradients: Sequence[float], runs: int, rng: np.random.Generator) -> np.ndarray:
        """Many runs at once, shape (runs,)."""
        return np.round(self.rule(np.array(gradients, dtype=float)) + rng.normal(0, self.sigma, runs), 6)

    def __call__(self, gradients: Sequence[float], rng: np.random.Generator) -> float:
        return float(self.batch(gradients, 1, rng)[0])


@functools.cache
def _twin() -> tuple[Examples, np.ndarray]:
    """Some people of the twin, and the weights that fit them best (they do not exist)."""
    from dpcourse.datasets import load_adult
    from dpcourse.learning import DPLogisticRegression

    X, y = load_adult("twin").encode()
    chosen = np.random.default_rng(8).choice(len(X), PEOPLE, replace=False)
    model = DPLogisticRegression(
        noise_multiplier=0,
        clip_norm=math.inf,
        sampling_rate=1.0,
        steps=400,
        learning_rate=1.0,
        dataset_size=PEOPLE,
        classes=(0, 1),
        random_state=8,
    ).fit(X[chosen], y[chosen])
    weights = np.column_stack([model.coef_, model.intercept_])
    return Examples.of(X[chosen], y[chosen][:, None]), weights


def norms_at(clip_norm: float, stage: str = STAGES[0]) -> GradientNorms:
    """Gradient norms of people of the twin, and the effect of a clip.

    Examples
    --------
    >>> norms_at(1e-3).clipped_share > 0.99
    True
    """
    examples, trained = _twin()
    theta = trained * (stage == STAGES[1])
    norms = gradient_norms(theta, examples)
    whole = clipped_gradient_sum(theta, examples, math.inf)
    clipped = clipped_gradient_sum(theta, examples, clip_norm)
    lengths = float(np.linalg.norm(whole)), float(np.linalg.norm(clipped))
    cosine = float((whole * clipped).sum()) / (lengths[0] * lengths[1])
    noise = NOISE * clip_norm * math.sqrt(theta.size)  # of one step, on the sum of a batch of a tenth of the people
    return GradientNorms(
        clip_norm,
        stage,
        norms,
        float((norms > clip_norm).mean()),
        lengths[0] / len(examples),
        lengths[1] / len(examples),
        math.degrees(math.acos(min(1.0, max(-1.0, cosine)))),
        noise / (RATE * lengths[1]),
    )


def measured_scores(epsilon: float, metric: str = "accuracy") -> Scores:
    """The precomputed grid for one metric, with the measured ε nearest to `epsilon` (in ratio) marked.

    Examples
    --------
    >>> measured_scores(0.9).at
    1.0
    """
    j = GRID.METRICS.index(metric)
    measured = np.array(GRID.EPSILONS)
    nearest = float(measured[np.argmin(np.abs(np.log(measured / epsilon)))])
    means, spreads = np.array(GRID.MEAN)[:, j], np.array(GRID.SPREAD)[:, j]
    return Scores(metric, measured, means, spreads, GRID.PLAIN[j], nearest)
