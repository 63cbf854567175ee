"""Pictures of lesson 11: histograms of two neighbours, runs against ε, one-run audits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dpcourse.lessons.lesson_11.numbers import Certifiable
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.still import Still


def draw_histograms(
    edges: np.ndarray, data: np.ndarray, neighbour: np.ndarray, cut: float, shares: tuple[float, float]
) -> Still:
    """Shares of outputs in bins with Ana and without her, and the event "output ≤ cut" with its `shares`."""
    middles, top, (here, there) = (edges[1:] + edges[:-1]) / 2, 1.25 * max(data.max(), neighbour.max()), shares
    panel = Panel(
        Axis(edges[0], edges[-1], "what the mechanism released"),
        Axis(0, top, "share of the runs", unit="%"),
        [
            marks.area([edges[0], cut], 0, top, colour=marks.INK, opacity=0.07),
            marks.rule(x=cut, colour=marks.INK, dash="2 3", width=1.8),
            marks.text(cut, top, "the event: left of here", anchor="end", shift=(0, 12)),
            marks.line(middles, data, "with Ana", step=True, label=""),
            marks.text(middles[data.argmax()], data.max(), "with Ana", colour=marks.BLUE, anchor="start", shift=(8, 0)),
            marks.line(middles, neighbour, "without Ana", colour=marks.VERMILION, dash="7 4", step=True, label=""),
            marks.text(
                middles[neighbour.argmax()],
                neighbour.max(),
                "without Ana",
                colour=marks.VERMILION,
                anchor="end",
                shift=(-12, 0),
            ),
        ],
        title=f"output ≤ {cut:.3g}: {here:.1%} of the runs with Ana, {there:.1%} without",
    )
    alt = (
        f"Histograms of a mechanism's outputs on two neighbours. The event output ≤ {cut:.3g} happened in {here:.1%} "
        f"of the runs with Ana and in {there:.1%} without her."
    )
    return Still(panel, alt=alt)


def certifiable_marks(data: Certifiable) -> Panel:
    """ε certified over certifying runs, one line a mechanism, under the most that one event could certify."""
    i = int(np.flatnonzero(data.runs == data.at)[0])
    curves = {name.partition(",")[0]: curve for name, curve in data.curves.items()}
    return Panel(
        Axis(float(data.runs.min()), float(data.runs.max()), "certifying runs on each dataset (log scale)", log=True),
        Axis(0, 1.4 * data.true, "certified ε, at frequencies as expected"),
        [
            marks.line(data.runs, data.largest, "the most one event can", colour=marks.GREY, width=1.6),
            marks.rule(y=data.true, colour=marks.INK, dash="2 3", name="true ε"),
            marks.rule(x=data.at, width=1),
            *marks.lines(
                data.runs, curves, here=(data.at, [curve[i] for curve in curves.values()]), drag=("runs", "x")
            ),
        ],
    )


def draw_one_run(stated: np.ndarray, found: np.ndarray, confidence: float, canaries: int) -> Still:
    """ε certified from one training run each, over the ε that the accountant states for it, log-log, with the diagonal
    that nothing may lie above."""
    low, high = 0.8 * stated.min(), 1.3 * stated.max()
    panel = Panel(
        replace(marks.epsilon_axis(low, high, "ε stated by the accountant"), ticks=np.unique(stated)),
        Axis(
            0.08,
            high,
            f"ε certified at {confidence:.0%} confidence (log scale)",
            log=True,
            ticks=(0.1, 0.25, 0.5, 1, 2, 4, 8, 16),
        ),
        [
            marks.line([low, high], [low, high], "what is stated", colour=marks.INK, dash="7 4", label=""),
            marks.text(low, low, "what is stated", anchor="start", shift=(8, -36)),
            marks.points(stated, found, "certified from one run", size=3),
            marks.text(
                stated.max(),
                found[stated == stated.max()].min(),
                "certified from one run",
                colour=marks.BLUE,
                anchor="end",
                shift=(0, 40),
            ),
        ],
        title=f"One training run each, {canaries:,} canaries",
    )
    alt = ", ".join(
        f"{found[stated == e].min():.2g} to {found[stated == e].max():.2g} where {e:.3g} is stated"
        for e in np.unique(stated)
    )
    return Still(panel, alt=f"ε certified from one training run: {alt}.")
