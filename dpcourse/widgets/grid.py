"""An explorer's numbers over a grid of its controls, computed beforehand, for pages without a kernel.

The views of all states have the same parts. A part that stays the same is stored once; any other, and any piece of a
sentence, over the controls it depends on, which are found by comparing. Whole steps are stored as differences.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpcourse.widgets.base import Explorer

MOST_STATES = 2000


def site_grid(explorer: Explorer, most: int = MOST_STATES) -> dict[str, Any]:
    """Compute an explorer's views over its site grid. Its sliders lose the stops that the grid has not.

    Returns
    -------
    dict
        ``spec`` and ``at`` as the front end takes them; ``view``, a template, and its ``leaves``: explorer.js's
        `unpack` and `view_at` put them together.

    Examples
    --------
    >>> from dpcourse import widgets
    >>> explorer = widgets.explore_count()
    >>> data = site_grid(explorer)
    >>> half = explorer.controls["epsilon"].options.index(0.5)
    >>> explorer.show(epsilon=0.5, level=0.9) == view_at(data, {**data["at"], "epsilon": half, "level": 1})["text"]
    True
    """
    _thin(explorer, most)
    controls = list(explorer.controls.values())
    sizes = [len(control.options) for control in controls]
    start, views = explorer.values, []
    for values in itertools.product(*(control.options for control in controls)):
        explorer._set(dict(zip(explorer.controls, values, strict=True)))
        views.append(explorer.update())
    explorer.show(**start)
    packer = _Packer(sizes)
    template = packer.pack(views)
    return {"spec": explorer.spec(), "at": explorer.front.at, "view": template, "leaves": packer.leaves}


def _thin(explorer: Explorer, most: int) -> None:
    """Take stops from the longest slider until there are at most `most` states; first those the explorer declares."""
    for name, control in explorer.controls.items():
        control.keep(explorer.site.get(name, len(control.options)))
    controls = list(explorer.controls.values())
    while np.prod([len(control.options) for control in controls]) > most:
        longest = max((c for c in controls if c.kind == "range"), key=lambda c: len(c.options))
        if len(longest.options) <= 5:
            raise ValueError(f"{explorer.title}: more than {most} states, and no slider that can lose stops")
        longest.keep(len(longest.options) - 2)


class _Packer:
    """Finds what a part depends on, and keeps it over that."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = tuple(sizes)
        self.leaves: list[dict[str, Any]] = []
        self._known: dict[str, int] = {}

    def pack(self, states: list[Any]) -> Any:
        first = states[0]
        if all(state == first for state in states):
            return first
        if all(isinstance(state, str) for state in states):
            return {"$": self._words(states)}
        if all(isinstance(state, dict) and state.keys() == first.keys() for state in states):
            return {key: self.pack([state[key] for state in states]) for key in first}
        nested = all(
            isinstance(state, list) and len(state) == len(first) and all(isinstance(part, dict) for part in state)
            for state in states
        )
        if nested and first:
            return [self.pack([state[i] for state in states]) for i in range(len(first))]
        return {"#": self._leaf(states)}

    def _words(self, states: list[str]) -> list[Any]:
        """Sentences where all states have as many, else words, else the whole."""
        if all(state == states[0] for state in states):
            return [states[0]]
        for between in (r"(?<=[.:;]) (?=.)", r" (?=.)"):
            pieces = [re.split(between, state) for state in states]
            if len({len(piece) for piece in pieces}) == 1 and len(pieces[0]) > 1:
                columns = [list(column) for column in zip(*pieces, strict=True)]
                columns = [[word + " " for word in column] for column in columns[:-1]] + columns[-1:]
                return _joined([part for column in columns for part in self._words(column)])
        return [self._leaf(states)]

    def _leaf(self, states: list[Any]) -> int:
        """Keep a value over the controls it depends on; equal leaves are kept once."""
        texts = [json.dumps(state, ensure_ascii=False) for state in states]
        number: dict[str, int] = {}
        ids = np.array([number.setdefault(text, len(number)) for text in texts]).reshape(self.sizes)
        depends = []
        for axis in range(ids.ndim):
            if np.all(ids == np.take(ids, [0], axis=axis)):
                ids = np.take(ids, [0], axis=axis)
            else:
                depends.append(axis)
        order, which = np.unique(ids.ravel(), return_inverse=True)
        distinct = list(number)
        table = [json.loads(distinct[i]) for i in order]
        steps = all(isinstance(value, list) and all(isinstance(step, int) for step in value) for value in table)
        leaf: dict[str, Any] = {"d": depends}
        if len(order) < ids.size:
            leaf["i"] = which.tolist()
        else:
            table = [table[i] for i in which]
        leaf["t"] = [_differences(value) for value in table] if steps else table
        if steps:
            leaf["z"] = 1
        key = json.dumps(leaf)
        if key not in self._known:
            self._known[key] = len(self.leaves)
            self.leaves.append(leaf)
        return self._known[key]


def _differences(steps: list[int]) -> list[int]:
    return np.diff(steps, prepend=0).tolist()


def _joined(parts: list[Any]) -> list[Any]:
    """Constant words that follow each other, as one."""
    out: list[Any] = []
    for part in parts:
        if out and isinstance(part, str) and isinstance(out[-1], str):
            out[-1] += part
        else:
            out.append(part)
    return out


def view_at(data: dict[str, Any], at: dict[str, int]) -> dict[str, Any]:
    """The view of one state out of a packed grid: what explorer.js does on the page."""
    names = [control["name"] for control in data["spec"]["controls"]]
    sizes = [len(control["labels"]) for control in data["spec"]["controls"]]

    def leaf(n: int) -> Any:
        kept = data["leaves"][n]
        place = 0
        for axis in kept["d"]:
            place = place * sizes[axis] + at[names[axis]]
        value = kept["t"][kept["i"][place] if "i" in kept else place]
        return np.cumsum(value).tolist() if kept.get("z") else value

    def fill(part: Any) -> Any:
        if isinstance(part, list):
            return [fill(one) for one in part]
        if not isinstance(part, dict):
            return part
        if "$" in part:
            return "".join(one if isinstance(one, str) else leaf(one) for one in part["$"])
        return leaf(part["#"]) if "#" in part else {key: fill(value) for key, value in part.items()}

    view: dict[str, Any] = fill(data["view"])
    return view
