"""Pictures of lesson 13: noisy tables, trees of columns, and what a synthetic table is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dpcourse.lessons.lesson_13.numbers import NoisyTable
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.still import Still
from dpcourse.plots.words import number

FLOOR = 0.5  # where counts of zero and below are drawn on a logarithmic axis
LARGEST_COUNT = 60_000


def noisy_table_marks(data: NoisyTable) -> Panel:
    """The cells of a table from the fullest to the emptiest: exact counts, noisy counts, and the size of the noise."""
    place = 100 * (np.arange(data.exact.size) + 0.5) / data.exact.size
    return Panel(
        Axis(0, 100, "cells, from the fullest to the emptiest (% of all)"),
        Axis(
            FLOOR,
            LARGEST_COUNT,
            "people (log scale; zero and less at the bottom)",
            log=True,
            ticks=(1, 10, 100, 1000, 10_000),
        ),
        [
            marks.points(place, np.clip(data.noisy, FLOOR, None), "noisy count", colour=marks.VERMILION, size=2),
            marks.line(place, np.maximum(data.exact, FLOOR), "exact count", label=""),
            marks.rule(y=data.sigma, name="σ of the noise", colour=marks.INK, label_at="inside"),
            marks.text(97, 25_000, "line: exact counts", colour=marks.BLUE, anchor="end"),
            marks.text(97, 11_000, "dots: noisy counts", colour=marks.VERMILION, anchor="end"),
        ],
        title=data.columns,
    )


def draw_tree(root: str, edges: Sequence[tuple[str, str]], chosen: Sequence[tuple[str, str]] = ()) -> Still:
    """The pairs of columns that were counted together, as a tree: its edges are (parent, child), parents first. They
    are numbered in the order in which they were `chosen`, where that is given."""
    place = _layout(root, edges)
    x, y, x2, y2 = np.array([(*place[parent], *place[child]) for parent, child in edges]).T
    panel = Panel(
        Axis(0, 1, ticks=()),
        Axis(min(y for _, y in place.values()) - 0.4, 0.4, ticks=()),
        [
            marks.spans(x, y - 0.15, x2, y2 + 0.15, colour=marks.GREY, width=1.6),
            *(marks.text(x, y, name, colour=marks.BLUE, anchor="middle") for name, (x, y) in place.items()),
            *(
                marks.text((ax + bx) / 2, (ay + by) / 2, str(i), anchor=side, shift=(8 if side == "start" else -8, -9))
                for i, ((ax, ay), (bx, by)) in enumerate(((place[a], place[b]) for a, b in chosen), 1)
                for side in ("end" if (ax - bx) * (ay - by) > 0 else "start",)  # above its line, which slants
            ),
        ],
        title=f"Each line is a pair of columns counted together{', numbered as chosen' if chosen else ''}",
    )
    order = {frozenset(pair): f" ({i})" for i, pair in enumerate(chosen, 1)}
    listed = ", ".join(f"{parent} – {child}{order.get(frozenset((parent, child)), '')}" for parent, child in edges)
    return Still(panel, alt=f"A tree with root {root}; its edges, parent first: {listed}.", width=820)


def _layout(root: str, edges: Sequence[tuple[str, str]]) -> dict[str, tuple[float, float]]:
    """A place for every column: leaves side by side, parents above the middle of their children."""
    children: dict[str, list[str]] = {}
    for parent, child in edges:
        children.setdefault(parent, []).append(child)
    leaves, place = 0, {}

    def put(name: str, depth: int) -> float:
        nonlocal leaves
        if name in children:
            x = float(np.mean([put(child, depth + 1) for child in children[name]]))
        else:
            x, leaves = leaves + 0.5, leaves + 1
        place[name] = (x, -float(depth))
        return x

    put(root, 0)
    return {name: (x / leaves, y) for name, (x, y) in place.items()}


def draw_quality(
    epsilons: np.ndarray,
    errors: Mapping[str, np.ndarray],
    accuracies: Mapping[str, np.ndarray],
    ceiling: float,
    floor: float,
) -> Still:
    """What ε buys, by way to synthesize: error of the two-way tables (mean total variation distance), and accuracy of a
    model trained on synthetic people; bars go from the smallest to the largest draw.

    `errors` and `accuracies` have shape (ε, draws); `ceiling` is the accuracy of training on people, `floor` that of
    always giving the more frequent label.
    """
    across = marks.epsilon_axis(epsilons[0] / 1.3, epsilons[-1] * 1.3)
    most = 1.15 * max(draws.max() for draws in errors.values())
    left, right = (
        [
            *(
                marks.spans(epsilons, draws.min(axis=1), epsilons, draws.max(axis=1), colour=i)
                for i, draws in enumerate(values.values())
            ),
            *marks.lines(epsilons, {name: draws.mean(axis=1) for name, draws in values.items()}, dots=4, label=""),
            *marks.key(epsilons[-1], start, [(name, i) for i, name in enumerate(values)]),
        ]
        for values, start in ((errors, most), (accuracies, floor + 0.35 * (ceiling - floor)))
    )
    right += [
        marks.rule(y=ceiling, name="trained on people", colour=marks.INK, dash="", label_at="inside"),
        marks.rule(y=floor, name="always the same answer", dash="2 3", label_at="inside"),
    ]
    panels = [
        Panel(across, Axis(0, most, "mean error, as a share of all people", unit="%"), left, title="Two-way tables"),
        Panel(
            across,
            Axis(floor - 0.02, ceiling + 0.015, "accuracy on people never seen", unit="%"),
            right,
            title="A model trained on the synthetic table",
        ),
    ]
    listed = "; ".join(
        f"{name}: error from {_percent(errors[name][0].mean())} to {_percent(errors[name][-1].mean())}, "
        f"accuracy from {_percent(draws[0].mean())} to {_percent(draws[-1].mean())}"
        for name, draws in accuracies.items()
    )
    alt = (
        f"Two panels over ε from {epsilons[0]:g} to {epsilons[-1]:g}. {listed}. "
        f"Trained on people: {_percent(ceiling)}; always the same answer: {_percent(floor)}."
    )
    return Still(panels, alt=alt, width=760)


def draw_copies(tables: Sequence[str], members: np.ndarray, others: np.ndarray) -> Still:
    """For each synthetic table, the share of the people it was made from, and of people never seen, whose own record is
    in it."""
    names = [" ".join(name.split()) for name in tables]
    top = 1.2 * float(max(members.max(), others.max()))
    panel = Panel(
        marks.categories(names),
        Axis(0, top, "share of people whose record is in the table", unit="%"),
        marks.beside(
            {"it was made from them": members, "never seen": others}, _percent, (len(names) - 0.52, 0.96 * top)
        ),
        title="Finding your record in the table",
    )
    listed = "; ".join(
        f"{name}: {_percent(a)} of those it was made from, {_percent(b)} of those never seen"
        for name, a, b in zip(names, members, others, strict=True)
    )
    return Still(panel, alt=f"Share of people whose exact record is in a synthetic table. {listed}.")


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%" if share >= 0.995 else number(share, "%")
