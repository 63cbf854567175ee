"""Pictures of lesson 01: unique people, linkage, k-anonymous groups, candidate tables, reconstruction under noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.ticker import PercentFormatter

from dpcourse.lessons.lesson_01.numbers import Uniqueness
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.picture import Picture
from dpcourse.plots.still import Still
from dpcourse.plots.style import BLACK, BLUE, GREY, VERMILION, bars, course_style, log_axis, series
from dpcourse.plots.words import number


def uniqueness_marks(data: Uniqueness) -> Panel:
    """A bar a column: the share of people unique on it and on all above it; the columns known are dark."""
    places = -np.arange(len(data.columns), dtype=float)
    known, share = data.known, float(data.shares[data.known - 1])
    return Panel(
        Axis(0, 1.12, "people unlike everybody else", ticks=(0, 0.25, 0.5, 0.75, 1), unit="%"),
        Axis(places[-1] - 0.5, 0.5, "known, with all above it", ticks=places.tolist(), names=data.columns),
        [
            marks.bars(places[:known], data.shares[:known], "known", across=True, opacity=0.9),
            marks.bars(places[known:], data.shares[known:], "not known", across=True, colour=marks.GREY, opacity=0.3),
            marks.text(share, places[known - 1], number(share, "%"), anchor="start", colour=marks.BLUE),
        ],
    )


def draw_uniqueness(data: Uniqueness) -> Still:
    """Unique people against the number of columns known; `shares` has shape (columns,), in [0, 1]."""
    alt = (
        f"Share of {data.people:,} people who are unique, by the number of columns known: "
        + ", ".join(f"{share:.1%} with {name}" for name, share in zip(data.columns, data.shares, strict=True))
        + f". Marked: {_columns(data.known)}."
    )
    return Still(uniqueness_marks(data), alt=alt)


@dataclass(frozen=True)
class LinkageByColumns:
    """For each set of columns known: the share of people found, and of the attacker's claims that are right."""

    labels: tuple[str, ...]
    found: np.ndarray
    right: np.ndarray


def draw_linkage(data: LinkageByColumns, *, into: Picture | None = None) -> Picture:
    """People re-identified and how often the attacker is right, by what the attacker knows; both shapes (sets,)."""
    picture, places = into, np.arange(len(data.labels))
    if picture is None:
        with course_style():
            picture = Picture(680, 420)
            axes = picture.subplots()
            picture.parts["found"] = axes.bar(places, data.found, width=0.55, label="people re-identified", **bars(0))
            (picture.parts["right"],) = axes.plot([], [], label="claims that are right", **series(1))
            axes.set_ylim(0, 1)
            axes.yaxis.set_major_formatter(PercentFormatter(1))
            axes.set_xticks(places, data.labels, rotation=30, ha="right", rotation_mode="anchor")
            axes.set_ylabel("share")
            axes.set_xlabel("columns the attacker knows (each bar adds one to the bar before)")
            axes.set_title("What a register with names finds in a table without")
            axes.legend(loc="upper left")
    for bar, height in zip(picture.parts["found"], data.found, strict=True):
        bar.set_height(height)
    picture.parts["right"].set_data(places, data.right)
    picture.alt = "Linkage by columns known: " + "; ".join(
        f"{label}: {found:.1%} of people re-identified, {right:.0%} of claims right"
        for label, found, right in zip(data.labels, data.found, data.right, strict=True)
    )
    return picture


@dataclass(frozen=True)
class Groups:
    """The groups of a k-anonymous table: their sizes and the share of each that has the sensitive value."""

    k: int
    sizes: np.ndarray
    shares: np.ndarray
    value: str


def draw_groups(data: Groups, *, into: Picture | None = None) -> Picture:
    """Each group of a k-anonymous table as a point: its size and the share with the sensitive value; both (groups,)."""
    picture, alike = into, (data.shares == 0) | (data.shares == 1)
    if picture is None:
        with course_style():
            picture = Picture(660, 420)
            axes = picture.subplots()
            (picture.parts["mixed"],) = axes.plot(
                [], [], "o", color=BLUE, markersize=4, alpha=0.6, label="group with both answers"
            )
            (picture.parts["alike"],) = axes.plot(
                [], [], "s", color=VERMILION, markersize=7, fillstyle="none", label="group that all answer alike"
            )
            log_axis(axes, 3, 6000, label="people in the group (log scale)")
            axes.axvline(data.k, color=GREY, linewidth=1.2, linestyle="--")
            axes.annotate(f"k = {data.k}", (data.k, 0.93), xytext=(4, 0), textcoords="offset points", color=BLACK)
            axes.set_ylim(-0.05, 1.05)
            axes.yaxis.set_major_formatter(PercentFormatter(1))
            axes.set_ylabel(f"share of the group with income {data.value}")
            axes.set_title(f"At least {data.k} people share a row; some rows say the same of all")
            axes.legend(loc="upper right")
    picture.parts["mixed"].set_data(data.sizes[~alike], data.shares[~alike])
    picture.parts["alike"].set_data(data.sizes[alike], data.shares[alike])
    picture.alt = (
        f"{len(data.sizes)} groups of a {data.k}-anonymous table by size and by the share with income {data.value}. "
        f"In {int(alike.sum())} groups, with {int(data.sizes[alike].sum()):,} people, everybody has the same answer."
    )
    return picture


@dataclass(frozen=True)
class Candidates:
    """How many tables agree with what has been published, after each publication."""

    published: tuple[str, ...]
    tables: Sequence[int]


def draw_candidates(data: Candidates, *, into: Picture | None = None) -> Picture:
    """Tables that are still possible after each publication, on a log scale."""
    picture, places = into, np.arange(len(data.published))
    if picture is None:
        with course_style():
            picture = Picture(680, 400)
            axes = picture.subplots()
            (picture.parts["line"],) = axes.plot([], [], **series(0))
            axes.set_yscale("log")
            axes.set_ylim(0.5, 20 * max(data.tables))
            axes.set_yticks([10.0**e for e in range(0, 11, 2)])
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
            axes.set_xlim(-0.4, len(places) - 0.6)
            axes.set_xticks(places, data.published, rotation=20, ha="right", rotation_mode="anchor")
            axes.set_ylabel("tables still possible (log scale)")
            axes.set_title("Harmless totals, one after another, leave a single table")
            for i, tables in enumerate(data.tables):
                axes.annotate(f"{tables:,}", (i, tables), xytext=(6, 5), textcoords="offset points")
    picture.parts["line"].set_data(places, data.tables)
    picture.alt = "Tables that agree with everything published: " + ", ".join(
        f"{tables:,} after {name}" for name, tables in zip(data.published, data.tables, strict=True)
    )
    return picture


@dataclass(frozen=True)
class Recovered:
    """The share of secret bits recovered, by the size of the noise and the number of answers."""

    people: int
    noise: np.ndarray
    answers: tuple[int, ...]
    shares: np.ndarray
    guess: float


def draw_recovered(data: Recovered, *, into: Picture | None = None) -> Picture:
    """Secret bits recovered by linear programming against the noise added; `shares` has shape (answers, noise)."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(660, 420)
            axes = picture.subplots()
            for i, answers in enumerate(data.answers):
                (picture.parts[f"line {i}"],) = axes.plot([], [], label=f"{answers:,} answers", **series(i))
            root = float(np.sqrt(data.people))
            axes.axvline(root, color=GREY, linewidth=1.2)
            axes.annotate("√n", (root, 0.96), xytext=(4, 0), textcoords="offset points", color=BLACK)
            axes.axhline(data.guess, color=GREY, linewidth=1.2, linestyle=":")
            axes.annotate(
                "guessing", (data.noise[-1], data.guess), xytext=(0, -13), textcoords="offset points", ha="right"
            )
            axes.set_xlim(0, data.noise[-1] * 1.02)
            axes.set_ylim(0.4, 1.03)
            axes.yaxis.set_major_formatter(PercentFormatter(1))
            axes.set_xlabel("noise: each answer is off by up to this many people")
            axes.set_ylabel("people whose secret is recovered")
            axes.set_title(f"{data.people} people: enough answers undo small noise")
            axes.legend(loc="upper right")
    for i in range(len(data.answers)):
        picture.parts[f"line {i}"].set_data(data.noise, data.shares[i])
    picture.alt = f"Share of {data.people} secrets recovered against the noise: " + "; ".join(
        f"with {answers:,} answers {row[0]:.0%} without noise, {row[-1]:.0%} at ±{data.noise[-1]:g}"
        for answers, row in zip(data.answers, data.shares, strict=True)
    )
    return picture


def _columns(number: int) -> str:
    return f"{number} column{'s' if number > 1 else ''}"
