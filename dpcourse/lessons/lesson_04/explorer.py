"""The explorer of lesson 04: when the Gaussian mechanism overtakes the Laplace mechanism."""

from __future__ import annotations

import math

from dpcourse.lessons.lesson_04.numbers import Dimensions, multiplier, noise_by_dimension
from dpcourse.lessons.lesson_04.pictures import dimension_marks
from dpcourse.plots.words import number, one_in
from dpcourse.widgets.base import Explorer, choice, epsilon_slider, log_slider


def _describe(data: Dimensions) -> str:
    laplace = math.sqrt(2) * data.chosen / data.epsilon
    gaussian = multiplier(data.epsilon, data.delta) * math.sqrt(data.chosen)
    quieter, factor = ("Gaussian", laplace / gaussian) if gaussian < laplace else ("Laplace", gaussian / laplace)
    by = "less than one percent" if number(factor) == "1" else f"a factor of {number(factor)}"
    counts = "One count" if data.chosen == 1 else f"{data.chosen:,} counts, each of which one person can change"
    return (
        f"{counts}, released together at ε = {number(data.epsilon)} (adding or removing one record): Laplace noise "
        f"(δ = 0) has a standard deviation of {number(laplace)} people on each count, Gaussian noise (δ = "
        f"{one_in(data.delta)}) {number(gaussian)}. {quieter} is quieter, by {by}. The "
        f"Gaussian wins from d = {data.overtakes:,} on."
    )


def explore_dimension() -> Explorer:
    """Move the number of counts, ε and δ, and see which noise is the smaller."""
    return Explorer(
        "Laplace or Gaussian: which is quieter?",
        controls={
            "epsilon": epsilon_slider(0.05, 10.0, 1.0),
            "chosen": log_slider("counts d", 1, 1000, 12, whole=True),
            "delta": choice("δ", {one_in(d): d for d in (1e-9, 1e-7, 1e-5, 1e-3)}, 1e-5),
        },
        compute=lambda epsilon, chosen, delta: noise_by_dimension(epsilon, delta, chosen),
        marks=dimension_marks,
        describe=_describe,
        answer=(
            "One person changes all d counts by one each: d in sum, √d as a distance. Laplace noise pays for the sum, "
            "Gaussian noise for the distance, so it wins as soon as there are several counts. A smaller δ moves the "
            "crossing to the right. So does a larger ε, but slowly: with δ one in 100,000 from 5 counts (ε = 0.1) to "
            "13 (ε = 10)."
        ),
    )
