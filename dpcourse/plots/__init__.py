"""Pictures: numbers in, `Picture` out. No computing, no pyplot, no state.

One module a lesson, ``lessons/lesson_NN/pictures.py``, with functions ``draw_…(data, *, into=None) -> Picture``::

    def draw_release(data, *, into=None):
        picture = into
        if picture is None:                               # build once ...
            with course_style():
                picture = Picture()
                axes = picture.subplots()
                epsilon_axis(axes, 0.01, 10)
                axes.set_ylim(0, 1)                       # fixed limits: what moves is the data, not the scale
                (picture.parts["error"],) = axes.plot([], [], label="error", **series(0))
                axes.legend()
        picture.parts["error"].set_data(data.epsilon, data.error)   # ... then only set data (a limit through `adjust`)
        picture.alt = f"The error falls from {data.error[0]:.3g} to {data.error[-1]:.3g}."
        return picture

An explorer keeps its picture and hands it back through ``into=``; a lesson calls the same function without it.
"""

from dpcourse.plots.picture import Picture
from dpcourse.plots.style import (
    COLOURS,
    adjust,
    bars,
    course_style,
    epsilon_axis,
    log_axis,
    series,
    thousands,
)

__all__ = ["COLOURS", "Picture", "adjust", "bars", "course_style", "epsilon_axis", "log_axis", "series", "thousands"]
