"""Numbers of lesson 02."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpcourse.accounting import PrivacyLoss
from dpcourse.attacks import dp_accuracy_bound, dp_roc_bound, posterior_bounds
from dpcourse.mechanisms import GaussianMechanism

# Finer near 0 and 1, where the curves bend for large ε.
_RATES = np.unique(np.concatenate([np.geomspace(1e-4, 0.5, 60), 1 - np.geomspace(1e-4, 0.5, 60), [0.0, 0.05, 1.0]]))
_BELIEFS = np.linspace(0, 1, 101)


@dataclass(frozen=True)
class Attacker:
    """What an (ε, δ) claim leaves an attacker, and what one mechanism that keeps it does leave.

    `fpr`, `best`, `worst` and `mechanism` have shape (rates,); `priors`, `low` and `high` shape (beliefs,).
    """

    epsilon: float
    delta: float
    accuracy: float
    fpr: np.ndarray
    best: np.ndarray
    worst: np.ndarray
    mechanism: np.ndarray
    name: str
    priors: np.ndarray
    low: np.ndarray
    high: np.ndarray
    prior: float
    belief: tuple[float, float]


def attacker(epsilon: float, delta: float, prior: float) -> Attacker:
    """The attacker's region at (ε, δ), the best attack on the usual mechanism with that claim, and how beliefs move.

    The mechanism is a count with Laplace noise where δ is 0, else with Gaussian noise; neighbours differ by one in it.

    Examples
    --------
    >>> shown = attacker(1.0, 0.0, 0.5)
    >>> round(shown.accuracy, 3), shown.name
    (0.731, 'Laplace noise')
    """
    corner = (1 - delta) / (1 + math.exp(epsilon))  # where the two lines of the bound meet
    rates = np.unique(np.append(_RATES, [corner, 1 - corner]))
    if delta:
        loss, name = PrivacyLoss.gaussian(GaussianMechanism(epsilon, delta).sigma), "Gaussian noise"
    else:
        loss, name = PrivacyLoss.laplace(epsilon), "Laplace noise"
    low, high = posterior_bounds(_BELIEFS, epsilon)
    below, above = posterior_bounds(prior, epsilon)
    return Attacker(
        epsilon=epsilon,
        delta=delta,
        accuracy=dp_accuracy_bound(epsilon, delta),
        fpr=rates,
        best=dp_roc_bound(epsilon, delta, rates),
        worst=1 - dp_roc_bound(epsilon, delta, 1 - rates),
        mechanism=np.asarray(loss.true_positive_rate(rates)),
        name=name,
        priors=_BELIEFS,
        low=low,
        high=high,
        prior=prior,
        belief=(float(below), float(above)),
    )
