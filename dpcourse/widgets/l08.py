"""Explorers of lesson 08: scores of private models over ε, and what a clip norm does to the gradients."""

from __future__ import annotations

import functools
import math

import numpy as np

from dpcourse.learning.gradients import Examples, clipped_gradient_sum, gradient_norms
from dpcourse.plots.l08 import GradientNorms, Scores, draw_norms, draw_scores
from dpcourse.widgets import l08_grid
from dpcourse.widgets.base import Explorer, choice, epsilon_slider, log_slider

STAGES = ("At the first step", "After training")
PEOPLE, RATE, NOISE = 3_000, 0.1, 5.0


@functools.cache
def _twin() -> tuple[Examples, np.ndarray]:
    """Some people of the twin, and the weights that fit them best (they do not exist)."""
    from dpcourse.datasets import load_adult
    from dpcourse.learning import DPLogisticRegression

    X, y = load_adult("twin").encode()
    chosen = np.random.default_rng(8).choice(len(X), PEOPLE, replace=False)
    model = DPLogisticRegression(
        noise_multiplier=0,
        clip_norm=math.inf,
        sampling_rate=1.0,
        steps=400,
        learning_rate=1.0,
        dataset_size=PEOPLE,
        classes=(0, 1),
        random_state=8,
    ).fit(X[chosen], y[chosen])
    weights = np.column_stack([model.coef_, model.intercept_])
    return Examples.of(X[chosen], y[chosen][:, None]), weights


def norms_at(clip_norm: float, stage: str = STAGES[0]) -> GradientNorms:
    """Gradient norms of people of the twin, and the effect of a clip.

    Examples
    --------
    >>> norms_at(1e-3).clipped_share > 0.99
    True
    """
    examples, trained = _twin()
    theta = trained * (stage == STAGES[1])
    norms = gradient_norms(theta, examples)
    whole = clipped_gradient_sum(theta, examples, math.inf)
    clipped = clipped_gradient_sum(theta, examples, clip_norm)
    lengths = float(np.linalg.norm(whole)), float(np.linalg.norm(clipped))
    cosine = float((whole * clipped).sum()) / (lengths[0] * lengths[1])
    noise = NOISE * clip_norm * math.sqrt(theta.size)  # of one step, on the sum of a batch of a tenth of the people
    return GradientNorms(
        clip_norm,
        stage,
        norms,
        float((norms > clip_norm).mean()),
        lengths[0] / len(examples),
        lengths[1] / len(examples),
        math.degrees(math.acos(min(1.0, max(-1.0, cosine)))),
        noise / (RATE * lengths[1]),
    )


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


def measured_scores(epsilon: float, metric: str = "accuracy") -> Scores:
    """The precomputed grid for one metric, with the measured ε nearest to `epsilon` (in ratio) marked.

    Examples
    --------
    >>> measured_scores(0.9).at
    1.0
    """
    j = l08_grid.METRICS.index(metric)
    measured = np.array(l08_grid.EPSILONS)
    nearest = float(measured[np.argmin(np.abs(np.log(measured / epsilon)))])
    means, spreads = np.array(l08_grid.MEAN)[:, j], np.array(l08_grid.SPREAD)[:, j]
    return Scores(metric, measured, means, spreads, l08_grid.PLAIN[j], nearest)


def _describe_scores(data: Scores) -> str:
    i = int(np.flatnonzero(data.epsilons == data.at)[0])
    away = 100 * (data.mean[i] - data.plain)
    return (
        f"Nearest measured ε: {data.at:g} (δ = 1e-5, adding or removing one record). {data.metric}: "
        f"{data.mean[i]:.4f} on average, {away:+.2f} points from scikit-learn's {data.plain:.4f}; one model more or "
        f"less lies {100 * data.spread[i]:.2f} points from that average. Precomputed on the UCI files with "
        f"{l08_grid.SEEDS} models for each ε, default settings, one split; nothing is trained while the slider moves."
    )


def explore_private_training() -> Explorer:
    """Move ε through a precomputed grid of scores of private models."""
    return Explorer(
        "What does privacy cost a classifier?",
        controls={
            "epsilon": epsilon_slider(l08_grid.EPSILONS[0], l08_grid.EPSILONS[-1], 1.0, delta=1e-5),
            "metric": choice("score", l08_grid.METRICS),
        },
        compute=measured_scores,
        draw=draw_scores,
        describe=_describe_scores,
    )
