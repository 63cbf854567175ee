"""The controls of explorers: native ipywidgets, reached by Tab and moved by the arrow keys."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import ipywidgets

_WIDE = {"description_width": "150px"}
_CONTROL_WIDTH = "450px"


class _EpsilonSlider(ipywidgets.FloatLogSlider):
    """A logarithmic slider for ε that also says what its value promises."""

    delta_note = ""

    def in_words(self, epsilon: float) -> str:
        side = (
            "the more private end"
            if epsilon <= 0.1
            else "the less private end"
            if epsilon >= 5
            else "smaller is more private"
        )
        return f"ε = {epsilon:.3g} ({side}): {odds_in_words(epsilon)}{self.delta_note}"


def odds_in_words(epsilon: float) -> str:
    """What ε promises about one person, never rounded in its favour.

    Examples
    --------
    >>> odds_in_words(1.0)
    'one person changes the odds of any answer by a factor of at most 2.72'
    >>> odds_in_words(0.01)
    'one person changes the odds of any answer by a factor of at most 1.02'
    """
    factor = math.exp(epsilon)
    digits = 2 if factor < 10 else 0
    rounded = math.ceil(factor * 10**digits - 1e-9) / 10**digits
    shown = f"{rounded:,.{digits}f}" if factor < 1e6 else f"{factor * 1.1:.1e}"
    return f"one person changes the odds of any answer by a factor of at most {shown}"


def _step(low: float, value: float) -> float:
    """About 20 steps a decade, such that `value` is on one: the browser shows the nearest step, not the value."""
    distance = math.log10(value / low)
    return distance / max(round(distance / 0.05), 1) or 0.05


def epsilon_slider(low: float = 0.01, high: float = 10.0, value: float = 1.0, *, delta: float = 0.0) -> _EpsilonSlider:
    """A slider for ε, logarithmic, about 20 steps a decade; with δ > 0 its words say "except with probability δ"."""
    control = _EpsilonSlider(
        value=value,
        base=10,
        min=math.log10(low),
        max=math.log10(high),
        step=_step(low, value),
        description="ε",
        readout_format=".3g",
        style=_WIDE,
        layout={"width": _CONTROL_WIDTH},
    )
    # Loose for (ε, δ), where the sentence can fail with probability somewhat above δ; lessons 02 and 04 say precisely
    # what δ is.
    control.delta_note = f", leaving aside events of small probability (δ = {delta:.0e})" if delta else ""
    return control


def log_slider(description: str, low: float, high: float, value: float) -> ipywidgets.FloatLogSlider:
    """A logarithmic slider for a positive number other than ε."""
    return ipywidgets.FloatLogSlider(
        value=value,
        base=10,
        min=math.log10(low),
        max=math.log10(high),
        step=_step(low, value),
        description=description,
        readout_format=".3g",
        style=_WIDE,
        layout={"width": _CONTROL_WIDTH},
    )


def slider(
    description: str, low: float, high: float, value: float, *, step: float | None = None
) -> ipywidgets.FloatSlider:
    """A linear slider, 50 steps long unless `step` is given."""
    return ipywidgets.FloatSlider(
        value=value,
        min=low,
        max=high,
        step=(high - low) / 50 if step is None else step,
        description=description,
        readout_format=".3g",
        style=_WIDE,
        layout={"width": _CONTROL_WIDTH},
    )


def whole_slider(description: str, low: int, high: int, value: int, *, step: int = 1) -> ipywidgets.IntSlider:
    """A slider over whole numbers."""
    return ipywidgets.IntSlider(
        value=value,
        min=low,
        max=high,
        step=step,
        description=description,
        style=_WIDE,
        layout={"width": _CONTROL_WIDTH},
    )


def choice(description: str, options: Sequence[Any] | Mapping[str, Any], value: Any = None) -> ipywidgets.Dropdown:
    """A drop-down list; `options` are values, or labels with their values. The first is chosen unless `value` is
    given."""
    pairs = list(options.items()) if isinstance(options, Mapping) else [(str(option), option) for option in options]
    return ipywidgets.Dropdown(
        options=pairs,
        value=pairs[0][1] if value is None else value,
        description=description,
        style=_WIDE,
        layout={"width": _CONTROL_WIDTH},
    )


def switch(description: str, value: bool = False) -> ipywidgets.Checkbox:
    """A box to tick."""
    return ipywidgets.Checkbox(value=value, description=description, indent=False)


def ends(control: Any) -> tuple[Any, Any]:
    """The first and last value a control can take."""
    if isinstance(control, ipywidgets.FloatLogSlider):
        return control.base**control.min, control.base**control.max
    if isinstance(control, ipywidgets.Checkbox):
        return False, True
    if hasattr(control, "options"):
        values = [value for _, value in control.options]
        return values[0], values[-1]
    return control.min, control.max
