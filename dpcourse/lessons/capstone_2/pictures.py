"""Pictures of capstone 2: one release, and what a unit costs."""

from __future__ import annotations

import numpy as np

from dpcourse.datasets.suppliers import LARGEST_RATE
from dpcourse.lessons.capstone_2.design import BINS, SUPPLIERS
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.still import Still


def draw_release(counts: np.ndarray, noisy: np.ndarray, quartile: int, epsilon: float) -> Still:
    """Lots by their defects, shape (21,): true `counts` as bars, the published `noisy` ones as crosses, and the best
    quarter's limit, read off `noisy`, as a line."""
    most, peak, worst = max(counts.max(), noisy.max()), int(counts.argmax()), int(np.abs(noisy - counts).max())
    places = np.arange(BINS)
    panel = Panel(
        Axis(
            -0.7, BINS - 0.3, "defects in a lot of 500 parts", ticks=places, names=[*map(str, places[:-2]), "", "20+"]
        ),
        Axis(min(0, noisy.min()) - 3, 1.15 * most, "lots"),
        [
            marks.bars(places, counts, "lots (nobody sees these)", opacity=0.5),
            marks.points(places, noisy, "published", colour=marks.VERMILION, shape="x"),
            marks.rule(x=quartile + 0.5, colour=marks.INK),
            marks.text(quartile + 0.5, 1.09 * most, "← best quarter of lots", anchor="start", shift=(6, 0)),
            *marks.key(
                BINS - 0.5,
                0.9 * most,
                [("✕ published", marks.VERMILION), ("bars: lots (nobody sees these)", marks.BLUE)],
            ),
        ],
        title=f"{counts.sum()} lots at ε = {epsilon:g} a lot: no count is off by more than {worst}",
    )
    alt = (
        f"Bars: lots by their defects, {counts.sum()} in all, most of them ({counts.max()}) with {peak}. Crosses: the "
        f"published counts, off by {worst} at most. A quarter of the lots have {quartile} defects or less."
    )
    return Still(panel, alt=alt, width=700, height=340)


def draw_units(epsilons: np.ndarray, lots: np.ndarray, spread: float) -> Still:
    """Mean error of the industry's rate in points over ε, for the unit supplier and the unit lot (`lots`, one for each
    ε), and by how much suppliers differ (`spread`)."""
    # The mean size of Laplace noise on a mean of 15 rates capped at 5%.
    suppliers = 100 * LARGEST_RATE / SUPPLIERS / epsilons
    panel = Panel(
        marks.epsilon_axis(epsilons.min() / 1.15, epsilons.max() * 1.02),
        Axis(
            min(lots.min(), suppliers.min()) / 1.5,
            1.5 * max(suppliers.max(), spread),
            "error of the rate (points): of all lots, or the mean of suppliers'",
            log=True,
        ),
        [
            marks.rule(y=spread, name="how much suppliers differ"),
            *marks.lines(epsilons, {"unit: one lot": lots, "unit: one supplier": suppliers}, dots=4),
        ],
        title=f"Hiding a supplier costs about {np.median(suppliers / lots):.0f} times the error of hiding a lot",
    )
    alt = (
        f"Error of the rate against ε, both on logarithmic scales. One supplier as the unit: {suppliers[0]:.2g} points "
        f"at ε = {epsilons[0]:g}, {suppliers[-1]:.2g} at ε = {epsilons[-1]:g}. One lot: {lots[0]:.2g} and "
        f"{lots[-1]:.2g}. Suppliers differ by {spread:.2g} points."
    )
    return Still(panel, alt=alt, width=680, height=380)
