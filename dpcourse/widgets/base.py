"""What every explorer is made of: a question, controls, a picture that follows them, and the numbers in words.

An explorer is declared by three functions and its controls::

    def explore_count():
        return Explorer(
            "How far from the truth does a private count land?",
            controls={"epsilon": epsilon_slider(0.05, 5, 1), "people": whole_slider("people", 1, 500, 100)},
            compute=lambda epsilon, people: …,     # control values by name -> numbers (any object)
            marks=lambda numbers: Panel(…),        # numbers -> panels of marks (dpcourse.plots.marks)
            describe=lambda numbers: "…",          # numbers -> one to three sentences with the numbers drawn
            answer="…",                            # what the reader should have seen, folded
        )

Everything else is here: native, labelled inputs and the picture in the browser (explorer.js), a still and text for
readers without a kernel, and numbers computed beforehand for the web site (`dpcourse.widgets.grid`).
"""

from __future__ import annotations

import base64
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import resources
from typing import Any

import anywidget
import ipywidgets
import traitlets

from dpcourse.plots.marks import Panel, as_marks
from dpcourse.plots.scene import scene
from dpcourse.plots.still import Still
from dpcourse.widgets.controls import (
    Control,
    choice,
    epsilon_slider,
    epsilon_stops,
    log_slider,
    odds_in_words,
    slider,
    stops,
    switch,
    whole_slider,
)

__all__ = [
    "Explorer",
    "choice",
    "epsilon_slider",
    "epsilon_stops",
    "log_slider",
    "odds_in_words",
    "slider",
    "stops",
    "switch",
    "whole_slider",
]


def asset(name: str) -> str:
    """The text of explorer.js or explorer.css."""
    return (resources.files("dpcourse.widgets") / name).read_text(encoding="utf-8")


class FrontEnd(anywidget.AnyWidget):
    """The explorer in the browser."""

    _esm = asset("explorer.js")
    _css = asset("explorer.css")
    spec = traitlets.Dict().tag(sync=True)
    at = traitlets.Dict().tag(sync=True, echo_update=False)  # name -> which of the control's stops
    view = traitlets.Dict().tag(sync=True)


class Explorer(ipywidgets.VBox):
    """Controls beside a picture that follows them, with the numbers drawn in words.

    Parameters
    ----------
    title : str
        The question the reader explores.
    controls : mapping of str to Control
        By the argument name `compute` knows it under; see `epsilon_slider`, `slider`, `whole_slider`, `stops`,
        `choice`, `switch`.
    compute : callable
        ``compute(**values) -> numbers``. It must be quick (20 ms): precompute what is not, and say so in `describe`.
        Fix its randomness (``default_rng(lesson number)``), so that only the slider moves.
    marks : callable
        ``marks(numbers) -> Panel`` or several. The same number of panels and marks for all values.
    describe : callable
        ``describe(numbers) -> str``: the readout.
    answer : str
        What to see, folded under the readout.
    site : mapping of str to int, optional
        How many stops of a control the web site has, where they are not all kept.

    Examples
    --------
    >>> from dpcourse.plots.marks import Axis, Panel, line
    >>> explorer = Explorer("Twice?", controls={"x": slider("x", 0, 1, 0.5)}, compute=lambda x: 2 * x,
    ...                     marks=lambda y: Panel(Axis(0, 1), Axis(0, 2), [line([0, 1], [0, y])]),
    ...                     describe=lambda numbers: f"Twice x is {numbers:g}.")
    >>> explorer.show(x=1)
    'Twice x is 2.'
    """

    # ipywidgets 7 displays through this hook, which would leave readers without a kernel with nothing.
    _ipython_display_ = None

    def __init__(
        self,
        title: str,
        *,
        controls: Mapping[str, Control],
        compute: Callable[..., Any],
        marks: Callable[[Any], Panel | Sequence[Panel]],
        describe: Callable[[Any], str],
        answer: str = "",
        site: Mapping[str, int] | None = None,
    ) -> None:
        self.title, self.controls, self.answer, self.site = title, dict(controls), answer, dict(site or {})
        self._compute, self._marks, self._describe = compute, marks, describe
        self.numbers: Any = None
        self._defaults = self.values
        self._moving = False
        front = FrontEnd(spec=self.spec(), at=self._at(), view=self.update())
        super().__init__([front])
        self.front = front
        for control in self.controls.values():
            control.observe(self._on_control, names="value")
        front.observe(self._on_front, names="at")

    @property
    def values(self) -> dict[str, Any]:
        """The controls' present values by name."""
        return {name: control.value for name, control in self.controls.items()}

    @property
    def text(self) -> str:
        """The numbers drawn, in words."""
        return self._describe(self.numbers)

    def spec(self) -> dict[str, Any]:
        """What the front end is told once."""
        controls = [{"name": name, **control.spec()} for name, control in self.controls.items()]
        return {"title": self.title, "answer": self.answer, "controls": controls}

    def _at(self) -> dict[str, int]:
        return {name: control.index for name, control in self.controls.items()}

    def update(self) -> dict[str, Any]:
        """Compute at the controls' present values; the view of it: marks, readout, and words under the controls."""
        values = self.values
        self.numbers = self._compute(**values)
        view: dict[str, Any] = {"text": self.text, "alt": f"{self.title} {self.text}"}
        view["words"] = {
            name: control.in_words(values[name])
            for name, control in self.controls.items()
            if control.in_words is not None
        }
        off = {name: words for name, control in self.controls.items() if (words := control.between) is not None}
        if off:
            view["off"] = off
        positions = {name: control.options for name, control in self.controls.items() if control.kind == "range"}
        return view | scene(as_marks(self._marks(self.numbers)), positions)

    def _on_front(self, change: Any) -> None:
        """The reader has moved a control."""
        if self._moving:
            return
        for name, index in change["new"].items():
            control = self.controls[name]
            if control.index != index:
                self._set({name: control.options[index]})
        self.front.view = self.update()

    def _on_control(self, change: Any) -> None:
        """Python has."""
        self._send()

    def _send(self) -> None:
        view = self.update()
        self._moving = True
        try:
            self.front.at = self._at()
        finally:
            self._moving = False
        self.front.view = view

    def show(self, **values: Any) -> str:
        """Set some controls, draw once, and return the readout (a lesson's or a test's way to move the sliders)."""
        self._set(values)
        self._send()
        return self.text

    def _set(self, values: Mapping[str, Any]) -> None:
        """Set some controls without drawing."""
        for name, value in values.items():
            control = self.controls[name]
            control.unobserve(self._on_control, names="value")
            try:
                control.value = value
            finally:
                control.observe(self._on_control, names="value")

    def settings(self) -> Iterator[dict[str, Any]]:
        """What a test drives: the default, each control at both ends with the others at their defaults, all low, all
        high."""
        reach = {name: (control.options[0], control.options[-1]) for name, control in self.controls.items()}
        yield dict(self._defaults)
        for name, (low, high) in reach.items():
            yield self._defaults | {name: low}
            yield self._defaults | {name: high}
        yield {name: low for name, (low, _) in reach.items()}
        yield {name: high for name, (_, high) in reach.items()}
        yield dict(self._defaults)

    def seconds_to_update(self, repeats: int = 3) -> float:
        """Median processor time of compute, marks and describe together over `settings`, in seconds.

        Processor time, because other programs on the machine take a wall clock's time but not this. On an idle machine
        the two are the same for an explorer that computes in one thread.
        """
        times = []
        for setting in list(self.settings()) * repeats:
            self._set(setting)
            start = time.process_time()
            self.update()
            times.append(time.process_time() - start)
        return statistics.median(times)

    def still(self) -> Still:
        """The picture at the present values, for readers without a kernel."""
        said = [
            f"{control.description}: {control.between or control.labels[control.index]}"
            for control in self.controls.values()
        ]
        return Still(self.front.view, alt=f"{self.title} {self.text}", title=self.title, note=", ".join(said))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={_shown(value)}" for name, value in self.values.items())
        return f"<Explorer: {self.title} ({values}) {self.text}>"

    def _repr_mimebundle_(self, **keywords: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live widget where there is a kernel; the still and the text where there is none."""
        still = self.still()
        data: dict[str, Any] = {"text/plain": repr(self), "image/png": base64.b64encode(still.png()).decode("ascii")}
        if self._model_id is not None:
            data["application/vnd.jupyter.widget-view+json"] = {
                "version_major": 2,
                "version_minor": 0,
                "model_id": self._model_id,
            }
        width, height = still.size()
        return data, {"image/png": {"width": round(width), "height": round(height)}}


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
