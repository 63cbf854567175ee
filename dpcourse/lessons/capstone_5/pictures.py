"""Pictures of capstone 5: what a hospital has alone and together, by its size, and ways to train over ε."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREY, VERMILION, course_style, epsilon_axis, series


@dataclass(frozen=True)
class Sizes:
    """Stays of each hospital and the AUC of its own model, without noise and with; AUCs of two common models."""

    stays: np.ndarray
    alone: np.ndarray
    private: np.ndarray
    shared: float
    own_noise: float
    epsilon: float


def draw_sizes(data: Sizes, *, into: Picture | None = None) -> Picture:
    """A dot and a cross for each hospital over its size; a line for each common model."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(720, 400)
            axes = picture.subplots()
            (picture.parts["alone"],) = axes.plot(
                [], [], color=GREY, marker="o", linestyle="none", label="its own model, no noise"
            )
            (picture.parts["private"],) = axes.plot(
                [], [], color=VERMILION, marker="x", linestyle="none", label="its own model, private"
            )
            picture.parts["shared"] = axes.axhline(0, color=BLUE, label="together, noise shared")
            picture.parts["own"] = axes.axhline(0, color=BLACK, linestyle=":", label="together, each its own noise")
            axes.set_xscale("log")
            axes.set_xlabel("stays a year in the hospital (logarithmic)")
            axes.set_ylabel("AUC on everybody's test stays")
            picture.parts["title"] = axes.set_title(" ")
            axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    axes = picture.axes[0]
    picture.parts["alone"].set_data(data.stays, data.alone)
    picture.parts["private"].set_data(data.stays, data.private)
    picture.parts["shared"].set_ydata([data.shared] * 2)
    picture.parts["own"].set_ydata([data.own_noise] * 2)
    axes.set_xlim(data.stays.min() / 1.2, data.stays.max() * 1.2)
    low = min(data.alone.min(), data.private.min())
    axes.set_ylim(low - 0.02, max(data.shared, data.alone.max()) + 0.02)
    ticks = [n for n in (40, 100, 300, 1000, 3000) if data.stays.min() / 1.2 <= n <= data.stays.max() * 1.2]
    axes.set_xticks(ticks, [f"{n:,}" for n in ticks])
    axes.minorticks_off()
    better = int((data.shared > data.alone).sum())
    title = f"Private at ε = {data.epsilon:g} and together beats {better} of {len(data.stays)} hospitals alone"
    picture.parts["title"].set_text(title)
    small = data.stays < np.median(data.stays)
    picture.alt = (
        f"AUC over the size of a hospital. Alone without noise: mean {data.alone[small].mean():.2f} in the smaller "
        f"half, {data.alone[~small].mean():.2f} in the larger. Alone and private: {data.private[small].mean():.2f} and "
        f"{data.private[~small].mean():.2f}. Together with shared noise {data.shared:.2f}, with each its own noise "
        f"{data.own_noise:.2f}. {title}."
    )
    return picture


@dataclass(frozen=True)
class Ways:
    """Mean AUC of each way to train over worlds, by ε, shape (epsilons,) for each."""

    epsilons: np.ndarray
    scores: Mapping[str, np.ndarray]


def draw_ways(data: Ways, *, into: Picture | None = None) -> Picture:
    """A line for each way, over ε."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(760, 400)
            axes = picture.subplots()
            for i, way in enumerate(data.scores):
                (picture.parts[way],) = axes.plot([], [], label=way, **series(i))
            epsilon_axis(axes, data.epsilons.min() / 1.15, data.epsilons.max() * 1.15)
            axes.set_ylabel("AUC on everybody's test stays")
            axes.set_title("The unit and the place of the noise decide")
            axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    told = []
    for way, row in data.scores.items():
        picture.parts[way].set_data(data.epsilons, row)
        told.append(f"{way}: {row[0]:.2f} at ε = {data.epsilons[0]:g}, {row[-1]:.2f} at ε = {data.epsilons[-1]:g}")
    values = np.array(list(data.scores.values()))
    picture.axes[0].set_ylim(values.min() - 0.02, values.max() + 0.02)
    picture.alt = f"AUC over ε, a line for each way to train. {'; '.join(told)}."
    return picture
