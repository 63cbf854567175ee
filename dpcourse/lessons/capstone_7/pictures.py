"""Pictures of capstone 7: how many people it takes, and how large the ridge has to be."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.still import Still


def draw_people(people: np.ndarray, rates: np.ndarray, crossings: tuple[float, float]) -> Still:
    """Hit rates over the number of people in a shop, a column for each way, and rings where ε = 3 and 1 pass
    popularity."""
    popularity, exact, loose, tight = rates.T
    drawn = marks.lines(people, {"ε = 3": loose, "ε = 1": tight, "no noise": exact, "popularity": popularity}, dots=3.5)
    for place, colour in zip(crossings, (marks.BLUE, marks.VERMILION), strict=True):
        at = np.interp(np.log(place), np.log(people), popularity)
        drawn.append(marks.points(place, at, "passes popularity", colour=colour, size=9, hollow=True))
    three, one = (f"{round(place, -2):,.0f}" for place in crossings)
    panel = Panel(
        Axis(
            people[0] / 1.1,
            people[-1] * 1.02,
            "people whose phones take part (log scale)",
            log=True,
            ticks=[n for n in people if n != 3000],  # it would touch its neighbour
        ),
        Axis(0, 1.1 * rates.max(), "hit rate at 10"),
        drawn,
        title=f"Below about {three} people (ε = 3) or {one} (ε = 1) popularity wins",
    )
    names = ("popularity", "item-item, no noise", "item-item, ε = 3", "item-item, ε = 1")
    ends = "; ".join(f"{name} from {row[0]:.2g} to {row[-1]:.2g}" for name, row in zip(names, rates.T, strict=True))
    alt = (
        f"Hit rate over the number of people, {people[0]:,} to {people[-1]:,}: {ends}. The private models pass "
        f"popularity at about {three} people for ε = 3 and {one} for ε = 1."
    )
    return Still(panel, alt=alt, width=700, height=380)


def draw_ridges(ratios: np.ndarray, rates: Mapping[float, np.ndarray], popularity: float) -> Still:
    """Hit rates for each ε over the ridge, which `ratios` give in units of the noise's largest eigenvalue, and
    popularity's."""
    panel = Panel(
        Axis(
            ratios[0] / 1.1,
            ratios[-1] * 1.02,
            "ridge, in units of the noise's largest eigenvalue (log scale)",
            log=True,
            ticks=ratios,
        ),
        Axis(0, 1.2 * max(popularity, *(row.max() for row in rates.values())), "hit rate at 10"),
        [
            *marks.lines(ratios, {f"ε = {epsilon:g}": row for epsilon, row in rates.items()}, dots=4),
            marks.rule(y=popularity, name="popularity"),
            marks.rule(x=1, colour=marks.INK),
            marks.text(1, 0.02, "the noise's largest eigenvalue", anchor="start", shift=(6, 0)),
        ],
        title="The ridge has to be a few times the noise, and then it hardly matters",
    )
    best = "; ".join(
        f"ε = {epsilon:g}: {row[0]:.2g} at {ratios[0]:g}, at most {row.max():.2g} at {ratios[row.argmax()]:g}"
        for epsilon, row in rates.items()
    )
    alt = (
        f"Hit rate over the ridge in units of the noise's largest eigenvalue. {best}. Popularity reaches "
        f"{popularity:.2g}."
    )
    return Still(panel, alt=alt, width=700, height=360)
