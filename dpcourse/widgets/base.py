"""What every explorer is made of: controls, a picture that follows them, and the numbers in words.

An explorer is declared by three functions and its controls::

    def explore_count():
        return Explorer(
            "How far from the truth?",
            controls={"epsilon": epsilon_slider(0.01, 10, 1), "people": whole_slider("people", 1, 500, 100)},
            compute=lambda epsilon, people: …,     # control values by name -> numbers (any object)
            draw=l00.draw_count,                   # (numbers, *, into=None) -> Picture
            describe=lambda numbers: "…",          # numbers -> one to three sentences with the numbers drawn
        )

Everything else is here: ε in words beside its slider, redrawing on change, a static picture and text for readers
without a kernel. Every control is a native ipywidgets control, so each is reached by Tab and moved by the arrow keys.
"""

from __future__ import annotations

import base64
import html
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import ipywidgets

from dpcourse.plots import Picture
from dpcourse.widgets.controls import (
    choice,
    ends,
    epsilon_slider,
    log_slider,
    odds_in_words,
    slider,
    switch,
    whole_slider,
)

__all__ = [
    "Explorer",
    "choice",
    "epsilon_slider",
    "log_slider",
    "odds_in_words",
    "slider",
    "switch",
    "whole_slider",
]


class Explorer(ipywidgets.VBox):
    """Controls above a picture that follows them, with the numbers drawn in words below it.

    Parameters
    ----------
    title : str
        The question the reader explores.
    controls : mapping of str to ipywidgets widget
        By the argument name `compute` knows it under; see `epsilon_slider`, `slider`, `whole_slider`, `choice`,
        `switch`.
    compute : callable
        ``compute(**values) -> numbers``. It must be quick (compute and draw together under 80 ms): precompute what is
        not, and say so in `describe`. Fix its randomness (``default_rng(lesson number)``), so that only the slider
        moves.
    draw : callable
        ``draw(numbers, *, into=None) -> Picture``.
    describe : callable
        ``describe(numbers) -> str``: the readout.

    Examples
    --------
    >>> def draw(numbers, *, into=None):
    ...     return into or Picture(alt="Nothing.")
    >>> explorer = Explorer("Twice?", controls={"x": slider("x", 0, 1, 0.5)}, compute=lambda x: 2 * x, draw=draw,
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
        controls: Mapping[str, Any],
        compute: Callable[..., Any],
        draw: Callable[..., Picture],
        describe: Callable[[Any], str],
    ) -> None:
        self.title, self.controls = title, dict(controls)
        self._compute, self._draw, self._describe = compute, draw, describe
        self.numbers: Any = None
        self.picture: Any = None  # a Picture after the first update
        self._image = ipywidgets.Image(format="png")
        self._readout = ipywidgets.HTML()
        self._defaults = self.values
        self._words: dict[str, ipywidgets.HTML] = {}
        rows = []
        for name, control in self.controls.items():
            if hasattr(control, "in_words"):
                self._words[name] = ipywidgets.HTML()
                rows.append(ipywidgets.HBox([control, self._words[name]], layout={"flex_flow": "row wrap"}))
            else:
                rows.append(control)
        super().__init__([ipywidgets.HTML(f"<b>{html.escape(title)}</b>"), *rows, self._image, self._readout])
        for control in self.controls.values():
            control.observe(self._on_change, names="value")
        picture = self.update()
        # A column stretches its members: without a width the picture would be blown up to that of the page.
        width = round(picture.get_figwidth() * picture.dpi)
        self._image.layout = {"width": f"{width}px", "max_width": "100%", "height": "auto", "align_self": "flex-start"}

    @property
    def values(self) -> dict[str, Any]:
        """The controls' present values by name."""
        return {name: control.value for name, control in self.controls.items()}

    @property
    def text(self) -> str:
        """The numbers drawn, in words."""
        return self._describe(self.numbers)

    def update(self) -> Picture:
        """Compute, draw and describe at the controls' present values; the picture drawn into."""
        values = self.values
        self.numbers = self._compute(**values)
        self.picture = self._draw(self.numbers, into=self.picture)
        self._image.value = self.picture.png()
        for name, words in self._words.items():
            words.value = html.escape(self.controls[name].in_words(values[name]))
        self._readout.value = (
            f'<div role="status" style="line-height:1.4;max-width:640px">{html.escape(self.text)}</div>'
        )
        return self.picture

    def _on_change(self, change: Any) -> None:
        self.update()

    def show(self, **values: Any) -> str:
        """Set some controls, draw once, and return the readout (a lesson's or a test's way to move the sliders)."""
        self._set(values)
        self.update()
        return self.text

    def _set(self, values: Mapping[str, Any]) -> None:
        """Set some controls without drawing."""
        for name, value in values.items():
            control = self.controls[name]
            control.unobserve(self._on_change, names="value")
            try:
                control.value = value
            finally:
                control.observe(self._on_change, names="value")

    def settings(self) -> Iterator[dict[str, Any]]:
        """What a test drives: the default, each control at both ends with the others at their defaults, all low, all
        high."""
        reach = {name: ends(control) for name, control in self.controls.items()}
        yield dict(self._defaults)
        for name, (low, high) in reach.items():
            yield self._defaults | {name: low}
            yield self._defaults | {name: high}
        yield {name: low for name, (low, _) in reach.items()}
        yield {name: high for name, (_, high) in reach.items()}
        yield dict(self._defaults)

    def seconds_to_update(self, repeats: int = 3) -> float:
        """Median processor time of compute, draw and describe together over `settings`, in seconds.

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

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={_shown(value)}" for name, value in self.values.items())
        return f"<Explorer: {self.title} ({values}) {self.text}>"

    def _repr_mimebundle_(self, **keywords: Any) -> dict[str, Any]:
        """The live widget where there is a kernel; the picture and the text where there is none."""
        bundle: dict[str, Any] = {
            "text/plain": repr(self),
            "image/png": base64.b64encode(self._image.value).decode("ascii"),
        }
        if self._model_id is not None:
            bundle["application/vnd.jupyter.widget-view+json"] = {
                "version_major": 2,
                "version_minor": 0,
                "model_id": self._model_id,
            }
        return bundle


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
