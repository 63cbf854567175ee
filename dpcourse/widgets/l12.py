"""Explorers of lesson 12: secure aggregation with fabs that drop out, and rounds × noise × participation."""

from __future__ import annotations

import functools
import math

import numpy as np

from dpcourse.datasets import load_fabs
from dpcourse.federated import LocalTraining, SecureAggregator, ThresholdNotMet
from dpcourse.plots.l12 import Masking, Tradeoff, draw_masking, draw_tradeoff
from dpcourse.widgets import l12_grid
from dpcourse.widgets.base import Explorer, choice, switch, whole_slider

SCALE, BITS, FABS = 2**16, 32, 6


@functools.cache
def _updates() -> dict[str, np.ndarray]:
    """Four weights of each fab's first update."""
    fabs, rule = load_fabs(heterogeneity=1.0, rng=12), LocalTraining(steps=5)
    return {name: rule(np.zeros(21), data)[-4:] for name, data in fabs.clients.items()}


def masked_sum(*dropped: bool, threshold: int = 4) -> Masking:
    """One secure aggregation of the fabs' updates, without those that drop out after the keys were shared.

    Examples
    --------
    >>> here = masked_sum(False, True, False, False, False, False)
    >>> abs(here.total - here.left) < 1e-3
    True
    >>> masked_sum(True, True, True, False, False, False).total is None
    True
    """
    names, vectors = list(_updates()), list(_updates().values())
    aggregator = SecureAggregator(FABS, threshold, BITS, SCALE, rng=12)  # a seed: for a picture, never for real
    sent = [aggregator.mask(i, vector) for i, vector in enumerate(vectors)]
    stay = [i for i in range(FABS) if not dropped[i]]
    gone = {i for i in range(FABS) if dropped[i]}
    try:
        total = float(aggregator.aggregate({i: sent[i] for i in stay}, gone)[-1])
    except ThresholdNotMet:
        total = None
    shares = np.array([int(vector[-1]) / 2**BITS for vector in sent])
    values = np.array([vector[-1] for vector in vectors])
    uncorrected = sum(int(sent[i][-1]) for i in stay) % 2**BITS / 2**BITS
    left = math.fsum(values[i] for i in stay)
    return Masking(names, values, shares, tuple(dropped), threshold, left, total, uncorrected)


def _describe_masking(data: Masking) -> str:
    gone = [name for name, out in zip(data.names, data.dropped, strict=True) if out]
    stay = len(data.names) - len(gone)
    who = f"Dropped out: {', '.join(gone)}." if gone else "Nobody dropped out."
    if data.total is None:
        return (
            f"{who} {stay} left, and {data.threshold} shares are needed to recover a secret: the server learns no "
            "number, and no sum. (Live, with real keys and masks.)"
        )
    pairs = "The masks between the fabs cancel"
    if gone:
        pairs += ", but for those shared with who is gone: these are recovered from shares"
    return (
        f"{who} Adding up what arrived gives noise ({data.uncorrected:.3f} of 2³²). {pairs}. Each has one of "
        f"its own too, recovered from {data.threshold} shares. Then the server reads {data.total:+.4f}; the true sum "
        f"of those who stayed is {data.left:+.4f}, up to rounding to 1/{SCALE:,}. Who knows all numbers in it but one "
        "knows that one too. (Live, with real keys and masks.)"
    )


def explore_masks() -> Explorer:
    """Let fabs drop out of a secure aggregation and watch the sum survive, until too few are left."""
    names = list(_updates())

    def compute(threshold: int, **dropped: bool) -> Masking:
        return masked_sum(*(dropped[name] for name in names), threshold=threshold)

    controls = {name: switch(f"{name} drops out", value=name == "Germany") for name in names}
    return Explorer(
        "Does the sum survive?",
        controls={**controls, "threshold": whole_slider("threshold", 2, FABS, 4)},
        compute=compute,
        draw=draw_masking,
        describe=_describe_masking,
    )


def tradeoff(noise_multiplier: float = 16.0, sampling_rate: float = 0.3, rounds: int = 20) -> Tradeoff:
    """The precomputed grid at one noise multiplier and one sampling rate, with one number of rounds marked.

    Examples
    --------
    >>> here = tradeoff(8.0, 0.1, 50)
    >>> here.at, len(here.rounds) == len(here.accuracy) == len(here.epsilon)
    (50, True)
    """
    z, q = l12_grid.NOISE.index(noise_multiplier), l12_grid.RATES.index(sampling_rate)
    return Tradeoff(
        noise_multiplier,
        sampling_rate,
        np.array(l12_grid.ROUNDS),
        np.array(l12_grid.MEAN[z][q]),
        np.array(l12_grid.SPREAD[z][q]),
        np.array(l12_grid.MEAN[0][q]),
        np.array(l12_grid.EPSILON[z - 1][q]),
        l12_grid.POOLED,
        rounds,
        l12_grid.CLIENTS,
        l12_grid.DELTA,
    )


def _describe_tradeoff(data: Tradeoff) -> str:
    i = int(np.flatnonzero(data.rounds == data.at)[0])
    lost = max(100 * (data.without_noise[i] - data.accuracy[i]), 0.0)
    ratio = data.noise_multiplier / (data.sampling_rate * data.clients)
    return (
        f"{data.clients:,} clients with {l12_grid.WAFERS} wafers each, {data.sampling_rate:.0%} of them in a round on "
        f"average, noise multiplier {data.noise_multiplier:g}: {data.accuracy[i]:.1%} after {data.at} rounds "
        f"({lost:.1f} points lost to the noise; one training lies {100 * data.spread[i]:.1f} from that average), ε = "
        f"{data.epsilon[i]:.3g} at δ = {data.delta:g}, adding or removing one client with all its wafers. The noise on "
        f"the mean update is {ratio:.2g} clip norms in each weight. Precomputed, {l12_grid.SEEDS} trainings each."
    )


def explore_rounds() -> Explorer:
    """Move noise, participation and rounds through a precomputed grid of federated trainings."""
    return Explorer(
        "What do rounds buy, and what do they cost?",
        controls={
            "noise_multiplier": choice("noise multiplier", l12_grid.NOISE[1:], 16.0),
            "sampling_rate": choice("share of clients", {f"{q:.0%}": q for q in l12_grid.RATES}, 0.3),
            "rounds": choice("rounds", l12_grid.ROUNDS, 20),
        },
        compute=tradeoff,
        draw=draw_tradeoff,
        describe=_describe_tradeoff,
    )
