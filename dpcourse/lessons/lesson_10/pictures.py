"""Pictures of lesson 10: what models say with and without a person, and ROC curves under the bound of a claim."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcourse.lessons.lesson_10.numbers import FLOOR, Rocs
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.picture import Picture
from dpcourse.plots.still import Still
from dpcourse.plots.style import BLACK, BLUE, VERMILION, course_style

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


def roc_marks(data: Rocs) -> Panel:
    """ROC curves on logarithmic axes, their bands, guessing, and the area that the claim forbids."""
    ends = [FLOOR, 1.0]
    drawn = [marks.line(ends, ends, "guessing", colour=marks.GREY, dash="2 3", width=1.4, label="")]
    words = [("dotted: guessing", marks.GREY)]
    if data.epsilon is not None:
        drawn += [
            marks.area(data.rates, data.allowed, 1.0, colour=marks.GREY, opacity=0.25),
            marks.line(data.rates, data.allowed, "limit of the claim", colour=marks.INK, width=1.8, label=""),
            marks.line(
                data.rates, data.exact, "best attack on this noise", colour=marks.INK, dash="7 4", width=1.4, label=""
            ),
        ]
        words += [("grey: forbidden by the claim", marks.INK), ("dashed: best attack on this noise", marks.INK)]
    for i, curve in enumerate(data.curves):
        shown = (curve.fpr >= FLOOR * 0.999) & (curve.tpr > 0)
        if curve.low is not None and curve.high is not None:
            low, high = (np.asarray(side)[shown] for side in (curve.low, curve.high))
            drawn.append(marks.area(curve.fpr[shown], np.maximum(low, FLOOR / 10), high, colour=i, opacity=0.25))
        drawn.append(
            marks.line(curve.fpr[shown], curve.tpr[shown], curve.name, colour=i, dash=marks.DASHES[i], label="")
        )
        words.append((curve.name, i))
    heights = FLOOR * 1.5 ** np.arange(len(words), 0, -1)
    drawn += [
        marks.text(1.0, float(y), said, colour=colour, anchor="end")
        for y, (said, colour) in zip(heights, words, strict=True)
    ]
    return Panel(
        Axis(FLOOR, 1, "false positive rate: accused, was not in (log scale)", log=True, unit="%"),
        Axis(FLOOR, 1, "true positive rate: accused, was in (log scale)", log=True, unit="%"),
        drawn,
        title=data.title,
    )  # fmt: skip


def draw_rocs(data: Rocs) -> Still:
    """ROC curves on logarithmic axes, their bands, guessing, and the area that the claim forbids."""
    told = []
    if data.epsilon is not None:
        at = np.interp(0.01, data.rates, data.allowed), np.interp(0.01, data.rates, data.exact)
        told.append(f"limit of ε = {data.epsilon:.3g}, δ = {data.delta:g} {at[0]:.2%}, best attack {at[1]:.2%}")
    for curve in data.curves:
        fewest = float(np.min(curve.fpr))
        if fewest > 0.015:  # nothing is known so far left: no threshold accuses so few
            told.append(f"{curve.name} none (its curve begins at a false positive rate of {fewest:.0%})")
        else:
            told.append(f"{curve.name} {np.interp(0.01, curve.fpr, curve.tpr):.2%}")
    alt = f"{data.title}. True positive rate at a false positive rate of 1%: {', '.join(told)}."
    return Still(roc_marks(data), alt=alt + (f" Bands: {data.band}." if data.band else ""))


def _percent(value: float, _: object) -> str:
    return f"{100 * value:g}%"
