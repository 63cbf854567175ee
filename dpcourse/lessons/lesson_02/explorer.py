"""The explorer of lesson 02: what ε and δ leave an attacker."""

from __future__ import annotations

import numpy as np

from dpcourse.lessons.lesson_02.numbers import Attacker, attacker
from dpcourse.lessons.lesson_02.pictures import draw_attacker
from dpcourse.widgets.base import Explorer, choice, epsilon_slider, slider


def _describe(data: Attacker) -> str:
    five = float(np.interp(0.05, data.fpr, data.best))
    text = (
        f"With a 5% false positive rate the claim allows a true positive rate of {five:.1%}; the best attack on "
        f"{data.name} reaches {np.interp(0.05, data.fpr, data.mechanism):.1%}. With even odds the attacker is right "
        f"at most {data.accuracy:.1%} of the time. A belief of {data.prior:.1%} moves to between "
        f"{data.belief[0]:.1%} and {data.belief[1]:.1%}"
    )
    if data.delta:
        return (
            f"{text}, on a mechanism that gives the person away with probability δ = {data.delta:g} and otherwise "
            f"keeps within ε; {data.name} leaves this band more often, mostly by little."
        )
    return f"{text}, whatever the output."


def explore_attacker() -> Explorer:
    """Move ε and δ, and see which attacks remain and how far a belief can move. Neighbours: those of the claim."""
    return Explorer(
        "What can an attacker still do?",
        controls={
            "epsilon": epsilon_slider(0.05, 5.0, 1.0),
            "delta": choice("δ", {"0": 0.0, "0.00001": 1e-5, "0.01": 0.01, "0.1": 0.1}, 0.0),
            "prior": slider("belief before", 0.01, 0.99, 0.5, step=0.01),
        },
        compute=attacker,
        draw=draw_attacker,
        describe=_describe,
    )
