"""Panels of marks as whole steps, 4,000 to an axis: what both renderers draw, and what a web page stores.

One letter a key, because it travels at every press of a key: ``h`` height in pixels, ``p`` panels. A panel: ``t``
title, ``w`` share of the width, ``m`` margins (top, right, bottom, left), ``x`` and ``y`` axes (``a`` from, ``b`` to,
``g`` logarithmic, ``u`` unit, ``l`` label, ``t`` ticks, ``n`` their names, ``q`` categories), ``k`` marks (``k`` kind,
``x``, ``y``, ``X``, ``Y``, ``n`` name, ``c`` colour, ``w`` width, ``d`` dashes, ``o`` opacity, ``s`` shape, ``r`` size,
``h`` hover, ``v`` bars across, ``g`` drag) and ``s`` labels (``x``, ``y``, ``a`` anchor, ``dx``, ``dy``, ``t``, ``c``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dpcourse.plots.marks import Axis, Mark, Panel
from dpcourse.plots.words import number

STEPS = 4000
GAP = -32768  # no place: a line is broken here
_FAR = 4 * STEPS  # beyond the panel by far, where a line's direction still shows
CHARACTER = 6.3  # pixels, on average, at 12 pixels a letter; also in explorer.js
HEIGHT = 390


def scene(
    panels: Sequence[Panel], positions: Mapping[str, Sequence[Any]] | None = None, height: float = HEIGHT
) -> dict[str, Any]:
    """What both renderers draw.

    Parameters
    ----------
    panels : sequence of Panel
    positions : mapping of str to sequence, optional
        For each control the values it stops at: where a point that is dragged can be.
    height : float
        In pixels.

    Examples
    --------
    >>> from dpcourse.plots.marks import line
    >>> view = scene([Panel(Axis(0, 10), Axis(1, 100, log=True), [line([0, 5], [1, 10])])])
    >>> view["p"][0]["k"][0]["x"], view["p"][0]["k"][0]["y"]
    ([0, 2000], [0, 2000])
    """
    return {"h": height, "p": [_panel(panel, positions or {}) for panel in panels]}


def steps(axis: Axis, values: Any) -> list[int]:
    """The places of values on an axis, in whole steps; `GAP` where a value is not finite or has no place."""
    values = np.asarray(values, dtype=float)
    if axis.log:
        low, span = math.log(axis.low), math.log(axis.high / axis.low)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.where(values > 0, np.log(values), -np.inf)
    else:
        low, span = axis.low, axis.high - axis.low
    with np.errstate(invalid="ignore"):
        places = np.rint(np.clip(STEPS * (values - low) / span, -_FAR, _FAR))
    return np.where(np.isnan(places), GAP, places).astype(int).tolist()


def _panel(panel: Panel, positions: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    x, y = _axis(panel.x), _axis(panel.y)
    labels = [label for mark in panel.marks if (label := _label(mark, panel)) is not None]
    left = 12 + max((CHARACTER * (len(words) + words.count("%")) for words in y["n"]), default=0)
    right = max(
        (12 + CHARACTER * len(one["t"]) for one in labels if one["x"] == STEPS and one["a"] == "start"), default=14
    )
    if x["n"] and x["t"][-1] > 0.97 * STEPS:  # the last tick's name is centred on the panel's edge
        right = max(right, 4 + CHARACTER * len(x["n"][-1]) / 2)
    top = 10 + (20 if panel.y.label else 0) + (18 if panel.title else 0)
    bottom = 22 + (20 if panel.x.label else 0)
    margins = [top, right if panel.right is None else panel.right, bottom, left if panel.left is None else panel.left]
    return {
        "t": panel.title,
        "w": panel.share,
        "m": [round(margin) for margin in margins],
        "x": x,
        "y": y,
        "k": [_mark(mark, panel, positions) for mark in panel.marks if mark.kind != "text"],
        "s": labels,
    }


def _axis(axis: Axis) -> dict[str, Any]:
    ticks = _ticks(axis) if axis.ticks is None else list(axis.ticks)
    names = [number(tick, axis.unit, _digits(ticks)) for tick in ticks] if axis.names is None else list(axis.names)
    return {
        "a": axis.low,
        "b": axis.high,
        "g": axis.log,
        "u": axis.unit,
        "l": axis.label,
        "t": steps(axis, ticks),
        "n": names,
        "q": axis.names is not None,
    }


def _digits(ticks: Sequence[float]) -> int:
    """Digits enough to write each tick as it is, 0.8325 and not 0.833; three where no few are enough."""
    exact = (d for d in range(3, 8) if all(math.isclose(float(f"{tick:.{d}g}"), tick, rel_tol=1e-9) for tick in ticks))
    return next(exact, 3)


def _ticks(axis: Axis) -> list[float]:
    """About five round numbers."""
    if axis.log:
        first, last = math.log10(axis.low) - 1e-9, math.log10(axis.high) + 1e-9
        whole = range(math.ceil(first), math.floor(last) + 1)
        if last - first <= 2:
            every = [m * 10.0**e for e in range(math.floor(first), math.ceil(last) + 1) for m in (1, 2, 5)]
            return [tick for tick in every if first <= math.log10(tick) <= last]
        apart = math.ceil(len(whole) / 7)
        return [10.0**exponent for exponent in whole if exponent % apart == 0]
    rough = (axis.high - axis.low) / 7
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(m * unit for m in (1, 2, 2.5, 5, 10) if m * unit >= rough * 0.999)
    first, last = math.ceil(axis.low / step - 1e-9), math.floor(axis.high / step + 1e-9)
    return [round(k * step, 12) for k in range(first, last + 1)]


def _mark(mark: Mark, panel: Panel, positions: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {"k": mark.kind, "n": mark.name, "c": mark.colour, "w": mark.width}
    made |= {"d": mark.dash, "o": mark.opacity, "s": mark.shape, "r": mark.size, "h": int(mark.hover)}
    if mark.kind == "rule":
        upright = bool(np.isfinite(mark.x[0])) or not np.isfinite(mark.y[0])
        at = steps(panel.x, mark.x) if upright else steps(panel.y, mark.y)
        ends = ([0], [STEPS]) if at[0] != GAP else ([GAP], [GAP])
        x, y, x2, y2 = (at, ends[0], at, ends[1]) if upright else (ends[0], at, ends[1], at)
        return made | {"k": "spans", "x": x, "y": y, "X": x2, "Y": y2}
    made |= {"x": steps(panel.x, mark.x), "y": steps(panel.y, mark.y)}
    if mark.x2 is not None:
        made |= {"X": steps(panel.x, mark.x2), "Y": steps(panel.y, mark.y2)}
    if mark.kind == "bars":
        made["v"] = int(mark.shape == "across")
    if mark.drag is not None:
        control, along, *turn = mark.drag
        axis, values = panel.x if along == "x" else panel.y, positions.get(control, ())
        made["g"] = [control, along, steps(axis, [turn[0](value) if turn else value for value in values])]
    return made


def _label(mark: Mark, panel: Panel) -> dict[str, Any] | None:
    if mark.label is None:
        return None
    words, where, dx, dy = mark.label
    nowhere = {"x": 0, "y": 0, "a": "start", "dx": 0, "dy": 0, "t": "", "c": mark.colour}
    if mark.kind == "rule":
        if not np.isfinite([mark.x[0], mark.y[0]]).any():
            return nowhere
        if where == "top":
            place, anchor, dx, dy = (steps(panel.x, mark.x)[0], STEPS), "auto", dx, dy + 8
        elif where == "right":
            place, anchor = (STEPS, steps(panel.y, mark.y)[0]), "start"
        else:  # on the line, inside
            place = (steps(panel.x, mark.x)[0], 0) if np.isfinite(mark.x[0]) else (0, steps(panel.y, mark.y)[0])
            anchor, dy = "auto", dy - 9
    else:
        x, y = steps(panel.x, mark.x), steps(panel.y, mark.y)
        seen = [i for i in range(len(x)) if 0 <= x[i] <= STEPS and 0 <= y[i] <= STEPS]
        if not seen:
            return nowhere
        if mark.kind == "text":
            place, anchor = (x[0], y[0]), where
        elif where == "top":
            best = max(seen, key=lambda i: y[i])
            place, anchor, dy = (x[best], y[best]), "auto", dy - 9
        else:
            best = seen[-1] if where == "end" else seen[0]
            place, anchor = (x[best], y[best]), "start" if where == "end" else "auto"
            if where == "end" and place[0] > 0.88 * STEPS:
                place = (STEPS, place[1])
            elif where == "end":  # leaves the panel long before its right edge
                anchor, dy = "auto", dy + 12
    if anchor == "auto":
        anchor = "start" if place[0] < 0.55 * STEPS else "end"
    dx += {"start": 6, "middle": 0, "end": -6}[anchor]
    return {"x": place[0], "y": place[1], "a": anchor, "dx": dx, "dy": dy, "t": words, "c": mark.colour}
