"""Bugs of sensitivity: the noise is right for something that is not what one person can change."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.audit import Records, number_between
from dpcourse.gauntlet.exhibit import Batched, Exhibit, gaussian, laplace, records
from dpcourse.mechanisms import GaussianMechanism
from dpcourse.privacy import Guarantee, Neighbours

REPLACED = Guarantee(1.0, 0.0, Neighbours.REPLACE_ONE)
ADDED = Guarantee(1.0)
ADD_REMOVE = Neighbours.ADD_REMOVE
SIGMA = GaussianMechanism(1.0, 1e-5).sigma


def _sum(scale: float, clip: bool = True) -> Batched:
    """The sum of values in 0..10 with Laplace noise."""
    return Batched(lambda x, runs, rng: laplace(runs, (np.clip(x, 0, 10) if clip else x).sum(), scale, rng))


def _mean_by_own_size(x, runs, rng):
    n = max(len(x), 1)
    return laplace(runs, np.clip(x, 0, 1).sum() / n, 1 / n, rng)


def _sum_and_size(x, runs, rng):
    return laplace(runs, (np.clip(x, 0, 1).sum(), len(x)), 2.0, rng)


def _scaled_by_own_range(x, runs, rng):
    low, high = (x.min(), x.max()) if len(x) else (0.0, 0.0)
    return laplace(runs, x.sum(), high - low, rng) if high > low else np.full(runs, x.sum())


def _split_at_own_median(x, runs, rng):
    median = np.sort(x)[(len(x) - 1) // 2]
    return laplace(runs, ((x <= median).sum(), (x > median).sum()), 1.0, rng)


def _split_at_public_age(x, runs, rng):
    return laplace(runs, ((x <= 40).sum(), (x > 40).sum()), 1.0, rng)


def _nan_passes(x, runs, rng):
    norm = np.abs(x)
    return laplace(runs, (x * np.minimum(1, 1 / np.where(norm > 0, norm, 1))).sum(), 1.0, rng)


def _nan_is_stopped(x, runs, rng):
    return _nan_passes(np.where(np.isfinite(x), x, 0.0), runs, rng)


_TO_TEN = Records(number_between(0, 10, beyond=True), Neighbours.REPLACE_ONE, least=1)
_AGES = np.concatenate([np.full(50, 40.0), np.full(50, 41.0)])

EXHIBITS = (
    Exhibit(
        "sensitivity forgotten",
        "The lower bound was used twice, so the upper one did not reach the noise: here it is that of a count.",
        "IBM/differential-privacy-library issues 104 and 105",
        REPLACED,
        10.0,
        _sum(1.0),
        _sum(10.0),
        records(0, 5),
        records(10, 5),
        runs=400,
        datasets=_TO_TEN,
    ),
    Exhibit(
        "clipped and thrown away",
        "The clipped values were computed, and then the raw ones added up.",
        "opendp/smartnoise-sdk issue 622",
        REPLACED,
        math.inf,
        _sum(10.0, clip=False),
        _sum(10.0),
        records(5, 0),
        records(5, 1e6),
        runs=400,
        datasets=_TO_TEN,
    ),
    Exhibit(
        "sensitivity decoupled from the clip",
        "Values are clipped to 1, the noise is for a sensitivity of 1e-4 that is configured elsewhere.",
        "class of bug: two settings for one number",
        ADDED,
        1e4,
        Batched(lambda x, runs, rng: laplace(runs, np.clip(x, 0, 1).sum(), 1e-4, rng)),
        Batched(lambda x, runs, rng: laplace(runs, np.clip(x, 0, 1).sum(), 1.0, rng)),
        records(1),
        records(),
        runs=400,
        datasets=Records(number_between(0, 1, beyond=True), ADD_REMOVE),
    ),
    Exhibit(
        "L2 where L1 belongs",
        "A vector of 16 counts gets Laplace noise for its L2 sensitivity 4; its L1 sensitivity is 16.",
        "textbook mistake",
        ADDED,
        4.0,
        Batched(lambda x, runs, rng: laplace(runs, np.full(16, x.sum()), 4.0, rng)),
        Batched(lambda x, runs, rng: laplace(runs, np.full(16, x.sum()), 16.0, rng)),
        records(1),
        records(),
        runs=20_000,
        datasets=Records(number_between(0, 1), ADD_REMOVE),
    ),
    Exhibit(
        "noise by the true n",
        "A mean is noised by 1/(nε) with the private n, so the size of the noise tells n.",
        "opendp/smartnoise-core issues 355 and 356",
        ADDED,
        math.inf,
        Batched(_mean_by_own_size),
        Batched(_sum_and_size),
        records(0),
        records(0, 0),
        runs=20_000,
        datasets=Records(number_between(0, 1, beyond=True), ADD_REMOVE),
    ),
    Exhibit(
        "bounds read from the data",
        "The range that sets the noise is the data's own: without an outlier there is no noise at all.",
        "IBM/differential-privacy-library issue 20 (a request; that library warns)",
        ADDED,
        math.inf,
        Batched(_scaled_by_own_range),
        Batched(lambda x, runs, rng: laplace(runs, np.clip(x, 0, 100).sum(), 100.0, rng)),
        records(0, 0, 0),
        records(0, 0, 0, 100),
        runs=400,
        datasets=Records(number_between(0, 100), ADD_REMOVE),
    ),
    Exhibit(
        "split at the data's own median",
        "Counts below and above the median: with one person more, everybody who is exactly that old changes sides.",
        "class of bug: a threshold read from the data",
        ADDED,
        math.inf,
        Batched(_split_at_own_median),
        Batched(_split_at_public_age),
        _AGES,
        np.append(_AGES, 41.0),
        runs=400,
        datasets=Records(number_between(17, 90), ADD_REMOVE, least=1),
    ),
    Exhibit(
        "NaN passes the clip",
        "min(1, C/‖x‖) lets NaN through (as 1 or as NaN, depending on the language), and one record spoils the sum.",
        "the clipping of Flower; compare google/differential-privacy pull request 405",
        ADDED,
        math.inf,
        Batched(_nan_passes),
        Batched(_nan_is_stopped),
        records(0.5, np.nan),
        records(0.5),
        runs=400,
        datasets=Records(number_between(-1, 1, beyond=True, missing=True), ADD_REMOVE),
    ),
    Exhibit(
        "a client with more weight",
        "Updates are averaged by weight, the noise is for equal weights: one of 100 clients with 20% counts 20-fold.",
        "federated averaging with weights, as in Flower's source",
        Guarantee(1.0, 1e-5),
        GaussianMechanism.from_noise_multiplier(SIGMA / 20, delta=1e-5).guarantee.epsilon,
        Batched(lambda x, runs, rng: gaussian(runs, 0.2 * x.sum(), SIGMA / 100, rng)),
        Batched(lambda x, runs, rng: gaussian(runs, 0.01 * x.sum(), SIGMA / 100, rng)),
        records(1),
        records(),
        runs=400,
        datasets=Records(number_between(-1, 1), ADD_REMOVE),
    ),
)
