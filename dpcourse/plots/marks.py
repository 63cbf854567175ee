"""What a picture is made of: panels with axes, and marks on them. Numbers in, nothing drawn yet.

An explorer describes its picture once, with these. `dpcourse.plots.scene` turns it into whole steps, which
`widgets/explorer.js` draws in the browser and `dpcourse.plots.still` on paper::

    Panel(
        x=Axis(0.05, 5, "← more private        ε", log=True),
        y=Axis(0, 1, "share of reports that are true", unit="%"),
        marks=[line(epsilons, truths, "the report is true"), points([1], [0.73], colour=1, drag=("epsilon", "x"))],
    )
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

BLUE, VERMILION, GREEN, PURPLE, OCHRE, GREY, INK = range(7)  # colours of a theme; INK is that of its text
DASHES = ("", "7 4", "2 3", "9 3 2 3", "12 4", "5 2", "1 2")
SHAPES = "ostdx"


# A control, "x" or "y", and, where the control's values are not the axis's own, what turns them into these.
Drag = tuple[str, str] | tuple[str, str, Callable[[float], float]]


@dataclass(frozen=True)
class Axis:
    """An axis from `low` to `high`.

    Parameters
    ----------
    low, high : float
        In the unit of the numbers; positive on a logarithmic axis.
    label : str
        What is measured, with its unit.
    ticks : sequence of float, optional
        Where it is ticked; round numbers unless given.
    names : sequence of str, optional
        Words for the ticks: of categories, each at its tick.
    unit : {"", "%", "$"}
        How its numbers are written: 0.25 as 25%, 20000 as $20,000.
    """

    low: float
    high: float
    label: str = ""
    log: bool = False
    ticks: Sequence[float] | np.ndarray | None = None
    names: Sequence[str] | None = None
    unit: str = ""


def categories(names: Sequence[str], label: str = "") -> Axis:
    """An axis with a place for each name: the first at 0, the next at 1."""
    return Axis(-0.5, len(names) - 0.5, label, ticks=range(len(names)), names=names)


def rows(names: Sequence[str], label: str = "", above: float = 0.5) -> Axis:
    """An upright axis with a row for each name: the first at 0, the next at −1 under it, and so much room above."""
    return Axis(0.5 - len(names), above, label, ticks=[-i for i in range(len(names))], names=names)


def epsilon_axis(low: float, high: float, label: str = "ε") -> Axis:
    """A logarithmic axis for ε that says which way is more private."""
    return Axis(low, high, f"← more private\u2003\u2003{label} (log scale)", log=True)


@dataclass(frozen=True)
class Mark:
    """One or many shapes of a kind. Made by the functions below."""

    kind: str
    x: np.ndarray
    y: np.ndarray
    x2: np.ndarray | None = None
    y2: np.ndarray | None = None
    name: str = ""  # said when the pointer is on it
    colour: int = BLUE
    width: float = 0
    dash: str = ""
    opacity: float = 1.0
    shape: str = "o"
    size: float = 5
    hover: bool = True
    drag: Drag | None = None
    label: tuple[str, str, float, float] | None = None  # words, where ("end", "start", "top" or a text anchor), dx, dy


@dataclass(frozen=True)
class Panel:
    """Marks on two axes, drawn in their order.

    Parameters
    ----------
    title : str
        A few words above the panel.
    share : float
        Its width, as against the other panels'.
    left, right : float, optional
        Pixels beside the axes for names of ticks and ends of lines: what they need, unless given.
    """

    x: Axis
    y: Axis
    marks: Sequence[Mark]
    title: str = ""
    share: float = 1.0
    left: float | None = None
    right: float | None = None


def _row(values: ArrayLike) -> np.ndarray:
    return np.ravel(np.asarray(values, dtype=float))


def line(
    x: ArrayLike,
    y: ArrayLike,
    name: str = "",
    *,
    colour: int = BLUE,
    dash: str = "",
    width: float = 2.2,
    step: bool = False,
    label: str | None = None,
    label_at: str = "end",
    shift: tuple[float, float] = (0, 0),
    hover: bool = True,
) -> Mark:
    """A line through the points, broken where a number is not finite; as stairs where `step`. `name` is written at its
    end unless `label` says otherwise."""
    xs, ys = _row(x), _row(y)
    if step:  # each value holds from halfway before its place to halfway after
        halves = (xs[1:] + xs[:-1]) / 2
        edges = np.concatenate([[2 * xs[0] - halves[0]], halves, [2 * xs[-1] - halves[-1]]])
        xs, ys = np.repeat(edges, 2)[1:-1], np.repeat(ys, 2)
    words = name if label is None else label
    where = (words, label_at, *shift) if words else None
    return Mark("line", xs, ys, name=name, colour=colour, dash=dash, width=width, label=where, hover=hover)


def area(
    x: ArrayLike, low: ArrayLike, high: ArrayLike, name: str = "", *, colour: int = BLUE, opacity: float = 0.18
) -> Mark:
    """The area between two lines over the same places."""
    xs = _row(x)
    low, high = (np.broadcast_to(_row(side), xs.shape) for side in (low, high))
    return Mark("area", xs, low, xs, high, name, colour, opacity=opacity, hover=False)


def bars(
    x: ArrayLike,
    height: ArrayLike,
    name: str = "",
    *,
    width: float = 0.7,
    base: ArrayLike = 0.0,
    colour: int = BLUE,
    opacity: float = 0.75,
    across: bool = False,
) -> Mark:
    """A bar at each place, from `base` up to `height`; with `across` from left to right."""
    places, ends = _row(x), _row(height)
    starts = np.broadcast_to(_row(base), ends.shape)
    low, high = places - width / 2, places + width / 2
    if across:
        return Mark("bars", starts, low, ends, high, name, colour, opacity=opacity, shape="across")
    return Mark("bars", low, starts, high, ends, name, colour, opacity=opacity)


def spans(
    x: ArrayLike, y: ArrayLike, x2: ArrayLike, y2: ArrayLike, *, colour: int = BLUE, width: float = 2, dash: str = ""
) -> Mark:
    """Straight pieces from each (x, y) to its (x2, y2): error bars, brackets."""
    xs, ys, xs2, ys2 = np.broadcast_arrays(_row(x), _row(y), _row(x2), _row(y2))
    return Mark("spans", xs, ys, xs2, ys2, colour=colour, width=width, dash=dash, hover=False)


def rule(
    *,
    x: float | None = None,
    y: float | None = None,
    name: str = "",
    colour: int = GREY,
    dash: str = "4 3",
    width: float = 1.4,
    label_at: str = "",
    shift: tuple[float, float] = (0, 0),
) -> Mark:
    """A line across the whole panel, at one `x` or at one `y`, with its name at its end."""
    nowhere = _row(np.nan)
    at_x, at_y = (nowhere if value is None else _row(value) for value in (x, y))
    label = (name, label_at or ("top" if y is None else "right"), *shift) if name else None
    return Mark("rule", at_x, at_y, name=name, colour=colour, dash=dash, width=width, hover=False, label=label)


def points(
    x: ArrayLike,
    y: ArrayLike,
    name: str = "",
    *,
    colour: int = BLUE,
    shape: str = "o",
    size: float = 4.5,
    hollow: bool = False,
    drag: Drag | None = None,
) -> Mark:
    """A point at each place. Shapes: "o", "s"quare, "t"riangle, "d"iamond, "x". ``drag=("bound", "x")`` lets the reader
    pull it along x, which moves the control of that name; where its values are not the axis's own, a third entry turns
    them into these."""
    return Mark(
        "points",
        _row(x),
        _row(y),
        name=name,
        colour=colour,
        width=2,
        size=size,
        drag=drag,
        shape=("h" if hollow else "") + shape,
    )


def text(
    x: float, y: float, words: str, *, colour: int = INK, anchor: str = "auto", shift: tuple[float, float] = (0, 0)
) -> Mark:
    """Words at a place, beginning, centred or ending there (`anchor` start, middle, end); `shift` is in pixels, right
    and down."""
    return Mark("text", _row(x), _row(y), colour=colour, label=(words, anchor, *shift), hover=False)


def lines(
    x: ArrayLike,
    rows: Mapping[str, ArrayLike],
    *,
    dots: float = 0,
    here: tuple[float, Sequence[float]] | None = None,
    drag: Drag | None = None,
    **look: Any,
) -> list[Mark]:
    """A line a name, each with a colour and dashes of its own; with a dot of that size at each number, and a larger one
    at one x where `here` says so. In a picture that does not move they are named in the order in which they end."""
    drawn = []
    for i, (name, row) in enumerate(rows.items()):
        shape = SHAPES[i % len(SHAPES)]
        found = [line(x, row, name, colour=i, dash=DASHES[i], **look)]
        if dots:
            found.append(points(x, row, name, colour=i, shape=shape, size=dots))
        if here is not None:
            found.append(points(here[0], here[1][i], name, colour=i, shape=shape, drag=drag))
        drawn.append((-_row(row)[-1] if here is None else 0.0, i, found))
    return [mark for _, _, found in sorted(drawn, key=lambda one: one[:2]) for mark in found]


def beside(rows: Mapping[str, ArrayLike], write: Callable[[float], str], said_at: tuple[float, float]) -> list[Mark]:
    """Bars in groups at 0, 1, 2, …, side by side: in each group one a name, its height written above; which is which
    is said at a place, right-aligned."""
    found, wide = [], 0.84 / len(rows)
    for i, (name, row) in enumerate(rows.items()):
        heights = _row(row)
        places = np.arange(len(heights)) + (i - (len(rows) - 1) / 2) * wide
        found.append(bars(places, heights, name, width=0.92 * wide, colour=i))
        found += [
            text(x, y, write(y), colour=i, anchor="middle", shift=(0, -9))
            for x, y in zip(places.tolist(), heights.tolist(), strict=True)
        ]
    return found + key(*said_at, [(f"bar {i + 1}: {name}", i) for i, name in enumerate(rows)])


def key(x: float, y: float, words: Iterable[tuple[str, int]], *, anchor: str = "end") -> list[Mark]:
    """Words, each in its colour, one under the other from a place on."""
    return [text(x, y, said, colour=c, anchor=anchor, shift=(0, 16 * i)) for i, (said, c) in enumerate(words)]


def as_marks(value: Any) -> list[Panel]:
    """One panel or several, as a list."""
    return [value] if isinstance(value, Panel) else list(value)
