"""The controls of explorers: what they are called, the values they stop at, and how these are written.

A control is no widget of its own: the explorer's front end makes a native HTML input of it.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import traitlets

from dpcourse.plots.words import at_most, number, one_in


class Control(traitlets.HasTraits):
    """One input.

    Parameters
    ----------
    kind : {"range", "select", "check"}
    description : str
        Its label.
    options : sequence
        The values it stops at, in order.
    labels : sequence of str
        How they are written.
    value
        The first; for a "range" also one between two stops, which Python may set.
    in_words : callable, optional
        A sentence about a value, shown under the input.
    """

    value = traitlets.Any()

    def __init__(
        self,
        kind: str,
        description: str,
        options: Sequence[Any],
        labels: Sequence[str],
        value: Any,
        *,
        write: Callable[[Any], str] = str,
        in_words: Callable[[Any], str] | None = None,
    ) -> None:
        self.kind, self.description = kind, description
        self.options, self.labels = list(options), [str(label) for label in labels]
        self.write, self.in_words = write, in_words
        super().__init__(value=value)

    @traitlets.validate("value")
    def _allowed(self, proposal: Any) -> Any:
        value = proposal["value"]
        if value in self.options:
            return value
        slack = 1e-9 * abs(self.options[-1]) if self.kind == "range" else 0
        if self.kind == "range" and self.options[0] - slack <= value <= self.options[-1] + slack:
            return min(max(value, self.options[0]), self.options[-1])
        raise traitlets.TraitError(f"{self.description}: {value!r} is not one of its values")

    @property
    def index(self) -> int:
        """The stop at the value, or the nearest."""
        if self.value in self.options:
            return self.options.index(self.value)
        after = min(max(bisect.bisect(self.options, self.value), 1), len(self.options) - 1)
        low, high = self.options[after - 1], self.options[after]
        return after - 1 if self.value - low <= high - self.value else after

    @property
    def between(self) -> str | None:
        """How the value is written, where it is no stop."""
        return None if self.value in self.options else self.write(self.value)

    def keep(self, count: int) -> None:
        """Keep about so many stops of a range, evenly chosen, among them both ends and the present value."""
        if self.kind == "range" and len(self.options) > count:
            kept = sorted({*np.linspace(0, len(self.options) - 1, count - 1).round().astype(int).tolist(), self.index})
            self.options, self.labels = [self.options[i] for i in kept], [self.labels[i] for i in kept]

    def spec(self) -> dict[str, Any]:
        """What the front end needs."""
        return {"kind": self.kind, "label": self.description, "labels": self.labels}


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
    shown = at_most(factor) if factor < 1e6 else f"{factor * 1.1:.1e}"
    return f"one person changes the odds of any answer by a factor of at most {shown}"


def _epsilon_in_words(delta: float) -> Callable[[float], str]:
    # Loose for (ε, δ), where the sentence can fail with probability somewhat above δ; lessons 02 and 04 say precisely
    # what δ is.
    note = f", leaving aside events of small probability (δ = {one_in(delta)})" if delta else ""

    def in_words(epsilon: float) -> str:
        words = odds_in_words(epsilon)
        side = "More private" if epsilon <= 0.1 else "Less private" if epsilon >= 5 else ""
        return (f"{side}: {words}" if side else words[0].upper() + words[1:]) + note + "."

    return in_words


def _log_stops(low: float, high: float, value: float, digits: int = 3) -> list[float]:
    """About 20 stops a decade, rounded as they are written, with both ends and `value` among them."""
    count = round(20 * math.log10(high / low))
    rounded = {float(f"{stop:.{digits - 1}g}") for stop in np.geomspace(low, high, count + 1)}
    return sorted({stop for stop in rounded if low < stop < high} | {low, high, value})


def epsilon_slider(
    low: float = 0.01,
    high: float = 10.0,
    value: float = 1.0,
    *,
    delta: float = 0.0,
    label: str = "ε",
    words: Callable[[float], str] | None = None,
) -> Control:
    """A slider for ε, logarithmic, about 20 stops a decade; with δ > 0 its words say "except with probability δ".
    `words` says something else about ε."""
    stops = _log_stops(low, high, value)
    return Control(
        "range",
        label,
        stops,
        [number(stop) for stop in stops],
        value,
        write=number,
        in_words=words or _epsilon_in_words(delta),
    )


def epsilon_stops(values: Sequence[float], value: float, *, delta: float = 0.0, label: str = "ε") -> Control:
    """A slider for ε that stops at measured values only."""
    return Control(
        "range",
        label,
        list(values),
        [number(stop) for stop in values],
        value,
        write=number,
        in_words=_epsilon_in_words(delta),
    )


def log_slider(
    description: str, low: float, high: float, value: float, *, unit: str = "", whole: bool = False
) -> Control:
    """A logarithmic slider for a positive number other than ε; with `whole`, over whole numbers."""
    stops = _log_stops(low, high, value)
    if whole:
        stops = sorted({round(stop) for stop in stops})
    return _range(description, stops, value, unit)


def slider(
    description: str, low: float, high: float, value: float, *, step: float | None = None, unit: str = ""
) -> Control:
    """A linear slider, 50 steps long unless `step` is given."""
    count = 50 if step is None else round((high - low) / step)
    stops = {round(low + (high - low) * k / count, 10) for k in range(count + 1)}
    return _range(description, sorted(stops | {value}), value, unit)


def whole_slider(description: str, low: int, high: int, value: int, *, step: int = 1) -> Control:
    """A slider over whole numbers."""
    return _range(description, sorted({*range(low, high + 1, step), value}), value, "")


def stops(description: str, values: Sequence[float], value: float, *, unit: str = "") -> Control:
    """A slider that stops at these values only, such as those that were measured."""
    return _range(description, list(values), value, unit)


def _range(description: str, options: Sequence[Any], value: Any, unit: str) -> Control:
    def write(stop: float) -> str:
        return number(stop, unit, 4)

    return Control("range", description, options, [write(stop) for stop in options], value, write=write)


def choice(description: str, options: Sequence[Any] | Mapping[str, Any], value: Any = None) -> Control:
    """A drop-down list; `options` are values, or labels with their values. The first is chosen unless `value` is
    given."""
    pairs = list(options.items()) if isinstance(options, Mapping) else [(str(option), option) for option in options]
    labels, values = zip(*pairs, strict=True)
    return Control("select", description, values, labels, values[0] if value is None else value)


def switch(description: str, value: bool = False) -> Control:
    """A box to tick."""
    return Control("check", description, [False, True], ["no", "yes"], value)
