"""Explorer of lesson 10: ε, and the measured ROC curve of an attack inside what the claim allows."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.accounting import PrivacyLoss
from dpcourse.attacks import dp_roc_bound
from dpcourse.plots.l10 import FLOOR, Curve, Rocs, draw_rocs
from dpcourse.widgets import l10_grid
from dpcourse.widgets.base import Explorer, choice, epsilon_slider

RATES = np.geomspace(FLOOR, 1.0, 120)


def measured_roc(epsilon: float, attack: str = l10_grid.ATTACKS[1]) -> Rocs:
    """The precomputed curve at the measured ε nearest to `epsilon` (in ratio), and what that ε allows.

    Examples
    --------
    >>> measured_roc(0.9).epsilon
    1.0
    """
    measured = np.array(l10_grid.EPSILONS)
    i, j = int(np.argmin(np.abs(np.log(measured / epsilon)))), l10_grid.ATTACKS.index(attack)
    nearest, noise = float(measured[i]), l10_grid.NOISE[i] / math.sqrt(l10_grid.STEPS)
    fpr, tpr, low, high = (np.array(row) for row in l10_grid.RATES[i][j])
    return Rocs(
        f"ε = {nearest:g}, δ = {l10_grid.DELTA:g}, add-remove: {attack}",
        (Curve("measured", fpr, tpr, low, high),),
        "97.5%, pointwise, of the true positive rate, cases taken for independent",
        nearest,
        l10_grid.DELTA,
        RATES,
        dp_roc_bound(nearest, l10_grid.DELTA, RATES),
        np.asarray(PrivacyLoss.gaussian(noise).true_positive_rate(RATES)),
    )


def _describe(data: Rocs) -> str:
    i = l10_grid.EPSILONS.index(data.epsilon)
    attack = data.title.partition(": ")[2]
    area, right = l10_grid.SCORES[i][l10_grid.ATTACKS.index(attack)]
    curve = data.curves[0]
    at = [
        float(np.interp(0.01, x, values))
        for x, values in ((data.rates, data.allowed), (data.rates, data.exact), (curve.fpr, curve.tpr))
    ]
    return (
        f"Nearest measured ε: {data.epsilon:g} (δ = {data.delta:g}, adding or removing one record). At a false "
        f"positive rate of 1% the claim allows a true positive rate of {at[0]:.2%}, the best attack on all "
        f"{l10_grid.STEPS} noisy steps has {at[1]:.2%}, and {attack} on the released weights has {at[2]:.2%}; its AUC "
        f"is {area:.3f}, and its best threshold is right {right:.1%} of the time. The models are right about "
        f"{l10_grid.ACCURACY[i]:.1%} of other people. Precomputed on the UCI files: {l10_grid.TARGETS} models attacked "
        f"with {l10_grid.SHADOWS} shadows, a pool of {l10_grid.POOL:,}."
    )


def explore_membership() -> Explorer:
    """Move ε, and choose an attack, over precomputed ROC curves inside the region of the claim."""
    return Explorer(
        "How much of the room does an attack use?",
        controls={
            "epsilon": epsilon_slider(l10_grid.EPSILONS[0], l10_grid.EPSILONS[-1], 1.0, delta=l10_grid.DELTA),
            "attack": choice("attack", l10_grid.ATTACKS, l10_grid.ATTACKS[1]),
        },
        compute=measured_roc,
        draw=draw_rocs,
        describe=_describe,
    )
