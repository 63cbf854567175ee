"""Explorer of lesson 10: ε, and the measured ROC curve of an attack inside what the claim allows."""

from __future__ import annotations

import numpy as np

from dpcourse.lessons.lesson_10.numbers import GRID, Rocs, measured_roc
from dpcourse.lessons.lesson_10.pictures import roc_marks
from dpcourse.plots.words import number, one_in
from dpcourse.widgets.base import Explorer, choice, epsilon_stops


def _describe(data: Rocs) -> str:
    i = GRID.EPSILONS.index(data.epsilon)
    epsilon = float(GRID.EPSILONS[i])
    attack = data.title.partition(": ")[2]
    area, right = GRID.SCORES[i][GRID.ATTACKS.index(attack)]
    curve = data.curves[0]
    at = [
        float(np.interp(0.01, x, values))
        for x, values in ((data.rates, data.allowed), (data.rates, data.exact), (curve.fpr, curve.tpr))
    ]
    return (
        f"ε = {number(epsilon)} (δ = {one_in(data.delta)}, adding or removing one record). At a false "
        f"positive rate of 1% the claim allows a true positive rate of {at[0]:.2%}, the best attack on all "
        f"{GRID.STEPS} noisy steps has at most {at[1]:.2%}, and {attack} on the released weights has {at[2]:.2%}; its "
        f"AUC is {area:.3f}, and its best threshold is right {right:.1%} of the time. The models are right about "
        f"{GRID.ACCURACY[i]:.1%} of other people. Measured beforehand on the UCI files: {GRID.TARGETS} models attacked "
        f"with {GRID.SHADOWS} shadows, a pool of {GRID.POOL:,}."
    )


def explore_membership() -> Explorer:
    """Move ε, and choose an attack, over precomputed ROC curves inside the region of the claim."""
    return Explorer(
        "How much of the room does an attack use?",
        controls={
            "epsilon": epsilon_stops(GRID.EPSILONS, 1.0, delta=GRID.DELTA),
            "attack": choice("attack", GRID.ATTACKS, GRID.ATTACKS[1]),
        },
        compute=measured_roc,
        marks=roc_marks,
        describe=_describe,
        answer=(
            "The claim leaves far more room than the attacks use. The dashed line shows why: even the best attack on "
            "all noisy steps stays below the limit, and these attacks, which see only the final weights, have much "
            "less. Unused room is no proof that the claim is too careful. It says what these attacks found."
        ),
    )
