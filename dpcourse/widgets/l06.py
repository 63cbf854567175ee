"""Explorers of lesson 06: truth-telling, estimates with their intervals, and a classifier's score over ε."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpcourse.local import RandomizedResponse
from dpcourse.plots.l06 import (
    EPSILON_RANGE,
    Estimates,
    TradeOff,
    TruthTelling,
    draw_estimates,
    draw_tradeoff,
    draw_truth,
)
from dpcourse.widgets import l06_grid
from dpcourse.widgets.base import Explorer, choice, epsilon_slider, whole_slider

GROUPS = ("women\nunder 40", "men\nunder 40", "women\n40 or older", "men\n40 or older")
EXAMPLE_COUNTS = (9_000, 16_500, 6_000, 13_500)  # round numbers of the size of Adult's
_OVER = np.geomspace(*EPSILON_RANGE, 120)


def truth_telling(epsilon: float, k: int = 4) -> TruthTelling:
    """The probabilities of k-ary randomized response.

    Examples
    --------
    >>> round(truth_telling(1.0).truth, 3)
    0.475
    """
    response = RandomizedResponse(epsilon, k)
    truths = np.exp(_OVER) / (np.exp(_OVER) + k - 1)
    return TruthTelling(epsilon, k, response.truth_probability, response.lie_probability, _OVER, truths)


def _describe_truth(data: TruthTelling) -> str:
    return (
        f"With {data.k} possible answers and ε = {data.epsilon:.3g}, a report is true {data.truth:.1%} of the time; "
        f"each false answer comes {data.each_lie:.1%} of the time: {data.truth / data.each_lie:.3g} to 1, that is e^ε. "
        f"If all answers are equally common, guessing that the report is true is right {data.truth:.1%} of the time; "
        f"guessing without it, {1 / data.k:.1%}."
    )


def explore_truth() -> Explorer:
    """Move ε and the number of answers, and see how often people tell the truth."""
    return Explorer(
        "How often does a report tell the truth?",
        controls={"epsilon": epsilon_slider(*EPSILON_RANGE, 1.0), "k": whole_slider("answers k", 2, 20, 4)},
        compute=truth_telling,
        draw=draw_truth,
        describe=_describe_truth,
    )


def estimates(
    epsilon: float, counts: Sequence[int] = EXAMPLE_COUNTS, share: float = 1.0, draw: int = 1, level: float = 0.95
) -> Estimates:
    """One draw of randomized response on a `share` of the people, with estimates and intervals.

    Examples
    --------
    >>> data = estimates(1.0)
    >>> round(data.estimated.sum())
    45000
    """
    true = np.rint(np.asarray(counts) * share).astype(int)
    response = RandomizedResponse(epsilon, len(true))
    reports = response.randomize(np.repeat(np.arange(len(true)), true), rng=[6, draw])
    estimate = response.estimate(reports)
    low, high = estimate.interval(level)
    reported = np.bincount(reports, minlength=len(true))
    return Estimates(epsilon, GROUPS, true, reported, estimate.counts, low, high, level)


def _describe_estimates(data: Estimates) -> str:
    inside = int(((data.low <= data.true) & (data.true <= data.high)).sum())
    half = (data.high - data.low).mean() / 2
    return (
        f"{data.true.sum():,} people, ε = {data.epsilon:.3g}: the {data.level:.0%} intervals reach ±{half:,.0f} people "
        f"on average, {half / data.true.sum():.1%} of all; {inside} of {len(data.true)} hold the true count in this "
        f"draw. The reports as they came are off by up to {np.abs(data.reported - data.true).max():,} people: they are "
        "pulled towards equal shares."
    )


def explore_estimates(counts: Sequence[int] = EXAMPLE_COUNTS) -> Explorer:
    """Move ε and the number of people, draw again, and see the estimates and their intervals.

    Parameters
    ----------
    counts : four integers
        True counts of the groups; round numbers of the size of Adult's unless given.
    """
    return Explorer(
        "How well do the estimates find the truth?",
        controls={
            "epsilon": epsilon_slider(*EPSILON_RANGE, 1.0),
            "share": choice("people asked", {"all": 1.0, "one in ten": 0.1, "one in a hundred": 0.01}),
            "draw": whole_slider("draw", 1, 20, 1),
        },
        compute=lambda epsilon, share, draw: estimates(epsilon, counts, share, draw),
        draw=draw_estimates,
        describe=_describe_estimates,
    )


def measured_tradeoff(epsilon: float, metric: str = "accuracy") -> TradeOff:
    """The precomputed grid for one metric, with the measured ε nearest to `epsilon` (in ratio) marked."""
    j = l06_grid.METRICS.index(metric)
    means, _, errors = np.array(l06_grid.RANDOMIZED)[:, :, j]
    measured = np.array(l06_grid.EPSILONS)
    nearest = measured[np.argmin(np.abs(np.log(measured / epsilon)))]
    dropped = np.array(l06_grid.DROPPED)[:, j]
    return TradeOff(metric, measured, means, errors, l06_grid.TRUE[0][j], dropped[0], dropped[2], float(nearest))


def _describe_tradeoff(data: TradeOff) -> str:
    i = int(np.flatnonzero(data.epsilons == data.at)[0])
    loss, without = 100 * (data.true - data.mean[i]), 100 * (data.true - data.dropped)
    return (
        f"Nearest measured ε: {data.at:g}. {data.metric}: {loss:.2f} points (± {200 * data.error[i]:.2f}) below that "
        f"with the true columns; with the columns dropped, {without:.2f} (± {200 * data.dropped_error:.2f}) below. "
        f"Precomputed on the UCI files: means over {l06_grid.SPLITS} splits, each with a draw of its own, ± two "
        "standard errors. Nothing is fitted while the slider moves; tools/make_l06_grid.py measured it."
    )


def explore_accuracy() -> Explorer:
    """Move ε through a precomputed grid and compare randomized columns with true ones and with none."""
    return Explorer(
        "What do two randomized columns cost a classifier?",
        controls={
            "epsilon": epsilon_slider(l06_grid.EPSILONS[0], l06_grid.EPSILONS[-1], 1.0),
            "metric": choice("score", l06_grid.METRICS),
        },
        compute=measured_tradeoff,
        draw=draw_tradeoff,
        describe=_describe_tradeoff,
    )
