"""Pictures of lesson 12: a wafer read off a gradient, rounds and drift, models compared, masks, rounds and noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpcourse.lessons.lesson_12.numbers import Masking, Tradeoff
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.still import Still


def draw_reconstruction(readings: np.ndarray, found: np.ndarray) -> Still:
    """A wafer's readings as bars; on them what the server computed from what it was sent, as crosses."""
    places, worst = np.arange(1, len(readings) + 1), float(np.abs(found - readings).max())
    right = "every reading, to the last digits" if worst < 1e-9 else f"readings to within {worst:.2g}"
    panel = Panel(
        Axis(0.4, len(readings) + 0.6, "reading", ticks=places.tolist()),
        Axis(-1.35, 1.35, "scaled value", ticks=(-1, -0.5, 0, 0.5, 1)),
        [
            marks.bars(places, readings, "reading"),
            marks.rule(y=0, colour=marks.INK, dash="", width=1),
            marks.points(places, found, "read off the gradient", colour=marks.VERMILION, shape="x", size=5.5),
            *marks.key(
                len(readings) + 0.6,
                1.3,
                [("bars: the wafer's readings", marks.BLUE), ("crosses: read off the gradient", marks.VERMILION)],
            ),
        ],
        title=f"One wafer's gradient gives away {right}",
    )
    alt = f"Bars of a wafer's {len(places)} readings; marks on them: the reconstruction has {right}."
    return Still(panel, alt=alt, height=320)


def draw_course(
    rounds: np.ndarray, accuracies: np.ndarray, labels: Sequence[str], level: float, level_label: str, title: str
) -> Still:
    """Test accuracy over rounds, a row of `accuracies` for each way of training, and a level to compare with."""
    rows = dict(zip(labels, accuracies, strict=True))
    low, high = min(np.min(accuracies), level) - 0.02, max(np.max(accuracies), level) + 0.02
    panel = Panel(
        Axis(0, rounds[-1], "round"),
        Axis(low, high, "accuracy on the shared test set", unit="%"),
        [
            marks.line([0, rounds[-1]], [level] * 2, level_label, colour=marks.GREY, width=1.4),
            *marks.lines(rounds, rows),
        ],
        title=title,
    )
    told = "; ".join(
        f"{label}: {row[0]:.1%} after round {rounds[0]}, {row[-1]:.1%} after round {rounds[-1]}"
        for label, row in rows.items()
    )
    return Still(panel, alt=f"{title}. {told}; {level_label}: {level:.1%}.")


def draw_models(labels: Sequence[str], accuracies: np.ndarray, title: str) -> Still:
    """Test accuracy of several ways to train, a row each: every world a dot, their mean a bar; shape (ways, worlds)."""
    places, means = -np.arange(len(labels), dtype=float), accuracies.mean(axis=1)
    panel = Panel(
        Axis(np.min(accuracies) - 0.02, np.max(accuracies) + 0.02, "accuracy on the shared test set", unit="%"),
        marks.rows(labels),
        [
            marks.points(accuracies, np.broadcast_to(places[:, None], accuracies.shape), "one world", size=3.5),
            marks.spans(means, places - 0.3, means, places + 0.3, colour=marks.VERMILION, width=3),
            marks.text(means[0], 0, f"{accuracies.shape[1]} worlds, and their mean", anchor="start", shift=(16, -18)),
        ],
        title=title,
    )
    told = "; ".join(
        f"{label}: {row.mean():.1%}, from {row.min():.1%} to {row.max():.1%}"
        for label, row in zip(labels, accuracies, strict=True)
    )
    return Still(panel, alt=f"{title}. {told}.", width=720, height=320)


def masking_marks(data: Masking) -> list[Panel]:
    """What each fab holds, and what arrives at the server. Those who dropped out are pale, and crossed out."""
    names, gone = [*data.names, "sum"], np.array(data.dropped)
    places = -np.arange(len(data.names), dtype=float)
    # Bars without a length, so that a fab keeps its place whether it stays or not.
    stays, leaves = (np.where(out, 0.0, data.values) for out in (gone, ~gone))
    reach, last = 1.25 * max(np.abs(data.values).max(), abs(data.left), 1e-9), -float(len(data.names))
    known = "no sum: too few shares" if data.total is None else f"the server reads {data.total:+.4f}"
    rows: dict[str, Any] = {"low": last - 1.1, "high": 0.6, "ticks": [*places.tolist(), last]}
    return [
        Panel(
            Axis(-reach, reach, "number to send"),
            Axis(**rows, names=names),
            [
                marks.bars(places, stays, "sent", across=True),
                marks.bars(places, leaves, "dropped out", across=True, colour=marks.GREY, opacity=0.7),
                marks.bars([last], [data.left], "sum of those who stay", across=True, colour=marks.GREEN),
                marks.rule(x=0, colour=marks.INK, dash="", width=1),
            ],
            title="What the fabs hold",
        ),
        Panel(
            Axis(0, 1, "share of 2³²", ticks=(0, 0.5, 1)),
            Axis(**rows, names=names),
            [
                marks.bars(places, np.where(gone, 0.0, data.masked), "arrives", across=True, colour=marks.VERMILION),
                marks.points(np.where(gone, 0.03, np.nan), places, "nothing", colour=marks.INK, shape="x", size=6),
                marks.bars(
                    [last], [data.uncorrected], "added up as they came", across=True, colour=marks.GREY, opacity=0.7
                ),
                marks.text(0, last - 0.7, known, anchor="start", shift=(4, 0)),
            ],
            title="What arrives",
        ),
    ]


def draw_masking(data: Masking) -> Still:
    """What each fab holds and what arrives at the server; those who dropped out are crossed out."""
    out = ", ".join(name for name, gone in zip(data.names, data.dropped, strict=True) if gone) or "nobody"
    stay = len(data.names) - sum(data.dropped)
    total = f"{stay} left, {data.threshold} needed: no sum" if data.total is None else f"their sum: {data.total:+.4f}"
    held = ", ".join(f"{name} {value:+.4f}" for name, value in zip(data.names, data.values, strict=True))
    alt = f"Numbers to send: {held}. Each arrives masked, as noise. Dropped out: {out}. The server gets: {total}."
    return Still(masking_marks(data), alt=alt)


def tradeoff_marks(data: Tradeoff) -> Panel:
    """Accuracy over ε as the rounds go on, with the levels of one pool and of the marked round without noise."""
    i, ends = int(np.flatnonzero(data.rounds == data.at)[0]), [0.001, 100.0]
    rounds = "1 round" if data.at == 1 else f"{data.at} rounds"
    return Panel(
        marks.epsilon_axis(0.001, 100, "ε for one client"),
        Axis(0.48, 0.92, "accuracy on the shared test set", unit="%"),
        [
            marks.area(data.epsilon, data.accuracy - data.spread, data.accuracy + data.spread),
            marks.line(ends, [data.pooled] * 2, "one pool", colour=marks.GREY, width=1.4),
            marks.line(ends, [data.without_noise[i]] * 2, f"no noise, {rounds}", colour=marks.VERMILION, dash="7 4"),
            marks.line(data.epsilon, data.accuracy, "with noise", label=""),
            marks.points(data.epsilon, data.accuracy, "1 to 100 rounds"),
            marks.points(data.epsilon[i], data.accuracy[i], rounds, colour=marks.VERMILION, size=9, hollow=True),
            marks.text(float(data.epsilon[i]), float(data.accuracy[i]), rounds, shift=(6, 16)),
        ],
    )
