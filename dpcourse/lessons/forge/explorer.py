"""Forge a mechanism: choose its noise and its claim, and let the auditor try to catch it."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.lessons.forge.numbers import GRID, Audits, forged
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.words import number
from dpcourse.widgets.base import Explorer, choice, epsilon_stops, stops

_NOISES = {  # how each is called in the menu and in a sentence, and why no ε holds for it at δ = 0 where none does
    "Laplace": ("Laplace", "Laplace noise of scale {}", ""),
    "Gaussian": ("Gaussian", "Gaussian noise of scale {}", "far out such noise tells the two apart beyond any factor"),
    "uniform": (
        "uniform",
        "uniform noise of at most {} either way",
        "a number past its edge comes from one of the two",
    ),
    "forgetful Laplace": (
        f"Laplace, {GRID.FORGETS:.0%} forgotten",
        f"Laplace noise of scale {{}}, forgotten {GRID.FORGETS:.0%} of the time",
        "",
    ),
}


def _verdict(data: Audits) -> str:
    if data.caught:
        return f"caught in {data.caught} of {len(data.now)} audits"
    return "not caught, and yet false: you got away with it" if data.truth > data.claim else "not caught: it is true"


def audit_marks(data: Audits) -> Panel:
    """The certified ε of five audits as the runs go on, the claim, and what is true."""
    seen = np.where(data.all_runs <= data.runs, data.certified, np.nan)
    known = math.isfinite(data.truth)
    top = 1.25 * max(data.claim, float(data.certified.max()), data.truth if known else 0.0, 0.5)
    first, last = float(data.all_runs[0]), float(data.all_runs[-1])
    return Panel(
        Axis(first, last, "runs with the person, and as many without (log scale)", log=True),
        Axis(0, top, "ε that is proved: no smaller one can be true"),
        [
            marks.area([first, last], data.claim, top, colour=marks.VERMILION, opacity=0.08),
            marks.rule(y=data.claim, name="claimed ε", colour=marks.GREEN, dash="", width=2, shift=(4, 0)),
            marks.rule(y=data.truth if known else np.nan, name="true ε", colour=marks.INK, dash="2 3", shift=(4, 0)),
            *(marks.line(data.all_runs, row, "an audit", label="", width=1.4) for row in seen),
            marks.points([data.runs] * len(data.now), data.now, "an audit", drag=("runs", "x")),
            marks.text(first, top, "above the claim: caught", colour=marks.VERMILION, anchor="start", shift=(0, 10)),
            marks.text(last, top, "" if known else "true ε: none, however large", anchor="end", shift=(0, 10)),
            marks.text(first, 0, "blue: five audits", colour=marks.BLUE, anchor="start", shift=(0, -10)),
        ],
        title=_verdict(data).capitalize(),
        right=80,
    )


def _describe(data: Audits) -> str:
    low, high = number(float(data.now.min())), number(float(data.now.max()))
    delta, (_, noise, why) = number(data.delta), _NOISES[data.noise]
    proved = f"they prove that ε is at least {low} (the luckiest: {high})"
    if low == "0":
        proved = "they prove nothing yet" if high == "0" else f"the luckiest proves that ε is at least {high}"
    truth = f"By calculation it is {number(data.truth)} at this δ."
    if not math.isfinite(data.truth):
        truth = f"By calculation no ε holds at this δ: {why}."
    moral = " Not caught is not proved." if not data.caught and data.truth > data.claim else ""
    return (
        f"Your claim is {_verdict(data)}. You sell a count of people with {noise.format(number(data.scale))} as "
        f"ε = {number(data.claim)}, δ = {delta} (adding or removing one person). Five audits, made beforehand, ran it "
        f"{data.runs:,} times with one person in the data and {data.runs:,} times without: {proved}, each with "
        f"{GRID.CONFIDENCE:.1%} confidence. {truth}{moral}"
    )


def explore_forge() -> Explorer:
    """Choose a noise, its scale and a claim; the certified ε climbs with the runs until the claim is caught, or is not.

    The numbers are the real auditor's, measured beforehand: five audits of each mechanism.
    """
    return Explorer(
        "Can you claim less ε than is true, and not be caught?",
        controls={
            "noise": choice("noise", {menu: name for name, (menu, *_) in _NOISES.items()}),
            "scale": stops("scale of the noise (people)", GRID.SCALES, 0.5),
            "claim": epsilon_stops((0.25, 0.5, 1.0, 2.0, 4.0), 1.0, label="ε claimed"),
            "delta": choice("δ claimed", {"0": 0.0, "one in 100": 0.01}),
            "runs": stops("runs", GRID.RUNS, 10_000),
        },
        compute=forged,
        marks=audit_marks,
        describe=_describe,
        answer=(
            "An audit is an attack with a certificate. It runs the mechanism many times with one person, Ana, in the "
            "data and without her, and looks for outputs that tell the two apart. What it proves is an ε that every "
            "true claim must reach. A true claim is caught in at most one audit of a thousand. Most false ones "
            "are caught if you run long enough, and the sooner the more they lie. To get away with it, lie by little, "
            "allow few runs, or choose a fault that shows rarely, such as Gaussian noise sold with δ = 0. Noise that "
            "is forgotten now and then gets worse with a larger scale: the exact count then stands out more. So an "
            "audit can refute a claim, and never prove one."
        ),
    )
