"""Explorers of lesson 06: truth-telling, estimates with their intervals, and a classifier's score over ε."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpcourse.lessons.lesson_06.numbers import (
    EPSILON_RANGE,
    EXAMPLE_COUNTS,
    GRID,
    Estimates,
    TradeOff,
    TruthTelling,
    estimates,
    measured_tradeoff,
    truth_telling,
)
from dpcourse.lessons.lesson_06.pictures import draw_estimates, draw_tradeoff, draw_truth
from dpcourse.widgets.base import Explorer, choice, epsilon_slider, whole_slider


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


def _describe_tradeoff(data: TradeOff) -> str:
    i = int(np.flatnonzero(data.epsilons == data.at)[0])
    gain, most = 100 * (data.mean[i] - data.dropped), 100 * (data.true - data.dropped)
    return (
        f"Nearest measured ε: {data.at:g}. {data.metric}: {gain:.2f} points (± {200 * data.error[i]:.2f}) above that "
        f"with the columns dropped; with the true columns, {most:.2f} (± {200 * data.true_error:.2f}) above. "
        f"Precomputed on the UCI files: means over {GRID.SPLITS} splits, each with a draw of its own, ± two "
        "standard errors. Nothing is fitted while the slider moves; tools/make_grids.py measured it."
    )


def explore_accuracy() -> Explorer:
    """Move ε through a precomputed grid and compare randomized columns with true ones and with none."""
    return Explorer(
        "What do two randomized columns cost a classifier?",
        controls={
            "epsilon": epsilon_slider(GRID.EPSILONS[0], GRID.EPSILONS[-1], 1.0),
            "metric": choice("score", GRID.METRICS),
        },
        compute=measured_tradeoff,
        draw=draw_tradeoff,
        describe=_describe_tradeoff,
    )
