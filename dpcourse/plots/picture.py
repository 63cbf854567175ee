"""A figure that shows itself in a notebook, says in words what it shows, and needs no pyplot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.spines import Spine

from dpcourse.plots.canvas import Canvas
from dpcourse.plots.style import course_style

DPI = 100


class Picture(Figure):
    """A matplotlib `Figure` with a text alternative.

    Parameters
    ----------
    width, height : float
        Size in pixels.
    alt : str
        What the picture shows, in words and numbers. It is the picture's `repr`, which Jupyter stores beside the PNG:
        readers who do not see the picture, searches and nbval's comparison get this. A `draw_…` function sets it anew
        on every call, because it describes the data drawn.

    Attributes
    ----------
    parts : dict
        By a name of your choice, the lines, bars and texts whose data a later call sets through ``into=``.

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
            self._agg = Canvas(self)
        self.alt = alt
        self.parts: dict[Any, Any] = {}
        self._settled = False
        self._kept: tuple[Any, Any] | None = None  # the canvas with the ground, and with the vertical axes as well

    def png(self) -> bytes:
        """Render to PNG bytes, which hold no date and no version: the same data give the same bytes.

        The first call lays the picture out; later ones keep that layout, which keeps the axes from jumping under a
        moving slider. Grid, ticks and axis labels are painted again only when they have changed.
        """
        with course_style():
            self._paint()
            return self._agg.png()

    def draw(self, renderer: Any) -> None:
        super().draw(renderer)
        self._kept = None  # who draws elsewhere, as `savefig` does, takes the marks of what has changed away

    def _paint(self) -> None:
        """Paint on the canvas in three layers, of which the lower two are kept for as long as they stay the same.

        The ground is what matplotlib draws first: backgrounds and horizontal axes with their grid. Vertical axes, which
        change their limits more often, come next, and then the data. An "animated" artist is one that matplotlib leaves
        to its owner to draw and whose changes do not make the figure stale. The upper two layers are animated, so a
        figure is stale when its ground has changed.
        """
        regrouped, scales, above = self._regroup()
        kept, self._kept = self._kept, None  # not to be trusted if a draw fails
        ground, scaled = kept or (None, None)
        renderer = self._agg.get_renderer()
        if ground is None or regrouped or self.stale:
            self._agg.draw()
            ground, scaled = self._agg.copy_from_bbox(self.bbox), None
        if scaled is None or any(artist.stale for artist in scales):
            self._agg.restore_region(ground)
            for artist in scales:
                artist.draw(renderer)
            scaled = self._agg.copy_from_bbox(self.bbox)
        else:
            self._agg.restore_region(scaled)
        for artist in above:
            artist.draw(renderer)
        self.stale, self._kept = False, (ground, scaled)
        if not self._settled:
            self.set_layout_engine("none")
            self._settled = True

    def _regroup(self) -> tuple[bool, list[Artist], list[Artist]]:
        """Whether anything has come to another layer, the vertical axes, and what is above; both become animated."""
        regrouped, scales, above = False, [], []
        for axes in sorted(self.axes, key=Axes.get_zorder):
            axes.get_xlim(), axes.get_ylim()  # does what autoscaling has put off, which may make an axis stale
            for axis in (axes.xaxis, axes.yaxis):
                axis.label.stale_callback = _tells(axis)  # by itself, ``axis.label.set_…`` tells nobody
            ground, side, rest = _layers(axes)
            regrouped |= any(artist.get_animated() for artist in ground)
            regrouped |= not all(artist.get_animated() for artist in side + rest)
            for artist in ground:
                artist.set_animated(False)
            for artist in side:
                artist.set_animated(True)
            for artist in rest:
                for inner in [artist] if isinstance(artist, Axes) else artist.findobj():  # a legend's words, too
                    inner.set_animated(True)
            scales += side
            above += rest
        return regrouped, scales, above

    def _repr_png_(self) -> bytes:
        return self.png()

    def __repr__(self) -> str:
        return f"<Picture: {self.alt}>"

    __str__ = __repr__


def _layers(axes: Axes) -> tuple[list[Artist], list[Artist], list[Artist]]:
    """What an axes draws, in the order it is drawn: up to its horizontal axis, up to its vertical axis, and the
    rest."""
    drawn = sorted((artist for artist in axes.get_children() if artist is not axes.patch), key=Artist.get_zorder)
    second = max(i for i, artist in enumerate(drawn) if isinstance(artist, Axis)) + 1
    # Where the sides depend on each other's limits, both axes belong to the ground.
    first = drawn.index(axes.xaxis) + 1 if axes.get_aspect() == "auto" else second
    hidden: tuple[type[Artist], ...] = ()
    if not axes.get_visible():
        hidden = (Artist,)
    elif not axes.axison:
        hidden = (Axis, Spine)
    elif not axes.get_frame_on():
        hidden = (Spine,)
    return (
        drawn[:first],
        [artist for artist in drawn[first:second] if not isinstance(artist, hidden)],
        [artist for artist in drawn[second:] if not isinstance(artist, hidden)],
    )


def _tells(axis: Axis) -> Callable[[Artist, bool], None]:
    """A callback that makes an axis stale with its label."""

    def callback(label: Artist, stale: bool) -> None:
        axis.stale = stale

    return callback
