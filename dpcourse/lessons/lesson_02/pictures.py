"""Pictures of lesson 02: the attacker's region, beliefs before and after, the privacy loss, and what δ adds up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.patches import Polygon
from matplotlib.ticker import PercentFormatter

from dpcourse.lessons.lesson_02.numbers import Attacker
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREY, VERMILION, course_style, epsilon_axis, series


def draw_attacker(data: Attacker, *, into: Picture | None = None) -> Picture:
    """Left, the attacks that the claim allows; right, how far a belief can move.

    Parameters
    ----------
    data : Attacker
        Rates and beliefs in [0, 1].
    into : Picture, optional
        A picture this function made, to draw again.
    """
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(760, 410)
            left, right = picture.subplots(1, 2, sharey=True)
            parts = picture.parts
            parts["region"] = left.add_patch(
                Polygon([(0, 0), (1, 1)], facecolor=BLUE, alpha=0.18, label="what the claim allows")
            )
            (parts["best"],) = left.plot([], [], color=BLUE, linestyle="-", label="best attack allowed")
            (parts["mechanism"],) = left.plot([], [], color=VERMILION, linestyle="--", label=" ")
            left.plot([0, 1], [0, 1], color=GREY, linestyle=":", linewidth=1.4)
            left.set_xlabel("false positive rate: calls “in”, is out")
            left.set_ylabel("true positive rate: calls “in”, is in")
            parts["left title"] = left.set_title(" ")
            parts["legend"] = left.legend(loc="lower right")
            parts["band"] = right.add_patch(Polygon([(0, 0), (1, 1)], facecolor=BLUE, alpha=0.18, linewidth=0))
            (parts["high"],) = right.plot([], [], color=BLUE, linestyle="-")
            (parts["low"],) = right.plot([], [], color=BLUE, linestyle="-.")
            right.plot([0, 1], [0, 1], color=GREY, linestyle=":", linewidth=1.4)
            (parts["belief"],) = right.plot([], [], "s-", color=VERMILION, fillstyle="none", linewidth=1.4)
            right.set_xlabel("belief in “in” before the release")
            right.set_ylabel("belief after: highest and lowest")
            parts["right title"] = right.set_title(" ")
            for axes in (left, right):
                axes.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
                # Few ticks: text is most of what drawing costs, and this picture follows a slider.
                axes.set_xticks([0, 0.25, 0.5, 0.75, 1])
                axes.xaxis.set_major_formatter(PercentFormatter(1))
            left.set_yticks([0, 0.25, 0.5, 0.75, 1])
            left.yaxis.set_major_formatter(PercentFormatter(1))
    parts = picture.parts
    parts["region"].set_xy(_between(data.fpr, data.worst, data.best))
    parts["best"].set_data(data.fpr, data.best)
    parts["mechanism"].set_data(data.fpr, data.mechanism)
    parts["legend"].get_texts()[2].set_text(f"best attack on {data.name}")
    parts["left title"].set_text(f"right at most {data.accuracy:.1%} of the time")
    parts["band"].set_xy(_between(data.priors, data.low, data.high))
    parts["high"].set_data(data.priors, data.high)
    parts["low"].set_data(data.priors, data.low)
    parts["belief"].set_data([data.prior, data.prior], data.belief)
    parts["right title"].set_text(f"{data.prior:.1%} before: {data.belief[0]:.1%} to {data.belief[1]:.1%} after")
    exception = f", leaving aside outputs that give the matter away (probability δ = {data.delta:g})" * (data.delta > 0)
    picture.alt = (
        f"At ε = {data.epsilon:.3g}, δ = {data.delta:g}: an attacker who must tell in from out is right at most "
        f"{data.accuracy:.1%} of the time; a false positive rate of 5% allows a true positive rate of "
        f"{np.interp(0.05, data.fpr, data.best):.1%}, and {data.name} gives "
        f"{np.interp(0.05, data.fpr, data.mechanism):.1%}. A belief of {data.prior:.1%} becomes between "
        f"{data.belief[0]:.1%} and {data.belief[1]:.1%}{exception}."
    )
    return picture


@dataclass(frozen=True)
class Attacks:
    """The best attack on each of some mechanisms that keep one (ε, δ) claim, inside what the claim allows."""

    epsilon: float
    delta: float
    fpr: np.ndarray
    allowed: np.ndarray
    names: tuple[str, ...]
    rates: np.ndarray


def draw_attacks(data: Attacks, *, into: Picture | None = None) -> Picture:
    """ROC curves of several mechanisms inside the region of their claim; `rates` has shape (mechanisms, rates)."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(600, 500)
            axes = picture.subplots()
            region = Polygon([(0, 0), (1, 1)], facecolor=GREY, alpha=0.2, label="allowed by the claim")
            picture.parts["region"] = axes.add_patch(region)
            for i, name in enumerate(data.names):
                (picture.parts[f"line {i}"],) = axes.plot([], [], label=name, **series(i, marker=False))
            axes.plot([0, 1], [0, 1], color=BLACK, linestyle=":", linewidth=1.2)
            axes.annotate("guessing", (0.62, 0.62), xytext=(4, -12), textcoords="offset points")
            axes.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
            axes.xaxis.set_major_formatter(PercentFormatter(1))
            axes.yaxis.set_major_formatter(PercentFormatter(1))
            axes.set_xlabel("false positive rate: calls “in”, is out")
            axes.set_ylabel("true positive rate: calls “in”, is in")
            axes.set_title(f"Best attacks at ε = {data.epsilon:g}, δ = {data.delta:g}")
            axes.legend(loc="lower right")
    picture.parts["region"].set_xy(_between(data.fpr, 1 - data.allowed[::-1], data.allowed))
    for i, rates in enumerate(data.rates):
        picture.parts[f"line {i}"].set_data(data.fpr, rates)
    picture.alt = (
        f"True positive rate at a false positive rate of 10%: at most {np.interp(0.1, data.fpr, data.allowed):.1%} "
        f"allowed by ε = {data.epsilon:g}, δ = {data.delta:g}; "
        + ", ".join(
            f"{name} {np.interp(0.1, data.fpr, rates):.1%}" for name, rates in zip(data.names, data.rates, strict=True)
        )
    )
    return picture


@dataclass(frozen=True)
class Losses:
    """For some mechanisms: the chance that the loss exceeds x, by x."""

    x: np.ndarray
    names: tuple[str, ...]
    exceed: np.ndarray
    epsilon: float


def draw_losses(data: Losses, *, into: Picture | None = None) -> Picture:
    """How often the privacy loss exceeds each value, mechanisms side by side; `exceed` has shape (mechanisms, x)."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(660, 420)
            axes = picture.subplots()
            for i, name in enumerate(data.names):
                (picture.parts[f"line {i}"],) = axes.plot([], [], label=name, **series(i, marker=False))
            axes.axvline(data.epsilon, color=GREY, linewidth=1.2)
            axes.annotate("ε", (data.epsilon, 0.95), xytext=(5, 0), textcoords="offset points")
            axes.set_xlim(data.x[0], data.x[-1])
            axes.set_ylim(-0.02, 1.02)
            axes.set_xlabel("privacy loss x: the output is e^x times as likely with the person as without")
            axes.set_ylabel("chance of a larger loss than x")
            axes.set_title("Where the loss can go")
            axes.legend(loc="lower left")
    for i, exceed in enumerate(data.exceed):
        picture.parts[f"line {i}"].set_data(data.x, exceed)
    picture.alt = f"Chance that the privacy loss exceeds ε = {data.epsilon:.3g}: " + ", ".join(
        f"{name} {np.interp(data.epsilon + 1e-9, data.x, row):.2g}"
        for name, row in zip(data.names, data.exceed, strict=True)
    )
    return picture


@dataclass(frozen=True)
class DeltaCurve:
    """For one mechanism: δ(ε), and the chance that the loss exceeds ε, by ε."""

    name: str
    epsilon: np.ndarray
    delta: np.ndarray
    exceed: np.ndarray


def draw_delta(data: DeltaCurve, *, into: Picture | None = None) -> Picture:
    """δ(ε) beside the chance of a loss above ε, which is larger; both shape (ε,)."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(660, 420)
            axes = picture.subplots()
            (picture.parts["exceed"],) = axes.plot([], [], label="chance of a loss above ε", **series(1, marker=False))
            (picture.parts["delta"],) = axes.plot([], [], label="δ(ε)", **series(0, marker=False))
            epsilon_axis(axes, data.epsilon[0], data.epsilon[-1], label="ε")
            axes.set(yscale="log", ylim=(1e-6, 1))
            axes.set_ylabel("probability (log scale)")
            axes.set_title(f"{data.name}: δ is less than the chance of a loss above ε")
            axes.legend(loc="lower left")
    picture.parts["exceed"].set_data(data.epsilon, data.exceed)
    picture.parts["delta"].set_data(data.epsilon, data.delta)
    picture.alt = (
        f"{data.name}: at ε = 1 the loss exceeds ε with probability {np.interp(1.0, data.epsilon, data.exceed):.3g}, "
        f"and δ is {np.interp(1.0, data.epsilon, data.delta):.3g}; both fall as ε grows."
    )
    return picture


def _between(x: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The outline of the area between two curves, as points."""
    return np.column_stack([np.concatenate([x, x[::-1]]), np.concatenate([high, low[::-1]])])
