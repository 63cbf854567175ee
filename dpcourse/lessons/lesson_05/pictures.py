"""Pictures of lesson 05: what many answers cost together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcourse.lessons.lesson_05.numbers import Prices
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREY, VERMILION, adjust, course_style, epsilon_axis, log_axis, series


@dataclass(frozen=True)
class TotalLoss:
    """A histogram of the total privacy loss of many answers, and the largest value it could take."""

    edges: np.ndarray
    heights: np.ndarray
    worst: float


def draw_total_loss(data: TotalLoss, *, into: Picture | None = None) -> Picture:
    """Where the total loss of many answers really lies, against the sum of the largest single losses.

    Parameters
    ----------
    data : TotalLoss
        `edges` has one entry more than `heights`, a density.
    into : Picture, optional
        A picture this function made, to draw again.
    """
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes, parts = picture.subplots(), picture.parts
            parts["loss"] = axes.stairs([1.0], [0.0, 1.0], fill=True, color=BLUE, alpha=0.6, label="total loss, drawn")
            parts["worst"] = axes.axvline(1, color=VERMILION, linestyle="--", label="sum of the largest losses (basic)")
            parts["other"] = axes.axvline(-1, color=VERMILION, linestyle="--")
            axes.set_xlabel("total privacy loss ln P/Q  (to the right: speaks for “in”)")
            axes.set_ylabel("density")
            axes.set_title("A hundred losses mostly cancel")
            axes.legend(loc="upper center")
    parts = picture.parts
    parts["loss"].set_data(data.heights, data.edges)
    for name, sign in (("worst", 1), ("other", -1)):
        parts[name].set_xdata([sign * data.worst] * 2)
    picture.axes[0].set(xlim=(-1.1 * data.worst, 1.1 * data.worst), ylim=(0, 1.45 * float(data.heights.max())))
    shown = data.heights > 0
    low, high = data.edges[:-1][shown].min(), data.edges[1:][shown].max()
    picture.alt = (
        f"Histogram of the total privacy loss: a bell between {low:.2g} and {high:.2g}, far inside the dashed lines at "
        f"−{data.worst:g} and {data.worst:g} that basic composition assumes."
    )
    return picture


@dataclass(frozen=True)
class Region:
    """For each ε of one answer, how many answers it takes for either form of advanced composition to win (∞: never)."""

    epsilons: np.ndarray
    first_k: np.ndarray
    tighter_k: np.ndarray
    delta: float


def draw_advanced_region(data: Region, *, into: Picture | None = None) -> Picture:
    """The region in which advanced composition is better than adding up, and the one in which it is worse."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes, parts = picture.subplots(), picture.parts
            (parts["boundary"],) = axes.plot([1], [1], color=BLACK, label="textbook form and basic agree")
            (parts["tighter"],) = axes.plot([1], [1], color=BLUE, linewidth=1.4, label="tighter form and basic agree")
            (parts["rule"],) = axes.plot([1], [1], color=VERMILION, linestyle=":", label="the rule k = 1/ε₀²")
            axes.axvline(np.log(2), color=GREY, linestyle="--", linewidth=1.4)
            axes.annotate("ln 2", (np.log(2), 3000), xytext=(4, 0), textcoords="offset points", color=GREY)
            epsilon_axis(axes, float(data.epsilons[0]), float(data.epsilons[-1]), label="ε₀ of one answer")
            log_axis(axes, 1, 1e5, which="y", label="number of answers k (log scale)")
            axes.text(0.4, 0.66, "advanced is better", transform=axes.transAxes, color=BLUE, fontsize=12)
            axes.text(0.04, 0.1, "adding up is better", transform=axes.transAxes, color=VERMILION, fontsize=12)
            axes.set_title(f"Where “advanced” (textbook form) pays, at δ = {data.delta:g}")
            axes.legend(loc="upper center", bbox_to_anchor=(0.42, 1.0))
    pays = np.isfinite(data.first_k)
    axes, parts = picture.axes[0], picture.parts
    parts["boundary"].set_data(data.epsilons[pays], data.first_k[pays])
    parts["tighter"].set_data(data.epsilons, data.tighter_k)
    parts["rule"].set_data(data.epsilons, 1 / data.epsilons**2)
    for name, end, colour in (("better", 1e5, BLUE), ("worse", 1, VERMILION)):
        if name in parts:
            parts[name].remove()
        y = np.minimum(data.first_k, 1e5)
        parts[name] = axes.fill_between(data.epsilons, y, end, color=colour, alpha=0.12, linewidth=0)
    first = data.first_k[pays]
    picture.alt = (
        f"Advanced composition in its textbook form beats adding up above a curve that runs from {first[0]:.0f} "
        f"answers at ε = {data.epsilons[pays][0]:.2g} to {first[-1]:.3g} at ε = {data.epsilons[pays][-1]:.2g} and "
        "never beyond ln 2 = 0.693. The tighter form does so at every ε, from "
        f"{data.tighter_k[0]:.0f} answers on at first and from {data.tighter_k[-1]:.0f} at the end. "
        "The rule 1/ε² falls from 10,000 to 1 and crosses both."
    )
    return picture


@dataclass(frozen=True)
class Orders:
    """The ε that each Rényi order proves, and what basic composition gives."""

    orders: np.ndarray
    epsilons: np.ndarray
    basic: float
    delta: float


def draw_orders(data: Orders, *, into: Picture | None = None) -> Picture:
    """ε as a function of the Rényi order: every order is valid, the lowest point is quoted."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture()
            axes, parts = picture.subplots(), picture.parts
            (parts["curve"],) = axes.plot([1], [1], color=BLUE, label="ε that order α proves")
            parts["basic"] = axes.axhline(1, color=VERMILION, linestyle="--", label="basic composition")
            (parts["best"],) = axes.plot([1], [1], color=BLACK, marker="o", linestyle="none", label="the order to use")
            log_axis(axes, float(data.orders[0]), float(data.orders[-1]), label="order α (log scale)")
            axes.set_ylabel("more private ↓        total ε")
            axes.legend(loc="upper center")
            parts["title"] = axes.set_title(" ")
    best = int(np.argmin(data.epsilons))
    parts, axes = picture.parts, picture.axes[0]
    parts["curve"].set_data(data.orders, data.epsilons)
    parts["best"].set_data([data.orders[best]], [data.epsilons[best]])
    parts["basic"].set_ydata([data.basic] * 2)
    adjust(axes, ylim=(0, 2 * data.basic))
    parts["title"].set_text(f"Each order gives a true ε at δ = {data.delta:g}; quote the lowest")
    picture.alt = (
        f"The ε proved by each Rényi order from {data.orders[0]:.2g} to {data.orders[-1]:.3g}: it falls to "
        f"{data.epsilons[best]:.3g} at order {data.orders[best]:.2g} and rises to {data.epsilons[-1]:.3g}; "
        f"basic composition gives {data.basic:g}."
    )
    return picture


def method_marks(data: Prices) -> Panel:
    """What each method says the total is, as a multiple of what adding up says; the number of answers can be
    dragged."""
    names, drawn = list(data.curves), []
    for i, name in enumerate(names):
        share = data.curves[name] / data.curves["basic"]
        drawn += [
            marks.line(data.ks, share, name, colour=i, dash=marks.DASHES[i % len(marks.DASHES)]),
            marks.points(data.k, data.here[name] / data.here["basic"], name, colour=i, size=5, drag=("k", "x")),
        ]
    return Panel(
        Axis(1, float(data.ks[-1]), "number of answers k (log scale)", log=True),
        Axis(0.01, 30, "total ε as a multiple of adding up, k·ε₀ (log scale)", log=True),
        [marks.rule(x=data.k, width=1), *drawn],
    )


@dataclass(frozen=True)
class Thresholds:
    """Standard deviation (people) of each answer "how many are at least this old", by strategy."""

    ages: np.ndarray
    deviations: Mapping[str, np.ndarray]


def draw_thresholds(data: Thresholds, *, into: Picture | None = None) -> Picture:
    """The noise on 73 overlapping answers under one budget, one line a strategy."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(640, 420)
            axes, parts = picture.subplots(), picture.parts
            for i, name in enumerate(data.deviations):
                (parts[name],) = axes.plot([1], [1], label=name, markevery=12, **series(i))
            axes.set_xlim(float(data.ages[0]), float(data.ages[-1]))
            axes.set_xlabel("how many are at least this old (years)")
            log_axis(axes, 1, 1000, which="y", label="noise, one standard deviation (people, log scale)")
            axes.set_title("One budget, 73 overlapping questions: the design decides")
            axes.legend(loc="upper left", ncols=2)
    for name, deviation in data.deviations.items():
        picture.parts[name].set_data(data.ages, deviation)
    picture.alt = "Standard deviation of the noise on 73 cumulative counts under one budget: " + "; ".join(
        f"{name} {deviation[0]:.3g}" + (f" falling to {deviation[-1]:.3g}" if deviation[-1] < deviation[0] else "")
        for name, deviation in data.deviations.items()
    )
    return picture


@dataclass(frozen=True)
class Choice:
    """After a first answer of loss `losses` (density `density`): what either second answer adds to δ."""

    losses: np.ndarray
    density: np.ndarray
    gaussian: np.ndarray
    response: np.ndarray


def draw_choice(data: Choice, *, into: Picture | None = None) -> Picture:
    """What each second answer adds to δ, by the loss of the first: whoever chooses afterwards takes the upper line."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(640, 420)
            axes, parts = picture.subplots(), picture.parts
            labels = {"gaussian": "then a Gaussian answer", "response": "then randomized response"}
            for i, (name, label) in enumerate(labels.items()):
                (parts[name],) = axes.plot([0], [0], label=label, **series(i, marker=False))
            wide: dict[str, Any] = {"color": BLACK, "linewidth": 5, "alpha": 0.2, "zorder": 0}
            (parts["upper"],) = axes.plot([0], [0], label="Dora takes the larger", **wide)
            axes.set_xlabel("loss l of the first answer")
            axes.set_ylabel("contribution to δ at ε = 1, in units of 1e-5\n(density of l times what follows)")
            axes.set_title("Choosing after the first answer collects the upper line")
            axes.legend(loc="upper left")
    gaussian, response = 1e5 * data.density * data.gaussian, 1e5 * data.density * data.response
    for name, line in (("gaussian", gaussian), ("response", response), ("upper", np.maximum(gaussian, response))):
        picture.parts[name].set_data(data.losses, line)
    top = float(max(gaussian.max(), response.max()))
    picture.axes[0].set(xlim=(0, 0.8), ylim=(0, 1.1 * top))
    apart = data.losses[(response > gaussian) & (response > 0)]
    picture.alt = (
        f"Two curves over the loss of the first answer. The Gaussian's peaks at loss "
        f"{data.losses[gaussian.argmax()]:.2g}; that of randomized response is zero up to {apart.min():.2g}, "
        f"then rises above it and peaks at {data.losses[response.argmax()]:.2g}. A grey line follows the larger one."
    )
    return picture
