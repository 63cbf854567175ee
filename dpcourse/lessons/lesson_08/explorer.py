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
            "At the best weights the mean gradient is practically zero. Clipped, it has length "
            f"{number(data.clipped, digits=2)}: it pulls the weights away, and that bias stays without any noise."
        )
    return (
        f"{data.stage}, C = {number(data.clip_norm)}: {data.clipped_share:.0%} of the gradients are cut. {bias} With "
        f"noise multiplier {NOISE:g}, the noise of one step has about {number(data.noise_share, digits=2)} times the "
        f"length of what a batch of {RATE * PEOPLE:,.0f} clipped gradients adds up to on average. ε is the same for "
        f"every C. ({PEOPLE:,} people of the twin, live.)"
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
            "A small C cuts nearly everybody, and all who are cut count the same. At the first step that turns "
            "nothing, because all gradients are about equally long. After the training they are not: the whole "
            "gradients cancel, the clipped ones do not, and that pull is the bias of clipping. A large C cuts hardly "
            "anybody, but the noise grows with C."
        ),
    )


def _describe_scores(data: Scores) -> str:
    i = int(np.flatnonzero(data.epsilons == data.at)[0])
    away = f"{100 * (data.mean[i] - data.plain):+.2f}".replace("-", "−")
    best = "lower is better" if data.metric == "Brier score" else "higher is better"
    return (
        f"ε = {number(float(data.epsilons[i]))} (δ = {one_in(1e-5)}, adding or removing one record). "
        f"{data.metric[0].upper()}{data.metric[1:]} ({best}): {data.mean[i]:.4f} on average, {away} points from "
        f"scikit-learn's {data.plain:.4f}; single models scatter by {100 * data.spread[i]:.2f} points (standard "
        f"deviation). Measured beforehand on the UCI files with "
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
            "Read the axis: from ε = 1 on, the private models' accuracy, AUC and F1 are hardly worse than without "
            "privacy. As ε falls below 0.5 the averages fall, and single models scatter more and more. The Brier score "
            "stays 0.7 points worse however large ε is: that is not the noise, it is this way to train."
        ),
    )
