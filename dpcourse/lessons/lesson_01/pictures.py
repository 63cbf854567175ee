"""Pictures of lesson 01: unique people, k-anonymous groups, lists that fit, reconstruction under noise."""

from __future__ import annotations

import numpy as np

from dpcourse.lessons.lesson_01.numbers import Candidates, LinkageByColumns, Recovered, Uniqueness
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.still import Still
from dpcourse.plots.words import number

_POWERS = ("1", "thousand", "million", "billion", "trillion", "10¹⁵", "10¹⁸", "10²¹", "10²⁴", "10²⁷")


def uniqueness_marks(data: Uniqueness) -> Panel:
    """A bar a column: the share of people unique on it and on all above it; the columns known are dark."""
    places = -np.arange(len(data.columns), dtype=float)
    known, share = data.known, float(data.shares[data.known - 1])
    return Panel(
        Axis(0, 1.12, "people unlike everybody else", ticks=(0, 0.25, 0.5, 0.75, 1), unit="%"),
        Axis(places[-1] - 0.5, 0.5, "known, with all above it", ticks=places.tolist(), names=data.columns),
        [
            marks.bars(places[:known], data.shares[:known], "known", across=True, opacity=0.9),
            marks.bars(places[known:], data.shares[known:], "not known", across=True, colour=marks.GREY, opacity=0.7),
            marks.text(share, places[known - 1], number(share, "%"), anchor="start", colour=marks.BLUE),
        ],
    )


def draw_linkage(data: LinkageByColumns) -> Still:
    """People found and how often the attacker is right, by the columns they know; both shapes (sets,)."""
    places = -np.arange(len(data.labels), dtype=float)
    panel = Panel(
        Axis(0, 1.02, "share", ticks=(0, 0.25, 0.5, 0.75, 1), unit="%"),
        Axis(places[-1] - 0.5, 0.5, "columns known, with all above", ticks=places.tolist(), names=data.labels),
        [
            marks.bars(places, data.found, "people found", across=True),
            marks.points(data.right, places, "claims that are right", colour=marks.VERMILION, shape="d"),
            marks.text(data.right[0], 0, "of the claims, right", colour=marks.VERMILION, anchor="start", shift=(10, 0)),
            marks.text(data.found[0], 0, "of the people, found", colour=marks.BLUE, anchor="start", shift=(10, 0)),
        ],
        title="What a register with names finds in a table without",
    )
    alt = "Linkage by columns known: " + "; ".join(
        f"{label}: {found:.1%} of people re-identified, {right:.0%} of claims right"
        for label, found, right in zip(data.labels, data.found, data.right, strict=True)
    )
    return Still(panel, alt=alt)


def draw_groups(k: int, sizes: np.ndarray, shares: np.ndarray, value: str) -> Still:
    """Each group of a k-anonymous table as a point: its size and the share with the sensitive value; both (groups,)."""
    alike = (shares == 0) | (shares == 1)
    squares = f"squares: {int(alike.sum())} groups in which all answer alike"
    words = [("dots: groups with both answers", marks.BLUE), (squares, marks.VERMILION)]
    panel = Panel(
        Axis(0.8 * k, 2 * sizes.max(), "people in the group (log scale)", log=True),
        Axis(-0.06, 1.06, f"share of the group with income {value}", ticks=(0, 0.25, 0.5, 0.75, 1), unit="%"),
        [
            marks.points(sizes[~alike], shares[~alike], "a group with both answers", size=3),
            marks.points(
                sizes[alike], shares[alike], "all alike", colour=marks.VERMILION, shape="s", size=4, hollow=True
            ),
            *marks.key(sizes.max(), 0.98, words),
        ],
        title=f"Every group has at least {k} people, and some still tell",
        left=46,
    )
    alt = (
        f"{len(sizes)} groups of a {k}-anonymous table by size and by the share with income {value}. "
        f"In {int(alike.sum())} groups, with {int(sizes[alike].sum()):,} people, everybody has the same answer."
    )
    return Still(panel, alt=alt)


def candidates_marks(data: Candidates) -> Panel:
    """A bar for each table published: how many lists of people fit it and all above it; none for those to come."""
    places = -np.arange(len(data.lists), dtype=float)
    steps = data.shown + 1
    high = float(data.lists[0]) ** 1.4
    powers = [1000.0**power for power in range(10) if 1000.0**power < high]
    counts = [f"{lists:,}" if i < steps else "" for i, lists in enumerate(data.lists)]
    return Panel(
        Axis(0.6, high, "lists of people that fit (log scale)", log=True, ticks=powers, names=_POWERS[: len(powers)]),
        Axis(places[-1] - 0.5, 0.5, "published, with all above it", ticks=places.tolist(), names=data.published),
        [
            marks.bars(
                places[:steps], np.array(data.lists[:steps], dtype=float), "lists that fit", base=0.6, across=True
            ),
            *(
                marks.text(
                    float(lists),
                    place,
                    words,
                    anchor="start",
                    shift=(6, 0),
                    colour=marks.VERMILION if lists == 1 else marks.INK,
                )
                for lists, place, words in zip(data.lists, places, counts, strict=True)
            ),
        ],
    )


def draw_recovered(data: Recovered) -> Still:
    """Secret bits recovered by linear programming against the noise added; `shares` has shape (answers, noise)."""
    places = [len(data.noise) * share // 8 for share in (3, 4, 3)]  # of the labels, where the lines are well apart
    colours = (marks.BLUE, marks.VERMILION, marks.GREEN, marks.PURPLE)
    lines = [
        marks.line(data.noise, row, f"{answers:,} answers", colour=colours[i], dash=marks.DASHES[i], label="")
        for i, (answers, row) in enumerate(zip(data.answers, data.shares, strict=True))
    ]
    labels = [
        marks.text(
            float(data.noise[at]),
            float(row[at]),
            f"{answers:,} answers",
            colour=colours[i],
            anchor="start" if i == 2 else "end",
            shift=(8, -8) if i == 2 else (13, 18) if i else (-8, 10),
        )
        for i, (at, answers, row) in enumerate(zip(places, data.answers, data.shares, strict=False))
    ]
    panel = Panel(
        Axis(
            0, float(data.noise[-1]), "noise: each answer is off by up to this many people", ticks=data.noise.tolist()
        ),
        Axis(0.4, 1.03, "people whose secret is recovered", ticks=(0.5, 0.6, 0.7, 0.8, 0.9, 1), unit="%"),
        [
            marks.rule(y=0.5, name="guessing", label_at="right"),
            *lines,
            *labels,
        ],
        title=f"{data.people} people: enough answers undo small noise",
        left=46,
    )
    alt = f"Share of {data.people} secrets recovered against the noise: " + "; ".join(
        f"with {answers:,} answers {row[0]:.0%} without noise, {row[-1]:.0%} at ±{data.noise[-1]:g}"
        for answers, row in zip(data.answers, data.shares, strict=True)
    )
    return Still(panel, alt=alt)
