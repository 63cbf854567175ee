"""What federated rounds cost: the same accountant, asked about a client or about a record.

A round with client-level privacy is one Gaussian on a Poisson sample of clients. Neighbouring datasets differ by *one
client with everything it holds*. A round with record-level privacy is as many Gaussians as a client takes steps, each
on a Poisson sample of its records; neighbours differ by *one record of one client*. A record lies with one client, so
what the clients spend does not add up over clients (parallel composition): the largest counts.
"""

from __future__ import annotations

import functools
import math
from typing import Any

from dpcourse.accounting import PrivacyAccountant
from dpcourse.mechanisms import GaussianMechanism, PoissonSubsampled
from dpcourse.privacy import arguments


def subsampled_gaussian_epsilon(noise_multiplier: float, sampling_rate: float, times: int, delta: float) -> float:
    """ε of `times` Poisson-subsampled Gaussians under add-remove, by privacy-loss distributions; 0 for none of them.

    Parameters
    ----------
    noise_multiplier : float
        z, the noise over the sensitivity: 0, which promises nothing, or ≥ 1e-150.
    sampling_rate : float
        q in (0, 1].
    times : int
        T ≥ 0.
    delta : float
        δ in (0, 1).

    Examples
    --------
    >>> round(subsampled_gaussian_epsilon(1.5, 0.04, 2250, 1e-5), 2)
    6.77
    >>> subsampled_gaussian_epsilon(0.0, 0.1, 10, 1e-5)
    inf
    """
    z = arguments.noise("noise_multiplier", noise_multiplier, zero=True)
    q = arguments.probability("sampling_rate", sampling_rate, zero=False)
    times = arguments.integer("times", times, minimum=0)
    delta = arguments.probability("delta", delta, zero=False, one=False)
    if times == 0:
        return 0.0
    return _epsilon(z, q, times, delta) if z else math.inf


@functools.lru_cache(maxsize=4096)
def _epsilon(z: float, q: float, times: int, delta: float) -> float:
    return accountant(z, q, times).epsilon(delta, method="pld")


Spent = tuple[tuple[Any, int], ...]  # what one client has trained by: rules (None: not private), each with its rounds


def with_another_round(spent: Spent, rule: Any) -> Spent:
    """The same with one more round by `rule`."""
    for i, (known, rounds) in enumerate(spent):
        if known is rule or known == rule:
            return (*spent[:i], (known, rounds + 1), *spent[i + 1 :])
    return (*spent, (rule, 1))


def record_epsilon(spent: Spent, delta: float) -> float:
    """ε of one record of a client that trained so; 0 for no round, ∞ as soon as one was not private.

    Examples
    --------
    >>> from dpcourse.federated import PrivateLocalTraining
    >>> much, little = (PrivateLocalTraining(400, noise_multiplier=z) for z in (1.0, 4.0))
    >>> round(record_epsilon(((much, 3),), 1e-5), 2), round(record_epsilon(((much, 3), (little, 3)), 1e-5), 2)
    (4.18, 4.22)
    >>> record_epsilon(((None, 1), (little, 3)), 1e-5)
    inf
    """
    if any(rule is None for rule, _ in spent):
        return math.inf
    if len(spent) == 1:
        ((rule, rounds),) = spent
        return rule.epsilon(rounds=rounds, delta=delta)
    total = PrivacyAccountant()
    for rule, rounds in spent:
        total.compose(rule.mechanism, times=rule.steps * rounds)
    return total.epsilon(delta, method="pld")


def step(noise_multiplier: float, sampling_rate: float) -> PoissonSubsampled:
    """One round (or one local step) as a claim."""
    return PoissonSubsampled(GaussianMechanism.from_noise_multiplier(noise_multiplier), sampling_rate)


def accountant(noise_multiplier: float, sampling_rate: float, times: int) -> PrivacyAccountant:
    """A ledger with `times` such steps."""
    return PrivacyAccountant().compose(step(noise_multiplier, sampling_rate), times=times)
