"""The explorer of lesson 11: how many runs for which ε."""

from __future__ import annotations

import numpy as np

from dpcourse.lessons.lesson_11.numbers import (
    Certifiable,
    certifiable,
)
from dpcourse.lessons.lesson_11.pictures import draw_certifiable
from dpcourse.widgets.base import Explorer, choice, epsilon_slider, log_slider


def _describe(data: Certifiable) -> str:
    i = int(np.flatnonzero(data.runs == data.at)[0])
    told = "; ".join(f"{name} {curve[i]:.2f}" for name, curve in data.curves.items())
    return (
        f"True ε = {data.true:.3g}, {data.at:,} certifying runs on each dataset (as many again choose the event), "
        f"{100 * data.confidence:.6g}% confidence. Certified: {told}. However broken the mechanism, one event in these "
        f"runs cannot certify more than {data.largest[i]:.2f}. (Closed form: the best single event, at frequencies as "
        "expected.)"
    )


def explore_audit() -> Explorer:
    """Move the true ε, the number of runs and the confidence, and see what an audit can certify."""
    return Explorer(
        "How many runs for which ε?",
        controls={
            "epsilon": epsilon_slider(0.05, 10.0, 1.0),
            "runs": log_slider("certifying runs", 30, 1e6, 10_000),
            "confidence": choice("confidence", {"95%": 0.95, "99.9%": 0.999, "99.9999%": 1 - 1e-6}, 0.999),
        },
        compute=certifiable,
        draw=draw_certifiable,
        describe=_describe,
    )
