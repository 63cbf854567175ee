"""Pictures of capstone 5: what a hospital has alone and together, by its size, and ways to train over ε."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.still import Still


def draw_sizes(
    stays: np.ndarray, alone: np.ndarray, private: np.ndarray, shared: float, own_noise: float, epsilon: float
) -> Still:
    """A dot and a cross for each hospital over its `stays`: AUC of its own model, without noise and with. A line for
    each common model, with shared noise and with each hospital's own."""
    better, small = int((shared > alone).sum()), stays < np.median(stays)
    title = f"Private at ε = {epsilon:g} and together beats {better} of {len(stays)} hospitals alone"
    low, high = min(alone.min(), private.min()), max(shared, alone.max())
    panel = Panel(
        Axis(stays.min() / 1.2, stays.max() * 1.2, "stays a year in the hospital (log scale)", log=True),
        Axis(low - 0.02, high + 0.03, "AUC on everybody's test stays"),
        [
            marks.rule(y=shared, name="together, noise shared", colour=marks.BLUE, dash="", width=2.2),
            marks.rule(y=own_noise, name="together, each its own noise", colour=marks.INK),
            marks.points(stays, alone, "its own model, no noise", colour=marks.GREY, size=3.5),
            marks.points(stays, private, "its own model, private", colour=marks.VERMILION, shape="x", size=3.5),
            *marks.key(
                stays.max(),
                low + 0.06,
                [("● alone, no noise", marks.GREY), ("✕ alone, private", marks.VERMILION)],
            ),
        ],
        title=title,
    )
    alt = (
        f"AUC over the size of a hospital. Alone without noise: mean {alone[small].mean():.2f} in the smaller half, "
        f"{alone[~small].mean():.2f} in the larger. Alone and private: {private[small].mean():.2f} and "
        f"{private[~small].mean():.2f}. Together with shared noise {shared:.2f}, with each its own noise "
        f"{own_noise:.2f}. {title}."
    )
    return Still(panel, alt=alt, width=740, height=400)


def draw_ways(epsilons: np.ndarray, scores: Mapping[str, np.ndarray]) -> Still:
    """A line for each way to train: its mean AUC over worlds at each ε, shape (epsilons,)."""
    values = np.array(list(scores.values()))
    panel = Panel(
        marks.epsilon_axis(epsilons.min() / 1.15, epsilons.max() * 1.02, "ε at δ = 10⁻⁶, of each line's unit"),
        Axis(values.min() - 0.02, values.max() + 0.02, "AUC on everybody's test stays"),
        marks.lines(epsilons, scores, dots=4),
        title="The unit and the place of the noise decide",
    )
    told = (
        f"{way}: {row[0]:.2f} at ε = {epsilons[0]:g}, {row[-1]:.2f} at ε = {epsilons[-1]:g}"
        for way, row in scores.items()
    )
    alt = f"AUC over ε, a line for each way to train. {'; '.join(told)}."
    return Still(panel, alt=alt, width=760, height=400)
