"""Pictures of lesson 09: how far a record moves a model, what λ trades, how teachers vote, and who wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.ticker import NullLocator

from dpcourse.lessons.lesson_09.numbers import Votes
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREY, VERMILION, course_style, epsilon_axis, log_axis, series


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


def draw_votes(data: Votes, *, into: Picture | None = None) -> Picture:
    """Left, the two noisy counts; right, the chance of the right answer against ε."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(720, 400)
            left, right = picture.subplots(1, 2)
            parts = picture.parts
            for i, name in enumerate(("right class", "wrong class")):
                keywords = series(i, marker=False)
                (parts[name],) = left.plot([0], [0], label=name, **keywords)
                parts[f"{name} count"] = left.axvline(0, linewidth=1, color=keywords["color"], linestyle=":")
            left.set(xlim=(-0.5, 1.5), ylim=(0, 1.35), yticks=[])
            left.set_xlabel("noisy count / number of teachers")
            left.set_ylabel("density (peaks scaled to 1)")
            left.legend(loc="upper right")
            parts["left"] = left.set_title(" ", fontsize=11)
            (parts["curve"],) = right.plot([1], [0.5], color=BLUE)
            (parts["here"],) = right.plot([1], [0.5], marker="o", markersize=9, color=VERMILION, linestyle="none")
            parts["coin"] = right.axhline(0.5, color=GREY, linestyle=":", linewidth=1.2)
            epsilon_axis(right, 0.01, 100, label="ε of all answers")
            right.xaxis.label.set_fontsize(9.5)
            right.xaxis.set_minor_locator(NullLocator())  # a third of the drawing time
            right.set(ylim=(0.45, 1.03), ylabel="P[the right class wins]")
            parts["right"] = right.set_title(" ", fontsize=11)
    grid = np.linspace(-0.5, 1.5, 150)
    for name, count in zip(("right class", "wrong class"), data.counts, strict=True):
        centre, width = count / data.teachers, data.sigma / data.teachers
        picture.parts[name].set_data(grid, np.exp(-0.5 * ((grid - centre) / width) ** 2))
        picture.parts[f"{name} count"].set_xdata([centre] * 2)
    picture.parts["curve"].set_data(data.epsilons, data.right)
    picture.parts["here"].set_data([data.epsilon], [data.chance])
    picture.parts["left"].set_text(f"{data.counts[0]:.0f} votes against {data.counts[1]:.0f}, σ = {data.sigma:.3g}")
    answers = "1 answer" if data.answers == 1 else f"{data.answers:,} answers"
    picture.parts["right"].set_text(f"{answers}: ε = {data.epsilon:.3g} at δ = {data.delta:g}")
    picture.alt = (
        f"Left: two bell curves around {data.counts[0]:.0f} and {data.counts[1]:.0f} of {data.teachers} votes with "
        f"standard deviation {data.sigma:.3g}. Right: the probability that the right class wins rises with the ε of "
        f"{answers}; marked: {data.chance:.1%} at ε = {data.epsilon:.3g}, δ = {data.delta:g}."
    )
    return picture


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
