"""The explorer of lesson 02: what ε and δ leave an attacker."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.lessons.lesson_02.numbers import Attacker, attacker
from dpcourse.lessons.lesson_02.pictures import attacker_marks, belief
from dpcourse.plots.words import at_most, number
from dpcourse.widgets.base import Explorer, choice, epsilon_slider, slider


def _describe(data: Attacker) -> str:
    five, real = (float(np.interp(0.05, data.fpr, curve)) for curve in (data.best, data.mechanism))
    low, high = (belief(share) for share in data.belief)
    text = (
        f"Boris may say “smokes” wrongly 5% of the time. Then a claim of ε = {number(data.epsilon)}, "
        f"δ = {number(data.delta)} (replacing Ana's answer) lets him say it rightly {number(five, '%')} of the time at "
        f"most; {data.name} lets him reach {number(real, '%')}. If yes and no are equally likely, "
        f"he is right at most {number(data.accuracy, '%')} of the time."
    )
    band = f"between {low} and {high}"
    if data.delta:
        return (
            f"{text} At δ = 0 a belief of {number(data.prior, '%')} would stay {band}. With this δ it may leave the "
            f"band: {data.name} takes it out in {number(data.leaves, '%')} of releases."
        )
    return f"{text} A belief of {number(data.prior, '%')} moves to {band}, whatever is published."


def explore_attacker() -> Explorer:
    """Move ε and δ, and see which attacks remain and how far a belief can move. Neighbours: those of the claim."""
    return Explorer(
        "What can an attacker still do?",
        controls={
            "epsilon": epsilon_slider(
                0.05,
                5.0,
                1.0,
                words=lambda e: f"At δ = 0 the odds about Ana change by a factor of at most {at_most(math.exp(e))}.",
            ),
            "delta": choice("δ", {"0": 0.0, "one in 100,000": 1e-5, "one in 100": 0.01, "one in 10": 0.1}, 0.1),
            "prior": slider("belief before", 0.01, 0.99, 0.5, step=0.01, unit="%"),
        },
        compute=attacker,
        marks=attacker_marks,
        describe=_describe,
        answer=(
            "At δ = 0 a small ε squeezes both pictures onto the dotted line, where Boris only guesses. At ε = 1, δ = 0 "
            "he is right 73.1% of the time at most, and a belief of 50% stays between 26.9% and 73.1%. With δ = 0.1 "
            "the 73.1% become 75.8%. And the left end of the limit is lifted: an attack that never accuses wrongly "
            "can then succeed with probability δ at most."
        ),
    )
