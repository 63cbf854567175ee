"""Pictures of lesson 04: the classic σ and its failure, Laplace against Gaussian, selection, a private median."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcourse.lessons.lesson_04.numbers import Dimensions
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, GREY, VERMILION, bars, course_style, epsilon_axis, series
from dpcourse.plots.words import number


@dataclass(frozen=True)
class Failure:
    """The true δ of the classic calibration over the δ it claims, and the ε where it becomes larger, per claimed δ.

    `ratios` has shape (deltas, epsilons).
    """

    epsilons: np.ndarray
    deltas: tuple[float, ...]
    ratios: np.ndarray
    fails: tuple[float, ...]


def draw_failure(data: Failure, *, into: Picture | None = None) -> Picture:
    """True over claimed δ of the classic Gaussian against ε."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(660, 420)
            axes = picture.subplots()
            axes.axhspan(1, 1e9, color=VERMILION, alpha=0.08, linewidth=0)
            axes.axhline(1, color=BLACK, linewidth=1.2)
            for i, delta in enumerate(data.deltas):
                (picture.parts[f"line {i}"],) = axes.plot([1], [1], label=f"δ = {delta:.0e}", **series(i, marker=False))
                (picture.parts[f"point {i}"],) = axes.plot([1], [1], **series(i, line=False))
            epsilon_axis(axes, data.epsilons[0], data.epsilons[-1])
            axes.set_yscale("log")
            axes.set_ylim(1e-8, 1e4)
            axes.set_ylabel("true δ / claimed δ (log scale)")
            axes.annotate("promise broken", (0.12, 100), color=BLACK)
            axes.annotate("promise kept, with noise to spare", (0.12, 1e-6), color=BLACK)
            axes.set_title("The classic σ wastes noise first, and fails later")
            axes.legend(loc="lower right")
    for i, fails in enumerate(data.fails):
        picture.parts[f"line {i}"].set_data(data.epsilons, np.maximum(data.ratios[i], 1e-12))
        picture.parts[f"point {i}"].set_data([fails], [1])
    picture.alt = "True δ of the classic Gaussian calibration over its claim, against ε, log-log: " + "; ".join(
        f"for δ = {delta:.0e} it passes 1, where the promise breaks, at ε = {fails:.2f}"
        for delta, fails in zip(data.deltas, data.fails, strict=True)
    )
    return picture


def dimension_marks(data: Dimensions) -> Panel:
    """Noise per count against the number of counts, which can be dragged."""
    drawn: list[marks.Mark] = []
    for name, values, colour, dash, shape in (
        ("Laplace", data.laplace, marks.BLUE, "", "o"),
        ("Gaussian", data.gaussian, marks.VERMILION, "7 4", "s"),
    ):
        here = float(np.exp(np.interp(np.log(data.chosen), np.log(data.dimensions), np.log(values))))
        drawn += [
            marks.line(data.dimensions, values, name, colour=colour, dash=dash),
            marks.points(data.chosen, here, name, colour=colour, shape=shape, size=5.5, drag=("chosen", "x")),
            marks.text(data.chosen, here, number(here), colour=colour, shift=(4, -10 if name == "Laplace" else 12)),
        ]
    return Panel(
        Axis(1, 1000, "number of counts d (log scale)", log=True),
        Axis(0.1, 1e5, "standard deviation of the noise on each count (people, log scale)", log=True),
        [marks.rule(x=min(data.overtakes, 1000), name="Gaussian wins from here on", shift=(0, 4)), *drawn],
    )


@dataclass(frozen=True)
class Choice:
    """The probability with which each candidate is chosen, by mechanism; shape (mechanisms, candidates)."""

    candidates: tuple[str, ...]
    mechanisms: tuple[str, ...]
    probabilities: np.ndarray
    epsilon: float


def draw_choice(data: Choice, *, into: Picture | None = None) -> Picture:
    """Bars for each candidate, side by side for the mechanisms."""
    picture, places = into, np.arange(len(data.candidates))
    width = 0.8 / len(data.mechanisms)
    if picture is None:
        with course_style():
            picture = Picture(680, 420)
            axes = picture.subplots()
            for i, name in enumerate(data.mechanisms):
                shifted = places + (i - (len(data.mechanisms) - 1) / 2) * width
                picture.parts[f"bars {i}"] = axes.bar(shifted, data.probabilities[i], width, label=name, **bars(i))
            axes.set_xticks(places, data.candidates, rotation=20, ha="right", rotation_mode="anchor")
            axes.set_ylim(0, 1)
            axes.set_ylabel("probability of being named")
            axes.set_title(f"Who is named the largest, at ε = {data.epsilon:g}")
            axes.legend(loc="upper right")
    for i in range(len(data.mechanisms)):
        for bar, height in zip(picture.parts[f"bars {i}"], data.probabilities[i], strict=True):
            bar.set_height(height)
    picture.alt = f"Probability of being named the largest at ε = {data.epsilon:g}: " + "; ".join(
        f"{name}: " + ", ".join(f"{c} {p:.2f}" for c, p in zip(data.candidates, row, strict=True))
        for name, row in zip(data.mechanisms, data.probabilities, strict=True)
    )
    return picture


@dataclass(frozen=True)
class Median:
    """The probability of each published median, by ε; `probabilities` has shape (epsilons, ages)."""

    ages: np.ndarray
    epsilons: tuple[float, ...]
    probabilities: np.ndarray
    truth: float


def draw_median(data: Median, *, into: Picture | None = None) -> Picture:
    """Where a private median falls."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(660, 420)
            axes = picture.subplots()
            for i, epsilon in enumerate(data.epsilons):
                (picture.parts[f"line {i}"],) = axes.plot([], [], label=f"ε = {epsilon:g}", **series(i))
            axes.axvline(data.truth, color=GREY, linestyle="--", linewidth=1.2)
            axes.annotate("true median", (data.truth, 0.98), (4, -10), ("data", "axes fraction"), "offset points")
            axes.set_xlim(data.ages[0], data.ages[-1])
            axes.set_ylim(0, 1.08 * float(data.probabilities.max()))
            axes.set_xlabel("published median (years)")
            axes.set_ylabel("probability")
            axes.set_title("A private median: each age is chosen by how near its rank is")
            axes.legend(loc="upper right")
    for i in range(len(data.epsilons)):
        picture.parts[f"line {i}"].set_data(data.ages, data.probabilities[i])
    near = np.abs(data.ages - data.truth) <= 2
    picture.alt = f"Probability of each published median age; the true one is {data.truth:g}. " + "; ".join(
        f"at ε = {epsilon:g} {row[near].sum():.0%} of answers lie within two years of it"
        for epsilon, row in zip(data.epsilons, data.probabilities, strict=True)
    )
    return picture
