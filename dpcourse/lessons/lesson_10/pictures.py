"""Pictures of lesson 10: what models say with and without a person, and ROC curves under the bound of a claim."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.patches import Polygon
from matplotlib.ticker import FuncFormatter, NullLocator

from dpcourse.lessons.lesson_10.numbers import FLOOR, Rocs
from dpcourse.plots.picture import Picture
from dpcourse.plots.style import BLACK, BLUE, GREY, VERMILION, course_style, log_axis, series

TOP = 1.15


@dataclass(frozen=True)
class Worlds:
    """Scores of one record under shadow models trained without and with it, and under the attacked model."""

    title: str
    without: np.ndarray
    with_it: np.ndarray
    target: float


def draw_worlds(people: tuple[Worlds, ...], *, into: Picture | None = None) -> Picture:
    """For each record two histograms, without and with it, and the attacked model's score as a line."""
    picture = into
    everything = np.concatenate([np.concatenate([p.without, p.with_it, [p.target]]) for p in people])
    edges = np.linspace(everything.min() - 0.2, everything.max() + 0.2, 45)
    if picture is None:
        with course_style():
            picture = Picture(760, 300)
            for i, axes in enumerate(np.ravel(picture.subplots(1, len(people), sharey=True))):
                empty = np.zeros(44)
                picture.parts[i, "without"] = axes.stairs(
                    empty, edges, fill=True, facecolor=BLUE, alpha=0.55, label="trained without"
                )
                picture.parts[i, "with"] = axes.stairs(
                    empty, edges, color=VERMILION, linewidth=2, linestyle="--", label="trained with"
                )
                picture.parts[i, "target"] = axes.axvline(0, color=BLACK, linewidth=1.6, label="attacked model")
                axes.set_xlabel("φ: ln odds of the record's label")
                axes.grid(False, axis="x")
                picture.parts[i, "title"] = axes.set_title(" ")
            picture.axes[0].set_ylabel("shadow models")
            picture.axes[0].legend(loc="upper left")
    told = []
    counted = [[np.histogram(scores, edges)[0] for scores in (p.without, p.with_it)] for p in people]
    for i, (person, counts) in enumerate(zip(people, counted, strict=True)):
        picture.parts[i, "without"].set_data(counts[0], edges)
        picture.parts[i, "with"].set_data(counts[1], edges)
        picture.parts[i, "target"].set_xdata([person.target] * 2)
        picture.parts[i, "title"].set_text(person.title)
        picture.axes[i].set_xlim(edges[0], edges[-1])
        picture.axes[i].set_ylim(0, 1.1 * max(np.max(counted), 1))
        told.append(
            f"{person.title}: mean φ {person.without.mean():.2f} without, {person.with_it.mean():.2f} with, "
            f"attacked model {person.target:.2f}"
        )
    picture.alt = "Scores of records under shadow models. " + "; ".join(told) + "."
    return picture


def draw_rocs(data: Rocs, *, into: Picture | None = None) -> Picture:
    """ROC curves on logarithmic axes, their bands, guessing, and the area that the claim forbids."""
    picture = into
    if picture is None:
        with course_style():
            picture = Picture(640, 500)
            axes = picture.subplots()
            parts = picture.parts
            diagonal = np.geomspace(FLOOR, 1, 50)
            if data.epsilon is not None:
                parts["forbidden"] = axes.add_patch(
                    Polygon([(0.1, 1), (1, 1), (0.1, 1)], facecolor=GREY, alpha=0.25, hatch="//", label="forbidden")
                )
                (parts["allowed"],) = axes.plot([], [], color=BLACK, linewidth=1.8, label="limit of the claim")
                (parts["exact"],) = axes.plot(
                    [], [], color=BLACK, linewidth=1.4, linestyle=(0, (5, 2)), label="best attack on this noise"
                )
            axes.plot(diagonal, diagonal, color=GREY, linestyle=":", linewidth=1.4, label="guessing")
            for i, curve in enumerate(data.curves):
                style = series(i, marker=False)
                parts["band", i] = axes.add_patch(
                    Polygon([(FLOOR, FLOOR)] * 2, facecolor=style["color"], alpha=0.3, linewidth=0)
                )
                (parts["curve", i],) = axes.plot([], [], label=curve.name, **style)
            for which in "xy":
                log_axis(axes, FLOOR, TOP, label="", which=which)
                getattr(axes, f"{which}axis").set_major_formatter(FuncFormatter(_percent))
                getattr(axes, f"{which}axis").set_minor_locator(NullLocator())  # ticks are most of the drawing's time
            axes.set_aspect("equal")
            axes.set_xlabel("false positive rate: accused, was not in (log scale)")
            axes.set_ylabel("true positive rate: accused, was in (log scale)")
            parts["title"] = axes.set_title(" ")
            parts["legend"] = axes.legend(loc="lower right")
    parts = picture.parts
    parts["title"].set_text(data.title)
    told = []
    if data.epsilon is not None:
        parts["forbidden"].set_xy(
            np.column_stack([np.append(data.rates, [1.0, FLOOR]), np.append(data.allowed, [TOP, TOP])])
        )
        parts["allowed"].set_data(data.rates, data.allowed)
        parts["exact"].set_data(data.rates, data.exact)
        at = np.interp(0.01, data.rates, data.allowed), np.interp(0.01, data.rates, data.exact)
        told.append(f"limit of ε = {data.epsilon:.3g}, δ = {data.delta:g} {at[0]:.2%}, best attack {at[1]:.2%}")
    for i, curve in enumerate(data.curves):
        shown = (curve.fpr >= FLOOR * 0.999) & (curve.tpr > 0)
        parts["curve", i].set_data(curve.fpr[shown], curve.tpr[shown])
        if curve.low is not None:
            x, low, high = (np.asarray(v)[shown] for v in (curve.fpr, curve.low, curve.high))
            outline = np.column_stack([np.append(x, x[::-1]), np.append(high, np.maximum(low, FLOOR / 10)[::-1])])
            parts["band", i].set_xy(outline)
        fewest = float(np.min(curve.fpr))
        if fewest > 0.015:  # nothing is known so far left: no threshold accuses so few
            told.append(f"{curve.name} none (its curve begins at a false positive rate of {fewest:.0%})")
        else:
            told.append(f"{curve.name} {np.interp(0.01, curve.fpr, curve.tpr):.2%}")
    picture.alt = f"{data.title}. True positive rate at a false positive rate of 1%: {', '.join(told)}."
    if data.band:
        picture.alt += f" Bands: {data.band}."
    return picture


def _percent(value: float, _: object) -> str:
    return f"{100 * value:g}%"
