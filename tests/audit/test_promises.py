"""What the auditor promises as a whole: no false alarms on ten correct mechanisms, tightness, eight controls.

The auditor is given the mechanism, two datasets and the claim, and nothing else.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from dpcourse.audit import audit
from dpcourse.local import RandomizedResponse, UnaryEncoding
from dpcourse.mechanisms import (
    AboveThreshold,
    ExponentialMechanism,
    GaussianMechanism,
    GeometricMechanism,
    LaplaceMechanism,
    NoisyMax,
)
from dpcourse.mechanisms.sampling import discrete_laplace
from dpcourse.privacy import Guarantee, Neighbours

REPLACED = Neighbours.REPLACE_ONE
STEP = 2.0**-20


class Many:
    """Many runs at once from a function (data, runs, rng)."""

    def __init__(self, batch):
        self.batch = batch

    def __call__(self, data, rng):
        return self.batch(data, 1, rng)[0]


def laplace(scale, value=float):
    """Exact discrete Laplace noise on a fine grid: what `LaplaceMechanism` releases, many at once."""
    steps = math.ceil(scale / STEP) + 1
    return Many(lambda x, runs, rng: np.rint(value(x) / STEP) * STEP + STEP * discrete_laplace(steps, runs, rng=rng))


def gaussian(sigma, value=float):
    return Many(lambda x, runs, rng: np.round(value(x) + rng.normal(scale=sigma, size=runs), 6))


def chosen(mechanism, unit):
    """A selection mechanism on scores of a few candidates: the index of the largest noisy score."""

    def batch(scores, runs, rng):
        noise = getattr(rng, unit)(size=(runs, len(scores)))
        return (np.asarray(scores) / mechanism.scale + noise).argmax(axis=1)

    return Many(batch)


def above(queries, runs, rng):
    return ["".join("ny"[int(a)] for a in SPARSE.answer(np.array(queries), rng=rng)) for _ in range(runs)]


def gradient_step(gradients, runs, rng):
    total = np.sum([g / max(np.linalg.norm(g), 1.0) for g in gradients], axis=0)
    return np.round(total + rng.normal(scale=MULTIPLIER, size=(runs, len(total))), 6)


SPARSE, MULTIPLIER = AboveThreshold(1.0, threshold=0.5), GaussianMechanism(1.0, 1e-5).sigma
RR, UNARY = RandomizedResponse(1.0, 4), UnaryEncoding(1.0, 4)
GRADIENTS = [np.array([3.0, 4.0, 0.0]), np.array([0.1, -0.2, 0.3]), np.array([-5.0, 0.0, 0.0])]

# name -> mechanism, data, neighbour, claim: all true, most of them tight
CORRECT = {
    "Laplace": (laplace(1.0), 0, 1, LaplaceMechanism(1.0).guarantee),
    "geometric": (
        Many(lambda x, runs, rng: x + discrete_laplace(1, runs, rng=rng)),
        0, 1, GeometricMechanism(1.0).guarantee,
    ),
    "analytic Gaussian": (gaussian(GaussianMechanism(1.0, 1e-3).sigma), 0, 1, Guarantee(1.0, 1e-3)),
    "exponential": (
        chosen(ExponentialMechanism(1.0), "gumbel"), (1.0, 0.0, 0.0), (0.0, 1.0, 1.0), Guarantee(1.0, 0.0, REPLACED),
    ),
    "noisy max": (
        chosen(NoisyMax(1.0), "laplace"), (1.0, 0.0, 0.0), (0.0, 1.0, 1.0), Guarantee(1.0, 0.0, REPLACED),
    ),
    "above threshold": (Many(above), (0.0, 1.0, 0.0), (1.0, 0.0, 1.0), SPARSE.guarantee),
    "k-RR": (Many(lambda x, runs, rng: RR.randomize(np.full(runs, x), rng=rng)), 0, 1, RR.guarantee),
    "unary encoding": (Many(lambda x, runs, rng: UNARY.randomize(np.full(runs, x), rng=rng)), 0, 1, UNARY.guarantee),
    "DP mean": (
        laplace(0.1, value=lambda x: np.clip(x, 0, 1).mean()),
        np.append(np.full(9, 0.5), 1.0), np.append(np.full(9, 0.5), 0.0), Guarantee(1.0, 0.0, REPLACED),
    ),
    "DP-SGD step": (Many(gradient_step), GRADIENTS, GRADIENTS[1:], Guarantee(1.0, 1e-5)),
}  # fmt: skip


def alarms(name: str, audits: int, seed: int, floating_point: bool = True) -> int:
    mechanism, data, neighbour, claim = CORRECT[name]
    return sum(
        audit(
            mechanism,
            data,
            neighbour,
            claim=claim,
            runs=2000,
            confidence=0.99,
            floating_point=floating_point,
            rng=rng,
        ).violated
        for rng in np.random.default_rng([seed, len(name)]).spawn(audits)
    )


@pytest.mark.parametrize("name", CORRECT)
def test_a_correct_mechanism_is_not_refuted(name):
    """One audit each at 99%: a false alarm among the ten with probability 10% at most; the seed is fixed."""
    assert alarms(name, 1, seed=20) == 0


@pytest.mark.audit
@pytest.mark.parametrize("floating_point", [True, False])
def test_a_thousand_audits_of_correct_mechanisms(floating_point):
    """100 of each of the ten at 99%: at most 1% false alarms, binomial band at 1e-3 above."""
    counted = {name: alarms(name, 100, 21, floating_point) for name in CORRECT}
    print(floating_point, sum(counted.values()), counted)
    assert sum(counted.values()) <= stats.binom.isf(1e-3, 1000, 0.01), counted


EPSILONS = (0.5, 1.0, 2.0, 4.0)


def tight(kind: str, epsilon: float):
    if kind == "Laplace":
        return laplace(1 / epsilon), 0, 1, Guarantee(epsilon)
    if kind == "geometric":
        scale = GeometricMechanism(epsilon)._scale()
        return Many(lambda x, runs, rng: x + discrete_laplace(scale, runs, rng=rng)), 0, 1, Guarantee(epsilon)
    response = RandomizedResponse(epsilon, 4)
    return Many(lambda x, runs, rng: response.randomize(np.full(runs, x), rng=rng)), 0, 1, response.guarantee


@pytest.mark.audit
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("kind", ["Laplace", "geometric", "k-RR"])
def test_nine_tenths_of_a_pure_epsilon_are_certified(kind, epsilon):
    """100,000 runs a side at 95%, five seeds."""
    mechanism, data, neighbour, claim = tight(kind, epsilon)
    found = [audit(mechanism, data, neighbour, claim=claim, confidence=0.95, rng=s).epsilon_lower for s in range(5)]
    print(kind, epsilon, np.round(np.array(found) / epsilon, 3))
    assert min(found) >= 0.9 * epsilon


@pytest.mark.audit
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_how_much_of_a_gaussians_epsilon_is_certified(epsilon):
    """100,000 runs a side at 95%, δ = 1e-3, in the middle of 61 audits.

    The best thresholds, known in advance, certify 88% to 91% in the middle (two tails, 80,000 certifying runs), with a
    deviation of 4 to 6 points: the middle of 61 audits is off by more than 2.5 points with probability 1e-3 or less.
    """
    mechanism = gaussian(GaussianMechanism(epsilon, 1e-3).sigma)
    claim = Guarantee(epsilon, 1e-3)
    found = [audit(mechanism, 0, 1, claim=claim, confidence=0.95, rng=s).epsilon_lower for s in range(61)]
    print("Gaussian", epsilon, np.round(np.median(found) / epsilon, 3))
    assert np.median(found) >= 0.85 * epsilon


def noisy_batches(canary, runs, rng):
    return canary * (rng.random((runs, 20)) < 0.05) + rng.normal(scale=1.0, size=(runs, 20))


def poisson_claim() -> Guarantee:
    from dpcourse.accounting import PrivacyLoss

    loss = PrivacyLoss.gaussian(1.0).poisson_subsampled(0.05).self_compose(20)
    return Guarantee(loss.epsilon(1e-5), 1e-5)


CLASSIC = math.sqrt(2 * math.log(1.25 / 1e-5)) / 2
CONTROLS = {
    "correct Laplace": CORRECT["Laplace"],
    "rounded and clamped Laplace": (
        Many(lambda x, runs, rng: np.clip(np.rint(x + rng.laplace(size=runs)), 0, 3)), 0, 1, Guarantee(1.0),
    ),
    "analytic Gaussian": (gaussian(MULTIPLIER), 0, 1, Guarantee(1.0, 1e-5)),
    "noisy max returning the index": CORRECT["noisy max"],
    "exponential with its 2": CORRECT["exponential"],
    "classic Gaussian at ε = 2": (gaussian(CLASSIC), 0, 1, Guarantee(2.0, 1e-5)),
    "Poisson batches": (Many(noisy_batches), 1.0, 0.0, poisson_claim()),
    "too much noise": (laplace(50.0), 0, 1, Guarantee(1.0)),
}  # fmt: skip


@pytest.mark.parametrize("seed", [0, *(pytest.param(s, marks=pytest.mark.audit) for s in range(1, 20))])
@pytest.mark.parametrize("name", CONTROLS)
def test_must_not_be_flagged(name, seed):
    """At 99.9% each; one seed in the short run: a false alarm with probability 0.8% at most, and it is fixed."""
    mechanism, data, neighbour, claim = CONTROLS[name]
    assert not audit(mechanism, data, neighbour, claim=claim, runs=4000, confidence=0.999, rng=seed).violated
