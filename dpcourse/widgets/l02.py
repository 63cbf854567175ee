"""The explorer of lesson 02: what ε and δ leave an attacker."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.accounting import PrivacyLoss
from dpcourse.attacks import dp_accuracy_bound, dp_roc_bound, posterior_bounds
from dpcourse.mechanisms import GaussianMechanism
from dpcourse.plots.l02 import Attacker, draw_attacker
from dpcourse.widgets.base import Explorer, choice, epsilon_slider, slider

# Finer near 0 and 1, where the curves bend for large ε.
_RATES = np.unique(np.concatenate([np.geomspace(1e-4, 0.5, 60), 1 - np.geomspace(1e-4, 0.5, 60), [0.0, 0.05, 1.0]]))
_BELIEFS = np.linspace(0, 1, 101)


def attacker(epsilon: float, delta: float, prior: float) -> Attacker:
    """The attacker's region at (ε, δ), the best attack on the usual mechanism with that claim, and how beliefs move.

    The mechanism is a count with Laplace noise where δ is 0, else with Gaussian noise; neighbours differ by one in it.

    Examples
    --------
    >>> shown = attacker(1.0, 0.0, 0.5)
    >>> round(shown.accuracy, 3), shown.name
    (0.731, 'Laplace noise')
    """
    corner = (1 - delta) / (1 + math.exp(epsilon))  # where the two lines of the bound meet
    rates = np.unique(np.append(_RATES, [corner, 1 - corner]))
    if delta:
        loss, name = PrivacyLoss.gaussian(GaussianMechanism(epsilon, delta).sigma), "Gaussian noise"
    else:
        loss, name = PrivacyLoss.laplace(epsilon), "Laplace noise"
    low, high = posterior_bounds(_BELIEFS, epsilon)
    below, above = posterior_bounds(prior, epsilon)
    return Attacker(
        epsilon=epsilon,
        delta=delta,
        accuracy=dp_accuracy_bound(epsilon, delta),
        fpr=rates,
        best=dp_roc_bound(epsilon, delta, rates),
        worst=1 - dp_roc_bound(epsilon, delta, 1 - rates),
        mechanism=np.asarray(loss.true_positive_rate(rates)),
        name=name,
        priors=_BELIEFS,
        low=low,
        high=high,
        prior=prior,
        belief=(float(below), float(above)),
    )


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
