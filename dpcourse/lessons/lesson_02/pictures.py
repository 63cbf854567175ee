"""Pictures of lesson 02: two hills, the attacker's region, beliefs, the privacy loss, and what δ adds up."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.lessons.lesson_02.numbers import Attacker, Hills
from dpcourse.plots import marks
from dpcourse.plots.marks import DASHES, Axis, Panel
from dpcourse.plots.still import Still


def belief(share: float) -> str:
    """A belief in percent, with enough digits that one near 0 or 1 is not written as certain.

    Examples
    --------
    >>> belief(0.5), belief(0.99048), belief(0.9999319), belief(0.0095)
    ('50%', '99.048%', '99.99319%', '0.95%')
    """
    doubt = 100 * min(share, 1 - share)
    digits = 2 - math.floor(math.log10(doubt)) if doubt > 0 else 0
    return f"{100 * share:.{max(digits, 1)}f}".rstrip("0").rstrip(".") + "%"


def attacker_marks(data: Attacker) -> list[Panel]:
    """Left, the attacks that the claim allows; right, how far a belief can move."""
    shares = (0, 0.25, 0.5, 0.75, 1)
    room = [
        marks.area(data.fpr, data.worst, data.best),
        marks.line([0, 1], [0, 1], colour=marks.GREY, dash="2 3", width=1.4, hover=False),
        marks.line(data.fpr, data.best, "limit of the claim", label=""),
        marks.line(data.fpr, data.mechanism, data.name, colour=marks.VERMILION, dash="7 4", label=""),
        marks.text(0.98, 0.12, "limit of the claim", colour=marks.BLUE, anchor="end"),
        marks.text(0.98, 0.05, f"best attack on {data.name}", colour=marks.VERMILION, anchor="end"),
        marks.text(0.98, 0.19, "dotted: guessing", colour=marks.GREY, anchor="end"),
    ]
    low, high = data.belief
    beliefs = [
        marks.area(data.priors, data.low, data.high),
        marks.line([0, 1], [0, 1], colour=marks.GREY, dash="2 3", width=1.4, hover=False),
        marks.line(data.priors, data.high, "highest", label=""),
        marks.line(data.priors, data.low, "lowest", dash="9 3 2 3", label=""),
        marks.spans(data.prior, low, data.prior, high, colour=marks.VERMILION),
        marks.points([data.prior] * 2, [low, high], "Boris", colour=marks.VERMILION, shape="s", drag=("prior", "x")),
        marks.text(0.98, 0.05, "shaded: where it can go", colour=marks.BLUE, anchor="end"),
        marks.text(data.prior, high, belief(high), colour=marks.VERMILION, shift=(2, -8)),
        marks.text(data.prior, low, belief(low), colour=marks.VERMILION, shift=(2, 10)),
    ]
    return [
        Panel(
            Axis(0, 1, "says “smokes”, and she does not", ticks=shares, unit="%"),
            Axis(0, 1, "says “smokes”, and she does", ticks=shares, unit="%"),
            room,
            title="What attacks can reach",
            left=46,
            right=24,
        ),
        Panel(
            Axis(0, 1, "belief in Ana's yes before", ticks=shares, unit="%"),
            Axis(0, 1, "belief after", ticks=shares, unit="%"),
            beliefs,
            title="How far a belief can move at δ = 0",
            left=46,
            right=24,
        ),
    ]


def draw_hills(data: Hills) -> Still:
    """Left, the two hills and the area that δ counts; right, how many times as high the dashed one is."""
    allowed, band = np.exp(data.epsilon) * data.no, math.exp(data.epsilon)
    over = data.yes > allowed * (1 + 1e-9)
    top, low, high = float(data.yes.max()), float(data.x[0]), float(data.x[-1])
    ratios = data.yes / data.no
    reach = 40.0 if data.delta else 5.0
    seen = abs(np.log(ratios)) < math.log(reach)
    hills = [
        marks.line(data.x, data.no, "if she does not", label=""),
        marks.line(data.x, data.yes, "if Ana smokes", colour=marks.VERMILION, dash="7 4", label=""),
        marks.text(data.count - 0.9, 0.97 * top, "if she does not", colour=marks.BLUE, anchor="end"),
        marks.text(data.count + 1.9, 0.97 * top, "if Ana smokes", colour=marks.VERMILION, anchor="start"),
    ]
    if data.delta:
        lower = np.where(over, np.minimum(allowed, data.yes), data.yes)
        near = (allowed < 1.1 * top) & (data.x > data.count)
        hills = [
            marks.area(data.x[over], 0, lower[over], colour=marks.VERMILION, opacity=0.14),
            marks.area(data.x[over], lower[over], data.yes[over], colour=marks.VERMILION, opacity=0.6),
            *hills,
            marks.line(data.x[near], allowed[near], "", colour=marks.GREEN, dash="2 3"),
            *(
                marks.text(high - 0.05, share * top, words, colour=colour, anchor="end")
                for share, words, colour in (
                    (0.84, "both shades:", marks.INK),
                    (0.76, "ratio above e^ε", marks.INK),
                    (0.63, f"strong: δ = {data.delta:.3f}", marks.INK),
                )
            ),
            marks.text(data.x[near][0] + 0.15, 1.09 * top, "dots: e^ε × solid", colour=marks.GREEN, anchor="start"),
        ]
    times = (1 / 16, 1 / 4, 1, 4, 16) if data.delta else (1 / 4, 1 / 2, 1, 2, 4)
    names = [f"{t:g}" if t >= 1 else f"1/{round(1 / t)}" for t in times]
    ratio = [
        marks.area([low, high], 1 / band, band, colour=marks.GREEN, opacity=0.16),
        marks.line(data.x[seen], ratios[seen], "ratio", colour=marks.INK, label=""),
        marks.text(low + 0.2, band, f"e^ε = {band:.2f}", colour=marks.GREEN, anchor="start", shift=(0, -9)),
        marks.text(high - 0.2, 1 / band, f"1/e^ε = {1 / band:.2f}", colour=marks.GREEN, anchor="end", shift=(0, 10)),
    ]
    across = Axis(low, high, "published number", ticks=range(57, 67))
    alt = (
        f"Two hills of {data.noise} noise, around {data.count + 1} if Ana smokes and around {data.count} if "
        f"she does not. In this picture the dashed hill is between {ratios.min():.2g} and {ratios.max():.3g} times as "
        f"high as the solid one; the band of ε = {data.epsilon:g} goes from {1 / band:.2f} to {band:.2f}. "
        f"If Ana smokes, the ratio is above the band with probability {data.tail:.3g}, and δ = {data.delta:.3g}."
    )
    tall = Axis(0, 1.15 * top, "how likely (density)")
    times_axis = Axis(1 / reach, reach, "times as high (log scale)", log=True, ticks=times, names=names)
    panels = [
        Panel(across, tall, hills, title=f"{data.noise} noise: two hills", share=1.45),
        Panel(
            Axis(low, high, "published number", ticks=(57, 59, 61, 63, 65)),
            times_axis,
            ratio,
            title="Dashed height ÷ solid height",
        ),
    ]
    return Still(panels, alt=alt)


def draw_attacks(
    epsilon: float,
    delta: float,
    fpr: np.ndarray,
    allowed: np.ndarray,
    names: tuple[str, ...],
    rates: np.ndarray,
    at: tuple[float, ...],
) -> Still:
    """The best attack on each of some mechanisms that keep one (ε, δ) claim, inside what the claim allows. `fpr` and
    `allowed` have shape (rates,), `rates` (mechanisms, rates); `at` says at which rate each curve is named."""
    shares = (0, 0.25, 0.5, 0.75, 1)
    colours = (marks.BLUE, marks.VERMILION, marks.PURPLE)
    curves = []
    for name, curve, place, colour, dash in zip(names, rates, at, colours, DASHES, strict=False):
        height = float(np.interp(place, fpr, curve))
        curves += [
            marks.line(fpr, curve, name, colour=colour, dash=dash, label=""),
            marks.spans(place, height, place + 0.09, height - 0.06, colour=colour, width=1),
            marks.text(place + 0.1, height - 0.08, name, colour=colour, anchor="start"),
        ]
    panel = Panel(
        Axis(0, 1, "false positive rate: says “smokes”, and she does not", ticks=shares, unit="%"),
        Axis(0, 1, "true positive rate: says “smokes”, and she does", ticks=shares, unit="%"),
        [
            marks.area(fpr, 1 - allowed[::-1], allowed, colour=marks.GREY, opacity=0.16),
            marks.line([0, 1], [0, 1], "guessing", colour=marks.GREY, dash="2 3", width=1.4, label=""),
            marks.line(fpr, allowed, "the claim's limit", colour=marks.INK, width=1.6, label=""),
            *curves,
            marks.text(0.03, 0.9, "no attack gets here", anchor="start"),
            marks.text(0.55, 0.51, "dotted: guessing", colour=marks.GREY, anchor="start"),
            marks.text(0.42, 0.32, "shaded: what the claim allows", anchor="start"),
            marks.text(0.42, 0.27, "(below the dots: worse than guessing)", colour=marks.GREY, anchor="start"),
            marks.spans(0, delta, 0.12, 0.045, colour=marks.INK, width=1),
            marks.text(0.125, 0.035, f"the limit starts at δ = {delta:g}", anchor="start"),
        ],
        title=f"The best attacks under ε = {epsilon:g}, δ = {delta:g}",
        left=44,
        right=24,
    )
    alt = (
        f"True positive rate at a false positive rate of 10%: at most {np.interp(0.1, fpr, allowed):.1%} "
        f"allowed by ε = {epsilon:g}, δ = {delta:g}; "
        + ", ".join(f"{name} {np.interp(0.1, fpr, curve):.1%}" for name, curve in zip(names, rates, strict=True))
    )
    return Still(panel, alt=alt)


def draw_losses(
    x: np.ndarray, names: tuple[str, ...], exceed: np.ndarray, epsilon: float, labels: tuple[tuple[float, float], ...]
) -> Still:
    """How often the privacy loss exceeds each `x`: `exceed` has shape (mechanisms, x); names stand at `labels`."""
    colours = (marks.BLUE, marks.VERMILION, marks.GREEN)
    drawn = [marks.rule(x=epsilon, name=f"ε = {epsilon:g}")]
    for i, (name, row, place) in enumerate(zip(names, exceed, labels, strict=True)):
        drawn += [
            marks.line(x, row, name, colour=colours[i], dash=DASHES[i], label=""),
            marks.text(*place, name, colour=colours[i], anchor="start"),
        ]
    panel = Panel(
        Axis(x[0], x[-1], "privacy loss x: e^x times as likely on D as on D′"),
        Axis(0, 1.08, "chance of a larger loss than x", ticks=(0, 0.25, 0.5, 0.75, 1)),
        drawn,
        title="Where the loss can go",
    )
    alt = f"Chance that the privacy loss exceeds ε = {epsilon:.3g}: " + ", ".join(
        f"{name} {np.interp(epsilon + 1e-9, x, row):.2g}" for name, row in zip(names, exceed, strict=True)
    )
    return Still(panel, alt=alt)


def draw_delta(name: str, epsilon: np.ndarray, delta: np.ndarray, exceed: np.ndarray) -> Still:
    """δ(ε) beside the chance of a loss above ε, which is larger."""
    middle = len(epsilon) // 2
    place = float(epsilon[middle])
    panel = Panel(
        Axis(epsilon[0], epsilon[-1], "ε (smaller is more private)", log=True),
        Axis(float(delta.min()), 1.0, "probability", log=True),
        [
            marks.line(epsilon, delta, "δ(ε)", label=""),
            marks.line(epsilon, exceed, "loss above ε", colour=marks.VERMILION, dash="7 4", label=""),
            marks.text(place, float(delta[middle]), "δ(ε)", colour=marks.BLUE, anchor="end", shift=(-6, 16)),
            marks.text(
                place,
                float(exceed[middle]),
                "chance of a loss above ε",
                colour=marks.VERMILION,
                anchor="start",
                shift=(30, -4),
            ),
        ],
        title=f"{name}: δ is less than the chance of a loss above ε",
    )
    alt = (
        f"{name}: at ε = 1 the loss exceeds ε with probability {np.interp(1.0, epsilon, exceed):.3g}, "
        f"and δ is {np.interp(1.0, epsilon, delta):.3g}; both fall as ε grows."
    )
    return Still(panel, alt=alt)
