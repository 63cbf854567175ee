"""The explorer of lesson 11: how many runs for which ε."""

from __future__ import annotations

import numpy as np

from dpcourse.lessons.lesson_11.numbers import Certifiable, certifiable
from dpcourse.lessons.lesson_11.pictures import certifiable_marks
from dpcourse.plots.words import number
from dpcourse.widgets.base import Explorer, choice, epsilon_slider, log_slider


def _describe(data: Certifiable) -> str:
    i = int(np.flatnonzero(data.runs == data.at)[0])
    told = "; ".join(f"{name.replace('1e-3', '0.001')} {curve[i]:.2f}" for name, curve in data.curves.items())
    return (
        f"True ε = {number(data.true)}, {data.at:,} certifying runs on each of two neighbouring datasets (as many "
        f"again choose the event), {100 * data.confidence:.6g}% confidence. Certified: {told} (δ = 0 where none is "
        f"named). However broken the mechanism, one event in these runs cannot certify more than "
        f"{data.largest[i]:.2f}. Closed form: the best single event, at frequencies as expected."
    )


def explore_audit() -> Explorer:
    """Move the true ε, the number of runs and the confidence, and see what an audit can certify."""
    return Explorer(
        "How many runs does it take to certify ε?",
        controls={
            "epsilon": epsilon_slider(0.05, 10.0, 1.0),
            "runs": log_slider("certifying runs", 30, 1_000_000, 10_000, whole=True),
            "confidence": choice("confidence", {"95%": 0.95, "99.9%": 0.999, "99.9999%": 1 - 1e-6}, 0.999),
        },
        compute=certifiable,
        marks=certifiable_marks,
        describe=_describe,
        site={"epsilon": 14, "runs": 12},
        answer=(
            "An audit never certifies more than the true ε, except by the bad luck that the confidence allows. For "
            "randomized response a few thousand runs get close to ε = 1. For a large ε the second event is so rare "
            "that the runs themselves are the limit: ten thousand cannot certify 8, whatever the mechanism does. A "
            "fiftieth of the doubt, 99.9% for 95%, costs about three times the runs."
        ),
    )
