"""Pictures of lesson 11: histograms and a certificate, runs against ε, false alarms, one-run audits, the museum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcourse.lessons.lesson_11.numbers import Certifiable
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREY, VERMILION, adjust, course_style, epsilon_axis, log_axis, series


@dataclass(frozen=True)
class TwoHistograms:
    """Shares of outputs in bins on two neighbours, and an event "output ≤ cut" with its share on either."""

    edges: np.ndarray
    data: np.ndarray
    neighbour: np.ndarray
    cut: float
    shares: tuple[float, float]


def draw_histograms(data: TwoHistograms, *, into: Picture | None = None) -> Picture:
    """Two outlined histograms and the cut of the event."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes = picture.subplots()
            empty = np.zeros(len(data.data))
            picture.parts["data"] = axes.stairs(empty, data.edges, color=BLUE, linewidth=2, label="on the dataset")
            picture.parts["neighbour"] = axes.stairs(
                empty, data.edges, color=VERMILION, linewidth=2, linestyle="--", label="on its neighbour"
            )
            picture.parts["cut"] = axes.axvline(0.0, color=BLACK, linestyle=":", linewidth=1.8, label="the event: left")
            axes.set_xlim(data.edges[0], data.edges[-1])
            axes.set_xlabel("what the mechanism released")
            axes.set_ylabel("share of the runs")
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
            picture.parts["title"] = axes.set_title(" ")
            axes.legend(loc="upper left")
    parts = picture.parts
    parts["data"].set_data(data.data)
    parts["neighbour"].set_data(data.neighbour)
    parts["cut"].set_xdata([data.cut, data.cut])
    picture.axes[0].set_ylim(0, 1.25 * max(data.data.max(), data.neighbour.max()))
    here, there = data.shares
    parts["title"].set_text(f"output ≤ {data.cut:.3g}: {here:.1%} of the runs against {there:.1%}")
    picture.alt = (
        f"Histograms of a mechanism's outputs on two neighbours. The event output ≤ {data.cut:.3g} happened in "
        f"{here:.1%} of the runs on one and in {there:.1%} on the other."
    )
    return picture


def draw_certifiable(data: Certifiable, *, into: Picture | None = None) -> Picture:
    """ε certified over certifying runs, one line a mechanism, under the most that one event could certify."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes = picture.subplots()
            (picture.parts["largest"],) = axes.plot([], [], color=GREY, linestyle="-", label="the most one event can")
            (picture.parts["true"],) = axes.plot([], [], color=BLACK, linestyle=":", linewidth=1.6, label="true ε")
            for i, name in enumerate(data.curves):
                (picture.parts[name],) = axes.plot([], [], label=name, **series(i, marker=False))
            picture.parts["at"] = axes.axvline(1.0, color=GREY, linestyle="--", linewidth=1.2)
            log_axis(axes, data.runs.min(), data.runs.max(), label="certifying runs on each dataset (log scale)")
            axes.set_ylabel("certified ε, at frequencies as expected")
            axes.yaxis.set_label_coords(-0.1, 0.5)  # room for wider numbers, which come with other limits
            picture.parts["title"] = axes.set_title(" ")
            axes.legend(loc="lower right")
    parts = picture.parts
    parts["largest"].set_data(data.runs, data.largest)
    parts["true"].set_data([data.runs.min(), data.runs.max()], [data.true] * 2)
    for name, curve in data.curves.items():
        parts[name].set_data(data.runs, curve)
    parts["at"].set_xdata([data.at, data.at])
    adjust(picture.axes[0], ylim=(0, 1.4 * data.true))
    parts["title"].set_text(f"True ε = {data.true:.3g}, {100 * data.confidence:.6g}% confidence")
    i = int(np.flatnonzero(data.runs == data.at)[0])
    picture.alt = f"ε certified over the number of runs; with {data.at:,} runs " + ", ".join(
        f"{name} {curve[i]:.2f}" for name, curve in data.curves.items()
    )
    picture.alt += f", where the true ε is {data.true:.3g}, at {100 * data.confidence:.6g}% confidence."
    return picture


@dataclass(frozen=True)
class Alarms:
    """Share of false alarms for each way of auditing a mechanism that leaks nothing, and the share that is promised."""

    ways: Sequence[str]
    shares: np.ndarray
    low: np.ndarray
    high: np.ndarray
    promised: float


def draw_alarms(data: Alarms, *, into: Picture | None = None) -> Picture:
    """A point and an interval for each way, and the promised share as a line."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(640, 400)
            axes = picture.subplots()
            places = np.arange(len(data.ways))
            (picture.parts["line"],) = axes.plot([], [], color=VERMILION, linestyle="--", label="promised at most")
            style: dict[str, Any] = {"color": BLUE, "marker": "o", "linestyle": "none"}
            (picture.parts["points"],) = axes.plot([], [], **style, label="measured, 95% interval")
            picture.parts["bars"] = axes.vlines(places, 0, 0, color=BLUE, linewidth=2)
            axes.set_xticks(places, data.ways)
            axes.set_xlim(-0.5, len(places) - 0.5)
            axes.set_ylim(-0.02, 1.02)
            axes.grid(False, axis="x")
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
            axes.set_ylabel("audits that accuse the innocent")
            axes.set_title("A mechanism that ignores its data, audited")
            axes.legend(loc="upper right")
    places = np.arange(len(data.ways))
    picture.parts["points"].set_data(places, data.shares)
    picture.parts["bars"].set_segments([[(x, a), (x, b)] for x, a, b in zip(places, data.low, data.high, strict=True)])
    picture.parts["line"].set_data([-0.5, len(places) - 0.5], [data.promised] * 2)
    picture.alt = f"False alarms, where {data.promised:.0%} are promised at most: " + "; ".join(
        f"{' '.join(way.split())} {share:.0%}" for way, share in zip(data.ways, data.shares, strict=True)
    )
    picture.alt += "."
    return picture


@dataclass(frozen=True)
class OneRun:
    """ε certified from one training run each, over the ε that the accountant states for it."""

    stated: np.ndarray
    found: np.ndarray
    confidence: float
    canaries: int


def draw_one_run(data: OneRun, *, into: Picture | None = None) -> Picture:
    """Certified over stated ε, log-log, with the diagonal nothing may lie above."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes = picture.subplots()
            low, high = 0.8 * data.stated.min(), 1.3 * data.stated.max()
            axes.plot([low, high], [low, high], color=BLACK, linestyle="--", linewidth=1.6, label="what is stated")
            (picture.parts["found"],) = axes.plot(
                [], [], color=BLUE, marker="o", linestyle="none", label="certified from one run"
            )
            epsilon_axis(axes, low, high, label="ε stated by the accountant")
            axes.set_yscale("log")
            axes.set_ylim(0.08, high)
            axes.set_yticks([0.1, 0.2, 0.5, 1, 2, 5, 10], ["0.1", "0.2", "0.5", "1", "2", "5", "10"])
            axes.minorticks_off()
            axes.set_ylabel(f"ε certified at {100 * data.confidence:g}% confidence (log scale)")
            axes.set_title(f"One training run each, {data.canaries:,} canaries")
            axes.legend(loc="upper left")
    picture.parts["found"].set_data(data.stated.ravel(), data.found.ravel())
    means = [(e, data.found[data.stated == e]) for e in np.unique(data.stated)]
    picture.alt = "ε certified from one training run: " + ", ".join(
        f"{values.min():.2g} to {values.max():.2g} where {e:.3g} is stated" for e, values in means
    )
    picture.alt += "."
    return picture
