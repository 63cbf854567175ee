"""Pictures of lesson 02: two hills, the attacker's region, beliefs, the privacy loss, and what δ adds up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.patches import Polygon
from matplotlib.ticker import NullLocator, PercentFormatter

from dpcourse.lessons.lesson_02.numbers import Attacker, Hills
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREY, VERMILION, course_style, epsilon_axis, series

# The part of a hill that δ counts: darker, and hatched, so that it is not told by colour alone.
_OVERHANG = {"facecolor": BLUE, "alpha": 0.6, "hatch": "//", "edgecolor": "white", "linewidth": 0}


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
            left.set_xlabel("FPR: says “smokes”, and she does not")
            left.set_ylabel("TPR: says “smokes”, and she does")
            parts["left title"] = left.set_title(" ")
            parts["legend"] = left.legend(loc="lower right")
            parts["band"] = right.add_patch(Polygon([(0, 0), (1, 1)], facecolor=BLUE, alpha=0.18, linewidth=0))
            (parts["high"],) = right.plot([], [], color=BLUE, linestyle="-")
            (parts["low"],) = right.plot([], [], color=BLUE, linestyle="-.")
            right.plot([0, 1], [0, 1], color=GREY, linestyle=":", linewidth=1.4)
            (parts["belief"],) = right.plot([], [], "s-", color=VERMILION, fillstyle="none", linewidth=1.4)
            right.set_xlabel("belief in Ana's yes before the release")
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
        f"At ε = {data.epsilon:.3g}, δ = {data.delta:g}: an attacker who bets at even odds is right at most "
        f"{data.accuracy:.1%} of the time; a false positive rate of 5% allows a true positive rate of "
        f"{np.interp(0.05, data.fpr, data.best):.1%}, and {data.name} gives "
        f"{np.interp(0.05, data.fpr, data.mechanism):.1%}. A belief of {data.prior:.1%} becomes between "
        f"{data.belief[0]:.1%} and {data.belief[1]:.1%}{exception}."
    )
    return picture


def draw_hills(data: Hills) -> Picture:
    """Above, the two hills and the area that δ counts; below, how many times as high the solid one is."""
    with course_style():
        picture = Picture(720, 520)
        above, below = picture.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        above.plot(data.x, data.no, color=VERMILION, linestyle="--")
        above.plot(data.x, data.yes, color=BLUE)
        over = data.yes > np.exp(data.epsilon) * data.no * (1 + 1e-9)
        if data.delta:
            above.fill_between(data.x, 0, data.yes, where=over, color=BLUE, alpha=0.15, linewidth=0)
            above.fill_between(data.x, np.exp(data.epsilon) * data.no, data.yes, where=over, **_OVERHANG)
            at = data.x[over][len(data.x[over]) // 5]
            height = float(np.interp(at, data.x, data.yes + np.exp(data.epsilon) * data.no)) / 2
            words = f"δ = {data.delta:.3f}: the part\nabove e^ε times\nthe dashed hill"
            line = {"arrowstyle": "-", "color": BLACK}
            above.annotate(words, (at, height), xytext=(at + 0.4, 1.6 * height), arrowprops=line, va="bottom")
        peak = float(data.yes.max())
        with_yes, with_no = (
            f"if Ana smokes\n(true count {data.count + 1})",
            f"if she does not\n(true count {data.count})",
        )
        above.text(data.count + 1.8, peak, with_yes, color=BLUE, va="top")
        above.text(data.count - 0.8, peak, with_no, color=VERMILION, va="top", ha="right")
        above.set(ylim=(0, 1.08 * peak), ylabel="probability density")
        above.set_title(f"{data.noise} noise: what Mara may publish")
        band = np.exp(data.epsilon)
        below.axhspan(1 / band, band, color=GREY, alpha=0.18, linewidth=0)
        below.plot(data.x, data.yes / data.no, color=BLACK)
        below.set_yscale("log")
        low, high = data.x[0], data.x[-1]
        below.set(xlim=(low, high), ylim=(1 / 40, 40) if data.delta else (0.2, 5))
        below.text(low + 0.1, band, f"e^ε = {band:.2f}", va="bottom", color=BLACK)
        below.text(low + 0.1, 1 / band, f"1/e^ε = {1 / band:.2f}", va="bottom", color=BLACK)
        ticks = [1 / 10, 1, 10] if data.delta else [0.25, 0.5, 1, 2, 4]
        below.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        below.yaxis.set_minor_locator(NullLocator())
        below.set_ylabel("times as likely\nif Ana smokes")
        below.set_xlabel("published number")
    ratios = data.yes / data.no
    picture.alt = (
        f"Two hills of {data.noise} noise, around {data.count + 1} if Ana smokes and around {data.count} if "
        "she does not. "
        f"The solid hill is between {ratios.min():.2g} and {ratios.max():.3g} times as high as the dashed one; "
        f"the band of ε = {data.epsilon:g} goes from {1 / band:.2f} to {band:.2f}. "
        f"It is left with probability {data.tail:.3g}, and δ = {data.delta:.3g}."
    )
    return picture


@dataclass(frozen=True)
class Attacks:
    """The best attack on each of some mechanisms that keep one (ε, δ) claim, inside what the claim allows.

    `fpr` and `allowed` have shape (rates,), `rates` shape (mechanisms, rates); `at` says at which false positive rate
    each curve is labelled.
    """

    epsilon: float
    delta: float
    fpr: np.ndarray
    allowed: np.ndarray
    names: tuple[str, ...]
    rates: np.ndarray
    at: tuple[float, ...]


def draw_attacks(data: Attacks) -> Picture:
    """Trade-off curves of several mechanisms inside the region of their claim."""
    with course_style():
        picture = Picture(600, 560)
        axes = picture.subplots()
        axes.add_patch(Polygon(_between(data.fpr, 1 - data.allowed[::-1], data.allowed), facecolor=GREY, alpha=0.18))
        axes.plot(data.fpr, data.allowed, color=BLACK, linewidth=1.4)
        for i, (name, rates, at) in enumerate(zip(data.names, data.rates, data.at, strict=True)):
            style = series(i, marker=False)
            axes.plot(data.fpr, rates, **style)
            axes.annotate(
                name,
                (at, float(np.interp(at, data.fpr, rates))),
                xytext=(at + 0.12, float(np.interp(at, data.fpr, rates)) - 0.1),
                color=style["color"],
                arrowprops={"arrowstyle": "-", "color": style["color"]},
                bbox={"facecolor": "white", "linewidth": 0, "pad": 1.5},
            )
        axes.plot([0, 1], [0, 1], color=BLACK, linestyle=":", linewidth=1.2)
        axes.text(0.6, 0.545, "guessing", rotation=45, rotation_mode="anchor")
        axes.text(0.02, 0.87, "no attack comes up here", color=BLACK)
        axes.text(0.44, 0.31, "grey: what the claim allows", color=BLACK)
        axes.annotate(f"δ = {data.delta:g}", (0, data.delta), xytext=(0.08, 0.02), arrowprops={"arrowstyle": "-"})
        axes.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
        axes.xaxis.set_major_formatter(PercentFormatter(1))
        axes.yaxis.set_major_formatter(PercentFormatter(1))
        axes.set_xlabel("false positive rate: says “smokes”, and she does not")
        axes.set_ylabel("true positive rate: says “smokes”, and she does")
        axes.set_title(f"Best attacks under one claim: ε = {data.epsilon:g}, δ = {data.delta:g}")
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
    """For some mechanisms, by x: the chance of a loss above x, shape (mechanisms, x).

    Each name is written at its place in `labels`, with a line to its curve at the x in `points`.
    """

    x: np.ndarray
    names: tuple[str, ...]
    exceed: np.ndarray
    epsilon: float
    labels: tuple[tuple[float, float], ...]
    points: tuple[float, ...]


def draw_losses(data: Losses) -> Picture:
    """How often the privacy loss exceeds each value, mechanisms side by side."""
    with course_style():
        picture = Picture(660, 420)
        axes = picture.subplots()
        for i, (name, row, place) in enumerate(zip(data.names, data.exceed, data.labels, strict=True)):
            style = series(i, marker=False)
            axes.plot(data.x, row, **style)
            point = (data.points[i], float(np.interp(data.points[i], data.x, row)))
            line = {"arrowstyle": "-", "color": style["color"]}
            axes.annotate(name, point, xytext=place, color=style["color"], arrowprops=line)
        axes.axvline(data.epsilon, color=GREY, linewidth=1.2)
        axes.annotate(f"ε = {data.epsilon:g}", (data.epsilon, 0.95), xytext=(5, 0), textcoords="offset points")
        axes.set(xlim=(data.x[0], data.x[-1]), ylim=(-0.02, 1.04))
        axes.set_xlabel("privacy loss x: the output is e^x times as likely with the person as without")
        axes.set_ylabel("chance of a larger loss than x")
        axes.set_title("Where the loss can go")
    picture.alt = f"Chance that the privacy loss exceeds ε = {data.epsilon:.3g}: " + ", ".join(
        f"{name} {np.interp(data.epsilon + 1e-9, data.x, row):.2g}"
        for name, row in zip(data.names, data.exceed, strict=True)
    )
    return picture


@dataclass(frozen=True)
class DeltaCurve:
    """For one mechanism, shape (ε,): δ(ε), and the chance that the loss exceeds ε."""

    name: str
    epsilon: np.ndarray
    delta: np.ndarray
    exceed: np.ndarray


def draw_delta(data: DeltaCurve) -> Picture:
    """δ(ε) beside the chance of a loss above ε, which is larger."""
    with course_style():
        picture = Picture(660, 420)
        axes = picture.subplots()
        middle = len(data.epsilon) // 2
        for i, (words, row, below) in enumerate(
            (("δ(ε)", data.delta, True), ("chance of a loss above ε", data.exceed, False))
        ):
            style = series(i, marker=False)
            axes.plot(data.epsilon, row, **style)
            axes.annotate(
                words,
                (data.epsilon[middle], row[middle]),
                xytext=(-8, -14) if below else (8, 6),
                textcoords="offset points",
                color=style["color"],
                ha="right" if below else "left",
            )
        epsilon_axis(axes, data.epsilon[0], data.epsilon[-1], label="ε")
        axes.set(yscale="log", ylim=(float(data.delta.min()), 1))
        axes.set_ylabel("probability (log scale)")
        axes.set_title(f"{data.name}: δ is less than the chance of a loss above ε")
    picture.alt = (
        f"{data.name}: at ε = 1 the loss exceeds ε with probability {np.interp(1.0, data.epsilon, data.exceed):.3g}, "
        f"and δ is {np.interp(1.0, data.epsilon, data.delta):.3g}; both fall as ε grows."
    )
    return picture


def _between(x: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The outline of the area between two curves, as points."""
    return np.column_stack([np.concatenate([x, x[::-1]]), np.concatenate([high, low[::-1]])])
