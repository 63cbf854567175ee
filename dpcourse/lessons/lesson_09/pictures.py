"""Pictures of lesson 09: how far a record moves a model, what λ trades, how teachers vote, and who wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dpcourse.lessons.lesson_09.numbers import Votes
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, course_style, log_axis, series
from dpcourse.plots.words import number


@dataclass(frozen=True)
class Moves:
    """How far one replaced record moves the minimiser, against λ: the bound and what was seen, by dataset."""

    regularizations: np.ndarray
    bound: np.ndarray
    seen: Mapping[str, np.ndarray]


def draw_moves(data: Moves, *, into: Picture | None = None) -> Picture:
    """The sensitivity bound 2/(nλ) and the largest move found by retraining on neighbours.

    Parameters
    ----------
    data : Moves
        Arrays have the shape of `regularizations`; moves are L2 distances of minimisers, each in units of 2/n.
    into : Picture, optional
        A picture this function made, to draw again.
    """
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes, parts = picture.subplots(), picture.parts
            (parts["bound"],) = axes.plot([1], [1], label="the bound, 1/λ", color=BLACK, linewidth=1.4)
            for i, name in enumerate(data.seen):
                (parts[name],) = axes.plot([1], [1], label=name, **series(i))
            low, high = float(data.regularizations[0]) / 1.3, float(data.regularizations[-1]) * 1.3
            log_axis(axes, low, high, label="λ (log scale)")
            log_axis(axes, 0.1, 2e5, which="y", label="largest move, in units of 2/n (log scale)")
            axes.set_title("One record cannot move the minimiser further")
            axes.legend(loc="upper right")
    picture.parts["bound"].set_data(data.regularizations, data.bound)
    for name, moves in data.seen.items():
        picture.parts[name].set_data(data.regularizations, moves)
    shares = "; ".join(
        f"{name} reach {min(moves / data.bound):.0%} to {max(moves / data.bound):.0%} of it"
        for name, moves in data.seen.items()
    )
    picture.alt = (
        f"Largest distance between the minimisers of neighbouring datasets against λ from {data.regularizations[0]:g} "
        f"to {data.regularizations[-1]:g}, log-log, below the bound 2/(nλ): {shares}."
    )
    return picture


@dataclass(frozen=True)
class Tuning:
    """Accuracy against λ: without noise and for each private learner, mean and spread over draws of the noise."""

    regularizations: np.ndarray
    without_noise: np.ndarray
    means: Mapping[str, np.ndarray]
    spreads: Mapping[str, np.ndarray]
    epsilon: float


def draw_tuning(data: Tuning, *, into: Picture | None = None) -> Picture:
    """What λ trades: bias to the right, noise to the left."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(640, 420)
            axes, parts = picture.subplots(), picture.parts
            (parts["without"],) = axes.plot([1], [1], label="no noise", color=BLACK, linewidth=1.4)
            for i, name in enumerate(data.means):
                container = axes.errorbar([1], [0.7], yerr=[0.1], capsize=3, label=name, **series(i))
                parts[name] = container
            log_axis(
                axes, float(data.regularizations[0]) / 1.3, float(data.regularizations[-1]) * 1.3, label="λ (log scale)"
            )
            axes.set(ylim=(0.4, 0.9), ylabel="accuracy")
            parts["title"] = axes.set_title(" ")
            axes.legend(loc="lower right")
    x = data.regularizations
    picture.parts["without"].set_data(x, data.without_noise)
    for name, mean in data.means.items():
        line, caps, (bars,) = picture.parts[name].lines
        line.set_data(x, mean)
        low, high = mean - data.spreads[name], mean + data.spreads[name]
        caps[0].set_data(x, low)
        caps[1].set_data(x, high)
        bars.set_segments([np.array([(a, b), (a, c)]) for a, b, c in zip(x, low, high, strict=True)])
    picture.parts["title"].set_text(f"Too little λ is noise, too much is bias (ε = {data.epsilon:g})")
    best = "; ".join(f"{name} is best at λ = {x[np.argmax(m)]:g} with {max(m):.1%}" for name, m in data.means.items())
    picture.alt = (
        f"Accuracy against λ from {x[0]:g} to {x[-1]:g} at ε = {data.epsilon:g}. Without noise it falls from "
        f"{data.without_noise[0]:.1%} to {data.without_noise[-1]:.1%}; {best}."
    )
    return picture


def vote_marks(data: Votes) -> list[Panel]:
    """Left, the two noisy counts; right, the chance of the right answer against ε."""
    grid, left = np.linspace(-0.5, 1.5, 101), []
    for i, (name, count) in enumerate(zip(("right class", "wrong class"), data.counts, strict=True)):
        centre, width = count / data.teachers, data.sigma / data.teachers
        dash = marks.DASHES[i]
        left += [
            marks.line(grid, np.exp(-0.5 * ((grid - centre) / width) ** 2), name, colour=i, dash=dash, label=""),
            marks.rule(x=centre, width=1, colour=i, dash=dash),
            marks.text(
                centre, 1.02, f"{name} {count:.0f}", colour=i, anchor="start" if i == 0 else "end", shift=(0, -8)
            ),
        ]
    right = [
        marks.rule(y=0.5, colour=marks.GREY),
        marks.line(data.epsilons, data.right, "every σ", label=""),
        marks.points(data.epsilon, data.chance, "your σ", colour=marks.VERMILION, size=6),
        marks.text(data.epsilon, data.chance, number(data.chance, "%"), colour=marks.VERMILION, shift=(4, 14)),
    ]
    return [
        Panel(Axis(-0.5, 1.5, "noisy count, as a share of the teachers", unit="%"), Axis(0, 1.15, "", ticks=()), left,
              title="The two noisy counts"),
        Panel(marks.epsilon_axis(0.01, 100), Axis(0.45, 1.02, "how often the right class wins",
              ticks=(0.5, 0.6, 0.7, 0.8, 0.9, 1), unit="%"), right, title="Right answers, and their price"),
    ]  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """Learners by name: accuracy over draws (mean, spread) and the attacker's best advantage their guarantee allows."""

    names: Sequence[str]
    accuracies: np.ndarray
    spreads: np.ndarray
    advantages: np.ndarray
    majority: float


def draw_comparison(data: Comparison, *, into: Picture | None = None) -> Picture:
    """Accuracy against the advantage still allowed: up and to the left is better."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(680, 440)
            axes, parts = picture.subplots(), picture.parts
            parts["majority"] = axes.axhline(0, color=BLACK, linestyle=":", linewidth=1.4, label="always “no”")
            for i, name in enumerate(data.names):
                parts[name] = axes.errorbar([0], [0], yerr=[0.1], capsize=4, label=name, **series(i, line=False))
            axes.set(xlim=(-0.02, 1.02), ylim=(0.73, 0.87))
            axes.set_xlabel("← more private        attacker's best advantage allowed, TPR − FPR, replacing one record")
            axes.xaxis.label.set_fontsize(9.5)
            axes.set_ylabel("accuracy on people not trained on")
            axes.set_title("Same task, same people, other guarantees")
            axes.legend(loc="upper left", fontsize=9)
    picture.parts["majority"].set_ydata([data.majority] * 2)
    rows = zip(data.names, data.advantages, data.accuracies, data.spreads, strict=True)
    said = []
    drawn: list[float] = []
    for name, advantage, y, spread in rows:
        x = advantage + 0.014 * sum(
            abs(advantage - other) < 0.01 for other in drawn
        )  # side by side where they are equal
        drawn.append(advantage)
        line, caps, (bars,) = picture.parts[name].lines
        line.set_data([x], [y])
        caps[0].set_data([x], [y - spread])
        caps[1].set_data([x], [y + spread])
        bars.set_segments([np.array([(x, y - spread), (x, y + spread)])])
        said.append(f"{name} {y:.1%} at {advantage:.2f}")
    picture.alt = (
        f"Accuracy against the attacker's best allowed advantage, by learner: {'; '.join(said)}. "
        f"A dotted line at {data.majority:.1%} is always answering no."
    )
    return picture
