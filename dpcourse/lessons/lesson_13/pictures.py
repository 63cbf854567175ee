"""Pictures of lesson 13: noisy tables, trees of columns, and what a synthetic table is worth."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dpcourse.lessons.lesson_13.numbers import NoisyTable
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import (
    BLACK,
    BLUE,
    GREY,
    bars,
    course_style,
    epsilon_axis,
    series,
)

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


@dataclass(frozen=True)
class Tree:
    """A tree of columns: its root, and its edges as (parent, child), parents first."""

    root: str
    edges: tuple[tuple[str, str], ...]


def draw_tree(data: Tree, *, into: Picture | None = None) -> Picture:
    """The pairs of columns that were counted together, drawn as a tree."""
    picture = into or Picture(820, 400)
    with course_style():
        picture.clear()
        axes = picture.subplots()
        place = _layout(data)
        for parent, child in data.edges:
            (x0, y0), (x1, y1) = place[parent], place[child]
            axes.plot([x0, x1], [y0, y1], color=GREY, linestyle="-", linewidth=1.6, zorder=1)
        for name, (x, y) in place.items():
            box = {"boxstyle": "round,pad=0.45", "facecolor": "#e6f0f8", "edgecolor": BLUE}
            axes.annotate(name, (x, y), ha="center", va="center", bbox=box, zorder=3)
        depth = -min(y for _, y in place.values())
        axes.set(xlim=(-0.03, 1.03), ylim=(-depth - 0.4, 0.5))
        axes.set_axis_off()
        axes.set_title("Each line is a pair of columns counted together")
    listed = ", ".join(f"{parent} – {child}" for parent, child in data.edges)
    picture.alt = f"A tree with root {data.root}; its edges, parent first: {listed}."
    return picture


def _layout(data: Tree) -> dict[str, tuple[float, float]]:
    """A place for every column: leaves side by side, parents above the middle of their children."""
    children: dict[str, list[str]] = {}
    for parent, child in data.edges:
        children.setdefault(parent, []).append(child)
    leaves = [name for name in _walk(data.root, children) if name not in children]
    x = {name: (i + 0.5) / len(leaves) for i, name in enumerate(leaves)}
    y = {data.root: 0.0}
    for parent, child in data.edges:
        y[child] = y[parent] - 1
    for parent, _ in reversed(data.edges):
        if parent not in x:
            x[parent] = float(np.mean([_middle(name, x, children) for name in children[parent]]))
    return {name: (x[name], y[name]) for name in y}


def _middle(name: str, x: Mapping[str, float], children: Mapping[str, Sequence[str]]) -> float:
    return x[name] if name in x else float(np.mean([_middle(child, x, children) for child in children[name]]))


def _walk(name: str, children: Mapping[str, Sequence[str]]) -> list[str]:
    return [name, *(found for child in children.get(name, ()) for found in _walk(child, children))]


@dataclass(frozen=True)
class Quality:
    """What ε buys: for each way to synthesize, one row an ε and one column a draw.

    ``errors`` (mean total variation distance of the two-way tables, shares) and ``accuracies`` (trained on synthetic,
    tested on people) have shape (ε, draws); ``ceiling`` is the accuracy of training on people, ``floor`` that of always
    giving the more frequent label.
    """

    epsilons: np.ndarray
    errors: Mapping[str, np.ndarray]
    accuracies: Mapping[str, np.ndarray]
    ceiling: float
    floor: float


def draw_quality(data: Quality, *, into: Picture | None = None) -> Picture:
    """Error of the two-way tables, and accuracy of a model trained on synthetic people, by ε; bars from the smallest
    to the largest draw."""
    picture = into or Picture(820, 400)
    with course_style():
        picture.clear()
        left, right = picture.subplots(1, 2)
        for axes, values in ((left, data.errors), (right, data.accuracies)):
            for i, (name, draws) in enumerate(values.items()):
                middle = draws.mean(axis=1)
                reach = np.array([middle - draws.min(axis=1), draws.max(axis=1) - middle])
                axes.errorbar(data.epsilons, middle, yerr=reach, capsize=3, label=name, **series(i))
            epsilon_axis(axes, data.epsilons[0] / 1.3, data.epsilons[-1] * 1.3, label="ε")
        left.set_ylabel("mean error of the two-way tables")
        left.set_ylim(0, None)
        left.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g}%")
        right.axhline(data.ceiling, color=BLACK, linestyle="-", linewidth=1.4)
        right.annotate("trained on people", (data.epsilons[0], data.ceiling), xytext=(0, 4), textcoords="offset points")
        right.axhline(data.floor, color=GREY, linewidth=1.4, linestyle=":")
        right.annotate(
            "always the same answer",
            (data.epsilons[0], data.floor),
            xytext=(0, 4),
            textcoords="offset points",
            color=GREY,
        )
        right.set_ylabel("accuracy on people never seen")
        right.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g}%")
        right.set_ylim(data.floor - 0.02, data.ceiling + 0.015)
        right.legend(loc="lower right")
        left.set_title("How far the two-way tables are off")
        right.set_title("A model trained on the synthetic table")
    listed = "; ".join(
        f"{name}: error from {_percent(data.errors[name][0].mean())} to {_percent(data.errors[name][-1].mean())}, "
        f"accuracy from {_percent(draws[0].mean())} to {_percent(draws[-1].mean())}"
        for name, draws in data.accuracies.items()
    )
    picture.alt = (
        f"Two panels over ε from {data.epsilons[0]:g} to {data.epsilons[-1]:g}. {listed}. "
        f"Trained on people: {_percent(data.ceiling)}; always the same answer: {_percent(data.floor)}."
    )
    return picture


@dataclass(frozen=True)
class Copies:
    """For each synthetic table, the share of training people and of people never seen whose record is in it."""

    tables: tuple[str, ...]
    members: np.ndarray
    others: np.ndarray


def draw_copies(data: Copies, *, into: Picture | None = None) -> Picture:
    """How many people find their own record in a synthetic table: those it was made from, and those it never saw."""
    picture = into or Picture(640, 380)
    with course_style():
        picture.clear()
        axes = picture.subplots()
        place = np.arange(len(data.tables))
        for i, (label, shares) in enumerate((("it was made from them", data.members), ("never seen", data.others))):
            drawn = axes.bar(place + 0.38 * (i - 0.5), shares, 0.36, label=label, **bars(i))
            axes.bar_label(drawn, [_percent(share) for share in shares], padding=2, fontsize=9.5)
        axes.set_xticks(place, data.tables)
        axes.grid(axis="x", visible=False)
        axes.set_ylabel("share of people whose record is in the table")
        axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g}%")
        axes.set_ylim(0, 1.15 * float(max(data.members.max(), data.others.max())))
        axes.legend(loc="upper right")
        axes.set_title("Finding your record in the table")
    listed = "; ".join(
        f"{' '.join(name.split())}: {_percent(a)} of those it was made from, {_percent(b)} of those never seen"
        for name, a, b in zip(data.tables, data.members, data.others, strict=True)
    )
    picture.alt = f"Share of people whose exact record is in a synthetic table. {listed}."
    return picture


def _percent(share: float) -> str:
    if not math.isfinite(share):
        return "∞"
    return f"{100 * share:.0f}%" if share >= 0.995 else f"{100 * share:.3g}%"
