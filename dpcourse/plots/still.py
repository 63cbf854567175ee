"""A scene on paper: the same marks at the same places as in the browser, as a PNG with two pixels a point.

`placed` says where everything stands, as explorer.js does; a test compares the two. `Still` draws it with matplotlib,
of which it uses paths and letters only.
"""

from __future__ import annotations

import base64
import io
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.patheffects import withStroke

from dpcourse.plots.marks import Panel, as_marks
from dpcourse.plots.scene import CHARACTER, GAP, HEIGHT, STEPS, scene
from dpcourse.plots.style import course_style
from dpcourse.plots.words import powers

WIDTH = 640
SHARPNESS = 2  # pixels a point
_DOTS = 96  # points an inch, as browsers count
_COLOURS = ("#0069a5", "#b84800", "#00785a", "#95437f", "#765900", "#666666", "#222222")
_FAINT = "#e2e2e2"
_LINE = 14  # as in explorer.js
_NARROW = 480

Box = dict[str, float]


def boxes(view: dict[str, Any], width: float) -> tuple[list[Box], float]:
    """The panels' axes in pixels from the top left, and the height of the whole."""
    narrow, whole = width < _NARROW and len(view["p"]) > 1, sum(panel["w"] for panel in view["p"])
    found, x, y = [], 0.0, 0.0
    for panel in view["p"]:
        top, right, bottom, left = panel["m"]
        w = width if narrow else width * panel["w"] / whole
        h = int(view["h"] * 0.75) if narrow else view["h"]
        found.append({"x": x + left, "y": y + top, "w": w - left - right, "h": h - top - bottom, "left": x})
        x, y = (x, y + h) if narrow else (x + w, y)
    return found, y if narrow else view["h"]


def place_labels(labels: Sequence[dict[str, Any]], box: Box, width: float) -> list[dict[str, Any]]:
    """Labels at their places if these are free, else at the nearest above or below that is.

    Those at one x, such as names at the ends of lines, stand in the order of what they name.
    """
    taken: list[tuple[float, float, float]] = []
    found, columns = list[dict[str, Any]](), dict[Any, list[tuple[float, int]]]()
    bottom = box["y"] + box["h"]
    for label in labels:
        w = CHARACTER * len(label["t"])
        back = {"start": 0.0, "middle": w / 2, "end": w}[label["a"]]
        left = max(2.0, min(box["x"] + label["x"] / STEPS * box["w"] + label["dx"] - back, width - 2 - w))
        middle = max(box["y"] + 6, min(bottom - 6, bottom - label["y"] / STEPS * box["h"] + label["dy"]))
        tries = [middle] + [middle + (3 if k % 2 == 0 else -3) * ((k + 2) >> 1) for k in range(60)]
        for m in tries:
            apart = all(abs(o - m) >= _LINE or ol >= left + w + 4 or left >= ol + ow + 4 for ol, ow, o in taken)
            if apart and box["y"] + 2 <= m <= bottom - 2:
                break
        above = label["dy"] - label["y"] / STEPS * box["h"]
        columns.setdefault((label["x"], label["dx"], label["a"]), []).append((above, len(taken)))
        taken.append((left, w, m))
        found.append(
            {"k": "text", "x": left + back, "y": m + 4, "a": label["a"], "t": label["t"], "c": label["c"], "halo": True}
        )
    for column in columns.values():
        heights = sorted(found[i]["y"] for _, i in column)
        for (_, i), y in zip(sorted(column), heights, strict=True):
            found[i]["y"] = y
    return found


def placed(view: dict[str, Any], width: float) -> list[dict[str, Any]]:
    """Everything in a picture, in the order it is drawn: where it stands in pixels, and how it looks."""
    out: list[dict[str, Any]] = []
    for panel, box in zip(view["p"], boxes(view, width)[0], strict=True):
        out += _ground(panel, box)
        dots: list[dict[str, Any]] = []
        for mark in panel["k"]:
            (dots if mark["k"] == "points" else out).extend(_shapes(mark, box))
        out += dots + place_labels(panel["s"], box, width)
    return [shape for shape in out if shape.get("t") != ""]


def _text(x: float, y: float, words: str, anchor: str = "start", **more: Any) -> dict[str, Any]:
    return {"k": "text", "x": x, "y": y, "a": anchor, "t": words, "c": 6, **more}


def _ground(panel: dict[str, Any], box: Box) -> list[dict[str, Any]]:
    """Grid, ticks and the words around a panel."""
    x, y, w, h = box["x"], box["y"], box["w"], box["h"]
    upright = [[(x + s / STEPS * w, y), (x + s / STEPS * w, y + h)] for s in panel["x"]["t"]]
    level = [[(x, y + h - s / STEPS * h), (x + w, y + h - s / STEPS * h)] for s in panel["y"]["t"]]
    out: list[dict[str, Any]] = [{"k": "grid", "p": upright + level}]
    crowded = -np.inf
    for words, s in zip(panel["x"]["n"], panel["x"]["t"], strict=True):
        middle, half = x + s / STEPS * w, CHARACTER * len(words) / 2
        if middle - half >= crowded:
            crowded = middle + half + 4
            out.append(_text(middle, y + h + 16, words, "middle"))
    for words, s in zip(panel["y"]["n"], panel["y"]["t"], strict=True):
        out.append(_text(x - 6, y + h - s / STEPS * h + 4, words, "end"))
    out.append(_text(x + w / 2, y + h + 34, panel["x"]["l"], "middle"))
    out.append(_text(box["left"] + 4, y - 12, panel["y"]["l"]))
    out.append(_text(box["left"] + 4, y - (30 if panel["y"]["l"] else 10), panel["t"], bold=True))
    return out


def _shapes(mark: dict[str, Any], box: Box) -> list[dict[str, Any]]:
    def place(xs: Sequence[int], ys: Sequence[int]) -> list[tuple[float, float] | None]:
        return [
            None if GAP in (s, t) else (box["x"] + s / STEPS * box["w"], box["y"] + box["h"] - t / STEPS * box["h"])
            for s, t in zip(xs, ys, strict=True)
        ]

    at = place(mark["x"], mark["y"])
    to = place(mark["X"], mark["Y"]) if "X" in mark else []
    look = {"c": mark["c"], "w": mark["w"], "d": mark["d"], "box": box}
    if mark["k"] == "line":
        pieces: list[list[tuple[float, float]]] = [[]]
        for p in at:
            if p is None:
                pieces.append([])
            else:
                pieces[-1].append(p)
        return [{"k": "line", "p": [piece for piece in pieces if piece], **look}]
    if mark["k"] == "spans":
        return [{"k": "line", "p": [[p, q] for p, q in zip(at, to, strict=True) if p and q], **look}]
    if mark["k"] == "area":
        return [{"k": "area", "p": [*at, *reversed(to)], "o": mark["o"], **look}]
    if mark["k"] == "bars":
        found = []
        for p, q in zip(at, to, strict=True):
            if p and q:
                corners = {"x": min(p[0], q[0]), "y": min(p[1], q[1])}
                size = {"w": abs(p[0] - q[0]), "h": abs(p[1] - q[1])}
                found.append({"k": "rect", **corners, "o": mark["o"], **look, **size})
        return found
    inside = [0 <= s <= STEPS and 0 <= t <= STEPS for s, t in zip(mark["x"], mark["y"], strict=True)]
    shape, hollow = mark["s"][-1], mark["s"].startswith("h")
    return [
        {"k": "dot", "x": p[0], "y": p[1], "r": mark["r"], "shape": shape, "hollow": hollow, **look}
        for p, shown in zip(at, inside, strict=True)
        if p and shown
    ]


class Still:
    """A picture of marks that shows itself in a notebook and says in words what it shows.

    Parameters
    ----------
    panels : Panel or sequence of Panel, or a scene
    alt : str
        What the picture shows: its `repr`.
    title, note : str
        A line in bold above the picture, and one in grey under it.

    Examples
    --------
    >>> from dpcourse.plots.marks import Axis, line
    >>> still = Still(Panel(Axis(0, 1), Axis(0, 1), [line([0, 1], [0, 1])]), alt="A line from 0 to 1.")
    >>> still
    <Picture: A line from 0 to 1.>
    >>> still.png()[:4]
    b'\\x89PNG'
    """

    def __init__(
        self,
        panels: Panel | Sequence[Panel] | dict[str, Any],
        *,
        alt: str,
        title: str = "",
        note: str = "",
        width: float = WIDTH,
        height: float = HEIGHT,
    ) -> None:
        if isinstance(panels, dict):
            self.view = panels
        else:
            self.view = scene(as_marks(panels), height=height)
        self.alt, self.title, self.note, self.width = alt, title, note, width

    @property
    def _above(self) -> float:
        return (26.0 if self.title else 0.0) + (16.0 * len(self._note_lines) + 6 if self.note else 0.0)

    @property
    def _note_lines(self) -> list[str]:
        return textwrap.wrap(self.note, int(self.width / CHARACTER) - 4)

    def size(self) -> tuple[float, float]:
        """Width and height in points of a screen; the PNG has `SHARPNESS` pixels for each."""
        return self.width, boxes(self.view, self.width)[1] + self._above

    def png(self) -> bytes:
        """PNG bytes that hold no date and no version: the same numbers give the same bytes."""
        width, height = self.size()
        with course_style():
            figure = Figure(figsize=(width / _DOTS, height / _DOTS), dpi=_DOTS * SHARPNESS)
            FigureCanvasAgg(figure)
            paper = figure.add_axes((0, 0, 1, 1))
            paper.set(xlim=(0, width), ylim=(height - self._above, -self._above))
            paper.set_axis_off()
            if self.title:
                _draw(paper, _text(4, 18 - self._above, self.title, bold=True), 14)
            for i, words in enumerate(self._note_lines):
                _draw(paper, {**_text(4, 14 - self._above + (24 if self.title else 0) + 16 * i, words), "c": 5})
            for shape in placed(self.view, self.width):
                _draw(paper, shape)
            buffer = io.BytesIO()
            figure.savefig(buffer, format="png", dpi="figure", metadata={"Software": None})
        return buffer.getvalue()

    def _repr_mimebundle_(self, **keywords: Any) -> tuple[dict[str, str], dict[str, Any]]:
        width, height = self.size()
        data = {"text/plain": repr(self), "image/png": base64.b64encode(self.png()).decode("ascii")}
        return data, {"image/png": {"width": round(width), "height": round(height)}}

    def __repr__(self) -> str:
        return f"<Picture: {self.alt}>"


_DOT = {
    "s": [(-1, -1), (1, -1), (1, 1), (-1, 1)],
    "t": [(-1, 1), (1, 1), (0, -1)],
    "d": [(-1, 0), (0, -1), (1, 0), (0, 1)],
}


def _raised(words: str) -> str:
    """Typed powers as matplotlib raises them."""
    if "^" not in words:
        return words
    pieces = [(on.replace("$", r"\$"), up[1:-1] if up.startswith("(") else up) for on, up in powers(words)]
    return "".join(on + (rf"$^{{\mathregular{{{up}}}}}$" if up else "") for on, up in pieces)


def _draw(paper: Any, shape: dict[str, Any], size: float = 12) -> None:
    """Put one placed shape on the axes, whose unit is the pixel."""
    point = 72 / _DOTS  # matplotlib's widths and letters are in points of a printer
    kind, clip = shape["k"], None
    if "box" in shape:
        box = shape["box"]
        clip = Rectangle((box["x"], box["y"]), box["w"], box["h"], transform=paper.transData)
    if kind == "text":
        halo = [withStroke(linewidth=3 * point, foreground="white")] if shape.get("halo") else []
        paper.text(
            shape["x"],
            shape["y"],
            _raised(shape["t"]),
            ha={"start": "left", "middle": "center", "end": "right"}[shape["a"]],
            va="baseline",
            fontsize=size * point * 0.94,
            color=_COLOURS[shape["c"]],
            fontweight="bold" if shape.get("bold") else "normal",
            path_effects=halo,
            parse_math="^" in shape["t"],
            zorder=3,
        )
        return
    colour = _FAINT if kind == "grid" else _COLOURS[shape["c"]]
    if kind in ("grid", "line"):
        dashes = [float(part) for part in shape.get("d", "").split()]
        width = shape.get("w", 1) * point
        style = (0, [part * point / width for part in dashes]) if dashes else "-"
        for piece in shape["p"]:
            (drawn,) = paper.plot(
                *zip(*piece, strict=True),
                color=colour,
                linewidth=width,
                linestyle=style,
                zorder=2,
                marker="",
                solid_capstyle="butt",
                scalex=False,
                scaley=False,
            )
            if clip is not None:
                drawn.set_clip_path(clip)
        return
    if kind == "rect":
        patch: Any = Rectangle(
            (shape["x"], shape["y"]), shape["w"], shape["h"], facecolor=colour, edgecolor="none", alpha=shape["o"]
        )
    elif kind == "area":
        patch = PathPatch(Path(shape["p"], closed=False), facecolor=colour, edgecolor="none", alpha=shape["o"])
    else:
        x, y, r = shape["x"], shape["y"], shape["r"]
        filled = "none" if shape["hollow"] else colour
        if shape["shape"] == "x":
            path = Path([(x - r, y - r), (x + r, y + r), (x + r, y - r), (x - r, y + r)], [1, 2, 1, 2])
        elif shape["shape"] == "o":
            path = Path.circle((x, y), r)
        else:
            path = Path([(x + r * a, y + r * b) for a, b in [*_DOT[shape["shape"]], (0, 0)]], closed=True)
        clip = None  # whole also at an edge
        patch = PathPatch(path, facecolor=filled, edgecolor=colour, linewidth=shape["w"] * point)
    patch.set_zorder(2)
    paper.add_artist(patch)
    patch.set_clip_path(clip) if clip is not None else patch.set_clip_on(False)
