"""Capstone 3.1: what a campaign of noisy reports costs one device, before and after the reports are added up."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.checks.cases import Equals, Mistake
from dpcourse.lessons.capstone_3.exercises.tools import decades, people
from dpcourse.mechanisms.additive.gaussian import GaussianMechanism, analytic_noise_multiplier

LARGEST = 10_000  # devices whose noise is in a sum


def _settings(rng: np.random.Generator) -> tuple[float, float, int, int]:
    epsilon, delta = decades(rng, 0.2, 4), decades(rng, 1e-9, 1e-5)
    return epsilon, delta, people(rng, 2, 200), people(rng, 2, 1000) if rng.random() < 0.5 else 1


def _wide(rng: np.random.Generator) -> tuple[float, float, int, int]:
    """A single round, or up to 200; a sum as large as the project's largest, or twice as large, or of any size."""
    epsilon, delta, rounds = decades(rng, 0.005, 20), decades(rng, 1e-10, 1e-3), people(rng, 2, 200)
    honest = people(rng, *((LARGEST, 2 * LARGEST) if rng.random() < 0.3 else (1, LARGEST)))
    return epsilon, delta, 1 if rng.random() < 0.3 else rounds, honest


def price(moved: float, delta: float) -> float:
    """ε at δ of standard normal noise under a change of norm `moved`."""
    return GaussianMechanism.from_noise_multiplier(1 / moved, delta=delta).guarantee.epsilon


def campaign(epsilon: float, delta: float, rounds: int, honest: int, unit: float = 1.0) -> float:
    """The right ε; `unit` is the change in units of the one that the noise is made for."""
    return price(unit * math.sqrt(rounds / honest) / analytic_noise_multiplier(epsilon, delta), delta)


CAMPAIGN = Equals(
    _settings,
    campaign,
    (
        Mistake(
            "per-round",
            lambda epsilon, delta, rounds, honest: epsilon,
            "You give the ε of one report, whatever `rounds` and `honest` are.",
            "Somebody who has two reports of one device averages them. What is the noise of the average?",
        ),
        Mistake(
            "times-rounds",
            lambda epsilon, delta, rounds, honest: rounds * epsilon,
            "You multiply ε by the number of rounds. That is true of any mechanism, at δ times `rounds`. Normal noise "
            "costs less.",
            "All reports together are one vector with normal noise. How far does one device move that vector?",
        ),
        Mistake(
            "root-rounds",
            lambda epsilon, delta, rounds, honest: math.sqrt(rounds) * epsilon,
            "You multiply ε by √rounds. How far a device moves all the reports grows with √rounds, and ε grows faster.",
            "Which ε has this noise for a change that is √rounds times as long?",
        ),
        Mistake(
            "advanced",
            lambda epsilon, delta, rounds, honest: (
                epsilon * math.sqrt(2 * rounds * math.log(1 / delta)) + rounds * epsilon * math.expm1(epsilon)
            ),
            "That is advanced composition: a bound for any mechanism, at a larger δ.",
            "The noise is normal. What is the exact ε of normal noise for a change √rounds times as long?",
        ),
        Mistake(
            "sum-ignored",
            lambda epsilon, delta, rounds, honest: campaign(epsilon, delta, rounds, 1),
            "`honest` does not enter: you give the ε against somebody who sees each report.",
            "In a secure sum of four reports there are four noises. What is the deviation of their sum?",
        ),
        Mistake(
            "deviations-added",
            lambda epsilon, delta, rounds, honest: campaign(epsilon, delta, rounds, honest**2),
            "In yours the deviation of the noise in the sum is `honest` times that of one device.",
            "Variances add up. What is the deviation of the sum of four devices' noise?",
        ),
        Mistake(
            "average-moves-less",
            lambda epsilon, delta, rounds, honest: campaign(epsilon, delta, rounds, honest**3),
            "You divide what a device moves by the number of devices, and forget that the noise is divided too.",
            "Count the sum, not the average: how far does one device move it, and how much noise is in it?",
        ),
        Mistake(
            "wrong-unit",
            lambda epsilon, delta, rounds, honest: campaign(epsilon, delta, rounds, honest, 2.0),
            "You double how far a device moves a report. The noise is already made for replacing a device's data.",
            "With one round and `honest` = 1, which ε has to come out?",
        ),
        Mistake(
            "wrong-unit",
            lambda epsilon, delta, rounds, honest: campaign(epsilon, delta, rounds, honest, 0.5),
            "You halve how far a device moves a report. The noise is made for replacing a device's data, as is the ε "
            "that is asked for.",
            "With one round and `honest` = 1, which ε has to come out?",
        ),
        Mistake(
            "delta-grows",
            lambda epsilon, delta, rounds, honest: price(
                math.sqrt(rounds / honest) / analytic_noise_multiplier(epsilon, delta), delta * rounds
            ),
            "Your ε is right at δ times `rounds`.",
            "Which δ is asked for?",
        ),
    ),
    rtol=0.01,
    wide=_wide,
)
COSTS = (CAMPAIGN,)
