"""Pictures of capstone 4: what the opened sum tells, and what noise on chip counts costs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpcourse.lessons.capstone_4.numbers import Known
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.still import Still


def draw_knowledge(known: Sequence[Known]) -> Still:
    """A bar for each number of centres that collude: the share of the others' catches that the opened sum makes
    certain."""
    names, shares = ["the server alone", "one centre", "two centres", "three centres"], [one.catches for one in known]
    panel = Panel(
        marks.categories(names[: len(known)], "who looks at the opened sum, and takes off its own cells"),
        Axis(0, 1.12, "catches of each other centre known for certain", unit="%"),
        [
            marks.bars(range(len(known)), shares, colour=marks.VERMILION, width=0.6),
            *(
                marks.text(place, share, f"{share:.0%}", anchor="middle", shift=(0, -10))
                for place, share in enumerate(shares)
            ),
        ],
        title="Opened at the end: three centres know the fourth one's matrix",
    )
    alt = "Bars: the share of each other centre's confirmed catches that the opened sum gives away. " + "; ".join(
        f"{one.colluders} colluding: {one.catches:.0%}" for one in known
    )
    return Still(panel, alt=alt, height=340)


def draw_coverage(
    epsilons: np.ndarray, private: np.ndarray, pooled: np.ndarray, uncounted: np.ndarray, alone: np.ndarray
) -> Still:
    """True coverage over ε: of noisy counts, shape (epsilons, worlds), a line and a dot for each world. Level lines for
    what needs no ε, shape (worlds,): exact counts, no counts, and one centre alone."""
    means, best = private.mean(axis=1), int(np.argmax(epsilons))
    level = {"pooled, exact counts": pooled, "pooled, no counts": uncounted, "one centre alone": alone}
    colours = marks.INK, marks.GREY, marks.VERMILION
    low = min(private.min(), *(values.mean() for values in level.values()))
    title = (
        f"At ε = {epsilons[best]:g} the noise costs {max(100 * (pooled.mean() - means[best]), 0):.1f} points of "
        "coverage"
    )
    panel = Panel(
        marks.epsilon_axis(epsilons.min() / 1.4, epsilons.max() * 1.1, "ε of one failing chip"),
        Axis(low - 0.02, 1, "failing chips caught", unit="%"),
        [
            *(
                marks.rule(y=values.mean(), name=name, colour=colour, dash=dash)
                for (name, values), colour, dash in zip(level.items(), colours, marks.DASHES[1:], strict=False)
            ),
            marks.points(np.repeat(epsilons, private.shape[1]), private, "one world", size=1.6),
            *marks.lines(epsilons, {"pooled, noisy counts": means}, dots=4),
        ],
    )
    alt = (
        f"Share of failing chips caught against ε, from {epsilons.min():g} to {epsilons.max():g}: "
        + ", ".join(f"{mean:.3f} at {epsilon:g}" for epsilon, mean in zip(epsilons, means, strict=True))
        + f". Exact counts {pooled.mean():.3f}, no counts {uncounted.mean():.3f}, one centre alone {alone.mean():.3f}."
    )
    return Still(
        panel, alt=alt, title=title, note="A small dot is one world, a large one their mean.", width=700, height=380
    )
