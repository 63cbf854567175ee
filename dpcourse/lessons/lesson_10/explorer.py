"""Explorer of lesson 10: ε, and the measured ROC curve of an attack inside what the claim allows."""

from __future__ import annotations

import numpy as np

from dpcourse.lessons.lesson_10.numbers import GRID, Rocs, measured_roc
from dpcourse.lessons.lesson_10.pictures import draw_rocs
from dpcourse.widgets.base import Explorer, choice, epsilon_slider


def _describe(data: Rocs) -> str:
    i = GRID.EPSILONS.index(data.epsilon)
    attack = data.title.partition(": ")[2]
    area, right = GRID.SCORES[i][GRID.ATTACKS.index(attack)]
    curve = data.curves[0]
    at = [
        float(np.interp(0.01, x, values))
        for x, values in ((data.rates, data.allowed), (data.rates, data.exact), (curve.fpr, curve.tpr))
    ]
    return (
        f"Nearest measured ε: {data.epsilon:g} (δ = {data.delta:g}, adding or removing one record). At a false "
        f"positive rate of 1% the claim allows a true positive rate of {at[0]:.2%}, the best attack on all "
        f"{GRID.STEPS} noisy steps has {at[1]:.2%}, and {attack} on the released weights has {at[2]:.2%}; its AUC "
        f"is {area:.3f}, and its best threshold is right {right:.1%} of the time. The models are right about "
        f"{GRID.ACCURACY[i]:.1%} of other people. Precomputed on the UCI files: {GRID.TARGETS} models attacked "
        f"with {GRID.SHADOWS} shadows, a pool of {GRID.POOL:,}."
    )


def explore_membership() -> Explorer:
    """Move ε, and choose an attack, over precomputed ROC curves inside the region of the claim."""
    return Explorer(
        "How much of the room does an attack use?",
        controls={
            "epsilon": epsilon_slider(GRID.EPSILONS[0], GRID.EPSILONS[-1], 1.0, delta=GRID.DELTA),
            "attack": choice("attack", GRID.ATTACKS, GRID.ATTACKS[1]),
        },
        compute=measured_roc,
        draw=draw_rocs,
        describe=_describe,
    )
