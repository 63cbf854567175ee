"""Pictures of capstone 1: ways to train compared at several ε, and who gains."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.still import Still


def draw_ways(epsilons: np.ndarray, accuracies: Mapping[str, np.ndarray]) -> Still:
    """A line for each way to train: its accuracy at each ε, shape (epsilons,)."""
    values = np.array(list(accuracies.values()))
    panel = Panel(
        marks.epsilon_axis(epsilons.min() / 1.15, epsilons.max() * 1.02, "ε at δ = 10⁻⁵, of each line's unit"),
        Axis(values.min() - 0.03, values.max() + 0.03, "accuracy on the shared test set", unit="%"),
        marks.lines(epsilons, accuracies, dots=4),
        title="Noise that is shared costs least",
    )
    told = (
        f"{way}: {row[0]:.0%} at ε = {epsilons[0]:g}, {row[-1]:.0%} at ε = {epsilons[-1]:g}"
        for way, row in accuracies.items()
    )
    alt = f"Accuracy over ε, a line for each way to train. {'; '.join(told)}."
    return Still(panel, alt=alt, width=720, height=400)


def draw_gains(gains: Mapping[str, np.ndarray]) -> Still:
    """A row for each fab: a dot for each world, and a bar for their mean. `gains[name]`, shape (worlds,), is what the
    fab gains on its own wafers, as a share of them."""
    drawn = [marks.rule(x=0, colour=marks.INK, dash="")]
    for i, row in enumerate(gains.values()):
        drawn += [
            marks.points(100 * row, np.full(len(row), -i), "one world", hollow=True),
            marks.spans(100 * row.mean(), -i - 0.34, 100 * row.mean(), -i + 0.34, colour=marks.VERMILION, width=4),
        ]
    last = 100 * list(gains.values())[-1]
    drawn += [
        marks.text(last.max(), 1 - len(gains), "one world", colour=marks.BLUE, anchor="middle", shift=(0, 20)),
        marks.text(last.mean(), 1 - len(gains), "mean", colour=marks.VERMILION, anchor="middle", shift=(0, 27)),
    ]
    reach = 100 * np.concatenate(list(gains.values()))
    losing = sum(row.mean() < 0 for row in gains.values())
    names = marks.rows(list(gains))
    panel = Panel(
        Axis(reach.min() - 2, reach.max() + 2, "gain over training alone, on the fab's own wafers (points)"),
        Axis(names.low - 0.5, names.high, ticks=names.ticks, names=names.names),
        drawn,
        title=f"{losing} of {len(gains)} fabs lose on their own wafers, on average",
    )
    means = ", ".join(f"{name} {100 * row.mean():+.1f}" for name, row in gains.items())
    alt = f"Mean gain of each fab over training alone, in points on its own wafers: {means}."
    return Still(panel, alt=alt, height=340)
