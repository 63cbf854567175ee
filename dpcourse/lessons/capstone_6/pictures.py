"""Pictures of capstone 6: how many customers a common model needs, and what the proposal would have told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREY, VERMILION, course_style


@dataclass(frozen=True)
class Needed:
    """AUC by the number of common customers, four arrays of one length; ε of the private ones."""

    customers: np.ndarray
    best_bank: np.ndarray
    together: np.ndarray
    private: np.ndarray
    epsilon: float

    @property
    def enough(self) -> int | None:
        """The first number measured from which the private model is better than the best bank's; None if never."""
        better = self.private > self.best_bank
        return int(self.customers[np.argmax(better)]) if better.any() else None


def draw_needed(data: Needed, *, into: Picture | None = None) -> Picture:
    """Three lines over the number of customers, on a logarithmic axis."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(680, 380)
            axes = picture.subplots()
            for name, label, colour, marker, style in (
                ("together", "all five, no noise", GREY, "s", "--"),
                ("private", "", BLUE, "o", "-"),
                ("best_bank", "best bank alone", VERMILION, "^", ":"),
            ):
                (picture.parts[name],) = axes.plot([], [], color=colour, marker=marker, linestyle=style, label=label)
            axes.set_xscale("log")
            axes.set_xlabel("customers of all five banks")
            axes.set_ylabel("AUC on new applicants")
            picture.parts["title"] = axes.set_title(" ")
    axes = picture.axes[0]
    for name in ("together", "private", "best_bank"):
        picture.parts[name].set_data(data.customers, getattr(data, name))
    picture.parts["private"].set_label(f"all five, ε = {data.epsilon:g}")
    with course_style():
        axes.legend(loc="lower right")
    axes.set_xlim(data.customers.min() / 1.2, data.customers.max() * 1.2)
    values = np.concatenate((data.best_bank, data.together, data.private))
    axes.set_ylim(values.min() - 0.03, values.max() + 0.03)
    axes.set_xticks(data.customers, [f"{n:,}" for n in data.customers])
    axes.minorticks_off()
    enough = "never, in this range," if data.enough is None else f"from about {data.enough:,} customers on"
    picture.parts["title"].set_text(f"Sharing pays {enough} at ε = {data.epsilon:g}")
    first, last = (
        f"{n:,} customers: best bank {b:.2f}, all five without noise {t:.2f}, with noise {p:.2f}"
        for n, b, t, p in ((data.customers[k], data.best_bank[k], data.together[k], data.private[k]) for k in (0, -1))
    )
    picture.alt = f"AUC against the number of customers, on a logarithmic axis. {first}; {last}."
    return picture


@dataclass(frozen=True)
class Told:
    """How much of the other banks' features bank A recovers: R² by the customers it knows, for several precisions."""

    known: np.ndarray
    recovered: Mapping[str, np.ndarray]
    before: float


def draw_told(data: Told, *, into: Picture | None = None) -> Picture:
    """A line for each precision of the residuals, and what bank A's own features say."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(680, 360)
            axes = picture.subplots()
            for (name, _), colour, marker, style in zip(
                data.recovered.items(), (BLUE, VERMILION, BLACK), "os^", ("-", "--", ":"), strict=False
            ):
                (picture.parts[name],) = axes.plot([], [], color=colour, marker=marker, linestyle=style, label=name)
            picture.parts["before"] = axes.axhline(0, color=GREY, linewidth=1.4, label="from bank A's own features")
            axes.set_xscale("log")
            axes.set_ylim(0, 1.05)
            axes.set_xlabel("customers whose other features bank A knows")
            axes.set_ylabel("share of variance recovered (R²)")
            picture.parts["title"] = axes.set_title(" ")
            axes.legend(loc="lower right")
    axes = picture.axes[0]
    for name, values in data.recovered.items():
        picture.parts[name].set_data(data.known, np.maximum(values, 0))
    picture.parts["before"].set_ydata([data.before] * 2)
    axes.set_xlim(data.known.min() / 1.2, data.known.max() * 1.2)
    axes.set_xticks(data.known, [f"{n:,}" for n in data.known])
    axes.minorticks_off()
    best, values = max(data.recovered.items(), key=lambda one: one[1][-1])
    picture.parts["title"].set_text(f"Residuals hand out the other banks' features: {values[-1]:.0%} of their variance")
    lines = "; ".join(
        f"{name}: {v[0]:.2f} with {data.known[0]} known customers, {v[-1]:.2f} with {data.known[-1]}"
        for name, v in data.recovered.items()
    )
    picture.alt = f"Share of variance recovered. {lines}. Bank A's own features alone give {data.before:.2f}."
    return picture
