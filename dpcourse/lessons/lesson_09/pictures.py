"""Pictures of lesson 09: how far a record moves a model, what λ trades, how teachers vote, and who wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dpcourse.lessons.lesson_09.numbers import Votes
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.still import Still
from dpcourse.plots.words import number, share


def draw_moves(regularizations: np.ndarray, bound: np.ndarray, seen: Mapping[str, np.ndarray]) -> Still:
    """How far one replaced record moves the minimiser, against λ: the bound, and the largest move found by retraining
    on neighbours, by dataset. Moves are L2 distances in units of 2/n."""
    least = min(map(np.min, seen.values()))
    panel = Panel(
        Axis(regularizations[0] / 1.3, regularizations[-1] * 1.3, "λ (log scale)", log=True),
        Axis(least / 2, 3 * bound.max(), "largest move, in units of 2/n (log scale)", log=True),
        [
            marks.line(regularizations, bound, "the bound, 1/λ", colour=marks.INK, width=1.4),
            *marks.lines(regularizations, seen, dots=4),
        ],
        title="One record cannot move the minimiser further",
    )
    shares = "; ".join(
        f"{name} reach {min(moves / bound):.0%} to {max(moves / bound):.0%} of it" for name, moves in seen.items()
    )
    alt = (
        f"Largest distance between the minimisers of neighbouring datasets against λ from {number(regularizations[0])} "
        f"to {number(regularizations[-1])}, log-log, below the bound 2/(nλ): {shares}."
    )
    return Still(panel, alt=alt)


def draw_tuning(
    regularizations: np.ndarray,
    without_noise: np.ndarray,
    means: Mapping[str, np.ndarray],
    spreads: Mapping[str, np.ndarray],
    epsilon: float,
) -> Still:
    """Accuracy against λ: without noise and for each private learner, mean and spread over draws of the noise. Bias to
    the right, noise to the left."""
    x = regularizations
    bars = [
        marks.spans(x, mean - spreads[name], x, mean + spreads[name], colour=i)
        for i, (name, mean) in enumerate(means.items())
    ]
    panel = Panel(
        Axis(x[0] / 1.3, x[-1] * 1.3, "λ (log scale)", log=True),
        Axis(0.4, 0.9, "accuracy", unit="%"),
        [
            marks.line(x, without_noise, "no noise", colour=marks.INK, width=1.4, label_at="start", shift=(0, -10)),
            *bars,
            *marks.lines(x, means, dots=4, label=""),
            *(
                marks.text(x[at], mean[at], name, colour=i, anchor="start", shift=(8, down))
                for i, ((name, mean), at, down) in enumerate(zip(means.items(), (1, 2), (12, -16), strict=True))
            ),
        ],
        title=f"Too little λ is noise, too much is bias (ε = {epsilon:g})",
    )
    best = "; ".join(f"{name} is best at λ = {number(x[np.argmax(m)])} with {max(m):.1%}" for name, m in means.items())
    alt = (
        f"Accuracy against λ from {number(x[0])} to {number(x[-1])} at ε = {epsilon:g}. Without noise it falls from "
        f"{without_noise[0]:.1%} to {without_noise[-1]:.1%}; {best}."
    )
    return Still(panel, alt=alt)


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
        marks.text(data.epsilon, data.chance, share(data.chance), colour=marks.VERMILION, shift=(4, 14)),
    ]
    return [
        Panel(
            Axis(-0.5, 1.5, "noisy count, as a share of the teachers", unit="%"),
            Axis(0, 1.15, "", ticks=()),
            left,
            title="The two noisy counts",
        ),
        Panel(
            marks.epsilon_axis(0.002, 2000),
            Axis(0.45, 1.02, "how often the right class wins", ticks=(0.5, 0.6, 0.7, 0.8, 0.9, 1), unit="%"),
            right,
            title="Right answers, and their price",
        ),
    ]


def draw_comparison(
    names: Sequence[str], accuracies: np.ndarray, spreads: np.ndarray, advantages: np.ndarray, majority: float
) -> Still:
    """Learners by name: accuracy over draws (mean, spread) against the attacker's best advantage that their guarantee
    allows. Up and to the left is better."""
    drawn = [marks.rule(y=majority, name="always “less”", colour=marks.INK, dash="2 3", label_at="inside")]
    for i, (name, advantage, y, spread) in enumerate(zip(names, advantages, accuracies, spreads, strict=True)):
        x = advantage + 0.014 * np.sum(np.abs(advantages[:i] - advantage) < 0.01)  # side by side where they are equal
        side = "end" if advantage == min(advantages) else "start"
        drawn += [
            marks.spans(x, y - spread, x, y + spread, colour=i),
            marks.points(x, y, name, colour=i, shape=marks.SHAPES[i % 5]),
            marks.text(x, y, name, colour=i, anchor=side, shift=(4 if side == "start" else -4, 0)),
        ]
    panel = Panel(
        Axis(-0.02, 1.02, "← more private\u2003\u2003best advantage an attacker may have, replacing one record"),
        Axis(0.73, 0.87, "accuracy on people not trained on", unit="%"),
        drawn,
        title="Same task, same people, other guarantees",
    )
    said = "; ".join(f"{name} {y:.1%} at {x:.2f}" for name, x, y in zip(names, advantages, accuracies, strict=True))
    alt = (
        f"Accuracy against the attacker's best allowed advantage, by learner: {said}. A dotted line at {majority:.1%} "
        "is always answering “less”."
    )
    return Still(panel, alt=alt)
