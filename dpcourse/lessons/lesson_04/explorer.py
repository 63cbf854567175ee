"""The explorer of lesson 04: when the Gaussian mechanism overtakes the Laplace mechanism."""

from __future__ import annotations

import math

from dpcourse.lessons.lesson_04.numbers import Dimensions, multiplier, noise_by_dimension
from dpcourse.lessons.lesson_04.pictures import draw_dimensions
from dpcourse.widgets.base import Explorer, choice, epsilon_slider, log_slider


def _describe(data: Dimensions) -> str:
    laplace = math.sqrt(2) * data.chosen / data.epsilon
    gaussian = multiplier(data.epsilon, data.delta) * math.sqrt(data.chosen)
    quieter, factor = ("Gaussian", laplace / gaussian) if gaussian < laplace else ("Laplace", gaussian / laplace)
    counts = "One count" if data.chosen == 1 else f"{data.chosen:,} counts, each of which one person can change"
    return (
        f"{counts}, released together: Laplace noise has a standard deviation of {laplace:.3g} people per count "
        f"(ε = {data.epsilon:.3g}, δ = 0), Gaussian noise {gaussian:.3g} (ε = {data.epsilon:.3g}, "
        f"δ = {data.delta:.0e}), adding or removing one record. {quieter} is quieter, by a factor of {factor:.2f}. "
        f"The Gaussian wins from d = {data.overtakes:,} on."
    )


def explore_dimension() -> Explorer:
    """Move the number of counts, ε and δ, and see which noise is the smaller."""
    return Explorer(
        "Laplace or Gaussian?",
        controls={
            "epsilon": epsilon_slider(0.05, 10.0, 1.0),
            "chosen": log_slider("counts d", 1, 1000, 12),
            "delta": choice("δ", {"1e-9": 1e-9, "1e-7": 1e-7, "1e-5": 1e-5, "1e-3": 1e-3}, 1e-5),
        },
        compute=lambda epsilon, chosen, delta: noise_by_dimension(epsilon, delta, chosen),
        draw=draw_dimensions,
        describe=_describe,
    )
