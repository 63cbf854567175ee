"""Two private learners older than DP-SGD: perturb the solution, or perturb the question.

Both minimise J(w) = (1/n) Σ ln(1 + e^(−yᵢ wᵀxᵢ)) + (λ/2)‖w‖² over rows of norm at most 1, with labels ±1, a public
n, and replace-one neighbours (Chaudhuri, Monteleoni, Sarwate 2011, arXiv:0912.0071). The noise is drawn in floats: the
claims are about real numbers.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import validate_data

from dpcourse.learning.linear import LinearClassifier, encode_labels, generator
from dpcourse.privacy import Guarantee, Neighbours, arguments

CURVATURE = 0.25  # the second derivative of the logistic loss never exceeds this
TOLERANCE = 1e-11  # gradient norm at which the minimiser counts as found
LONGEST_NOISE = 1e100  # its square is still a float, with much room
MOST_STEPS = 1000  # a handful is enough, but for hard problems at λ = 1e-8: more or less than 200, as sums round


def unit_rows(X: np.ndarray, data_norm: float) -> np.ndarray:
    """Rows (x, 1) clipped to L2 norm `data_norm`, row by row, and divided by it: norm at most 1, shape (n, d + 1)."""
    rows = np.column_stack([X, np.ones(len(X))]).astype(float)
    largest = np.abs(rows).max(axis=1, keepdims=True)
    length = np.linalg.norm(rows / largest, axis=1, keepdims=True) * largest
    return rows / np.maximum(length, data_norm)


def minimise(
    rows: np.ndarray, signs: np.ndarray, regularization: float, linear: np.ndarray | None = None
) -> np.ndarray:
    """The minimiser of J(w) + linearᵀw by damped Newton steps, to a gradient norm of `TOLERANCE`.

    λ-strong convexity turns that into ‖w − w*‖ ≤ TOLERANCE/λ, whatever the data. Where ‖linear‖ > 1 the tolerance is
    relative to it.

    Raises
    ------
    RuntimeError
        If the gradient cannot be made that small, which takes a λ at the limit of floats: tested down to 1e-8. Nothing
        is returned, because a sensitivity computed for the minimiser says nothing about another point.
    """
    n, d = rows.shape
    linear = np.zeros(d) if linear is None else linear
    tolerance = TOLERANCE * max(1.0, float(np.linalg.norm(linear)))

    def objective(w: np.ndarray) -> float:
        return np.logaddexp(0, -signs * (rows @ w)).mean() + regularization / 2 * (w @ w) + linear @ w

    def slopes(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        miss = expit(-signs * (rows @ w))
        return miss, -(rows.T @ (signs * miss)) / n + regularization * w + linear

    w = np.zeros(d)
    miss, gradient = slopes(w)
    for _ in range(MOST_STEPS):
        size = np.linalg.norm(gradient)
        if size <= tolerance:
            return w
        hessian = (rows.T * (miss * (1 - miss))) @ rows / n + regularization * np.eye(d)
        step = np.linalg.solve(hessian, gradient)
        length, value, descent = 1.0, objective(w), gradient @ step
        while True:
            new = w - length * step
            miss, gradient = slopes(new)
            # Near the minimum the objective is flat to the last digit of a float; there its gradient decides.
            if np.linalg.norm(gradient) <= size / 2 or length < 1e-9:
                break
            if objective(new) <= value - 0.25 * length * descent:
                break
            length /= 2
        w = new
    raise RuntimeError(
        f"no minimiser to a gradient of {tolerance:.1g} in {MOST_STEPS} steps with regularization {regularization!r}: "
        "nothing was released"
    )


def spherical_noise(rng: np.random.Generator, dimension: int, rate: float) -> np.ndarray:
    """A vector with density ∝ exp(−rate · ‖b‖₂): a uniform direction, a Gamma(dimension, 1/rate) length."""
    direction = rng.normal(size=dimension)
    return direction / np.linalg.norm(direction) * rng.gamma(dimension, 1 / rate)


def share_of_noise(epsilon: float, n: int, regularization: float) -> tuple[float, float]:
    """The λ that objective perturbation uses and the part ε′ of ε that is left for its noise: ε/2 at least.

    Examples
    --------
    >>> share_of_noise(1.0, 10_000, 0.01)[1]
    0.995...
    >>> share_of_noise(1.0, 100, 1e-6)[1]
    0.5
    """
    regularization = max(regularization, CURVATURE / (n * math.expm1(min(epsilon, 2000.0) / 4)))
    return regularization, max(epsilon - 2 * math.log1p(CURVATURE / (n * regularization)), epsilon / 2)


class _PerturbedLogisticRegression(LinearClassifier, ClassifierMixin, BaseEstimator):
    """Common parameters of both learners; two classes only."""

    def __init__(
        self,
        epsilon: float = 1.0,
        regularization: float = 0.01,
        data_norm: float = 2.0,
        dataset_size: int | None = None,
        classes=None,
        random_state=None,
    ) -> None:
        self.epsilon = epsilon
        self.regularization = regularization
        self.data_norm = data_norm
        self.dataset_size = dataset_size
        self.classes = classes
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X, y, **refused):
        """Train on X of shape (n, d) and labels y of shape (n,) with two classes."""
        if refused:
            raise ValueError(f"{', '.join(refused)} is refused: a weight multiplies one person's influence")
        arguments.positive("epsilon", self.epsilon)
        arguments.positive("regularization", self.regularization)
        arguments.positive("data_norm", self.data_norm)
        X, y = validate_data(self, X, y, dtype=float)
        self.classes_, targets = encode_labels(y, self.classes)
        if len(self.classes_) != 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass, "
                f"with {len(self.classes_)} classes"
            )
        if self.dataset_size is not None and arguments.integer("dataset_size", self.dataset_size) != len(X):
            raise ValueError(
                f"dataset_size is public and must be the number of rows ({len(X)}), got {self.dataset_size!r}"
            )
        weights = self._perturb(unit_rows(X, self.data_norm), 2 * targets[:, 0] - 1, generator(self.random_state))
        self.coef_, self.intercept_ = weights[None, :-1] / self.data_norm, weights[-1:] / self.data_norm
        conditions = ["the number of rows is public"] + ["the class labels are public"] * (self.classes is None)
        self.guarantee_ = Guarantee(self.epsilon, 0.0, Neighbours.REPLACE_ONE, " and ".join(conditions + self._assumed))
        return self

    def _noise(self, dimension: int, rate: float, rng: np.random.Generator) -> np.ndarray:
        """`spherical_noise`, refused by public numbers alone where sums of it might leave the range of floats."""
        if not dimension <= rate * LONGEST_NOISE:
            raise ValueError(
                f"epsilon must ask for noise shorter than about {LONGEST_NOISE:g}, "
                f"got {self.epsilon!r} with regularization {self.regularization!r}"
            )
        return spherical_noise(rng, dimension, rate)


class OutputPerturbationLogisticRegression(_PerturbedLogisticRegression):
    """Minimise, then add noise to the minimiser: ε-DP under replacing one record.

    J is λ-strongly convex and one record moves its gradient by at most 2/n, so it moves the minimiser by at most 2/(nλ)
    in L2 (plus twice the solver's own tolerance over λ). The noise has density ∝ exp(−ε‖b‖₂/sensitivity).

    Parameters
    ----------
    epsilon : float
        ε > 0, and large enough for noise that fits floats: lengths of up to 1e100.
    regularization : float
        λ > 0: more of it means less noise and more bias.
    data_norm : float
        Public bound on ‖(x, 1)‖₂; longer rows are clipped to it, row by row.
    dataset_size : int or None
        The public number of rows, checked if given.
    classes : sequence or None
        The two public class labels; None reads them from `y`, and `guarantee_` says so.
    random_state : None, int or numpy.random.Generator
        Source of the noise.

    Attributes
    ----------
    coef_, intercept_, classes_, guarantee_
    sensitivity_ : float
        Bound on how far one record moves the minimiser (in units where rows have norm at most 1).

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused; NaN and infinite features, weights, other than two classes.
    RuntimeError
        If no minimiser is found (see `minimise`).

    Examples
    --------
    >>> rng = np.random.default_rng(9)
    >>> X = rng.normal(size=(5000, 2)); y = (X[:, 0] > 0).astype(int)
    >>> model = OutputPerturbationLogisticRegression(epsilon=1.0, classes=(0, 1), random_state=9).fit(X, y)
    >>> print(model.guarantee_)
    (ε=1, δ=0)-DP, replacing one record, provided that the number of rows is public
    """

    _assumed: list[str] = []

    def _perturb(self, rows: np.ndarray, signs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        self.sensitivity_ = (2 / len(rows) + 2 * TOLERANCE) / self.regularization
        noise = self._noise(rows.shape[1], self.epsilon / self.sensitivity_, rng)
        return minimise(rows, signs, self.regularization) + noise


class ObjectivePerturbationLogisticRegression(_PerturbedLogisticRegression):
    """Add a random linear term to the objective, then minimise: ε-DP under replacing one record.

    Algorithm 2 of Chaudhuri et al. 2011: with c = 1/4 the bound on the loss's curvature, ε′ = ε − 2 ln(1 + c/(nλ)) is
    what is left for the noise. Where that is less than ε/2, λ is raised until it is ε/2 (the paper raises it only
    where nothing is left; either rule uses public numbers alone). The linear term is bᵀw/n with b of density
    ∝ exp(−ε′‖b‖₂/2). The proof is for the exact minimiser; ours has a gradient of at most 1e-11, and `guarantee_` says
    that it is taken as exact.

    Parameters, attributes and errors as for `OutputPerturbationLogisticRegression`, and

    Attributes
    ----------
    regularization_ : float
        The λ used, raised where the conditions ask for it.
    epsilon_noise_ : float
        ε′, the part of ε that pays for the noise.

    Examples
    --------
    >>> rng = np.random.default_rng(9)
    >>> X = rng.normal(size=(5000, 2)); y = (X[:, 0] > 0).astype(int)
    >>> model = ObjectivePerturbationLogisticRegression(epsilon=1.0, classes=(0, 1), random_state=9).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    _assumed = ["the minimiser is exact"]

    def _perturb(self, rows: np.ndarray, signs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        n = len(rows)
        self.regularization_, self.epsilon_noise_ = share_of_noise(self.epsilon, n, self.regularization)
        noise = self._noise(rows.shape[1], self.epsilon_noise_ / 2, rng)
        return minimise(rows, signs, self.regularization_, noise / n)
