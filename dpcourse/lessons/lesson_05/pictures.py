"""Pictures of lesson 05: what many answers cost together."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dpcourse.lessons.lesson_05.numbers import Prices
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.still import Still
from dpcourse.plots.words import number


def draw_total_loss(edges: np.ndarray, heights: np.ndarray, worst: float) -> Still:
    """Where the total loss of many answers really lies, against the sum of the largest single losses, `worst`.
    `heights` is a density, one entry fewer than `edges`."""
    middles, top = (edges[1:] + edges[:-1]) / 2, 1.25 * float(heights.max())
    panel = Panel(
        Axis(-1.1 * worst, 1.1 * worst, "total privacy loss ln P/Q  (to the right: speaks for “in”)"),
        Axis(0, top, "density"),
        [
            marks.bars(middles, heights, "total loss", width=edges[1] - edges[0]),
            marks.rule(x=-worst, colour=marks.VERMILION, dash="7 4"),
            marks.rule(x=worst, colour=marks.VERMILION, dash="7 4"),
            marks.text(worst, 0.93 * top, "basic composition assumes this", colour=marks.VERMILION),
            marks.text(edges[-1], 0.4 * heights.max(), "total losses, drawn", colour=marks.BLUE, anchor="start"),
        ],
        title="A hundred losses mostly cancel",
    )
    low, high = edges[:-1][heights > 0].min(), edges[1:][heights > 0].max()
    alt = (
        f"Histogram of the total privacy loss: a bell between {low:.2g} and {high:.2g}, far inside the dashed lines at "
        f"−{worst:g} and {worst:g} that basic composition assumes."
    )
    return Still(panel, alt=alt)


def draw_advanced_region(epsilons: np.ndarray, first_k: np.ndarray, tighter_k: np.ndarray, delta: float) -> Still:
    """Where advanced composition is better than adding up, by the ε of one answer: for more than `first_k` answers (∞:
    never), in its tighter form for more than `tighter_k`."""
    pays, last = np.isfinite(first_k), 1e5
    boundary = np.minimum(first_k, last)
    panel = Panel(
        marks.epsilon_axis(epsilons[0], epsilons[-1], "ε₀ of one answer"),
        Axis(1, last, "number of answers k (log scale)", log=True),
        [
            marks.area(epsilons, boundary, last, opacity=0.12),
            marks.area(epsilons, 1, boundary, colour=marks.VERMILION, opacity=0.12),
            marks.rule(x=np.log(2)),
            marks.text(np.log(2), 300, "ln 2", colour=marks.GREY, anchor="start"),
            marks.line(
                epsilons, tighter_k, "tighter form", colour=marks.GREEN, dash="7 4", label_at="start", shift=(90, 14)
            ),
            marks.line(
                epsilons[pays], first_k[pays], "textbook form", colour=marks.INK, label_at="start", shift=(10, -26)
            ),
            marks.text(0.2, 3000, "advanced is better", colour=marks.BLUE),
            marks.text(0.011, 3, "adding up is better", colour=marks.VERMILION),
        ],
        title=f"Where “advanced” (textbook form) pays, at δ = {number(delta)}",
    )
    first, tighter = np.floor(first_k[pays]) + 1, np.floor(tighter_k) + 1
    alt = (
        f"Advanced composition in its textbook form beats adding up above a curve that runs from {first[0]:.0f} "
        f"answers at ε = {epsilons[pays][0]:.2g} to {number(first[-1])} at ε = {epsilons[pays][-1]:.4g} and "
        "never beyond ln 2 = 0.693. The tighter form does so at every ε, from "
        f"{tighter[0]:.0f} answers on at first and from {tighter[-1]:.0f} at the end."
    )
    return Still(panel, alt=alt)


def draw_orders(orders: np.ndarray, epsilons: np.ndarray, basic: float, delta: float) -> Still:
    """ε as a function of the Rényi order: every order is valid, the lowest point is quoted."""
    best = int(np.argmin(epsilons))
    lowest = float(epsilons[best])
    panel = Panel(
        Axis(orders[0], orders[-1], "order α (log scale)", log=True),
        Axis(0, 2 * basic, "total ε (↓ more private)"),
        [
            marks.rule(y=basic, name="adding up", colour=marks.VERMILION, dash="7 4"),
            marks.line(orders, epsilons, "ε that order α proves", label_at="start", shift=(30, 50)),
            marks.points(orders[best], lowest, "the order to use", colour=marks.INK, size=5.5),
            marks.text(orders[best], lowest, f"quote this: {number(lowest)}", anchor="middle", shift=(0, 16)),
        ],
        title=f"Each order gives a true ε at δ = {number(delta)}; quote the lowest",
    )
    alt = (
        f"The ε proved by each Rényi order from {orders[0]:.2g} to {orders[-1]:.3g}: it falls to {lowest:.3g} at order "
        f"{orders[best]:.2g} and rises to {epsilons[-1]:.3g}; basic composition gives {basic:g}."
    )
    return Still(panel, alt=alt)


def method_marks(data: Prices) -> Panel:
    """What each method says the total is, as a multiple of what adding up says; the number of answers can be
    dragged."""
    shares = {name: curve / data.curves["basic"] for name, curve in data.curves.items()}
    here = [data.here[name] / data.here["basic"] for name in shares]
    return Panel(
        Axis(1, float(data.ks[-1]), "number of answers k (log scale)", log=True),
        Axis(0.01, 30, "total ε as a multiple of adding up, k·ε₀ (log scale)", log=True),
        [marks.rule(x=data.k, width=1), *marks.lines(data.ks, shares, here=(data.k, here), drag=("k", "x"))],
    )


def draw_thresholds(ages: np.ndarray, deviations: Mapping[str, np.ndarray]) -> Still:
    """The noise (standard deviation, people) on overlapping answers "how many are at least this old" under one budget,
    one line a strategy."""
    panel = Panel(
        Axis(ages[0], ages[-1], "how many are at least this old (years)"),
        Axis(1, 200, "noise, one standard deviation (people, log scale)", log=True),
        marks.lines(ages, deviations, label_at="start", shift=(20, -10)),
        title=f"One budget, {len(ages)} overlapping questions: the design decides",
    )
    alt = f"Standard deviation of the noise on {len(ages)} cumulative counts under one budget: " + "; ".join(
        f"{name} {deviation[0]:.3g}" + (f" falling to {deviation[-1]:.3g}" if deviation[-1] < deviation[0] else "")
        for name, deviation in deviations.items()
    )
    return Still(panel, alt=alt)


def draw_choice(losses: np.ndarray, density: np.ndarray, gaussian: np.ndarray, response: np.ndarray) -> Still:
    """What each second answer adds to δ, by the loss of the first, which has this `density`: whoever chooses afterwards
    takes the upper line."""
    gaussian, response = 1e5 * density * gaussian, 1e5 * density * response
    upper, dashed = np.maximum(gaussian, response), losses[response.argmax()]
    level = float(np.interp(0.2, losses, gaussian))
    panel = Panel(
        Axis(0, 0.8, "loss l of the first answer"),
        Axis(0, 1.1 * float(upper.max()), "density of l times the δ that follows at ε = 1, in units of 10⁻⁵"),
        [
            marks.area(losses, 0, upper, colour=marks.OCHRE, opacity=0.25),
            marks.line(losses, gaussian, "then a Gaussian answer", label=""),
            marks.line(losses, response, "then randomized response", colour=marks.VERMILION, dash="7 4", label=""),
            marks.text(0.2, level, "then a Gaussian answer", colour=marks.BLUE, anchor="end", shift=(-6, -14)),
            marks.text(
                dashed + 0.08, 0.92 * response.max(), "then randomized response", colour=marks.VERMILION, anchor="start"
            ),
            marks.text(
                dashed + 0.08, 0.8 * response.max(), "shaded: what Boris collects", colour=marks.OCHRE, anchor="start"
            ),
        ],
        title="Choosing after the first answer collects the upper line",
    )
    apart = losses[(response > gaussian) & (response > 0)]
    alt = (
        f"Two curves over the loss of the first answer. The Gaussian's peaks at loss {losses[gaussian.argmax()]:.2g}; "
        f"that of randomized response is zero up to {apart.min():.2g}, then rises above it and peaks at {dashed:.2g}. "
        "The area under the larger one of the two is shaded."
    )
    return Still(panel, alt=alt)
