"""Pictures of lesson 10: what models say with and without a person, and ROC curves under the bound of a claim."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpcourse.lessons.lesson_10.numbers import FLOOR, Rocs
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.still import Still
from dpcourse.plots.words import number


def draw_worlds(people: Sequence[tuple[str, np.ndarray, np.ndarray, float]]) -> Still:
    """For each record, given as (title, without, with it, target): two histograms of its scores under shadow models
    that were trained without and with it, and its score under the attacked model as a line."""
    everything = np.concatenate(
        [np.concatenate([without, with_it, [target]]) for _, without, with_it, target in people]
    )
    edges = np.linspace(everything.min() - 0.2, everything.max() + 0.2, 45)
    middles, width = (edges[1:] + edges[:-1]) / 2, edges[1] - edges[0]
    counted = [[np.histogram(scores, edges)[0] for scores in person[1:3]] for person in people]
    words = [("bars: trained without", marks.BLUE), ("outline: trained with", marks.VERMILION)]
    top, panels, told = 1.25 * np.max(counted), [], []
    for (title, without, with_it, target), (blue, red) in zip(people, counted, strict=True):
        left = target > (edges[0] + edges[-1]) / 2  # where there is room
        panels.append(
            Panel(
                Axis(edges[0], edges[-1], "φ: ln odds of the record's label"),
                Axis(0, top, "shadow models"),
                [
                    marks.bars(middles, blue, "trained without", width=width),
                    marks.line(middles, red, "trained with", colour=marks.VERMILION, step=True, label=""),
                    marks.rule(x=target, colour=marks.INK, dash="", width=1.8, name="attacked model"),
                    *marks.key(
                        *((edges[0], 0.8 * top) if left else (edges[-1], 0.8 * top)),
                        words,
                        anchor="start" if left else "end",
                    ),
                ],
                title=title,
            )
        )
        told.append(
            f"{title}: mean φ {without.mean():.2f} without, {with_it.mean():.2f} with, attacked model {target:.2f}"
        )
    return Still(panels, alt=f"Scores of records under shadow models. {'; '.join(told)}.", width=760, height=320)


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
    drawn += marks.key(1.0, FLOOR * 1.5 ** len(words), words)
    return Panel(
        Axis(FLOOR, 1, "false positive rate: accused, was not in (log scale)", log=True, unit="%"),
        Axis(FLOOR, 1, "true positive rate: accused, was in (log scale)", log=True, unit="%"),
        drawn,
        title=data.title,
    )


def draw_rocs(data: Rocs) -> Still:
    """ROC curves on logarithmic axes, their bands, guessing, and the area that the claim forbids."""
    told = []
    if data.epsilon is not None:
        at = np.interp(0.01, data.rates, data.allowed), np.interp(0.01, data.rates, data.exact)
        told.append(
            f"limit of ε = {data.epsilon:.3g}, δ = {number(data.delta or 0)} {at[0]:.2%}, best attack {at[1]:.2%}"
        )
    for curve in data.curves:
        fewest = float(np.min(curve.fpr))
        if fewest > 0.015:  # nothing is known so far left: no threshold accuses so few
            told.append(f"{curve.name} none (its curve begins at a false positive rate of {fewest:.0%})")
        else:
            told.append(f"{curve.name} {np.interp(0.01, curve.fpr, curve.tpr):.2%}")
    alt = f"{data.title}. True positive rate at a false positive rate of 1%: {', '.join(told)}."
    return Still(roc_marks(data), alt=alt + (f" Bands: {data.band}." if data.band else ""))
