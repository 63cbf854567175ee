"""Pictures of capstone 3: what the kind of trust is worth, and how many devices have to be in one secure sum."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.still import Still
from dpcourse.plots.words import number

_DOTS = "A small dot is one world, a large one their mean."


def draw_ways(devices: np.ndarray, reached: Mapping[str, np.ndarray], claim: str) -> Still:
    """A line for each kind of trust over the number of devices, and a dot for each world: AUC of shape (worlds,
    devices). `claim` is that of all of them."""
    every = np.concatenate([values.ravel() for values in reached.values()])
    dots = [
        marks.points(np.tile(devices, len(values)), values, colour=i, size=1.6)
        for i, values in enumerate(reached.values())
    ]
    title = f"The same claim, three kinds of trust: {claim}"
    panel = Panel(
        _many(devices, "devices (log scale)"),
        Axis(min(0.45, every.min() - 0.02), every.max() + 0.03, "AUC"),
        [
            marks.rule(y=0.5, name="a coin"),
            *dots,
            *marks.lines(devices, {name: values.mean(axis=0) for name, values in reached.items()}, dots=4),
        ],
    )
    ends = "; ".join(
        f"{name} from {values[:, 0].mean():.2f} to {values[:, -1].mean():.2f}" for name, values in reached.items()
    )
    alt = (
        f"AUC over the number of devices, {number(devices[0])} to {number(devices[-1])}, means of "
        f"{len(every) // len(reached) // len(devices)} worlds, {claim}: {ends}. A coin has 0.5."
    )
    return Still(panel, alt=alt, title=title, note=_DOTS, width=720, height=420)


def draw_sums(together: np.ndarray, reached: np.ndarray, without: float, devices: int) -> Still:
    """AUC, of shape (worlds, sums), over the number of devices in one secure sum, from each device alone to all
    `devices` in one; and `without` noise."""
    mean = reached.mean(axis=0)
    title = f"{number(devices)} devices: the noise has to be whole in every sum"
    panel = Panel(
        _many(together, "devices in one secure sum (log scale)"),
        Axis(min(0.45, reached.min() - 0.02), without + 0.05, "AUC"),
        [
            marks.rule(y=without, name="no noise"),
            marks.points(np.tile(together, len(reached)), reached, "one world", size=1.6),
            *marks.lines(together, {"mean": mean}, dots=4, label=""),
        ],
    )
    steps = ", ".join(f"{value:.2f} at {number(n)}" for n, value in zip(together, mean, strict=True))
    alt = (
        f"AUC over the number of devices in one secure sum, {number(devices)} devices in all: {steps}; "
        f"{without:.2f} without noise."
    )
    return Still(panel, alt=alt, title=title, note=_DOTS, width=700, height=350)


def _many(devices: np.ndarray, label: str) -> Axis:
    return Axis(devices[0] / 1.2, devices[-1] * 1.05, label, log=True, ticks=devices)
