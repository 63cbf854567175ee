"""Pictures of capstone 8: what a home's reports show, the year's means at equal ε, and noise against cap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcourse.lessons.capstone_8.design import BUCKETS
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREY, VERMILION, course_style

SHOWN = 60  # days of one home


@dataclass(frozen=True)
class Home:
    """One home's buckets, day by day, its fresh reports and its remembered ones."""

    true: np.ndarray
    fresh: np.ndarray
    remembered: np.ndarray


def draw_home(data: Home, *, into: Picture | None = None) -> Picture:
    """Two panels over the first days: reports as marks on the line of true buckets."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(720, 420)
            for axes, name in zip(picture.subplots(2, 1, sharex=True), ("fresh", "remembered"), strict=True):
                (picture.parts[name + " true"],) = axes.plot(
                    [], [], color=GREY, linewidth=1.5, drawstyle="steps-mid", label="true bucket"
                )
                (picture.parts[name],) = axes.plot([], [], "o", color=BLUE, markersize=4.5, label="report")
                axes.set_ylim(-0.5, BUCKETS + (1.3 if name == "fresh" else -0.3))
                axes.set_yticks(range(BUCKETS), [f"{3 * k}" for k in range(BUCKETS)])
                axes.set_ylabel("kWh, from")
            picture.axes[0].legend(loc="upper right", ncols=2)
            picture.axes[1].set_xlabel("day of the year")
            picture.axes[0].set_title("Drawn anew every day: the line shows through")
            picture.parts["title"] = picture.axes[1].set_title(" ")
    day = np.arange(min(SHOWN, len(data.true)))
    for name, reports in (("fresh", data.fresh), ("remembered", data.remembered)):
        picture.parts[name + " true"].set_data(day, data.true[day])
        picture.parts[name].set_data(day, reports[day])
    picture.axes[0].set_xlim(-1, len(day))
    right = float((data.true[day] == data.fresh[day]).mean())
    moved = data.true[day][1:] != data.true[day][:-1]
    seen = moved & (data.remembered[day][1:] != data.remembered[day][:-1])
    picture.parts["title"].set_text(f"Remembered: the report moves at {seen.sum()} of {moved.sum()} moves")
    picture.alt = (
        f"Buckets of one home over {len(day)} days, with reports. Fresh reports are the true bucket on {right:.0%} of "
        f"the days. Remembered reports move on {seen.sum()} of the {moved.sum()} days on which the bucket moves."
    )
    return picture


@dataclass(frozen=True)
class Year:
    """Means by day: the truth, the release from secure sums, and one noisy report a home, all at the same ε."""

    true: np.ndarray
    released: np.ndarray
    local: np.ndarray


def draw_year(data: Year, *, into: Picture | None = None) -> Picture:
    """Points of the local design around the line of the release."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(720, 380)
            axes = picture.subplots()
            (picture.parts["local"],) = axes.plot(
                [], [], "x", color=VERMILION, markersize=4, label="noise at home, one day a home"
            )
            (picture.parts["released"],) = axes.plot([], [], color=BLUE, linewidth=2.5, label="noise once, in the sum")
            (picture.parts["true"],) = axes.plot([], [], color=BLACK, linewidth=0.8, linestyle="--", label="truth")
            axes.set_xlabel("day of the year")
            axes.set_ylabel("mean of the day, kWh")
            picture.parts["title"] = axes.set_title(" ")
            axes.legend(loc="upper center", ncols=3)
    axes, days = picture.axes[0], np.arange(len(data.true))
    off = {}
    for name in ("local", "released", "true"):
        values = getattr(data, name)
        picture.parts[name].set_data(days, values)
        off[name] = float(np.sqrt(np.nanmean((values - data.true) ** 2)))
    axes.set_xlim(-2, len(days) + 1)
    axes.set_ylim(np.nanmin(data.local) - 0.5, 1.15 * np.nanmax(data.local))
    picture.parts["title"].set_text(f"The same ε: off by {off['released']:.2g} kWh, or by {off['local']:.2g}")
    picture.alt = (
        f"The mean of each of {len(days)} days: the truth goes from {data.true.max():.3g} kWh in winter to "
        f"{data.true.min():.3g} in summer. The release from secure sums is off by {off['released']:.2g} kWh (RMS) and "
        f"hides the truth's line. Noise at home is off by {off['local']:.2g}."
    )
    return picture


@dataclass(frozen=True)
class Caps:
    """For each cap: the noise in a day's mean, and what the cap leaves out, both RMS in kWh."""

    caps: np.ndarray
    noise: np.ndarray
    cut: np.ndarray


def draw_caps(data: Caps, *, into: Picture | None = None) -> Picture:
    """Noise, what is cut, and both together over the cap, on logarithmic axes, with a ring at the least."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(720, 360)
            axes = picture.subplots()
            for name, colour, style, marker in (
                ("noise", BLUE, "-", "o"),
                ("not counted", VERMILION, "--", "s"),
                ("together", BLACK, "-", ""),
            ):
                (picture.parts[name],) = axes.plot([], [], color=colour, linestyle=style, marker=marker, label=name)
            (picture.parts["least"],) = axes.plot(
                [], [], "o", color=BLACK, markersize=15, markerfacecolor="none", linestyle="none"
            )
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xlabel("cap, kWh a day (logarithmic)")
            axes.set_ylabel("off by, kWh (RMS, logarithmic)")
            picture.parts["title"] = axes.set_title(" ")
            axes.legend(loc="upper right")
    axes, together = picture.axes[0], np.hypot(data.noise, data.cut)
    for name, values in (("noise", data.noise), ("not counted", data.cut), ("together", together)):
        picture.parts[name].set_data(data.caps, values)
    best = int(together.argmin())
    picture.parts["least"].set_data([data.caps[best]], [together[best]])
    axes.set_xlim(data.caps[0] / 1.1, data.caps[-1] * 1.1)
    axes.set_ylim(min(data.noise.min(), data.cut.min()) / 1.5, together.max() * 1.5)
    axes.set_xticks(data.caps, [f"{cap:g}" for cap in data.caps])
    axes.minorticks_off()
    picture.parts["title"].set_text(f"A cap of about {data.caps[best]:g} kWh is off least, by {together[best]:.2g} kWh")
    picture.alt = (
        f"Noise and what is not counted over the cap. Noise grows from {data.noise[0]:.2g} kWh at {data.caps[0]:g} to "
        f"{data.noise[-1]:.2g} at {data.caps[-1]:g}; what is not counted falls from {data.cut[0]:.2g} to "
        f"{data.cut[-1]:.2g}. Together they are least at {data.caps[best]:g} kWh, {together[best]:.2g}."
    )
    return picture
