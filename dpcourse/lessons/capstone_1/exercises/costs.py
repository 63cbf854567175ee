"""Capstones 1.1 and 1.3: what rounds of DP-SGD at home cost a wafer, and the noise that a fab adds."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused, a
from dpcourse.checks.once import between, near, whole
from dpcourse.lessons.capstone_1.numbers import gaussian_delta, local_epsilon, noise_multiplier


def number(given: Any) -> float:
    """A finite number, or a refusal."""
    value = given.item() if isinstance(given, np.ndarray) and given.size == 1 else given
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not math.isfinite(value):
        raise Refused(Diagnosis("wrong-type", f"One finite number is wanted; you return {a(given)}."))
    return float(value)


def _near(got: float, wanted: float, within: float = 0.01) -> bool:
    return abs(got - wanted) <= within * wanted


SIZES = ((400, 5000), (5000, 76_400), (76_400, 150_000), (2, 400))  # the project's table ends at 76,400 wafers
Plan = tuple[int, int, int, float, int, float]


def _drawn(rng: np.random.Generator) -> list[Plan]:
    """Plans of fabs of all sizes, one of them for a single round; last that of a small fab, whose batch is everything.

    The first, from a size at which mistakes differ, has more than one round.
    """
    once = int(rng.integers(1, len(SIZES)))
    return [*(_plan(rng, *span, place == once) for place, span in enumerate(SIZES)), _plan(rng, 1, 200, batches=False)]


def _plan(rng: np.random.Generator, low: int, high: int, once: bool = False, batches: bool = True) -> Plan:
    n, delta = whole(rng, low, high), between(rng, 1e-8, 1e-4)
    batch = whole(rng, 1 if n < 400 else 30, max(min(n // 3, 300), 1)) if batches else n
    epochs, rounds = (whole(rng, 2, 15), whole(rng, 2, 60)) if batches else (whole(rng, 9, 60), whole(rng, 21, 200))
    epochs = 1 if n > 5000 and rng.random() < 0.3 else epochs
    return n, batch, epochs, near(0.8 * 5 ** rng.random(), rng, 1.0), 1 if once else rounds, delta


def costs(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Within 1% of the steps as they are, or of whole steps in every epoch (ceil(n/batch))."""
    settings = _drawn(chance.rng)
    gave = [number(answer(*setting)) for setting in settings]
    wanted = [local_epsilon(*setting) for setting in settings]
    if all(_near(g, w) or w * 0.99 <= g <= w * _steps_more(s) for g, w, s in zip(gave, wanted, settings, strict=True)):
        return None
    known = (
        (
            lambda n, batch, epochs, z, rounds, delta: rounds * local_epsilon(n, batch, epochs, z, 1, delta),
            "You add up the ε of the rounds. Then their δ add up as well, and the ε is larger than needed.",
            "The losses of all steps can be composed first. How often do you then ask for ε?",
            "adds-up",
        ),
        (
            lambda n, batch, epochs, z, rounds, delta: local_epsilon(n, batch, epochs, z, 1, delta),
            "That is the cost of a single round.",
            "Every round looks at the same wafers again. Where does the number of rounds enter?",
            "one-round",
        ),
        (
            lambda n, batch, epochs, z, rounds, delta: local_epsilon(n, batch, 1, z, rounds, delta),
            "You count one epoch a round.",
            "How many steps does a fab take in a round?",
            "one-epoch",
        ),
        (
            lambda n, batch, epochs, z, rounds, delta: local_epsilon(n, n, epochs, z, rounds, delta),
            "You count an epoch as one step on all wafers.",
            "How many batches does an epoch have, and which wafers does one step see?",
            "no-batches",
        ),
        (
            lambda n, batch, epochs, z, rounds, delta: local_epsilon(
                n, n, 1, z, round(rounds * epochs * n / batch), delta
            ),
            "You count every step as if it saw all wafers.",
            "A wafer is in a batch with probability batch/n: is that in your claim?",
            "no-sampling",
        ),
    )
    for formula, diagnosis, hint, key in known:
        if all(_near(g, formula(*s), 0.02) for g, s in zip(gave[:3], settings[:3], strict=True)):
            return Diagnosis(key, diagnosis, hint)
    if len({round(g, 9) for g in gave}) == 1 and gave[0] > 0:
        return Diagnosis(
            "ignores-n",
            f"You give ε = {gave[0]:.3g} for each of {len(gave)} plans, whatever n and δ are.",
            "A wafer is in a batch with probability batch/n. Where does n enter?",
        )
    off = int(np.argmax([abs(g / w - 1) for g, w in zip(gave, wanted, strict=True)]))
    n, batch, epochs, z, rounds, delta = settings[off]
    return Diagnosis(
        "wrong-epsilon",
        f"For {n:,} wafers, batches of {batch}, {epochs} epochs a round, noise multiplier {z:.3g}, {rounds} rounds and "
        f"δ = {delta:.2g} you give ε = {gave[off]:.4g}; it is {wanted[off]:.4g}, and with whole steps a little more.",
        "Which mechanism is one step, and how many are there?",
    )


def _steps_more(setting: tuple[int, int, int, float, int, float]) -> float:
    """Whole steps an epoch instead of n/batch: at most so many times the ε, and 1% for the accountant."""
    n, batch = setting[:2]
    return 1.01 * math.ceil(n / batch) * batch / n


COSTS = (costs,)


def shares(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The sum of `shares` normal numbers of this deviation, over all rounds: exact δ(ε), and no tenth too much.

    The last looks are at one share and at one round, for sure.
    """
    rng = chance.rng
    for look in range(6):
        epsilon, delta, few, rounds = near(0.1 * 80 ** rng.random(), rng, 1.0), between(rng, 1e-9, 1e-3), 1, 1
        while abs(math.log(rounds / few)) < 0.1:  # there two mistakes give the same
            few, rounds = whole(rng, 1, 1 if look == 4 else 60), whole(rng, 1, 1 if look == 5 else 200)
        deviation = number(answer(epsilon, delta, rounds, few))
        z = noise_multiplier(round(epsilon, 12), delta, rounds)
        ratio = deviation * math.sqrt(few) / z
        if deviation <= 0:
            return Diagnosis(
                "no-noise",
                f"At ε = {epsilon:.3g}, δ = {delta:.2g}, {rounds} rounds and {few} shares you return {deviation:g}. "
                "Noise needs a deviation above 0.",
                "Which values of ε, δ, rounds and shares does your function leave out?",
            )
        safe = gaussian_delta(epsilon, math.sqrt(rounds / few) / deviation) <= delta * 1.01
        if safe and ratio < 1.12:
            continue
        seen = f"At ε = {epsilon:.3g}, δ = {delta:.2g}, {rounds} rounds and {few} shares you add {deviation:.4g}, and "
        seen += f"{z / math.sqrt(few):.4g} is needed"
        one = noise_multiplier(round(epsilon, 12), delta, 1)
        for gives, why, hint, key in (
            (z, "that is the whole noise, from every fab", "Variances add up. What does each add?", "whole-noise-each"),
            (
                z / few,
                "the deviations were divided, not the variances",
                "What is the deviation of a sum?",
                "divided-noise",
            ),
            (
                one / math.sqrt(few),
                "that is the noise of a single round",
                "All rounds see the same wafers. Where does their number enter?",
                "one-round",
            ),
            (
                rounds * one / math.sqrt(few),
                "the noise was multiplied by the rounds",
                "When more rounds are composed, how fast does the deviation have to grow?",
                "times-rounds",
            ),
        ):
            if _near(deviation, gives, 0.005):
                return Diagnosis(key, f"{seen}: {why}.", hint)
        if safe:
            return Diagnosis("too-much-noise", f"{seen}.", "Is your formula exact, or a bound that is safe?")
        return Diagnosis(
            "too-little-noise",
            f"{seen}: δ is {gaussian_delta(epsilon, math.sqrt(rounds / few) / deviation):.2g} at this ε.",
            "One wafer moves every round's sum by 1. How much noise do all shares make together?",
        )
    return None


SHARE = (shares,)
