"""Two distributions of one published number: with Ana in the data, and without her.

Mara counts smokers and adds noise. Boris knows all answers but Ana's: the count is 61 without her and 62 with her.
Neighbours are two datasets that differ by adding or removing one person, but in the coin, where Ana's answer is
replaced.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from dpcourse.accounting import PrivacyLoss

WITHOUT, WITH = 61.0, 62.0
LOW, HIGH = 51.0, 72.0  # the published numbers that are drawn


@dataclass(frozen=True)
class Hills:
    """What is published, with and without Ana, against a claim.

    Attributes
    ----------
    noise : float
        The view's own measure of noise: ε for the coin and for Laplace noise, σ in people for Gaussian noise.
    claim : float
        The ε claimed.
    outputs : ndarray, shape (k,)
        In people; for the coin 0 ("no") and 1 ("yes"); for a composition in standard deviations of its noise.
    without, with_ana : ndarray, shape (k,)
        Densities, for the coin probabilities.
    delta : float
        The smallest δ with which the claim is true: the most by which an event's probability with her exceeds e^claim
        times that without her. By symmetry it is the same the other way round.
    epsilon : float
        The smallest ε with δ = 0, infinite for Gaussian noise.
    accuracy : float
        How often the best bet on Ana is right, where a fair coin decides whether she is there.
    answers : int
        How many numbers are published.
    """

    noise: float
    claim: float
    outputs: np.ndarray
    without: np.ndarray
    with_ana: np.ndarray
    delta: float
    epsilon: float
    accuracy: float
    answers: int = 1

    @property
    def ratio(self) -> np.ndarray:
        """How many times as likely each output is with her as without her."""
        return self.with_ana / self.without


def laplace_hills(noise: float, claim: float) -> Hills:
    """A count with Laplace noise of scale 1/`noise`.

    Examples
    --------
    >>> hills = laplace_hills(1.0, 0.5)
    >>> round(hills.accuracy, 3), round(float(hills.ratio.max()), 2), round(hills.delta, 3)
    (0.697, 2.72, 0.221)
    """
    outputs = np.unique(np.append(np.linspace(LOW, HIGH, 127), [WITHOUT, WITH]))
    without, with_ana = (noise / 2 * np.exp(-noise * np.abs(outputs - centre)) for centre in (WITHOUT, WITH))
    loss = PrivacyLoss.laplace(noise)
    return _hills(noise, claim, outputs, without, with_ana, loss, noise)


def gaussian_hills(sigma: float, claim: float) -> Hills:
    """A count with Gaussian noise of standard deviation `sigma`.

    Examples
    --------
    >>> round(gaussian_hills(1.0, 1.0).delta, 3)
    0.127
    """
    outputs = np.linspace(LOW, HIGH, 127)
    without, with_ana = (_bell((outputs - centre) / sigma) / sigma for centre in (WITHOUT, WITH))
    return _hills(sigma, claim, outputs, without, with_ana, PrivacyLoss.gaussian(sigma), math.inf)


def composed_hills(sigma: float, answers: int, claim: float) -> Hills:
    """The sum of so many counts, each with fresh Gaussian noise of standard deviation `sigma`, in units of its noise.

    The sum says all that the single answers say about Ana. It moves by `answers` people with her and its noise has
    standard deviation σ√answers, so that the hills stand √answers/σ apart.

    Examples
    --------
    >>> one, hundred = composed_hills(10.0, 1, 1.0), composed_hills(10.0, 100, 1.0)
    >>> round(hundred.accuracy, 3), bool(np.isclose(hundred.delta, gaussian_hills(1.0, 1.0).delta))
    (0.691, True)
    """
    apart = math.sqrt(answers) / sigma
    outputs = np.linspace(-4.0, 10.0, 127)
    without, with_ana = _bell(outputs), _bell(outputs - apart)
    return _hills(sigma, claim, outputs, without, with_ana, PrivacyLoss.gaussian(1 / apart), math.inf, answers)


def coin_hills(noise: float, claim: float) -> Hills:
    """Ana's own answer by randomized response: true with probability e^ε/(1 + e^ε).

    Examples
    --------
    >>> coin_hills(math.log(3), 1.0).with_ana.round(2).tolist()
    [0.25, 0.75]
    """
    truth = 1 / (1 + math.exp(-noise))
    yes = np.array([1 - truth, truth])
    return _hills(noise, claim, np.array([0.0, 1.0]), yes[::-1], yes, PrivacyLoss.pure(noise), noise)


@dataclass(frozen=True)
class Threshold:
    """Boris says "she is there" above a threshold: the shares of false and of right alarms, and all he could have."""

    hills: Hills
    threshold: float
    false_alarms: float
    right_alarms: float
    curve_x: np.ndarray  # shares of false alarms at all thresholds ...
    curve_y: np.ndarray  # ... and of right ones


def threshold_on(noise: float, threshold: float, kind: str = "Laplace") -> Threshold:
    """The same hills, cut in two by a threshold.

    Parameters
    ----------
    noise : float
        ε of Laplace noise; Gaussian noise gets the same standard deviation, √2/ε.
    kind : {"Laplace", "Gaussian"}

    Examples
    --------
    >>> cut = threshold_on(1.0, 61.5)
    >>> round(cut.false_alarms, 3), round(cut.right_alarms, 3)
    (0.303, 0.697)
    """
    laplace = kind == "Laplace"
    sigma = math.sqrt(2) / noise
    hills = laplace_hills(noise, noise) if laplace else gaussian_hills(sigma, noise)
    cuts = np.concatenate([np.linspace(LOW, HIGH, 43), np.linspace(60, 63, 31), [threshold]])
    tail = (lambda x: _laplace_tail(noise * x)) if laplace else (lambda x: ndtr(-x / sigma))
    false, right = tail(cuts - WITHOUT), tail(cuts - WITH)
    order = np.argsort(false[:-1])
    ends = [0.0], [1.0]
    curve = (np.concatenate([ends[0], shares[:-1][order], ends[1]]) for shares in (false, right))
    return Threshold(hills, threshold, float(false[-1]), float(right[-1]), *curve)


def _laplace_tail(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, np.exp(-np.abs(x)) / 2, 1 - np.exp(-np.abs(x)) / 2)


def _bell(x: np.ndarray) -> np.ndarray:
    return np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


def _hills(
    noise: float,
    claim: float,
    outputs: np.ndarray,
    without: np.ndarray,
    with_ana: np.ndarray,
    loss: PrivacyLoss,
    epsilon: float,
    answers: int = 1,
) -> Hills:
    delta, apart = (float(loss.delta(e)) for e in (claim, 0.0))
    return Hills(noise, claim, outputs, without, with_ana, delta, epsilon, (1 + apart) / 2, answers)


@functools.lru_cache(maxsize=64)
def epsilon_by_answers(sigma: float, delta: float) -> tuple[np.ndarray, np.ndarray]:
    """ε at δ of 1 to 100 answers with Gaussian noise of standard deviation `sigma`."""
    answers = np.unique(np.geomspace(1, 100, 30).round())
    return answers, np.array([float(PrivacyLoss.gaussian(sigma / math.sqrt(k)).epsilon(delta)) for k in answers])
