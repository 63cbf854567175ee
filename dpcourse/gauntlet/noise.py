"""Bugs of noise: too little of it, the same twice, or with a trace of the data in its last bits."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.audit import Records, number_between, one_of
from dpcourse.gauntlet.exhibit import Batched, Exhibit, gaussian, laplace, records
from dpcourse.mechanisms import GaussianMechanism, LaplaceMechanism
from dpcourse.privacy import Guarantee, Neighbours

ADDED = Guarantee(1.0)
_HALF = Guarantee(0.5, 1e-5)
_SIGMA = GaussianMechanism(0.5, 1e-5).sigma
SIGMA = GaussianMechanism(1.0, 1e-5).sigma


def _answers(count: int, scale: float) -> Batched:
    """The same count, asked several times."""
    return Batched(lambda x, runs, rng: laplace(runs, np.full(count, x.sum()), scale, rng))


def _one_seed(x, runs, rng):
    """Two counts, those in and those above, with one draw of noise for both."""
    noise = np.round(rng.laplace(scale=2.0, size=(runs, 1)) * 2**20) / 2**20
    return np.array([len(x), (x > 0).sum()]) + noise


def _two_draws(x, runs, rng):
    return laplace(runs, (len(x), (x > 0).sum()), 2.0, rng)


def _responses(truth: float) -> Batched:
    """Randomized response with four answers: the truth with this probability, else one of the three others."""

    def batch(x, runs, rng):
        lie = (int(x[0]) + rng.integers(1, 4, runs)) % 4
        return np.where(rng.random(runs) < truth, int(x[0]), lie)

    return Batched(batch)


_SHARES = Records(number_between(0, 1), Neighbours.ADD_REMOVE)

EXHIBITS = (
    Exhibit(
        "scale upside down",
        "Laplace noise of scale ε/Δ where Δ/ε belongs.",
        "WICG/attribution-reporting-api issue 1329 (in its documentation)",
        Guarantee(0.5),
        2.0,
        Batched(lambda x, runs, rng: laplace(runs, x.sum(), 0.5, rng)),
        Batched(lambda x, runs, rng: laplace(runs, x.sum(), 2.0, rng)),
        records(1),
        records(),
        runs=4_000,
        datasets=_SHARES,
    ),
    Exhibit(
        "deviation for variance",
        "A sampler that wants σ² is given σ: the noise has deviation √σ.",
        "class of opendp/smartnoise-core issue 316",
        _HALF,
        GaussianMechanism.from_noise_multiplier(math.sqrt(_SIGMA), delta=1e-5).guarantee.epsilon,
        Batched(lambda x, runs, rng: gaussian(runs, x.sum(), math.sqrt(_SIGMA), rng)),
        Batched(lambda x, runs, rng: gaussian(runs, x.sum(), _SIGMA, rng)),
        records(1),
        records(),
        runs=60_000,
        datasets=_SHARES,
    ),
    Exhibit(
        "the noise of a mean, divided among the clients",
        "Each of n clients adds noise for the mean, zC/n: in the mean it shrinks by √n more.",
        "compare flwrlabs/flower issue 1892 (which asks for it; the code there has √n)",
        Guarantee(1.0, 1e-5),
        GaussianMechanism.from_noise_multiplier(SIGMA / 10, delta=1e-5).guarantee.epsilon,
        Batched(lambda x, runs, rng: gaussian(runs, x.sum() / 100, SIGMA / 1000, rng)),
        Batched(lambda x, runs, rng: gaussian(runs, x.sum() / 100, SIGMA / 100, rng)),
        records(1),
        records(),
        runs=1_000,
        datasets=_SHARES,
    ),
    Exhibit(
        "one seed for two releases",
        "Two answers are noised from the same seed: their difference is exact.",
        "class of bug; compare IBM/differential-privacy-library issue 31 (a request)",
        ADDED,
        math.inf,
        Batched(_one_seed),
        Batched(_two_draws),
        records(1, 0),
        records(1),
        runs=400,
        datasets=_SHARES,
    ),
    Exhibit(
        "composition forgotten",
        "Ten answers of ε = 1 each are reported as ε = 1.",
        "class of bug",
        ADDED,
        10.0,
        _answers(10, 1.0),
        _answers(10, 10.0),
        records(1),
        records(),
        runs=1_000,
        datasets=_SHARES,
    ),
    Exhibit(
        "floats tell",
        "The sum of a float and float noise: which floats can come out depends on the data.",
        "Mironov 2012, doi:10.1145/2382196.2382264; Haney et al. 2022, arXiv:2207.13793",
        ADDED,
        math.inf,
        Batched(lambda x, runs, rng: len(x) + rng.laplace(size=runs)),
        Batched(lambda x, runs, rng: LaplaceMechanism(1.0).release(np.full(runs, float(len(x))), rng=rng)),
        records(),
        records(1),
        runs=4_000,
        datasets=_SHARES,
    ),
    Exhibit(
        "two answers' coin for four answers",
        "Randomized response with four answers tells the truth with e^ε/(e^ε + 1), which is right for two.",
        "class of bug: the formula for two answers",
        Guarantee(1.0, 0.0, Neighbours.REPLACE_ONE),
        1 + math.log(3),
        _responses(math.e / (math.e + 1)),
        _responses(math.e / (math.e + 3)),
        records(0),
        records(1),
        runs=2_000,
        datasets=Records(one_of(range(4)), Neighbours.REPLACE_ONE, least=1, most=1),
    ),
)
