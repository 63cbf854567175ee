"""The two hills, what lies between them, and the band that a claim allows."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.lessons.two_hills.numbers import HIGH, LOW, Hills, Threshold, epsilon_by_answers
from dpcourse.plots.marks import (
    BLUE,
    GREEN,
    GREY,
    INK,
    VERMILION,
    Axis,
    Mark,
    Panel,
    area,
    bars,
    categories,
    line,
    points,
    rule,
    spans,
    text,
)
from dpcourse.plots.still import Still
from dpcourse.plots.words import at_most, number

DELTA = 1e-5
_TIMES = (1 / 64, 1 / 16, 1 / 4, 1, 4, 16, 64)
_RATIOS = Axis(
    1 / 256,
    256,
    "times as high (log scale)",
    log=True,
    ticks=_TIMES,
    names=("1/64", "1/16", "1/4", "1", "4", "16", "64"),
)


def _share(values: np.ndarray) -> float:
    return 1.2 * float(np.max(values))


def _two(hills: Hills, without: str = "without Ana", with_ana: str = "with Ana") -> list[Mark]:
    """The hills; each is named on its own side."""
    top = max(hills.without.max(), hills.with_ana.max())
    left, right = hills.outputs[hills.without.argmax()], hills.outputs[hills.with_ana.argmax()]
    clear = 0.02 * np.ptp(hills.outputs)  # of the dots on the flank
    return [
        line(hills.outputs, hills.without, without, colour=BLUE, label=""),
        line(hills.outputs, hills.with_ana, with_ana, colour=VERMILION, dash="7 4", label=""),
        text(float(left - clear), 1.06 * top, without, colour=BLUE, anchor="end"),
        text(float(right + clear), 1.06 * top, with_ana, colour=VERMILION, anchor="start"),
    ]


def hills_marks(hills: Hills) -> list[Panel]:
    """The hills with the excess over the claim shaded, and beside them how many times as high one is as the other."""
    composed = hills.answers > 1 or hills.outputs[0] < 0
    x = Axis(float(hills.outputs[0]), float(hills.outputs[-1]), "sum of all answers (standard deviations of its noise)")
    if not composed:
        x = Axis(LOW, HIGH, "published number (people)", ticks=(51, 56, 61, 66, 71))
    allowed = math.exp(hills.claim) * hills.without
    above = hills.with_ana > allowed * (1 + 1e-9)
    marks = [
        # Where the claim is kept the shaded area has no height.
        area(hills.outputs, allowed, np.maximum(allowed, hills.with_ana), colour=VERMILION, opacity=0.45),
        line(
            hills.outputs, allowed, "the most the claim allows with Ana", colour=GREEN, dash="2 3", width=1.6, label=""
        ),
        *_two(hills),
    ]
    if above.any():
        middle = float(np.average(hills.outputs[above], weights=(hills.with_ana - allowed)[above]))
        level = float(np.interp(middle, hills.outputs, hills.with_ana))
        marks.append(
            text(middle, level, f"shaded: δ = {number(hills.delta, digits=2)}", anchor="start", shift=(14, -6))
        )
    else:
        marks.append(text(LOW, 0, ""))
    peak = _share(np.concatenate([hills.without, hills.with_ana]))
    named = float(hills.outputs[-1]), 0.55 * peak
    marks.append(text(*named, f"dotted: {at_most(math.exp(hills.claim))} × solid", colour=GREEN, anchor="end"))
    tall = Axis(0, peak, "how likely (density)")
    return [
        Panel(x, tall, marks, title="Two hills", share=1.45),
        Panel(
            Axis(x.low, x.high, "published number" if not composed else "sum", ticks=x.ticks),
            _RATIOS,
            _ratio(hills),
            title="Height with Ana ÷ height without",
        ),
    ]


def _ratio(hills: Hills, beyond: float = 0.0) -> list[Mark]:
    factor, ends = math.exp(hills.claim), [float(hills.outputs[0]) - beyond, float(hills.outputs[-1]) + beyond]
    return [
        area(ends, 1 / factor, factor, colour=GREEN, opacity=0.16),
        rule(y=factor, colour=GREEN, name="", dash="2 3"),
        rule(y=1 / factor, colour=GREEN, name="", dash="2 3"),
        text(
            ends[0], 256, f"green: claimed, at most e^ε = {at_most(factor)}", colour=GREEN, anchor="start", shift=(0, 6)
        ),
        line(hills.outputs, hills.ratio, "ratio", colour=INK, label=""),
    ]


def coin_marks(hills: Hills) -> list[Panel]:
    """What a coin makes of Ana's answer: four bars, the claim's ceilings on them, and the two ratios."""
    places = np.array([0.0, 1.0])
    marks: list[Mark] = [
        bars(places - 0.2, hills.without, "Ana does not smoke", width=0.36, colour=BLUE, opacity=0.6),
        bars(places + 0.2, hills.with_ana, "Ana smokes", width=0.36, colour=VERMILION, opacity=0.6),
    ]
    factor = math.exp(hills.claim)
    for side, own, other in ((-0.2, hills.without, hills.with_ana), (0.2, hills.with_ana, hills.without)):
        at, ceiling = places + side, factor * other
        ceiling = np.where(ceiling > 1, np.nan, ceiling)  # no more than certain: no limit
        marks.append(spans(at - 0.18, ceiling, at + 0.18, ceiling, colour=GREEN, width=2.5))
        marks.append(bars(at, np.fmax(own, ceiling), "δ", width=0.36, base=ceiling, colour=INK, opacity=0.7))
    marks += [
        text(0.8, hills.without[1], "does not", colour=BLUE, anchor="middle", shift=(0, -10)),
        text(1.2, hills.with_ana[1], "Ana smokes", colour=VERMILION, anchor="middle", shift=(0, -10)),
        text(0.5, 1.1, "green: the most the claim allows", colour=GREEN, anchor="middle"),
    ]
    ratio = [*_ratio(hills, beyond=0.5)[:4], points(places, hills.ratio, "ratio", colour=INK, size=6)]
    return [
        Panel(
            categories(("“no”", "“yes”"), "what she reports"),
            Axis(0, 1.2, "probability", ticks=(0, 0.5, 1), unit="%"),
            marks,
            title="Her report",
            share=1.45,
        ),
        Panel(categories(("“no”", "“yes”"), "what she reports"), _RATIOS, ratio, title="Smokes ÷ does not"),
    ]


def threshold_marks(cut: Threshold) -> list[Panel]:
    """The hills cut by Boris's threshold, and the point it makes of false and right alarms."""
    hills, t = cut.hills, cut.threshold
    beyond = hills.outputs >= t
    at = np.append(t, hills.outputs[beyond])

    def right_of(hill: np.ndarray) -> np.ndarray:
        return np.append(np.interp(t, hills.outputs, hill), hill[beyond])

    peak = _share(hills.with_ana)
    cuts = [
        area(at, 0, right_of(hills.with_ana), colour=VERMILION, opacity=0.3),
        area(at, 0, right_of(hills.without), colour=BLUE, opacity=0.35),
        *_two(hills),
        rule(x=t, colour=INK, dash="", name="“she is there” →", label_at="inside", shift=(4, -16)),
        points([t], [0.04 * peak], "threshold", colour=INK, shape="d", size=7, drag=("threshold", "x")),
    ]
    factor = math.exp(hills.noise if hills.epsilon < math.inf else hills.claim)
    corner = 1 / (1 + factor)
    room = [
        area([0, corner, 1], [0, corner, 1], [0, 1 - corner, 1], colour=GREEN, opacity=0.14),
        line([0, corner, 1], [0, 1 - corner, 1], "limit of the claim", colour=GREEN, dash="2 3", width=1.6, label=""),
        line([0, 1], [0, 1], colour=GREY, dash="4 3", width=1.2, hover=False),
        line(cut.curve_x, cut.curve_y, "all thresholds", colour=INK, label="", width=1.6),
        points([corner], [1 - corner], "corner", colour=GREEN, hollow=True, size=6),
        points([cut.false_alarms], [cut.right_alarms], "Boris", colour=VERMILION, size=6),
        text(corner, 1 - corner, f"corner {number(1 - corner, '%')}", colour=GREEN, anchor="end", shift=(-4, -4)),
        text(0.98, 0.06, "grey: guessing", colour=GREY, anchor="end"),
    ]
    return [
        Panel(
            Axis(LOW, HIGH, "published number (people)", ticks=(51, 56, 61, 66, 71)),
            Axis(0, peak, "how likely (density)"),
            cuts,
            title="Boris's threshold",
            share=1.35,
        ),
        Panel(
            Axis(0, 1, "false alarms", ticks=(0, 0.5, 1), unit="%"),
            Axis(0, 1, "right alarms", ticks=(0, 0.5, 1), unit="%"),
            room,
            title="What it wins him",
        ),
    ]


def composition_marks(hills: Hills) -> list[Panel]:
    """The hills of the sum of all answers, and ε against their number."""
    answers, epsilons = epsilon_by_answers(hills.noise, DELTA)
    here = float(np.interp(hills.answers, answers, epsilons))
    first, _ = hills_marks(hills)
    price = [
        line(answers, answers * epsilons[0], "added up", colour=GREY, dash="4 3", label=""),
        line(answers, epsilons, "composed", colour=INK, label=""),
        text(8, 8 * epsilons[0], "added up", colour=GREY, anchor="end"),
        text(2, float(np.interp(2, answers, epsilons)), "together", anchor="start", shift=(0, 16)),
        points([hills.answers], [here], "here", colour=VERMILION, size=6),
    ]
    return [
        first,
        Panel(
            Axis(1, 100, "answers k", log=True, ticks=(1, 3, 10, 30, 100)),
            Axis(0.1, 1000, "", log=True),
            price,
            title=f"ε of k answers (δ = {number(DELTA)})",
        ),
    ]


def draw_hills(hills: Hills) -> Still:
    """The first picture of the explorer, once."""
    alt = (
        f"Two hills: what is published without and with Ana. The one is at most {number(float(hills.ratio.max()))} "
        f"times as high as the other where they are drawn. Shaded: δ = {number(hills.delta, digits=2)} beyond a claim "
        f"of ε = {number(hills.claim)}."
    )
    return Still(hills_marks(hills), alt=alt)
