"""Pictures of lesson 02: two hills, the attacker's region, beliefs, the privacy loss, and what δ adds up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.patches import Polygon
from matplotlib.ticker import NullLocator, PercentFormatter

from dpcourse.lessons.lesson_02.numbers import Attacker, Hills
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREY, VERMILION, course_style, epsilon_axis, series
from dpcourse.plots.words import number

# The part of a hill that δ counts: darker, and hatched, so that it is not told by colour alone.
_OVERHANG = {"facecolor": VERMILION, "alpha": 0.6, "hatch": "//", "edgecolor": "white", "linewidth": 0}


def attacker_marks(data: Attacker) -> list[Panel]:
    """Left, the attacks that the claim allows; right, how far a belief can move."""
    shares = (0, 0.25, 0.5, 0.75, 1)
    room = [
        marks.area(data.fpr, data.worst, data.best),
        marks.line([0, 1], [0, 1], colour=marks.GREY, dash="2 3", width=1.4, hover=False),
        marks.line(data.fpr, data.best, "limit of the claim", label=""),
        marks.line(data.fpr, data.mechanism, data.name, colour=marks.VERMILION, dash="7 4", label=""),
        marks.text(0.98, 0.12, "limit of the claim", colour=marks.BLUE, anchor="end"),
        marks.text(0.98, 0.05, f"best attack on {data.name}", colour=marks.VERMILION, anchor="end"),
        marks.text(0.98, 0.19, "dotted: guessing", colour=marks.GREY, anchor="end"),
    ]
    low, high = data.belief
    belief = [
        marks.area(data.priors, data.low, data.high),
        marks.line([0, 1], [0, 1], colour=marks.GREY, dash="2 3", width=1.4, hover=False),
        marks.line(data.priors, data.high, "highest", label=""),
        marks.line(data.priors, data.low, "lowest", dash="9 3 2 3", label=""),
        marks.spans(data.prior, low, data.prior, high, colour=marks.VERMILION),
        marks.points([data.prior] * 2, [low, high], "Boris", colour=marks.VERMILION, shape="s", drag=("prior", "x")),
        marks.text(data.prior, high, number(high, "%"), colour=marks.VERMILION, shift=(2, -8)),
        marks.text(data.prior, low, number(low, "%"), colour=marks.VERMILION, shift=(2, 10)),
    ]
    return [
        Panel(Axis(0, 1, "says “smokes”, and she does not", ticks=shares, unit="%"),
              Axis(0, 1, "says “smokes”, and she does", ticks=shares, unit="%"), room, title="What attacks can reach"),
        Panel(Axis(0, 1, "belief in Ana's yes before", ticks=shares, unit="%"),
              Axis(0, 1, "belief after", ticks=shares, unit="%"), belief, title="How far a belief can move"),
    ]  # fmt: skip


def draw_hills(data: Hills) -> Picture:
    """Above, the two hills and the area that δ counts; below, how many times as high the dashed one is."""
    with course_style():
        picture = Picture(720, 520)
        above, below = picture.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        above.plot(data.x, data.no, color=BLUE)
        above.plot(data.x, data.yes, color=VERMILION, linestyle="--")
        over = data.yes > np.exp(data.epsilon) * data.no * (1 + 1e-9)
        if data.delta:
            above.fill_between(data.x, 0, data.yes, where=over, color=VERMILION, alpha=0.15, linewidth=0)
            above.fill_between(data.x, np.exp(data.epsilon) * data.no, data.yes, where=over, **_OVERHANG)
            at = data.x[over][len(data.x[over]) // 5]
            height = float(np.interp(at, data.x, data.yes + np.exp(data.epsilon) * data.no)) / 2
            words = f"δ = {data.delta:.3f}: the part\nabove e^ε times\nthe solid hill"
            line = {"arrowstyle": "-", "color": BLACK}
            above.annotate(words, (at, height), xytext=(at + 0.4, 1.6 * height), arrowprops=line, va="bottom")
        peak = float(data.yes.max())
        with_yes, with_no = (
            f"if Ana smokes\n(true count {data.count + 1})",
            f"if she does not\n(true count {data.count})",
        )
        above.text(data.count + 1.8, peak, with_yes, color=VERMILION, va="top")
        above.text(data.count - 0.8, peak, with_no, color=BLUE, va="top", ha="right")
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
        f"The dashed hill is between {ratios.min():.2g} and {ratios.max():.3g} times as high as the solid one; "
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
