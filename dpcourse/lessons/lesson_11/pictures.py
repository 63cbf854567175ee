"""Pictures of lesson 11: histograms and a certificate, runs against ε, false alarms, one-run audits, the museum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcourse.lessons.lesson_11.numbers import Certifiable
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, VERMILION, course_style, epsilon_axis


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


def certifiable_marks(data: Certifiable) -> Panel:
    """ε certified over certifying runs, one line a mechanism, under the most that one event could certify."""
    i, drawn = int(np.flatnonzero(data.runs == data.at)[0]), []
    for j, (name, curve) in enumerate(data.curves.items()):
        drawn += [
            marks.line(data.runs, curve, name, colour=j, dash=marks.DASHES[j], label=name.partition(",")[0]),
            marks.points(data.at, curve[i], name, colour=j, shape="ost"[j], drag=("runs", "x")),
        ]
    return Panel(
        Axis(float(data.runs.min()), float(data.runs.max()), "certifying runs on each dataset (log scale)", log=True),
        Axis(0, 1.4 * data.true, "certified ε, at frequencies as expected"),
        [
            marks.line(data.runs, data.largest, "the most one event can", colour=marks.GREY, width=1.6),
            marks.rule(y=data.true, colour=marks.INK, dash="2 3", name="true ε"),
            marks.rule(x=data.at, width=1),
            *drawn,
        ],
    )


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
