"""Pictures of lesson 12: a wafer read off a gradient, rounds and drift, models compared, masks, rounds and noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcourse.lessons.lesson_12.numbers import Masking, Tradeoff
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREY, SKY, VERMILION, bars, course_style, epsilon_axis, series


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


def draw_masking(data: Masking, *, into: Picture | None = None) -> Picture:
    """Two rows of bars: what each fab holds, what arrives at the server. Those who dropped out are crossed out."""
    picture, places = into, np.arange(len(data.names))
    if picture is None:
        with course_style():
            picture = Picture(680, 420)
            upper, lower = picture.subplots(2, 1, sharex=True)
            parts = picture.parts
            parts["values"] = upper.bar(places, data.values, width=0.6, **bars(0))
            parts["masked"] = lower.bar(places, data.masked, width=0.6, **bars(1))
            (parts["gone"],) = lower.plot(
                [], [], color=BLACK, marker="x", markersize=12, linestyle="none", label="dropped out: nothing arrives"
            )
            upper.axhline(0, color=BLACK, linewidth=0.8)
            reach = 1.25 * max(np.abs(data.values).max(), 1e-9)
            upper.set_ylim(-reach, reach)
            lower.set_ylim(0, 1.25)
            lower.set_yticks([0, 0.5, 1])
            upper.set_ylabel("number to send")
            lower.set_ylabel("share of 2³²")
            lower.set_xticks(places, data.names)
            parts["title"] = upper.set_title(" ")
            parts["lower"] = lower.set_title(" ")
            lower.legend(loc="upper right", bbox_to_anchor=(1.0, 1.02))
    parts = picture.parts
    for bar, gone in zip(parts["values"], data.dropped, strict=True):
        bar.set_alpha(0.25 if gone else 1.0)
    for bar, share, gone in zip(parts["masked"], data.masked, data.dropped, strict=True):
        bar.set_height(0.0 if gone else share)
    crossed = np.flatnonzero(data.dropped).tolist()
    parts["gone"].set_data(crossed, np.full(len(crossed), 0.12))
    stay = len(data.names) - len(crossed)
    if data.total is None:
        outcome = f"{stay} left, {data.threshold} needed: no sum"
    else:
        outcome = f"unmasked, their sum: {data.total:+.4f}"
    parts["title"].set_text(f"What {stay} of {len(data.names)} fabs send: {data.left:+.4f} in all")
    parts["lower"].set_text(f"What arrives at the server; {outcome}")
    out = ", ".join(data.names[i] for i in crossed) or "nobody"
    picture.alt = (
        f"One number of each fab, and the masked number that arrives. Dropped out: {out}. The others' numbers add up "
        f"to {data.left:+.4f}; {outcome}."
    )
    return picture


def draw_tradeoff(data: Tradeoff, *, into: Picture | None = None) -> Picture:
    """Accuracy over ε as the rounds go on, with the levels of one pool and of the marked round without noise."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes = picture.subplots()
            parts = picture.parts
            (parts["pooled"],) = axes.plot([], [], color=GREY, linewidth=1.4, label="one pool of all wafers")
            (parts["without"],) = axes.plot([], [], label="as many rounds, no noise", **series(1, marker=False))
            (parts["accuracy"],) = axes.plot([], [], label="1, 2, 5, … 100 rounds with noise", **series(0))
            for name in ("low", "high"):
                (parts[name],) = axes.plot([], [], color=BLUE, linestyle=":", linewidth=1.2)
            parts["low"].set_label("± one deviation over trainings")
            (parts["here"],) = axes.plot(
                [], [], color=VERMILION, marker="o", markersize=15, fillstyle="none", linestyle="none",
                markeredgewidth=2,
            )  # fmt: skip
            epsilon_axis(axes, 0.001, 100, label=f"client-level ε at δ = {data.delta:g}")
            axes.set_ylim(0.48, 0.92)
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
            axes.set_ylabel("accuracy on the shared test set")
            axes.legend(loc="lower right")
            parts["title"] = axes.set_title(" ")
    parts = picture.parts
    i = int(np.flatnonzero(data.rounds == data.at)[0])
    parts["pooled"].set_data([0.001, 100], [data.pooled] * 2)
    parts["without"].set_data([0.001, 100], [data.without_noise[i]] * 2)
    parts["accuracy"].set_data(data.epsilon, data.accuracy)
    parts["low"].set_data(data.epsilon, data.accuracy - data.spread)
    parts["high"].set_data(data.epsilon, data.accuracy + data.spread)
    parts["here"].set_data([data.epsilon[i]], [data.accuracy[i]])
    rounds = "1 round" if data.at == 1 else f"{data.at} rounds"
    parts["title"].set_text(f"{rounds}: {data.accuracy[i]:.1%} for ε = {data.epsilon[i]:.3g}")
    picture.alt = (
        f"{data.clients:,} clients, noise multiplier {data.noise_multiplier:g}, each in a round with probability "
        f"{data.sampling_rate:g}. Rounds, accuracy, ε: "
        + "; ".join(f"{r}, {a:.1%}, {e:.3g}" for r, a, e in zip(data.rounds, data.accuracy, data.epsilon, strict=True))
        + f". Without noise, {rounds}: {data.without_noise[i]:.1%}; one pool: {data.pooled:.1%}."
    )
    return picture
