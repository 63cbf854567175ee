"""A figure that shows itself in a notebook, says in words what it shows, and needs no pyplot."""

from __future__ import annotations

import io
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from dpcourse.plots.style import course_style

DPI = 100
SHARPNESS = 2  # pixels a point of the screen


class Picture(Figure):
    """A matplotlib `Figure` with a text alternative.

    Parameters
    ----------
    width, height : float
        Size in points of a screen; the PNG has `SHARPNESS` pixels for each.
    alt : str
        What the picture shows, in words and numbers. It is the picture's `repr`, which Jupyter stores beside the PNG:
        readers who do not see the picture, searches and nbval's comparison get this.

    Examples
    --------
    >>> picture = Picture(alt="An empty pair of axes.")
    >>> axes = picture.subplots()
    >>> picture
    <Picture: An empty pair of axes.>
    >>> picture.png()[:4]
    b'\\x89PNG'
    """

    def __init__(self, width: float = 640, height: float = 400, *, alt: str = "", **keywords: Any) -> None:
        with course_style():
            super().__init__(figsize=(width / DPI, height / DPI), dpi=DPI, layout="constrained", **keywords)
            FigureCanvasAgg(self)
        self.alt = alt

    def png(self) -> bytes:
        """Render to PNG bytes, which hold no date and no version: the same data give the same bytes.

        The first call lays the picture out; later ones keep that layout.
        """
        buffer = io.BytesIO()
        with course_style():
            self.savefig(buffer, format="png", dpi=DPI * SHARPNESS, metadata={"Software": None})
        self.set_layout_engine("none")
        return buffer.getvalue()

    def size(self) -> tuple[int, int]:
        """Width and height in points of a screen."""
        return round(self.get_figwidth() * DPI), round(self.get_figheight() * DPI)

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        width, height = self.size()
        return self.png(), {"width": width, "height": height}

    def __repr__(self) -> str:
        return f"<Picture: {self.alt}>"

    __str__ = __repr__
