"""Pictures of lesson 12: a wafer read off a gradient, rounds and drift, models compared, masks, rounds and noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcourse.lessons.lesson_12.numbers import Masking, Tradeoff
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.picture import Picture
from dpcourse.plots.still import Still
from dpcourse.plots.style import BLACK, BLUE, GREY, SKY, VERMILION, course_style, series


@dataclass(frozen=True)
class Reconstruction:
    """A wafer's readings, and what the server computed from what it was sent; both of shape (d,)."""

    readings: np.ndarray
    found: np.ndarray


def draw_reconstruction(data: Reconstruction, *, into: Picture | None = None) -> Picture:
    """Readings as bars, the server's reconstruction as marks on top of them."""
    picture, places = into, np.arange(1, len(data.readings) + 1)
    if picture is None:
        with course_style():
            picture = Picture(640, 300)
            axes = picture.subplots()
            picture.parts["bars"] = axes.bar(places, data.readings, color=SKY, label="the wafer's readings")
            (picture.parts["found"],) = axes.plot(
                [], [], color=VERMILION, marker="x", markersize=8, linestyle="none", label="read off the gradient"
            )
            axes.axhline(0, color=BLACK, linewidth=0.8)
            axes.set_ylim(-1.35, 1.35)
            axes.grid(False, axis="x")
            axes.set_xticks(places)
            axes.set_xlabel("reading")
            axes.set_ylabel("scaled value")
            picture.parts["title"] = axes.set_title(" ")
            axes.legend(loc="upper right", ncols=2)
    for bar, value in zip(picture.parts["bars"], data.readings, strict=True):
        bar.set_height(value)
    picture.parts["found"].set_data(places, data.found)
    worst = float(np.abs(data.found - data.readings).max())
    right = "every reading, to the last digits" if worst < 1e-9 else f"readings to within {worst:.2g}"
    picture.parts["title"].set_text(f"One wafer's gradient gives away {right}")
    picture.alt = f"Bars of a wafer's {len(places)} readings; marks on them: the reconstruction has {right}."
    return picture


@dataclass(frozen=True)
class Course:
    """Test accuracy over rounds: one row of `accuracies` for each label; `level` is a score to compare with."""

    rounds: np.ndarray
    accuracies: np.ndarray
    labels: Sequence[str]
    level: float
    level_label: str
    title: str


def draw_course(data: Course, *, into: Picture | None = None) -> Picture:
    """Accuracy over rounds, one line for each way of training."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes = picture.subplots()
            for i, label in enumerate(data.labels):
                every = max(len(data.rounds) // 8, 1)
                (picture.parts[label],) = axes.plot([], [], markevery=every, label=label, **series(i))
            (picture.parts["level"],) = axes.plot([], [], color=GREY, linewidth=1.4, label=data.level_label)
            axes.set_xlabel("round")
            axes.set_ylabel("accuracy on the shared test set")
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
            picture.parts["title"] = axes.set_title(" ")
            axes.legend(loc="lower right")
    axes, told = picture.axes[0], []
    for label, row in zip(data.labels, data.accuracies, strict=True):
        picture.parts[label].set_data(data.rounds, row)
        told.append(f"{label}: {row[0]:.1%} after round {data.rounds[0]}, {row[-1]:.1%} after round {data.rounds[-1]}")
    picture.parts["level"].set_data([0, data.rounds[-1]], [data.level] * 2)
    low = min(np.min(data.accuracies), data.level)
    axes.set_xlim(0, data.rounds[-1])
    axes.set_ylim(low - 0.02, max(np.max(data.accuracies), data.level) + 0.02)
    picture.parts["title"].set_text(data.title)
    picture.alt = f"{data.title}. {'; '.join(told)}; {data.level_label}: {data.level:.1%}."
    return picture


@dataclass(frozen=True)
class Models:
    """Test accuracy of several ways to train, `accuracies` of shape (ways, seeds)."""

    labels: Sequence[str]
    accuracies: np.ndarray
    title: str


def draw_models(data: Models, *, into: Picture | None = None) -> Picture:
    """One row for each way to train: every seed a dot, their mean a bar."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(720, 340)
            axes = picture.subplots()
            for i, label in enumerate(data.labels):
                (picture.parts[label, "dots"],) = axes.plot([], [], color=BLUE, marker="o", linestyle="none", alpha=0.5)
                (picture.parts[label, "mean"],) = axes.plot(
                    [], [], color=VERMILION, marker="|", markersize=22, markeredgewidth=3, linestyle="none"
                )
                if not i:
                    picture.parts[label, "dots"].set_label("one seed")
                    picture.parts[label, "mean"].set_label("mean")
            axes.set_yticks(range(len(data.labels)), data.labels)
            axes.set_ylim(len(data.labels) - 0.4, -0.6)
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
            axes.set_xlabel("accuracy on the shared test set")
            picture.parts["title"] = axes.set_title(" ")
            axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0.2, markerscale=0.6)
    told = []
    for i, (label, row) in enumerate(zip(data.labels, data.accuracies, strict=True)):
        picture.parts[label, "dots"].set_data(row, np.full(len(row), i))
        picture.parts[label, "mean"].set_data([row.mean()], [i])
        told.append(f"{label}: {row.mean():.1%}, from {row.min():.1%} to {row.max():.1%}")
    picture.axes[0].set_xlim(np.min(data.accuracies) - 0.02, np.max(data.accuracies) + 0.02)
    picture.parts["title"].set_text(data.title)
    picture.alt = f"{data.title}. {'; '.join(told)}."
    return picture


def masking_marks(data: Masking) -> list[Panel]:
    """What each fab holds, and what arrives at the server. Those who dropped out are pale, and crossed out."""
    names, gone = [*data.names, "sum"], np.array(data.dropped)
    places = -np.arange(len(data.names), dtype=float)
    # Bars without a length, so that a fab keeps its place whether it stays or not.
    stays, leaves = (np.where(out, 0.0, data.values) for out in (gone, ~gone))
    reach, last = 1.25 * max(np.abs(data.values).max(), abs(data.left), 1e-9), -float(len(data.names))
    known = "no sum: too few shares" if data.total is None else f"the server reads {data.total:+.4f}"
    rows: dict[str, Any] = {"low": last - 0.6, "high": 0.6, "ticks": [*places.tolist(), last]}
    return [
        Panel(
            Axis(-reach, reach, "number to send"),
            Axis(**rows, names=names),
            [
                marks.bars(places, stays, "sent", across=True),
                marks.bars(places, leaves, "dropped out", across=True, colour=marks.GREY, opacity=0.3),
                marks.bars([last], [data.left], "sum of those who stay", across=True, colour=marks.GREEN),
                marks.rule(x=0, colour=marks.INK, dash="", width=1),
            ],
            title="What the fabs hold",
            share=1.25,
        ),
        Panel(
            Axis(0, 1, "share of 2³²", ticks=(0, 0.5, 1)),
            Axis(**rows, names=[""] * len(names)),
            [
                marks.bars(places, np.where(gone, 0.0, data.masked), "arrives", across=True, colour=marks.VERMILION),
                marks.points(np.where(gone, 0.03, np.nan), places, "nothing", colour=marks.INK, shape="x", size=6),
                marks.bars(
                    [last], [data.uncorrected], "added up as they came", across=True, colour=marks.GREY, opacity=0.25
                ),
                marks.text(0, last, known, anchor="start", shift=(4, 0)),
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
            marks.line(ends, [data.without_noise[i]] * 2, "no noise", colour=marks.VERMILION, dash="7 4"),
            marks.line(data.epsilon, data.accuracy, "with noise", label=""),
            marks.points(data.epsilon, data.accuracy, "1 to 100 rounds"),
            marks.points(data.epsilon[i], data.accuracy[i], rounds, colour=marks.VERMILION, size=9, hollow=True),
            marks.text(float(data.epsilon[i]), float(data.accuracy[i]), rounds, shift=(6, 16)),
        ],
    )
