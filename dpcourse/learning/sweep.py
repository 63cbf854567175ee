"""Many private models in one fit: an ε sweep over seeds as one batched computation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from dpcourse.accounting import calibrate_noise_multiplier
from dpcourse.learning.gradients import Examples
from dpcourse.learning.linear import encode_labels
from dpcourse.learning.logistic import LABELS_PUBLIC
from dpcourse.learning.pace import Pace
from dpcourse.privacy import Guarantee, Neighbours, arguments

_BLOCK = 1024  # rows at a time: the working arrays stay in the processor's cache


@dataclass(frozen=True)
class Sweep:
    """Private models for every ε and seed.

    ``theta`` has shape (len(epsilons), seeds, d + 1), the intercept last; ``guarantees`` holds one claim for each ε,
    and each is the cost of *one* model: publishing several of them composes.
    """

    theta: np.ndarray
    guarantees: tuple[Guarantee, ...]
    noise_multipliers: np.ndarray
    classes: np.ndarray

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Logits of every model, shape (len(epsilons), seeds, n)."""
        return self.theta[..., :-1] @ np.asarray(X, dtype=float).T + self.theta[..., -1:]

    def accuracy(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Share of right answers of every model, shape (len(epsilons), seeds)."""
        return ((self.decision_function(X) > 0) == (np.asarray(y) == self.classes[1])).mean(axis=-1)


def fit_sweep(
    X: np.ndarray,
    y: np.ndarray,
    *,
    epsilons: Sequence[float],
    seeds: int,
    dataset_size: int,
    classes: Sequence | None,
    delta: float = 1e-5,
    clip_norm: float | None = None,
    sampling_rate: float = 0.1,
    steps: int | None = None,
    learning_rate: float | None = None,
    momentum: float = 0.9,
    features: str = "scaled",
    in_mask: np.ndarray | None = None,
    rng=None,
) -> Sweep:
    """Train ``len(epsilons) · seeds`` two-class models as `DPLogisticRegression` does, each independently.

    Parameters are those of `DPLogisticRegression`; ``epsilons`` may hold infinity (clipped, but no noise). Every
    model is (ε, δ)-DP on its own, under adding or removing one record; where ``classes`` is None, the claims say that
    the labels must be public. ``in_mask``, bool of shape (seeds, n), trains the models of each seed on rows of their
    own; ``dataset_size`` is then the public size of such a part.

    Examples
    --------
    >>> rng = np.random.default_rng(8)
    >>> X = rng.normal(size=(2000, 2)); y = (X[:, 0] > 0).astype(int)
    >>> sweep = fit_sweep(X, y, epsilons=[1.0, 8.0], seeds=3, dataset_size=2000, classes=(0, 1), steps=50, rng=8)
    >>> sweep.accuracy(X, y).shape
    (2, 3)
    """
    rng = np.random.default_rng(rng)
    seeds = arguments.integer("seeds", seeds, minimum=1)
    size = arguments.integer("dataset_size", dataset_size, minimum=1)
    pace = Pace.of(features)
    steps = pace.steps if steps is None else arguments.integer("steps", steps, minimum=1)
    delta = arguments.probability("delta", delta, zero=False, one=False)
    if clip_norm is not None:
        clip_norm = arguments.positive("clip_norm", clip_norm)
    sampling_rate = arguments.probability("sampling_rate", sampling_rate, zero=False)
    momentum = arguments.probability("momentum", momentum, one=False)
    if learning_rate is not None:
        learning_rate = arguments.positive("learning_rate", learning_rate)
    try:
        epsilons = tuple(epsilons)
    except TypeError:
        raise TypeError(f"epsilons must be a sequence of numbers, got {epsilons!r}") from None
    finite = [np.isfinite(arguments.positive("epsilons", epsilon, infinite=True)) for epsilon in epsilons]
    noise = np.array(
        [
            calibrate_noise_multiplier(float(epsilon), delta, sampling_rate, steps) if noisy else 0.0
            for epsilon, noisy in zip(epsilons, finite, strict=True)
        ]
    )
    X, y = arguments.finite_array("X", X), np.asarray(y)
    if X.ndim != 2:
        raise ValueError(f"X must have shape (n, d), got {X.shape}")
    if y.shape != X.shape[:1]:
        raise ValueError(f"y must have shape {X.shape[:1]}, one label for each row of X, got {y.shape}")
    known, targets = encode_labels(y, classes)
    if len(known) != 2:
        raise ValueError(f"classes must be two, got {known.tolist()!r}")
    examples = Examples.of(X, targets)
    public = (sampling_rate, steps, momentum, size)
    clips = [clip_norm or pace.clip_norm(z, *public) for z in noise]
    rates = [learning_rate or pace.learning_rate(z, c, *public) for z, c in zip(noise, clips, strict=True)]
    clip, rate = (np.repeat(chosen, seeds)[:, None] for chosen in (clips, rates))
    models, dimension = len(noise) * seeds, examples.directions.shape[1]
    theta, velocity, average = (np.zeros((models, dimension)) for _ in range(3))
    deviation = np.repeat(noise, seeds)[:, None] * clip
    present = None if in_mask is None else _present(in_mask, seeds, len(examples), len(noise))
    for step in range(steps):
        gradient = _clipped_sums(theta, examples, clip[:, 0], sampling_rate, present, rng)
        gradient += deviation * rng.normal(size=theta.shape)
        velocity = momentum * velocity + gradient / (sampling_rate * size)
        theta = theta - rate * velocity
        if step >= steps // 2:
            average += theta / (steps - steps // 2)
    condition = LABELS_PUBLIC if classes is None else ""
    guarantees = tuple(Guarantee(epsilon, delta, Neighbours.ADD_REMOVE, condition) for epsilon in epsilons)
    return Sweep(average.reshape(len(noise), seeds, dimension), guarantees, noise, known)


def _present(in_mask: np.ndarray, seeds: int, n: int, epsilons: int) -> np.ndarray:
    """Which row is in the data of which model, shape (n, models)."""
    mask = np.asarray(in_mask, dtype=bool)
    if mask.shape != (seeds, n):
        raise ValueError(f"in_mask must have shape {(seeds, n)}, got {mask.shape}")
    return np.tile(mask, (epsilons, 1)).T


def _clipped_sums(
    theta: np.ndarray,
    examples: Examples,
    clip: np.ndarray,
    sampling_rate: float,
    present: np.ndarray | None,
    rng: np.random.Generator,
) -> np.ndarray:
    """For every model the sum of clipped gradients over a Poisson batch of its own, shape (models, d + 1).

    Its clipping norm is its own too: `clip` has shape (models,).
    """
    total = np.zeros_like(theta)
    for start in range(0, len(examples), _BLOCK):
        block = examples[slice(start, start + _BLOCK)]
        norms = block.norms[:, None]
        # With one output, a gradient is a number times a direction: clipping its norm is clipping that number.
        length = np.clip((expit((block.directions @ theta.T) * norms) - block.targets) * norms, -clip, clip)
        if present is not None:
            length *= present[start : start + _BLOCK]
        if sampling_rate < 1:
            length *= rng.random(length.shape) < sampling_rate
        total += length.T @ block.directions
    return total
