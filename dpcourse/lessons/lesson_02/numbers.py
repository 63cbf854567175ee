"""Numbers of lesson 02."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import laplace, norm

from dpcourse.accounting import PrivacyLoss
from dpcourse.attacks import dp_accuracy_bound, dp_roc_bound, posterior_bounds
from dpcourse.mechanisms import GaussianMechanism

# Finer near 0 and 1, where the curves bend for large ε.
_RATES = np.unique(np.concatenate([np.geomspace(1e-4, 0.5, 60), 1 - np.geomspace(1e-4, 0.5, 60), [0.0, 0.05, 1.0]]))
_BELIEFS = np.linspace(0, 1, 101)


@dataclass(frozen=True)
class Attacker:
    """What an (ε, δ) claim leaves an attacker, and what one mechanism that keeps it does leave.

    `fpr`, `best`, `worst` and `mechanism` have shape (rates,); `priors`, `low` and `high` shape (beliefs,). `leaves` is
    how often the mechanism moves a belief by more than e^ε in odds; it does not depend on the belief, nor on the truth.
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
    leaves: float


@functools.lru_cache(maxsize=256)
def _best_attack(epsilon: float, delta: float) -> tuple[np.ndarray, np.ndarray, str, float]:
    """False and true positive rates of the best attack on the usual mechanism, its name, and how often its loss is
    beyond ε on either side; kept, because beliefs do not matter."""
    corner = (1 - delta) / (1 + math.exp(epsilon))  # where the two lines of the bound meet
    rates = np.unique(np.append(_RATES, [corner, 1 - corner]))
    if delta:
        sigma = GaussianMechanism(epsilon, delta).sigma
        loss, name, law = PrivacyLoss.gaussian(sigma), "Gaussian noise", norm(0.5 / sigma**2, 1 / sigma)
        leaves = float(law.sf(epsilon) + law.cdf(-epsilon))
    else:
        loss, name, leaves = PrivacyLoss.laplace(epsilon), "Laplace noise", 0.0
    return rates, np.asarray(loss.true_positive_rate(rates)), name, leaves


def attacker(epsilon: float, delta: float, prior: float) -> Attacker:
    """The attacker's region at (ε, δ), the best attack on the usual mechanism with that claim, and how beliefs move.

    The mechanism is a count with Laplace noise where δ is 0, else with Gaussian noise; neighbours differ by one in it.

    Examples
    --------
    >>> shown = attacker(1.0, 0.0, 0.5)
    >>> round(shown.accuracy, 3), shown.name
    (0.731, 'Laplace noise')
    >>> round(attacker(1.0, 0.1, 0.5).leaves, 3)
    0.327
    """
    rates, mechanism, name, leaves = _best_attack(epsilon, delta)
    low, high = posterior_bounds(_BELIEFS, epsilon)
    below, above = posterior_bounds(prior, epsilon)
    return Attacker(
        epsilon=epsilon,
        delta=delta,
        accuracy=dp_accuracy_bound(epsilon, delta),
        fpr=rates,
        best=dp_roc_bound(epsilon, delta, rates),
        worst=1 - dp_roc_bound(epsilon, delta, 1 - rates),
        mechanism=mechanism,
        name=name,
        priors=_BELIEFS,
        low=low,
        high=high,
        prior=prior,
        belief=(float(below), float(above)),
        leaves=leaves,
    )


@dataclass(frozen=True)
class Hills:
    """How likely each published number is with Ana's yes and with her no, and what a claim at ε leaves over.

    `x`, `yes` and `no` have shape (numbers,): published numbers, and their density if the true count is `count` + 1 and
    if it is `count`. `tail` is the chance of a number that is more than e^ε times as likely with the yes, and `delta`
    the part of it that counts: the least δ at ε (replacing Ana's answer; the noise is alike on both sides).
    """

    noise: str
    epsilon: float
    count: int
    x: np.ndarray
    yes: np.ndarray
    no: np.ndarray
    tail: float
    delta: float


def hills(noise: str, scale: float, epsilon: float, count: int = 61) -> Hills:
    """The two hills of a count with "Laplace" noise of a scale, or "Gaussian" noise of a standard deviation.

    Examples
    --------
    >>> hills("Laplace", 1.0, epsilon=1.0).delta
    0.0
    >>> shown = hills("Gaussian", 1.0, epsilon=1.0)
    >>> round(shown.delta, 4), round(shown.tail, 4)
    (0.1269, 0.3085)
    """
    x = count + 0.5 + np.arange(-500, 501) / 100  # symmetric about the middle; 5 people to either side
    law = {"Laplace": laplace, "Gaussian": norm}[noise]
    yes, no = law(loc=count + 1, scale=scale), law(loc=count, scale=scale)
    if noise == "Laplace":
        # The ratio rises from e^(−1/b) at the lower count to e^(1/b) at the upper one, and stays there.
        never = epsilon * scale >= 1
        start, delta = count + 0.5 + epsilon * scale / 2, float(PrivacyLoss.laplace(1 / scale).delta(epsilon))
        tail = 0.0 if never else float(yes.sf(start))
    else:
        start = count + 0.5 + epsilon * scale**2  # where the ratio, e^((x − count − ½)/σ²), reaches e^ε
        tail, delta = float(yes.sf(start)), float(PrivacyLoss.gaussian(scale).delta(epsilon))
    return Hills(noise, epsilon, count, x, yes.pdf(x), no.pdf(x), tail, delta)
