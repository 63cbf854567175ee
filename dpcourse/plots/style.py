"""The course's look, as a context that is entered and left: no rcParams are changed for good.

Colours are those of Okabe and Ito, which stay apart under the common kinds of colour blindness; a series never differs
by colour alone, so `series(i)` gives line style and marker too.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from dpcourse.plots.words import number

# Okabe–Ito without its yellow, and with orange and sky darker, so that all reach 3:1 on white.
BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#B37A00",
    "#3A93CC",
    "#000000",
)
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK)
GREY = "#6b6b6b"
LINE_STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
HATCHES = ("", "//", "..", "xx", "\\\\", "++", "oo")

_SETTINGS: Any = {
    "font.family": "DejaVu Sans",  # shipped with matplotlib, so a picture is the same everywhere
    "font.size": 10.5,
    "axes.titlesize": 12,
    "axes.titlelocation": "left",
    "axes.titley": 1.0,  # where it is put anyway: nothing to be found out at each drawing
    "axes.labelsize": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#444444",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.7,
    "lines.linewidth": 2.0,
    "lines.markersize": 6,
    "legend.frameon": False,
    "legend.fontsize": 9.5,
    "xtick.color": "#333333",
    "ytick.color": "#333333",
    "hatch.linewidth": 0.6,
    "figure.facecolor": "white",
    "axes.prop_cycle": cycler(color=COLOURS) + cycler(linestyle=LINE_STYLES),
}
# Everything but the backend, so that a reader's own style sheet does not reach our pictures.
_DEFAULTS = {key: value for key, value in mpl.rcParamsDefault.items() if not key.startswith(("backend", "interactive"))}


@contextlib.contextmanager
def course_style() -> Iterator[None]:
    """Enter the course's style; whatever was set before is back on leaving.

    Examples
    --------
    >>> before = mpl.rcParams["axes.grid"]
    >>> with course_style():
    ...     mpl.rcParams["axes.grid"]
    True
    >>> mpl.rcParams["axes.grid"] == before
    True
    """
    with mpl.rc_context():
        # The values are valid already: skipping validation saves 10 ms a picture.
        dict.update(mpl.rcParams, _DEFAULTS)
        mpl.rcParams.update(_SETTINGS)
        yield


def series(index: int, *, marker: bool = True, line: bool = True) -> dict[str, Any]:
    """Keyword arguments for `Axes.plot` of the `index`-th series: colour, line style and marker all differ.

    Examples
    --------
    >>> series(1, marker=False)
    {'color': '#D55E00', 'linestyle': '--'}
    """
    i = index % len(COLOURS)
    keywords: dict[str, Any] = {"color": COLOURS[i], "linestyle": LINE_STYLES[i] if line else "none"}
    return keywords | ({"marker": MARKERS[i]} if marker else {})


def epsilon_axis(axes: Axes, low: float, high: float, *, which: str = "x", label: str = "privacy parameter ε") -> None:
    """Make an axis logarithmic in ε from `low` to `high`, with plain numbers and a word on which way is more
    private."""
    arrow = "← more private" if which == "x" else "more private ↓"
    log_axis(axes, low, high, which=which, label=f"{arrow}        {label} (log scale)")


def log_axis(axes: Axes, low: float, high: float, *, label: str, which: str = "x") -> None:
    """Make an axis logarithmic from `low` to `high`, ticked 0.1, 1, 10 (1, 2, 5 where it spans under two decades)."""
    axis: Axis = getattr(axes, f"{which}axis")
    getattr(axes, f"set_{which}scale")("log")
    getattr(axes, f"set_{which}lim")(low, high)
    getattr(axes, f"set_{which}label")(label)
    axis.set_major_locator(LogLocator(subs=(1.0,) if high / low > 100 else (1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
    axis.set_minor_formatter(NullFormatter())


def thousands(axis: Axis) -> None:
    """Write an axis's ticks as 11,000 rather than 11000."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
