"""Explorers of lesson 08: scores of private models over ε, and what a clip norm does to the gradients."""

from __future__ import annotations

import numpy as np

from dpcourse.lessons.lesson_08.numbers import (
    GRID,
    NOISE,
    PEOPLE,
    RATE,
    STAGES,
    GradientNorms,
    Scores,
    measured_scores,
    norms_at,
)
from dpcourse.lessons.lesson_08.pictures import norm_marks, score_marks
from dpcourse.plots.words import number, one_in
from dpcourse.widgets.base import Explorer, choice, epsilon_stops, log_slider


def _describe_norms(data: GradientNorms) -> str:
    if data.whole > 0.01:
        bias = (
            f"The mean gradient has length {number(data.whole, digits=2)}; clipped, {number(data.clipped, digits=2)}, "
            f"{data.turned:.0f}° off."
        )
    else:
        bias = (
            f"At the best weights the mean gradient is zero. Clipped, it has length {number(data.clipped, digits=2)}: "
            "it pulls the weights away, and that bias stays without any noise."
        )
    return (
        f"{data.stage}, C = {number(data.clip_norm)}: {data.clipped_share:.0%} of the gradients are cut. {bias} With "
        f"noise multiplier {NOISE:g}, the noise of one step has about {number(data.noise_share, digits=2)} times the "
        f"length of the clipped sum of a batch of {RATE * PEOPLE:,.0f}. ε is the same for every C. "
        f"({PEOPLE:,} people of the twin, live.)"
    )


def explore_gradient_norms() -> Explorer:
    """Move the clip norm over the histogram of gradient norms, at the start and at the end of the training."""
    return Explorer(
        "What does a clip norm cut?",
        controls={"clip_norm": log_slider("clip norm C", 0.03, 3.0, 1.0), "stage": choice("when", STAGES)},
        compute=norms_at,
        marks=norm_marks,
        describe=_describe_norms,
        answer=(
            "A small C cuts nearly everybody: all gradients then count the same, and the sum points somewhere else. A "
            "large C cuts nobody, but the noise grows with C. At the best weights the whole gradients cancel and the "
            "clipped ones do not. That pull is the bias of clipping."
        ),
    )


def _describe_scores(data: Scores) -> str:
    i = int(np.flatnonzero(data.epsilons == data.at)[0])
    away = 100 * (data.mean[i] - data.plain)
    return (
        f"ε = {number(float(data.epsilons[i]))} (δ = {one_in(1e-5)}, adding or removing one record). {data.metric}: "
        f"{data.mean[i]:.4f} on average, {away:+.2f} points from scikit-learn's {data.plain:.4f}; one model more or "
        f"less lies {100 * data.spread[i]:.2f} points from that average. Measured beforehand on the UCI files with "
        f"{GRID.SEEDS} models for each ε, default settings, one split."
    )


def explore_private_training() -> Explorer:
    """Move ε through a precomputed grid of scores of private models."""
    return Explorer(
        "What does privacy cost a classifier?",
        controls={"epsilon": epsilon_stops(GRID.EPSILONS, 1.0, delta=1e-5), "metric": choice("score", GRID.METRICS)},
        compute=measured_scores,
        marks=score_marks,
        describe=_describe_scores,
        answer=(
            "Read the axis: from ε = 1 on, private models are hardly worse than the model without privacy. Below "
            "ε = 0.1 the average falls, and single models scatter more and more."
        ),
    )
