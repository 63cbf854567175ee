"""Pictures of capstone 3: what the kind of trust is worth, and how many devices have to be in one secure sum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREEN, GREY, VERMILION, course_style

_LOOKS = ((BLACK, "", ":"), (BLUE, "o", "-"), (GREEN, "^", "-."), (VERMILION, "s", "--"))


def _devices(many: float) -> str:
    return f"{many / 1e6:g} million" if many >= 1e6 else f"{many:,.0f}"


@dataclass(frozen=True)
class Ways:
    """AUC over the number of devices by the kind of trust, shape (worlds, sizes) each; the first without noise."""

    devices: np.ndarray
    reached: Mapping[str, np.ndarray]
    claim: str


def draw_ways(data: Ways, *, into: Picture | None = None) -> Picture:
    """A line for each way over the number of devices, and a dot for each world."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(700, 430)
            axes = picture.subplots()
            for name, (colour, marker, style) in zip(data.reached, _LOOKS, strict=True):
                (picture.parts[name],) = axes.plot([], [], color=colour, marker=marker, linestyle=style, label=name)
                (picture.parts["worlds " + name],) = axes.plot(
                    [], [], color=colour, marker=".", markersize=4, linestyle="none", alpha=0.6
                )
            axes.axhline(0.5, color=GREY, linewidth=1)
            axes.text(0.01, 0.505, "a coin", transform=axes.get_yaxis_transform(), color=GREY, fontsize=9)
            axes.set_xscale("log")
            axes.set_xlabel("devices (logarithmic)")
            axes.set_ylabel("AUC")
            picture.parts["title"] = axes.set_title(" ")
    axes = picture.axes[0]
    for name, values in data.reached.items():
        picture.parts[name].set_data(data.devices, values.mean(axis=0))
        picture.parts["worlds " + name].set_data(np.tile(data.devices, len(values)), values.ravel())
    every = np.concatenate([values.ravel() for values in data.reached.values()])
    axes.set_xlim(data.devices[0] / 1.15, data.devices[-1] * 1.15)
    axes.set_ylim(min(0.45, every.min() - 0.02), every.max() + 0.03)
    axes.set_xticks(data.devices, [_devices(n) for n in data.devices])
    axes.minorticks_off()
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncol=2)
    picture.parts["title"].set_text(f"The same claim, three kinds of trust: {data.claim}")
    ends = "; ".join(
        f"{name} from {values[:, 0].mean():.2f} to {values[:, -1].mean():.2f}" for name, values in data.reached.items()
    )
    picture.alt = (
        f"AUC over the number of devices, {_devices(data.devices[0])} to {_devices(data.devices[-1])}, means of "
        f"{len(every) // len(data.reached) // len(data.devices)} worlds, {data.claim}: {ends}. A coin has 0.5."
    )
    return picture


@dataclass(frozen=True)
class Sums:
    """AUC by the number of devices in one secure sum, shape (worlds, sizes), and without noise."""

    together: np.ndarray
    reached: np.ndarray
    without: float
    devices: int


def draw_sums(data: Sums, *, into: Picture | None = None) -> Picture:
    """One line over the number of devices in a secure sum, from each device alone to all in one."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(700, 350)
            axes = picture.subplots()
            (picture.parts["mean"],) = axes.plot([], [], color=BLUE, marker="o")
            (picture.parts["worlds"],) = axes.plot([], [], color=BLUE, marker=".", markersize=4, linestyle="none")
            picture.parts["without"] = axes.axhline(0, color=BLACK, linestyle=":")
            picture.parts["label"] = axes.text(0.01, 0, "no noise", transform=axes.get_yaxis_transform(), va="bottom")
            axes.set_xscale("log")
            axes.set_xlabel("devices in one secure sum (logarithmic)")
            axes.set_ylabel("AUC")
            picture.parts["title"] = axes.set_title(" ")
    axes, mean = picture.axes[0], data.reached.mean(axis=0)
    picture.parts["mean"].set_data(data.together, mean)
    picture.parts["worlds"].set_data(np.tile(data.together, len(data.reached)), data.reached.ravel())
    picture.parts["without"].set_ydata([data.without] * 2)
    picture.parts["label"].set_y(data.without)
    axes.set_xlim(data.together[0] / 1.4, data.together[-1] * 1.4)
    axes.set_ylim(min(0.45, data.reached.min() - 0.02), data.without + 0.05)
    axes.set_xticks(data.together, [_devices(n) for n in data.together])
    axes.minorticks_off()
    picture.parts["title"].set_text(f"{_devices(data.devices)} devices: the noise has to be whole in every sum")
    steps = ", ".join(f"{value:.2f} at {_devices(n)}" for n, value in zip(data.together, mean, strict=True))
    picture.alt = (
        f"AUC over the number of devices in one secure sum, {_devices(data.devices)} devices in all: {steps}; "
        f"{data.without:.2f} without noise."
    )
    return picture
