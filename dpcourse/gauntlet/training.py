"""Bugs of private training, each in a single step or one pass, with gradients chosen as an attacker would."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr
from scipy.stats import chi2

from dpcourse.accounting import PrivacyLoss
from dpcourse.audit import Records, number_between, one_of
from dpcourse.gauntlet.exhibit import Batched, Exhibit, gaussian
from dpcourse.mechanisms import GaussianMechanism
from dpcourse.privacy import Guarantee, Neighbours

_STEP = Guarantee(1.0, 1e-5)
ADD_REMOVE = Neighbours.ADD_REMOVE
SIGMA = GaussianMechanism(1.0, 1e-5).sigma


def _clip(gradient: np.ndarray) -> np.ndarray:
    return gradient / np.maximum(np.abs(gradient), 1.0)


def _batch_of_32(gradients: list[float]) -> tuple[float, ...]:
    """The batch has its size whoever is there: who is not has a gradient of zero."""
    return (*gradients, *[0.0] * (32 - len(gradients)))


def _clip_after_averaging(gradients, runs, rng):
    return gaussian(runs, _clip(np.mean(gradients)), SIGMA / 32, rng)


def _clip_before_averaging(gradients, runs, rng):
    return gaussian(runs, _clip(np.asarray(gradients)).sum() / 32, SIGMA / 32, rng)


def _microbatch(gradients, runs, rng):
    """All gradients of a microbatch are added up before the clip: one person turns the sum around."""
    return gaussian(runs, _clip(np.sum(gradients, keepdims=True)).sum(), SIGMA, rng)


def _per_example(gradients, runs, rng):
    return gaussian(runs, _clip(np.asarray(gradients)).sum(), SIGMA, rng)


def _one_batch_each(canary, runs, rng):
    """A pass over 100 batches in which every example sits in exactly one: the others' −1 show where it is."""
    steps = np.full((runs, 100), 0.0)
    steps[np.arange(runs), rng.integers(100, size=runs)] = 1.0 + canary
    return steps + rng.normal(scale=0.8, size=steps.shape)


def _poisson_batches(canary, runs, rng):
    """100 batches that every example joins by a coin of its own; without the canary nothing is in its place."""
    joined = rng.random((runs, 100)) < 0.01
    return canary * joined + rng.normal(scale=0.8, size=joined.shape)


def _own_batch_size(size, runs, rng):
    return rng.normal(scale=SIGMA / size, size=(runs, 1000))


def _expected_batch_size(size, runs, rng):
    return rng.normal(scale=SIGMA / 10, size=(runs, 1000))


def _best_of_five(hit, runs, rng):
    """Five tuning runs, each ε = 1 by randomized response; the best is kept, and the cost of one reported."""
    found = rng.random((runs, 5)) < (math.e if hit else 1.0) / (1 + math.e)
    return found.any(axis=1)


def _one_run(hit, runs, rng):
    return rng.random(runs) < (math.e if hit else 1.0) / (1 + math.e)


def _other_size(n: int, larger: int, d: int) -> float:
    """ε at δ = 1e-5 of d normal numbers of deviation σ/n against σ/larger: the sum of their squares tells all."""
    ratio = (larger / n) ** 2

    def excess(epsilon: float) -> float:
        squares = (2 * epsilon + d * math.log(ratio)) / (ratio - 1)  # in (σ/n)²: above it the loss exceeds ε
        return float(chi2.sf(squares, d) - math.exp(epsilon) * chi2.sf(ratio * squares, d)) - 1e-5

    return float(brentq(excess, 0.0, 200.0))


def _one_batch_at_least() -> float:
    """A lower bound of ε at δ = 1e-5 for the canary in one batch: the largest coordinate passes a threshold."""
    threshold = np.linspace(1, 8, 7_001)
    others = log_ndtr(threshold / 0.8)
    passes = [-np.expm1(99 * others + log_ndtr((threshold - place) / 0.8)) for place in (2.0, 1.0)]
    return float(np.log(np.maximum(passes[0] - 1e-5, 1e-300) / passes[1]).max())


_PASS = PrivacyLoss.gaussian(0.8).poisson_subsampled(0.01).self_compose(100).epsilon(1e-5)

EXHIBITS = (
    Exhibit(
        "clip after averaging",
        "The batch's mean gradient is clipped, not each example's: one person can turn all of it.",
        "compare Tramèr et al. 2022, arXiv:2202.12219 (a wrong factor of the batch size)",
        _STEP,
        GaussianMechanism.from_noise_multiplier(SIGMA / 32, delta=1e-5).guarantee.epsilon,
        Batched(_clip_after_averaging),
        Batched(_clip_before_averaging),
        (3200.0, *[0.0] * 31),
        (0.0,) * 31,
        runs=2_000,
        datasets=Records(number_between(-1, 1, beyond=True), ADD_REMOVE, most=32, collect=_batch_of_32),
    ),
    Exhibit(
        "microbatch accounted as an example",
        "Sums of several examples are clipped: the sensitivity is 2C, the noise is for C.",
        "tensorflow/privacy issues 81 and 620",
        _STEP,
        GaussianMechanism.from_noise_multiplier(SIGMA / 2, delta=1e-5).guarantee.epsilon,
        Batched(_microbatch),
        Batched(_per_example),
        (-10.0, 20.0),
        (-10.0,),
        runs=200_000,
        datasets=Records(number_between(-1, 1, beyond=True), ADD_REMOVE, collect=tuple),
    ),
    Exhibit(
        "fixed batches accounted as Poisson",
        "Every example is in exactly one batch of a pass, and the amplification of coin tosses is claimed.",
        "pytorch/opacus issue 80; Annamalai et al. 2024, arXiv:2411.10614",
        Guarantee(_PASS, 1e-5),
        _one_batch_at_least(),
        Batched(_one_batch_each),
        Batched(_poisson_batches),
        1.0,
        0.0,
        runs=40_000,
        datasets=Records(one_of([1.0]), ADD_REMOVE, most=1, collect=lambda r: float(len(r))),
    ),
    Exhibit(
        "divided by the batch's own size",
        "Noise and sum are divided by the number of examples that happen to be there: the noise tells it.",
        "compare pytorch/opacus issues 571 and 819 (a divisor computed from the private dataset's length)",
        _STEP,
        _other_size(10, 11, 1000),
        Batched(_own_batch_size),
        Batched(_expected_batch_size),
        10,
        11,
        runs=400,
        datasets=Records(one_of([1.0]), ADD_REMOVE, least=1, collect=len),
    ),
    Exhibit(
        "best of five tuning runs",
        "Five settings are tried, the best is kept, and the cost of one run is reported.",
        "Papernot & Steinke 2022, arXiv:2110.03620",
        Guarantee(1.0),
        5.0,
        Batched(_best_of_five),
        Batched(_one_run),
        True,
        False,
        runs=8_000,
        datasets=Records(one_of([True]), ADD_REMOVE, most=1, collect=bool),
    ),
)
