"""Pictures: numbers in, a picture out that also says in words what it shows. No computing, no pyplot, no state.

A picture is made of marks (`dpcourse.plots.marks`), once: `dpcourse.plots.still` draws them on paper, and an explorer
has the browser draw the same ones. A lesson's stand in ``lessons/lesson_NN/pictures.py``::

    def draw_release(epsilons, errors) -> Still:
        panel = Panel(epsilon_axis(0.01, 10), Axis(0, 1, "error"), [line(epsilons, errors, "one release")])
        return Still(panel, alt=f"The error falls from {number(errors[0])} to {number(errors[-1])}.")

`Picture` is a matplotlib figure, for diagrams of boxes and arrows and for whole dashboards.
"""

from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.picture import Picture
from dpcourse.plots.still import Still

__all__ = ["Axis", "Panel", "Picture", "Still"]
