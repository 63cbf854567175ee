"""Capstone 2.6: what counts under noise as it is asked for, and that noise where messages are strange."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.checks.answered import answered
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import near, spread
from dpcourse.checks.vocabulary import Shared
from dpcourse.checks.whole_noise import in_shares, misplaced
from dpcourse.lessons.capstone_2.design import SHARES
from dpcourse.lessons.capstone_2.exercises.noise import in_words
from dpcourse.lessons.capstone_2.exercises.reread import misread
from dpcourse.lessons.capstone_2.exercises.world import MIXES, NAMES, mixed, released


def hidden(answer: Answer, chance: Chance) -> Diagnosis | None:
    """What `robust` looks at at a huge ε, at others: crowds are seen through the noise, and it is there for them.

    Where suppliers have no lots, or broken ones, all of them do: whoever leaves out their noise has none.
    """
    rng, level = chance.rng, chance.failure / (2 * len(MIXES))
    for kind, (what, hint) in MIXES.items():
        noise, zero, places = list[np.ndarray](), list[np.ndarray](), list[np.ndarray]()
        for one in spread(rng, 0.03, 2, 5):
            epsilon = near(one, rng, 1.0)
            messages, right, quarter = mixed(rng, kind, math.ceil(120 / epsilon))
            given = answered(kind, what, hint, released, answer, messages, quarter, epsilon, rng)
            stayed = len({name for name, when, _ in messages if when == quarter and name in NAMES})
            noise.append(np.asarray(given["noisy"], dtype=float) - right)
            of_zero, found = in_shares(noise[-1], epsilon, stayed / SHARES, rng)
            zero.append(of_zero)
            places.append(found)
            if np.minimum(found, 1 - found).min() < level / (20 * found.size):
                off = np.abs(noise[-1]).max()
                seen = f"{what}, at ε = {epsilon:.3g}, one of your counts is off by {off:,.4g} lots, farther than noise"
                return Diagnosis(kind, f"{seen} goes.", hint)
            if wrong := misread(given, epsilon) or (given["few"] and given["few"].led_by(f"{what}: ")):
                return wrong
        draws, of_zero, found = (np.concatenate(known) for known in (noise, zero, places))
        if misplaced(draws, of_zero, found, level / 2):
            words = in_words(float((draws == 0).mean()), float(of_zero.mean()), f" in shares of 1/{SHARES}")
            return Shared.NOT_EVERYWHERE.seen(f"{what}, {words}", "What does your noise depend on besides `epsilon`?")
    return None
