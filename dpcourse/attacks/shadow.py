"""Shadow models: what a model would have said with and without a record, from many models trained at once.

Every shadow model is a logistic regression on a random half of the pool. They share the matrix of features, so one
matrix product serves them all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from dpcourse.privacy import arguments


@dataclass(frozen=True, eq=False)
class Shadows:
    """Trained shadow models.

    Attributes
    ----------
    weights : ndarray, shape (n_models, d + 1)
        Intercept last.
    in_mask : ndarray of bool, shape (n_models, n)
        Which row of the pool each model was trained on.
    classes : ndarray, shape (2,)
        The labels, the second one positive.
    """

    weights: np.ndarray
    in_mask: np.ndarray
    classes: np.ndarray

    def scores(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """φ = ln p_y − ln p_other of every model at every row, shape (n_models, n): the margin, signed by the label."""
        X = arguments.finite_array("X", X)
        sign = np.where(np.asarray(y) == self.classes[1], 1.0, -1.0)
        return (self.weights[:, :-1] @ X.T + self.weights[:, -1:]) * sign


def train_shadow_models(
    X: np.ndarray, y: np.ndarray, n_models: int, *, regularization: float = 1e-3, steps: int = 250, rng=None
) -> Shadows:
    """Train `n_models` logistic regressions, each on a random half of the rows, in one batched fit.

    Each row joins each model by an independent fair coin. Accelerated gradient descent (Nesterov 1983) minimises mean
    loss + (λ/2)‖w‖² to a fixed number of steps.

    Parameters
    ----------
    X : ndarray, shape (n, d)
    y : ndarray, shape (n,)
        Two different labels.
    n_models : int
        At least 2.
    regularization : float
        λ > 0. A target model that the attack is to work on needs the same.
    steps : int
        Gradient steps.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Examples
    --------
    >>> rng = np.random.default_rng(10)
    >>> X = rng.normal(size=(100, 3)); y = (X[:, 0] > 0).astype(int)
    >>> shadows = train_shadow_models(X, y, 8, rng=rng)
    >>> shadows.scores(X, y).shape, shadows.in_mask.shape
    ((8, 100), (8, 100))
    """
    X = arguments.finite_array("X", X)
    n_models = arguments.integer("n_models", n_models, minimum=2)
    strength = arguments.positive("regularization", regularization)
    steps = arguments.integer("steps", steps, minimum=1)
    classes = np.unique(y)
    if X.ndim != 2 or np.shape(y) != X.shape[:1]:
        raise ValueError(f"X must have shape (n, d) and y shape (n,), got {X.shape} and {np.shape(y)}")
    if len(classes) != 2:
        raise ValueError(f"y must have two different labels, got {classes.tolist()!r}")
    rng = np.random.default_rng(rng)
    in_mask = rng.random((n_models, len(X))) < 0.5
    rows = np.column_stack([X, np.ones(len(X))]).astype(np.float32)
    target = (np.asarray(y) == classes[1]).astype(np.float32)
    share = (in_mask / np.maximum(in_mask.sum(axis=1, keepdims=True), 1)).astype(np.float32)
    # The loss of one row curves by at most ‖row‖²/4; over a half of the pool, by at most twice the pool's own
    # curvature.
    curvature = 2 * float(np.linalg.norm(rows, 2) ** 2) / (4 * len(X)) + strength
    weights = np.zeros((n_models, rows.shape[1]), dtype=np.float32)
    ahead, momentum = weights, 1.0
    for _ in range(steps):
        gradient = ((expit(ahead @ rows.T) - target) * share) @ rows + np.float32(strength) * ahead
        stepped = ahead - np.float32(1 / curvature) * gradient
        following = (1 + (1 + 4 * momentum**2) ** 0.5) / 2
        ahead = stepped + np.float32((momentum - 1) / following) * (stepped - weights)
        weights, momentum = stepped, following
    return Shadows(weights.astype(float), in_mask, classes)
