"""A private training run with canaries in it, and a white-box adversary who watches every step.

A canary is a record nobody else resembles. Here each has a feature of its own: of m extra columns, public and zero for
all people, it holds one. So its clipped gradient lies (nearly) in a direction of its own, and the noisy gradients of
all steps say, along that direction, whether it was there. Thousands of canaries fit into one run without disturbing
each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from dpcourse.accounting import PrivacyLoss
from dpcourse.learning.gradients import Examples, clipped_gradient_sum
from dpcourse.privacy import Guarantee, Neighbours, arguments

STRENGTH = 4.0  # a canary's own feature: its gradient is longer than C = 1 while its prediction is off by 1/4 or more


@dataclass(frozen=True)
class CanaryRun:
    """One run of DP-SGD with canaries.

    Attributes
    ----------
    scores : ndarray, shape (m,)
        How much of the noisy gradients lies along each canary's own: higher means "was in".
    members : ndarray of bool, shape (m,)
        The fair coins: which canaries were trained on.
    guarantee : Guarantee
        Of the run as executed, canaries included: adding or removing one record, by PLD accounting.
    theta : ndarray, shape (d + 1,)
        The weights learnt for the people's features, intercept last.
    """

    scores: np.ndarray
    members: np.ndarray
    guarantee: Guarantee
    theta: np.ndarray


def train_with_canaries(
    X: np.ndarray,
    y: np.ndarray,
    *,
    canaries: int,
    noise_multiplier: float,
    delta: float = 1e-5,
    clip_norm: float = 1.0,
    sampling_rate: float = 1.0,
    steps: int = 20,
    learning_rate: float = 0.5,
    momentum: float = 0.9,
    rng=None,
) -> CanaryRun:
    """Train a logistic regression by DP-SGD on people and on those canaries whose coin says so, and watch.

    The algorithm is that of `dpcourse.learning.DPLogisticRegression` on d + m features; since the extra columns are
    zero but for one entry a canary, they are never stored.

    Parameters
    ----------
    X, y : ndarray of shape (n, d) and (n,)
        People, labels 0 and 1; n is public.
    canaries : int
        m ≥ 1: how many coins are tossed. Labels alternate.
    noise_multiplier, delta, clip_norm, sampling_rate, steps, learning_rate, momentum
        As for `DPLogisticRegression`.
    rng : Generator, int or None

    Examples
    --------
    >>> rng = np.random.default_rng(11)
    >>> X = rng.normal(size=(500, 3)); y = (X[:, 0] > 0).astype(int)
    >>> run = train_with_canaries(X, y, canaries=200, noise_multiplier=2.0, rng=11)
    >>> bool(run.scores[run.members].mean() > run.scores[~run.members].mean())
    True
    """
    m = arguments.integer("canaries", canaries, minimum=1)
    sigma = arguments.positive("noise_multiplier", noise_multiplier)
    clip_norm = arguments.positive("clip_norm", clip_norm)
    rate = arguments.probability("sampling_rate", sampling_rate, zero=False)
    steps = arguments.integer("steps", steps, minimum=1)
    rng = np.random.default_rng(rng)
    people = Examples.of(arguments.finite_array("X", X), np.asarray(y)[:, None])
    members, labels = rng.random(m) < 0.5, np.arange(m) % 2
    inside = np.flatnonzero(members)
    towards = 1.0 - 2 * labels  # the sign of a canary's gradient along its own feature
    weights, own = np.zeros((1, people.directions.shape[1])), np.zeros(m)
    speed, own_speed, seen = np.zeros_like(weights), np.zeros(m), np.zeros(m)
    for _ in range(steps):
        batch = people if rate == 1 else people[np.flatnonzero(rng.random(len(people)) < rate)]
        chosen = inside if rate == 1 else inside[rng.random(len(inside)) < rate]
        gradient = clipped_gradient_sum(weights, batch, clip_norm)
        along, intercepts = _canary_gradients(own[chosen], weights[0, -1], labels[chosen], clip_norm)
        gradient[0, -1] += intercepts.sum()
        own_gradient = np.zeros(m)
        own_gradient[chosen] = along
        gradient += rng.normal(scale=sigma * clip_norm, size=gradient.shape)
        own_gradient += rng.normal(scale=sigma * clip_norm, size=m)
        seen += towards * own_gradient
        speed, own_speed = momentum * speed + gradient, momentum * own_speed + own_gradient
        weights = weights - learning_rate * speed / (rate * len(people))
        own = own - learning_rate * own_speed / (rate * len(people))
    loss = PrivacyLoss.gaussian(sigma)
    loss = (loss if rate == 1 else loss.poisson_subsampled(rate)).self_compose(steps)
    guarantee = Guarantee(loss.epsilon(delta), delta, Neighbours.ADD_REMOVE)
    return CanaryRun(seen, members, guarantee, weights[0])


def _canary_gradients(
    own: np.ndarray, intercept: float, labels: np.ndarray, clip_norm: float
) -> tuple[np.ndarray, np.ndarray]:
    """Clipped gradients of canaries along their own features and along the intercept, each of shape (canaries,)."""
    miss = expit(STRENGTH * own + intercept) - labels
    length = np.sqrt(STRENGTH**2 + 1)
    clipped = np.clip(miss * length, -clip_norm, clip_norm) / length
    return clipped * STRENGTH, clipped
