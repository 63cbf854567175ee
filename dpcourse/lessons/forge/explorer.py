"""Forge a mechanism: choose its noise and its claim, and let the auditor try to catch it."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.lessons.forge.numbers import GRID, Audits, forged
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.words import number
from dpcourse.widgets.base import Explorer, choice, epsilon_stops, stops


def audit_marks(data: Audits) -> Panel:
    """The certified ε of five audits as the runs go on, the claim, and what is true."""
    seen = np.where(data.all_runs <= data.runs, data.certified, np.nan)
    finite = [data.truth] if math.isfinite(data.truth) else []
    top = 1.2 * max(data.claim, float(data.certified.max()), *finite, 0.5)
    first, last = float(data.all_runs[0]), float(data.all_runs[-1])
    verdict = f"caught {data.caught} of {len(seen)} times" if data.caught else "not caught"
    colour = marks.VERMILION if data.caught else marks.INK
    return Panel(
        Axis(first, last, "runs on each of the two datasets (log scale)", log=True),
        Axis(0, top, "certified ε"),
        [
            marks.area([first, last], data.claim, top, colour=marks.VERMILION, opacity=0.08),
            marks.rule(y=data.claim, name="claimed ε", colour=marks.GREEN, dash="", width=2),
            marks.rule(y=data.truth if finite else np.nan, name="true ε", colour=marks.INK, dash="2 3"),
            *(marks.line(data.all_runs, row, "an audit", label="", width=1.4) for row in seen),
            marks.points([data.runs] * len(data.now), data.now, "an audit", drag=("runs", "x")),
            marks.text(data.runs, float(data.now.max()), verdict, colour=colour, shift=(0, -14)),
        ],
        title="The auditor at work",
        right=70,
    )


def _describe(data: Audits) -> str:
    low, high = number(float(data.now.min())), number(float(data.now.max()))
    delta = number(data.delta)
    reach = f"at least {low}" if low == high else f"at least {low} to {high}"
    truth = (
        f"In truth ε is {number(data.truth)} at this δ."
        if math.isfinite(data.truth)
        else "In truth no ε holds at this δ."
    )
    if data.caught:
        verdict = f"{data.caught} of {len(data.now)} audits catch the claim: what they certify is above it."
    elif data.truth > data.claim:
        verdict = "No audit catches the claim yet, and yet it is false: not caught is not proved."
    else:
        verdict = "No audit catches the claim, and none should: it is true."
    return (
        f"A count with {data.noise} noise of scale {number(data.scale)}, sold as ε = {number(data.claim)}, δ = {delta} "
        f"(adding or removing one person). After {data.runs:,} runs on each of two neighbouring datasets, "
        f"{len(data.now)} audits certify an ε of {reach}, each with {GRID.CONFIDENCE:.1%} confidence. {verdict} {truth}"
    )


def explore_forge() -> Explorer:
    """Choose a noise, its scale and a claim; the certified ε climbs with the runs until the claim is caught, or is not.

    The numbers are the real auditor's, measured beforehand: five audits of each mechanism.
    """
    noises = {
        "Laplace": "Laplace",
        "Gaussian": "Gaussian",
        "uniform": "uniform",
        f"Laplace, left out {GRID.FORGETS:.0%} of the time": "forgetful Laplace",
    }
    return Explorer(
        "Can you forge a mechanism that the auditor does not catch?",
        controls={
            "noise": choice("noise", noises),
            "scale": stops("scale of the noise (people)", GRID.SCALES, 0.5),
            "claim": epsilon_stops((0.25, 0.5, 1.0, 2.0, 4.0), 1.0, label="ε claimed"),
            "delta": choice("δ claimed", {"0": 0.0, "one in 100": 0.01}),
            "runs": stops("runs", GRID.RUNS, 10_000),
        },
        compute=forged,
        marks=audit_marks,
        describe=_describe,
        answer=(
            "An audit is an attack with a certificate. It runs the mechanism many times with Ana and without her, "
            "looks for an output that tells the two apart, and says which ε is refuted. A true claim is caught in at "
            "most one audit of a thousand. A false one is caught if you run long enough, and sooner the more it lies. "
            "Uniform noise has no ε: a number beyond its edge names the dataset. A claim that lies by little, or a "
            "fault that shows rarely, needs many runs. So an audit can refute a claim, and never prove one."
        ),
    )
