"""Shadow models: what a model would have said with and without a record, from many models trained at once.

Every shadow model is a logistic regression on a random half of the pool. They share the matrix of features, so one
matrix product serves them all; and they are all near the fit of the whole pool, so that one Newton matrix does too.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from dpcourse.attacks.membership.scores import places
from dpcourse.privacy import arguments

MOST_STEPS = 500
TINY = np.float32(1e-30)  # below which a single-precision quotient would be of nothing by nothing


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
        sign = 2.0 * places(y, self.classes, len(X)) - 1
        return (self.weights[:, :-1] @ X.T + self.weights[:, -1:]) * sign

    def accuracy(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Share of right answers of every model, shape (n_models,)."""
        return (self.scores(X, y) > 0).mean(axis=1)


def random_halves(n_models: int, n: int, *, rng=None) -> np.ndarray:
    """Which of `n` records each model is trained on, shape (n_models, n): one independent fair coin for each.

    Examples
    --------
    >>> random_halves(3, 1000, rng=10).mean(axis=1).round(1)
    array([0.5, 0.5, 0.5])
    """
    n_models = arguments.integer("n_models", n_models, minimum=1)
    n = arguments.integer("n", n, minimum=1)
    return np.random.default_rng(rng).random((n_models, n)) < 0.5


def train_shadow_models(
    X: np.ndarray,
    y: np.ndarray,
    n_models: int,
    *,
    regularization: float = 1e-3,
    tolerance: float = 1e-4,
    in_mask: np.ndarray | None = None,
    rng=None,
) -> Shadows:
    """Train `n_models` logistic regressions, each on its own rows of one pool, in one batched fit.

    Each minimises mean loss over its rows + (λ/2)‖w‖², the intercept penalised like the rest. scikit-learn's
    ``LogisticRegression(C=1/(λ·rows), fit_intercept=False)`` on rows with a column of ones has the same minimum.

    Parameters
    ----------
    X : ndarray, shape (n, d)
    y : ndarray, shape (n,)
        Two different labels.
    n_models : int
        At least 2.
    regularization : float
        λ > 0. A target model that the attack is to work on needs the same.
    tolerance : float
        The fit ends when no entry of any model's gradient exceeds it: scikit-learn's own rule and default. A weight is
        then off by at most tolerance·√(d + 1)/λ, and far less as a rule. Products are in single precision, which
        reaches 1e-6 on features of size 1.
    in_mask : ndarray of bool, shape (n_models, n), optional
        The rows of each model; one without any only has its weights penalised, and they end near zero. None: each row
        joins each model by an independent fair coin.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Warns
    -----
    RuntimeWarning
        If a model is not there after 500 steps.

    Notes
    -----
    Nonlinear conjugate gradients (Polak & Ribière 1969) from the pool's own minimum, preconditioned by the inverse
    Hessian there. The step along a direction minimises an upper bound of the loss that holds because the third
    derivative of the logistic loss is at most its second (Bach 2010, doi:10.1214/09-EJS521): the loss never rises, and
    near the minimum it is Newton's step.

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
    tolerance = arguments.positive("tolerance", tolerance)
    classes = np.unique(y)
    if X.ndim != 2 or np.shape(y) != X.shape[:1]:
        raise ValueError(f"X must have shape (n, d) and y shape (n,), got {X.shape} and {np.shape(y)}")
    if len(classes) != 2:
        raise ValueError(f"y must have two different labels, got {classes.tolist()!r}")
    if in_mask is None:
        in_mask = random_halves(n_models, len(X), rng=rng)
    in_mask = np.asarray(in_mask, dtype=bool)
    if in_mask.shape != (n_models, len(X)):
        raise ValueError(f"in_mask must have shape {(n_models, len(X))}, got {in_mask.shape}")
    rows = np.column_stack([X, np.ones(len(X))])
    target = (np.asarray(y) == classes[1]).astype(float)
    start, inverse = _pooled_fit(rows, target, strength)
    share = in_mask / np.maximum(in_mask.sum(axis=1, keepdims=True), 1)
    single = [np.asarray(value, dtype=np.float32) for value in (rows, target, share, start, inverse, strength)]
    return Shadows(_descend_together(tolerance, *single).astype(float), in_mask, classes)


def _descend_together(tolerance, rows, target, share, start, inverse, strength) -> np.ndarray:
    """All models' minima, shape (n_models, d + 1), by conjugate gradients; `share` holds each row's weight in each."""
    weights = np.tile(start, (len(share), 1))
    margins = np.tile(rows @ start, (len(share), 1))
    direction, before, slope_before = np.zeros_like(weights), np.zeros_like(weights), np.inf
    for _ in range(MOST_STEPS):
        p = expit(margins)
        gradient = ((p - target) * share) @ rows + strength * weights
        if np.abs(gradient).max() <= tolerance:
            return weights
        steepest = gradient @ inverse
        kept = np.clip(_dots(gradient - before, steepest) / slope_before, 0, 1)
        before, slope_before = gradient, np.maximum(_dots(gradient, steepest), TINY)
        direction = kept * direction - steepest
        direction = np.where(_dots(gradient, direction) < 0, direction, -steepest)  # start again where it would rise
        move = direction @ rows.T
        curvature = _dots(p * (1 - p) * share, move**2) + strength * _dots(direction, direction)
        newton = -_dots(gradient, direction) / np.maximum(curvature, TINY)
        reach = np.maximum(np.abs(move).max(axis=1, keepdims=True), TINY)
        step = np.log1p(reach * newton) / reach
        weights += step * direction
        margins += step * move
    left = np.abs(gradient).max()
    warnings.warn(
        f"shadow models stopped after {MOST_STEPS} steps with a gradient of {left:.1e}, tolerance {tolerance:g}",
        RuntimeWarning,
        stacklevel=3,
    )
    return weights


def _pooled_fit(rows: np.ndarray, target: np.ndarray, strength: float) -> tuple[np.ndarray, np.ndarray]:
    """The minimum of one model on all rows by Newton's method, and the inverse Hessian there."""
    weights = np.zeros(rows.shape[1])
    for _ in range(MOST_STEPS):
        p = expit(rows @ weights)
        gradient = (p - target) @ rows / len(rows) + strength * weights
        hessian = (rows.T * (p * (1 - p))) @ rows / len(rows) + strength * np.eye(len(weights))
        newton = np.linalg.solve(hessian, gradient)
        reach = float(np.abs(rows @ newton).max())  # how far the step moves a prediction
        if reach < 1e-9:
            break
        weights -= np.log1p(reach) / reach * newton
    return weights, np.linalg.inv(hessian)


def _dots(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Inner products of rows, shape (n_models, 1)."""
    return np.einsum("ij,ij->i", a, b)[:, None]
