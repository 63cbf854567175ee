"""Pictures of lesson 04: the classic σ and its failure, Laplace against Gaussian, selection, a private median."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpcourse.lessons.lesson_04.numbers import Dimensions
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.still import Still
from dpcourse.plots.words import number


def draw_failure(epsilons: np.ndarray, deltas: Sequence[float], ratios: np.ndarray, fails: Sequence[float]) -> Still:
    """True over claimed δ of the classic Gaussian, `ratios` of shape (deltas, epsilons); each passes 1 at `fails`."""
    names, ends = [f"δ = {number(delta)}" for delta in deltas], [epsilons[0], epsilons[-1]]
    panel = Panel(
        marks.epsilon_axis(*ends),
        Axis(1e-5, 1e3, "true δ ÷ claimed δ (log scale)", log=True),
        [
            marks.area(ends, 1, 1e3, colour=marks.VERMILION, opacity=0.1),
            marks.rule(y=1, colour=marks.INK, dash=""),
            *marks.lines(epsilons, dict(zip(names, ratios, strict=True))),
            marks.points(fails, np.ones(len(fails)), "the promise breaks", colour=marks.INK),
            marks.text(0.11, 100, "promise broken"),
            marks.text(0.11, 3e-5, "promise kept, with noise to spare"),
        ],
        title="The classic σ wastes noise first, and fails later",
    )
    alt = "True δ of the classic Gaussian calibration over its claim, against ε, log-log: " + "; ".join(
        f"for {name} it passes 1, where the promise breaks, at ε = {at:.2f}"
        for name, at in zip(names, fails, strict=True)
    )
    return Still(panel, alt=alt)


def dimension_marks(data: Dimensions) -> Panel:
    """Noise per count against the number of counts, which can be dragged."""
    curves = {"Laplace": data.laplace, "Gaussian": data.gaussian}
    here = [
        float(np.exp(np.interp(np.log(data.chosen), np.log(data.dimensions), np.log(row)))) for row in curves.values()
    ]
    return Panel(
        Axis(1, 1000, "number of counts d (log scale)", log=True),
        Axis(0.1, 1e5, "noise on each count, one standard deviation (people)", log=True),
        [
            marks.rule(x=min(data.overtakes, 1000), name="Gaussian wins from here on", shift=(0, 4)),
            *marks.lines(data.dimensions, curves, here=(data.chosen, here), drag=("chosen", "x")),
            marks.text(data.chosen, here[0], number(here[0]), colour=marks.BLUE, shift=(4, -10)),
            marks.text(data.chosen, here[1], number(here[1]), colour=marks.VERMILION, shift=(4, 12)),
        ],
    )


def draw_choice(
    candidates: Sequence[str], mechanisms: Sequence[str], probabilities: np.ndarray, epsilon: float
) -> Still:
    """Bars for each candidate, one a mechanism; `probabilities` has shape (mechanisms, candidates)."""
    by_mechanism = dict(zip(mechanisms, probabilities, strict=True))
    panel = Panel(
        marks.categories(candidates),
        Axis(0, 1, "probability of being named"),
        marks.beside(by_mechanism, "{:.2f}".format, said_at=(len(candidates) - 0.52, 0.95)),
        title=f"Who is named the largest, at ε = {epsilon:g}",
    )
    alt = f"Probability of being named the largest at ε = {epsilon:g}: " + "; ".join(
        f"{name}: " + ", ".join(f"{c} {p:.2f}" for c, p in zip(candidates, row, strict=True))
        for name, row in by_mechanism.items()
    )
    return Still(panel, alt=alt)


def draw_median(ages: np.ndarray, epsilons: Sequence[float], probabilities: np.ndarray, truth: float) -> Still:
    """Where a private median falls; `probabilities` has shape (epsilons, ages)."""
    names = [f"ε = {epsilon:g}" for epsilon in epsilons]
    panel = Panel(
        Axis(ages[0], ages[-1], "published median (years)"),
        Axis(0, 1.08 * float(probabilities.max()), "probability"),
        [
            marks.rule(x=truth, name="true median"),
            *marks.lines(ages, dict(zip(names, probabilities, strict=True)), label_at="top", shift=(12, 2)),
        ],
        title="A private median: each age is chosen by how near its rank is",
    )
    near = np.abs(ages - truth) <= 2
    alt = f"Probability of each published median age; the true one is {truth:g}. " + "; ".join(
        f"at {name} {row[near].sum():.0%} of answers lie within two years of it"
        for name, row in zip(names, probabilities, strict=True)
    )
    return Still(panel, alt=alt)
