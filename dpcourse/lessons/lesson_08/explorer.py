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
from dpcourse.lessons.lesson_08.pictures import draw_norms, draw_scores
from dpcourse.widgets.base import Explorer, choice, epsilon_slider, log_slider


def _describe_norms(data: GradientNorms) -> str:
    if data.whole > 0.01:
        bias = f"The mean gradient has length {data.whole:.2g}; clipped, {data.clipped:.2g}, {data.turned:.0f}° off."
    else:
        bias = (
            f"At the best weights the mean gradient is zero. Clipped, it has length {data.clipped:.2g}: it pulls the "
            "weights away, and that bias stays without any noise."
        )
    return (
        f"{data.stage}, C = {data.clip_norm:.3g}: {data.clipped_share:.0%} of the gradients are cut. {bias} With noise "
        f"multiplier {NOISE:g}, the noise of one step has about {data.noise_share:.2g} times the length of the clipped "
        f"sum of a batch of {RATE * PEOPLE:,.0f}. ε is the same for every C. ({PEOPLE:,} people of the twin, live.)"
    )


def explore_gradient_norms() -> Explorer:
    """Move the clip norm over the histogram of gradient norms, at the start and at the end of the training."""
    return Explorer(
        "What does a clip norm cut?",
        controls={"clip_norm": log_slider("clip norm C", 0.03, 3.0, 1.0), "stage": choice("when", STAGES)},
        compute=norms_at,
        draw=draw_norms,
        describe=_describe_norms,
    )


def _describe_scores(data: Scores) -> str:
    i = int(np.flatnonzero(data.epsilons == data.at)[0])
    away = 100 * (data.mean[i] - data.plain)
    return (
        f"Nearest measured ε: {data.at:g} (δ = 1e-5, adding or removing one record). {data.metric}: "
        f"{data.mean[i]:.4f} on average, {away:+.2f} points from scikit-learn's {data.plain:.4f}; one model more or "
        f"less lies {100 * data.spread[i]:.2f} points from that average. Precomputed on the UCI files with "
        f"{GRID.SEEDS} models for each ε, default settings, one split; nothing is trained while the slider moves."
    )


def explore_private_training() -> Explorer:
    """Move ε through a precomputed grid of scores of private models."""
    return Explorer(
        "What does privacy cost a classifier?",
        controls={
            "epsilon": epsilon_slider(GRID.EPSILONS[0], GRID.EPSILONS[-1], 1.0, delta=1e-5),
            "metric": choice("score", GRID.METRICS),
        },
        compute=measured_scores,
        draw=draw_scores,
        describe=_describe_scores,
    )
