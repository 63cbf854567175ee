"""Pictures: numbers in, `Picture` out. No computing, no pyplot, no state.

A picture drawn once is a `Picture`, made by a function ``draw_…(data) -> Picture`` of ``lessons/lesson_NN/pictures.py``
that also says in words what it shows::

    def draw_release(data):
        with course_style():
            picture = Picture(alt=f"The error falls from {data.error[0]:.3g} to {data.error[-1]:.3g}.")
            axes = picture.subplots()
            epsilon_axis(axes, 0.01, 10)
            axes.plot(data.epsilon, data.error, **series(0))
        return picture

An explorer's picture is made of marks (`dpcourse.plots.marks`), drawn by the browser; `dpcourse.plots.still` draws the
same marks on paper.
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
