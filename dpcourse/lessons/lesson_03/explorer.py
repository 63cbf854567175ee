"""The explorer of lesson 03: ε, the bound and the number of people against the error of a mean."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpcourse.datasets import load_adult
from dpcourse.lessons.lesson_03.numbers import HIGHEST, LOWEST, MeanError, mean_error
from dpcourse.lessons.lesson_03.pictures import clipping_marks, dollars
from dpcourse.plots.words import number
from dpcourse.widgets.base import Explorer, choice, epsilon_slider, log_slider


def _describe(data: MeanError) -> str:
    bias, noise, total = (
        float(np.interp(data.bound, data.bounds, part)) for part in (data.bias, data.noise, data.total)
    )
    best = int(np.argmin(data.total))
    if data.total[best] > 0.95 * total:
        advice = "Hardly any bound does better"
    else:
        advice = f"A {'higher' if data.bounds[best] > data.bound else 'lower'} bound would do better"
    return (
        f"Gains above ${data.bound:,.0f} count as ${data.bound:,.0f}. At ε = {number(data.epsilon)} "
        f"(δ = 0, replacing one of {data.people:,} people) the mean comes out {dollars(bias)} too low on average, with "
        f"noise of standard deviation {dollars(noise)}: a typical error of {dollars(total)}. {advice} (at best "
        f"{dollars(data.total[best])}, with a bound of ${data.bounds[best]:,.0f})."
    )


def explore_clipping(frame: pd.DataFrame | None = None) -> Explorer:
    """Move ε, the clipping bound and the number of people, and see what bias and noise do to a mean of capital gains.

    Parameters
    ----------
    frame : DataFrame, optional
        Adult's columns; ``load_adult().frame`` unless given.
    """
    gains = (load_adult().frame if frame is None else frame)["capital-gain"].to_numpy(dtype=float)
    return Explorer(
        "Where should capital gains be clipped?",
        controls={
            "epsilon": epsilon_slider(0.01, 10.0, 0.3),
            "bound": log_slider("upper bound", LOWEST, HIGHEST, 25_000, unit="$"),
            "people": choice("people", {f"{n:,}": n for n in (50, 500, 5000, 45_222)}, 500),
        },
        compute=lambda epsilon, bound, people: mean_error(gains, epsilon, min(bound, HIGHEST), people),
        marks=clipping_marks,
        describe=_describe,
        answer=(
            "A low bound cuts large gains off, and that bias does not shrink however many people there are. A high "
            "bound needs more noise. The best bound is usually within a factor of three of the crossing of the two "
            "lines, and moves right with more people or a larger ε. It is found by looking at the data, so choosing it "
            "that way would cost privacy."
        ),
    )
