"""Logistic regression by differentially private stochastic gradient descent (DP-SGD)."""

from __future__ import annotations

import math

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import validate_data

from dpcourse.accounting import PrivacyAccountant
from dpcourse.accounting.calibrate import calibrated
from dpcourse.learning.gradients import Examples, clipped_sum, residuals
from dpcourse.learning.linear import LinearClassifier, encode_labels, generator
from dpcourse.learning.pace import Pace
from dpcourse.mechanisms import GaussianMechanism, GeometricMechanism, PoissonSubsampled
from dpcourse.privacy import Guarantee, Neighbours, arguments

_SIZE_SHARE = 0.01  # of ε, for a noisy count where the size of the dataset is not public
LABELS_PUBLIC = "the class labels are public"
_ROUNDING = "the rounding of float32 sums is left out of account"


class DPLogisticRegression(LinearClassifier, ClassifierMixin, BaseEstimator):
    """Logistic regression that hides every single training example: DP-SGD (Abadi et al. 2016, arXiv:1607.00133).

    Each step draws a Poisson batch, clips each example's whole gradient (intercept included) to `clip_norm`, adds
    Gaussian noise to the *sum* and divides by the *expected* batch size. Momentum and averaging over the second half
    of the steps only see noisy gradients: they are post-processing. Two classes give one weight vector, k ≥ 3 give k
    (softmax).

    The guarantee is over datasets of finite records with labels among `classes`, under adding or removing one; the
    noise is drawn in floats (see SECURITY.md). Features must be scaled by public constants: a scaler fitted to the
    data is not covered. Features of type float32 are gathered and summed in float32, which is faster; one record then
    moves a sum by C only up to rounding, and `guarantee_` says so.

    Parameters
    ----------
    epsilon, delta : float
        The claim to calibrate the noise to. ε is ignored (and reported in `guarantee_`) if `noise_multiplier` is given.
    clip_norm : float or None
        C, the L2 norm each example's gradient is clipped to. It does not enter ε. Infinite only with no noise. None
        takes 1 for scaled features, 2 for bins and less than 2 where there is much noise (`Pace.clip_norm`).
    sampling_rate : float
        q in (0, 1]: each example joins each batch with this probability.
    steps : int or None
        T, the number of steps. None takes 200 for scaled features, 400 for bins.
    learning_rate : float or None
        Of the descent. None takes `Pace.learning_rate`: smaller where there is more noise, from public numbers alone.
    momentum : float
        Of the descent (heavy ball).
    noise_multiplier : float or None
        Standard deviation of the noise as a multiple of C, ≥ 1e-150; None finds the smallest that keeps the claim. 0
        means no privacy.
    dataset_size : int or None
        The public size n. None buys a noisy count: with 1% of ε, or with 1% on top where `noise_multiplier` is given.
    classes : sequence or None
        The public class labels. None reads them from `y`, and `guarantee_` says that they must be public.
    random_state : None, int or numpy.random.Generator
        Source of batches and noise. A published seed voids the guarantee.
    features : {"scaled", "bins"}
        What `Adult.encode` made of the numbers: a public fact, which decides what None means for the settings above.
        "bins" suits every table of 0 and 1 that is mostly 0.

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (1 or k, d) and (1 or k,)
        The released model.
    guarantee_ : Guarantee
        What was spent, from PLD accounting.
    noise_multiplier_, clip_norm_, learning_rate_, steps_ : float, float, float, int
        The ones used.
    accountant_ : PrivacyAccountant
        Its ledger lists what was composed.
    loss_curve_ : ndarray of shape (steps,)
        Mean loss of each batch. NOT private: for teaching only, never publish it.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused. NaN and infinite features are refused before anything is spent.
        `sample_weight` and `class_weight` are refused: a weight w multiplies one person's influence by w, after
        clipping.

    Examples
    --------
    >>> rng = np.random.default_rng(8)
    >>> X = rng.normal(size=(5000, 2)); y = (X[:, 0] + X[:, 1] > 0).astype(int)
    >>> model = DPLogisticRegression(epsilon=1.0, dataset_size=5000, classes=(0, 1), random_state=8).fit(X, y)
    >>> print(model.guarantee_)
    (ε=1, δ=1e-05)-DP, adding or removing one record
    >>> model.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 1e-5,
        clip_norm: float | None = None,
        sampling_rate: float = 0.1,
        steps: int | None = None,
        learning_rate: float | None = None,
        momentum: float = 0.9,
        noise_multiplier: float | None = None,
        dataset_size: int | None = None,
        classes=None,
        random_state=None,
        features: str = "scaled",
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.clip_norm = clip_norm
        self.sampling_rate = sampling_rate
        self.steps = steps
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.noise_multiplier = noise_multiplier
        self.dataset_size = dataset_size
        self.classes = classes
        self.random_state = random_state
        self.features = features

    def fit(self, X, y, **refused) -> DPLogisticRegression:
        """Train on X of shape (n, d) and labels y of shape (n,)."""
        if refused:
            raise ValueError(
                f"{', '.join(refused)} is refused: a weight multiplies one person's influence after clipping, "
                "so the noise would be too small"
            )
        self._check_arguments()
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        self.classes_, targets = encode_labels(y, self.classes)
        rng = generator(self.random_state)
        self.steps_ = self._steps
        size = self._account(len(X), rng, _ROUNDING if X.dtype == np.float32 else "")
        self.clip_norm_ = self._choose_clip_norm(size)
        theta = self._descend(Examples.of(X, targets), size, rng)
        self.coef_, self.intercept_ = theta[:, :-1], theta[:, -1]
        return self

    def _descend(self, examples: Examples, size: int, rng: np.random.Generator) -> np.ndarray:
        """DP-SGD, whole: the average of the second half of the iterates, shape (1 or k, d + 1)."""
        theta = np.zeros((examples.targets.shape[1], examples.directions.shape[1]))
        velocity, average = np.zeros_like(theta), np.zeros_like(theta)
        deviation = self.noise_multiplier_ * self.clip_norm_ if self.noise_multiplier_ else 0.0
        self.learning_rate_ = self.learning_rate or self._choose_learning_rate(examples, size)
        steps = self.steps_
        self.loss_curve_ = np.empty(steps)
        for step in range(steps):
            batch = examples
            if self.sampling_rate < 1:  # everybody tosses a coin of their own
                batch = examples[np.flatnonzero(rng.random(len(examples)) < self.sampling_rate)]
            residual = residuals(theta, batch)
            self.loss_curve_[step] = _mean_loss(residual, batch.targets)
            gradient = clipped_sum(residual, batch, self.clip_norm_) + rng.normal(scale=deviation, size=theta.shape)
            # From here on nothing touches a person. The denominator is the expected size: the batch's own would tell.
            velocity = self.momentum * velocity + gradient / (self.sampling_rate * size)
            theta = theta - self.learning_rate_ * velocity
            if step >= steps // 2:
                average += theta / (steps - steps // 2)
        return average

    @property
    def _steps(self) -> int:
        return Pace.of(self.features).steps if self.steps is None else self.steps

    def _choose_clip_norm(self, size: int) -> float:
        if self.clip_norm is not None:
            return self.clip_norm
        pace = Pace.of(self.features)
        return pace.clip_norm(self.noise_multiplier_, self.sampling_rate, self._steps, self.momentum, size)

    def _choose_learning_rate(self, examples: Examples, size: int) -> float:
        pace = Pace.of(self.features)
        if math.isinf(self.clip_norm_):  # no privacy, so the data may say how steep the loss can get
            norms = np.minimum(examples.norms, 1e100)
            if self.features == "bins":  # heavy ball needs less than 8(1 + m)/λ, λ the largest eigenvalue of E[xxᵀ]
                rows = examples.directions * norms[:, None]
                largest = float(np.linalg.eigvalsh(rows.T @ rows / len(rows))[-1])
                return min(pace.largest_rate, 6 * (1 + self.momentum) / largest)
            return min(pace.largest_rate, 2 / float(np.mean(norms**2)))
        return pace.learning_rate(
            self.noise_multiplier_, self.clip_norm_, self.sampling_rate, self._steps, self.momentum, size
        )

    def _account(self, n: int, rng: np.random.Generator, rounding: str = "") -> int:
        """Fix the noise, record what is spent, and return the size to divide by, public or paid for."""
        condition = " and ".join(filter(None, [LABELS_PUBLIC if self.classes is None else "", rounding]))
        self.accountant_ = PrivacyAccountant(Neighbours.ADD_REMOVE)
        if self.noise_multiplier == 0:
            self.noise_multiplier_ = 0.0
            self.guarantee_ = Guarantee(math.inf, 0.0, Neighbours.ADD_REMOVE, condition)
            return n if self.dataset_size is None else self.dataset_size
        share = _SIZE_SHARE if self.dataset_size is None else 0.0
        if self.noise_multiplier is None:
            target = self.epsilon * (1 - share)
            self.noise_multiplier_, epsilon = calibrated(target, self.delta, self.sampling_rate, self._steps)
        else:
            self.noise_multiplier_, epsilon = self.noise_multiplier, None
        step = PoissonSubsampled(GaussianMechanism.from_noise_multiplier(self.noise_multiplier_), self.sampling_rate)
        self.accountant_.compose(step, times=self._steps)
        if epsilon is None:  # the calibration has priced its own noise already
            epsilon = self.accountant_.epsilon(self.delta, method="pld")
        size = self.dataset_size
        if size is None:
            if self.noise_multiplier is not None and not 0 < epsilon < math.inf:
                raise ValueError(
                    "noise_multiplier must leave an ε whose hundredth buys the count, unless dataset_size is given, "
                    f"got {self.noise_multiplier!r} with ε={epsilon:g}"
                )
            count = GeometricMechanism(self.epsilon * share if self.noise_multiplier is None else epsilon * share)
            self.accountant_.compose(count)
            epsilon += count.epsilon
            size = max(count.release(n, rng=rng), 1)
        self.guarantee_ = Guarantee(epsilon, self.delta, Neighbours.ADD_REMOVE, condition)
        return size

    def _check_arguments(self) -> None:
        no_noise = self.noise_multiplier is not None and self.noise_multiplier == 0
        if self.noise_multiplier is None:
            arguments.positive("epsilon", self.epsilon)
        else:
            arguments.noise("noise_multiplier", self.noise_multiplier, zero=True)
        arguments.probability("delta", self.delta, zero=False, one=False)
        clip_norm = 1.0 if self.clip_norm is None else arguments.positive("clip_norm", self.clip_norm, infinite=True)
        if math.isinf(clip_norm) and not no_noise:
            raise ValueError(f"clip_norm must be finite unless noise_multiplier is 0, got {self.clip_norm!r}")
        arguments.probability("sampling_rate", self.sampling_rate, zero=False)
        Pace.of(self.features)
        if self.steps is not None:
            arguments.integer("steps", self.steps, minimum=1)
        if self.learning_rate is not None:
            arguments.positive("learning_rate", self.learning_rate)
        arguments.probability("momentum", self.momentum, one=False)
        if self.dataset_size is not None:
            arguments.integer("dataset_size", self.dataset_size, minimum=1)


def public_learning_rate(
    noise_multiplier: float, clip_norm: float, sampling_rate: float, steps: int, momentum: float, dataset_size: int
) -> float:
    """For scaled features: the largest rate, up to 2, at which the noise moves a weight by a deviation of 0.75 at most.

    Examples
    --------
    >>> public_learning_rate(43.6, 1.0, 0.1, 200, 0.9, 31_655)
    0.385...
    >>> public_learning_rate(2.0, 1.0, 0.1, 200, 0.9, 31_655)
    2.0
    """
    return Pace.of("scaled").learning_rate(noise_multiplier, clip_norm, sampling_rate, steps, momentum, dataset_size)


def _mean_loss(residual: np.ndarray, targets: np.ndarray) -> float:
    """Mean cross-entropy of a batch (NaN if it is empty) from its residuals: p − 1 at the true class."""
    if not len(residual):
        return math.nan
    wrong = np.abs(residual[:, 0]) if residual.shape[1] == 1 else -(residual * targets).sum(axis=1)
    return float(-np.log(np.maximum(1 - wrong, 1e-300)).mean())
