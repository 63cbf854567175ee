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
from dpcourse.lessons.lesson_06.pictures import estimate_marks, tradeoff_marks, truth_marks
from dpcourse.plots.words import number, plural, share
from dpcourse.widgets.base import Explorer, choice, epsilon_slider, epsilon_stops, whole_slider


def _describe_truth(data: TruthTelling) -> str:
    truth = share(data.truth)
    return (
        f"With {data.k} possible answers and ε = {number(data.epsilon)} (δ = 0, replacing one person's answer), a "
        f"report is true {truth} of the time; each false answer comes {number(data.each_lie, '%')} of the time: "
        f"{number(data.truth / data.each_lie, digits=4)} to 1, that is e^ε. If all answers are equally common, "
        f"believing the report is right {truth} of the time; guessing without it, {number(1 / data.k, '%')}."
    )


def explore_truth() -> Explorer:
    """Move ε and the number of answers, and see how often people tell the truth."""
    return Explorer(
        "How often does a report tell the truth?",
        controls={"epsilon": epsilon_slider(*EPSILON_RANGE, 1.0), "k": whole_slider("answers k", 2, 20, 4)},
        compute=truth_telling,
        marks=truth_marks,
        describe=_describe_truth,
        answer=(
            "A larger ε means more truth. With more possible answers people lie more at the same ε, because there are "
            "more lies to tell: with 20 answers and ε = 1, seven reports in eight are false. What stays is the ratio: "
            "the truth is e^ε times as likely as any one lie."
        ),
    )


def _describe_estimates(data: Estimates) -> str:
    inside = int(((data.low <= data.true) & (data.true <= data.high)).sum())
    half, people = (data.high - data.low).mean() / 2, int(data.true.sum())
    lies = people * (1 - truth_telling(data.epsilon, len(data.true)).truth)
    few = (
        f" About {number(lies, digits=2)} reports are false: so few that the intervals are rough." if lies < 20 else ""
    )
    return (
        f"{people:,} people, ε = {number(data.epsilon)} (δ = 0, replacing one person's answer): the "
        f"{data.level:.0%} intervals reach ±{number(half, digits=2)} people on average, "
        f"{number(half / people, '%', 2)} of all; {inside} of {len(data.true)} hold the true count in this draw. The "
        f"reports as they came are off by up to {plural(np.abs(data.reported - data.true).max(), 'report')}; they are "
        f"pulled towards equal shares, on average over many draws.{few}"
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
        marks=estimate_marks,
        describe=_describe_estimates,
        answer=(
            "The reports are pulled towards equal shares; the estimates undo that, and their intervals say how well. "
            "Ask one in a hundred and the intervals grow tenfold as a share of the people asked. About one interval in "
            "twenty misses its true count: draw again until you see it. Where hardly anybody lies, with a large ε and "
            "few people, they are too short and miss more often."
        ),
    )


def _describe_tradeoff(data: TradeOff) -> str:
    i = int(np.flatnonzero(data.epsilons == data.at)[0])
    gain, most = 100 * (data.mean[i] - data.dropped), 100 * (data.true - data.dropped)
    helps = f"{abs(gain):.3f} points (± {200 * data.error[i]:.3f}) {'above' if gain >= 0 else 'below'}"
    return (
        f"ε = {number(float(data.epsilons[i]))} a report (δ = 0, replacing one person's answer). "
        f"{data.metric[0].upper()}{data.metric[1:]}: {helps} that with the columns dropped; with the true columns, "
        f"{most:.3f} (± {200 * data.true_error:.3f}) above. Measured beforehand on the UCI files: means over "
        f"{GRID.SPLITS} splits, each with a draw of its own, ± two standard errors."
    )


def explore_accuracy() -> Explorer:
    """Move ε through a precomputed grid and compare randomized columns with true ones and with none."""
    return Explorer(
        "What do two randomized columns cost a classifier?",
        controls={"epsilon": epsilon_stops(GRID.EPSILONS, 1.0), "metric": choice("score", GRID.METRICS)},
        compute=measured_tradeoff,
        marks=tradeoff_marks,
        describe=_describe_tradeoff,
        answer=(
            "The whole question is worth about one point at most, so look at the axis first. At small ε the randomized "
            "columns help hardly more than no columns; from about ε = 5 on they help about as much as the true ones."
        ),
    )
