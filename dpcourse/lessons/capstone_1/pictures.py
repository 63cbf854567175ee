"""Pictures of capstone 1: ways to train compared at several ε, and who gains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, VERMILION, course_style, epsilon_axis, series


@dataclass(frozen=True)
class Ways:
    """Mean accuracy of each way to train, by ε; `accuracies` of shape (epsilons,) for each."""

    epsilons: np.ndarray
    accuracies: Mapping[str, np.ndarray]


def draw_ways(data: Ways, *, into: Picture | None = None) -> Picture:
    """One line for each way, over ε."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(700, 400)
            axes = picture.subplots()
            for i, way in enumerate(data.accuracies):
                (picture.parts[way],) = axes.plot([], [], label=way, **series(i))
            epsilon_axis(axes, data.epsilons.min() / 1.15, data.epsilons.max() * 1.15)
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
            axes.set_ylabel("accuracy on the shared test set")
            axes.set_title("Noise that is shared costs least")
            axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    told = []
    for way, row in data.accuracies.items():
        picture.parts[way].set_data(data.epsilons, row)
        told.append(f"{way}: {row[0]:.0%} at ε = {data.epsilons[0]:g}, {row[-1]:.0%} at ε = {data.epsilons[-1]:g}")
    values = np.array(list(data.accuracies.values()))
    picture.axes[0].set_ylim(values.min() - 0.03, values.max() + 0.03)
    picture.alt = f"Accuracy over ε, a line for each way to train. {'; '.join(told)}."
    return picture


@dataclass(frozen=True)
class Gains:
    """What each fab gains on its own wafers, in worlds: `gains[name]` of shape (worlds,)."""

    gains: Mapping[str, np.ndarray]


def draw_gains(data: Gains, *, into: Picture | None = None) -> Picture:
    """One row for each fab: a dot for each world, a bar for their mean."""
    picture, names = into, list(data.gains)
    if picture is None:
        with course_style():
            picture = Picture(640, 320)
            axes = picture.subplots()
            for i, name in enumerate(names):
                (picture.parts[name],) = axes.plot([], [], color=BLUE, marker="o", linestyle="none", alpha=0.4)
                (picture.parts[name, "mean"],) = axes.plot(
                    [], [], color=VERMILION, marker="|", markersize=20, markeredgewidth=3, linestyle="none"
                )
                if not i:
                    picture.parts[name].set_label("one world")
                    picture.parts[name, "mean"].set_label("mean")
            axes.axvline(0, color=BLACK, linewidth=0.8)
            axes.set_yticks(range(len(names)), names)
            axes.set_ylim(len(names) - 0.4, -0.6)
            axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:+.0f}")
            axes.set_xlabel("gain over training alone, on the fab's own wafers (points)")
            picture.parts["title"] = axes.set_title(" ")
            axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0.2, markerscale=0.6)
    told = []
    for i, (name, row) in enumerate(data.gains.items()):
        picture.parts[name].set_data(row, np.full(len(row), i))
        picture.parts[name, "mean"].set_data([row.mean()], [i])
        told.append(f"{name} {100 * row.mean():+.1f}")
    everything = np.concatenate(list(data.gains.values()))
    picture.axes[0].set_xlim(everything.min() - 0.02, everything.max() + 0.02)
    losing = sum(row.mean() < 0 for row in data.gains.values())
    picture.parts["title"].set_text(f"{losing} of {len(names)} fabs lose on their own wafers, on average")
    picture.alt = f"Mean gain of each fab over training alone, in points on its own wafers: {', '.join(told)}."
    return picture
