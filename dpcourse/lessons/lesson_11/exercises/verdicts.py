"""Exercise 11.5: verdicts on sealed mechanisms that nobody has seen before."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused, a
from dpcourse.checks.once import fresh
from dpcourse.gauntlet.exhibit import laplace
from dpcourse.gauntlet.sealed import Sealed, seal
from dpcourse.privacy import Guarantee


def verdicts(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Two boxes of eight sealed mechanisms, drawn anew; then some broken by less, and many honest ones."""
    accused, missed, broken, asked = [], [], 0, 0
    for _ in range(2):
        sealed, open_seals = seal(chance.rng)
        truth = open_seals()
        for mechanism in sealed:
            verdict = _verdict(answer, mechanism, chance.rng)
            asked, broken = asked + 1, broken + truth[mechanism.name]
            if verdict and not truth[mechanism.name]:
                accused.append(mechanism)
            if not verdict and truth[mechanism.name]:
                missed.append(mechanism)
    return _judge_verdicts(len(accused), len(missed), broken, asked) or _others(answer, chance)


def _verdict(answer: Answer, mechanism: Sealed, rng: Generator) -> bool:
    mechanism = mechanism.behind(int(rng.integers(2**63)))  # a secret of its own: equal noise would tell unequal scales
    verdict = answer(mechanism, mechanism.data, mechanism.neighbour, mechanism.claim, fresh(rng))
    if not isinstance(verdict, bool | np.bool_):
        seen = f"A verdict is True (broken) or False; this is {a(verdict)}."
        raise Refused(Diagnosis("wrong-type", seen, "What do you compare with the claim? The comparison is a verdict."))
    return bool(verdict)


def _named(rng: Generator, claim: Guarantee, data: int, neighbour: int, run: Callable[..., np.ndarray]) -> Sealed:
    """Its name tells nothing: broken and honest ones are called by the same letters."""
    return Sealed(str(rng.choice(list("ABCDEFGHIJ"))), claim, data, neighbour, run)


def _noisy_count(rng: Generator, broken: bool) -> Sealed:
    """A count with Laplace noise for the ε that it claims, or for more."""
    claim, people = Guarantee(_epsilon(rng)), int(rng.integers(0, 100))
    scale = 1 / _real(claim.epsilon, broken)

    def run(x: int, runs: int, rng: Generator) -> np.ndarray:
        return laplace(runs, float(x), scale, rng)

    return _named(rng, claim, people, people + 1, run)


def _loose_tongue(rng: Generator, broken: bool) -> Sealed:
    """Tells the truth about one person with probability δ, and else answers at random as ε allows: tight at both.

    If `broken`, it answers as a larger ε would allow.
    """
    claim = Guarantee(_epsilon(rng), float(10 ** rng.uniform(-3, math.log10(0.4))))
    honest = 1 / (1 + math.exp(-_real(claim.epsilon, broken)))

    def run(x: int, runs: int, rng: Generator) -> np.ndarray:
        tells, true = rng.random(runs) < claim.delta, rng.random(runs) < honest
        return np.where(tells | true, x, 1 - x)

    return _named(rng, claim, 1, 0, run)


def _epsilon(rng: Generator) -> float:
    """Broken and honest ones claim the same: half of them an ε around 1."""
    return float(rng.uniform(0.8, 1.2) if rng.random() < 0.5 else 0.1 * 30 ** rng.random())


def _real(epsilon: float, broken: bool) -> float:
    """What lies behind a claim. Where it is small, more than 2.5 times of it show within as many runs."""
    return max(2.5 * epsilon, epsilon + 1.2) if broken else epsilon


def _others(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Mechanisms that are broken by less, and many that keep their claim exactly, in random order.

    At 1 − 1e-8, 2,000 certifying runs a side certify twice the claim or so where it is 1, and 4.4 or more of 7.5 where
    it is 3: of 1,080 broken ones, claims from 0.1 to 3, none was missed. 100 of them certify too little. At confidence
    0.9 an audit of 4,000 runs accuses one in thirty of those that keep their claim; at 1 − 1e-8 one in a hundred
    million.
    """
    rng, kinds = chance.rng, [True] * BROKEN + [False] * HONEST
    accused = missed = 0
    for broken in rng.permutation(kinds):
        kind = (_noisy_count, _loose_tongue)[int(rng.integers(2))]
        verdict = _verdict(answer, kind(rng, bool(broken)), rng)
        accused, missed = accused + (verdict and not broken), missed + (broken and not verdict)
    if missed:
        return Diagnosis(
            "too-few-runs",
            f"The badly broken ones you found. Of {BROKEN} that claim an ε from 0.1 to 3, and have 2.5 times as much "
            f"or more, you let {missed} pass.",
            "A certificate lies below the real ε, the more so the fewer the runs. How many runs does it take to get "
            "from 2.5 times the claim down to no less than the claim?",
        )
    if not accused:
        return None
    return Diagnosis(
        "false-alarm",
        f"Of {HONEST} further mechanisms, all of which keep their claim exactly, you accuse {accused}.",
        f"Each verdict may be wrong by bad luck. How sure must one be, so that {HONEST} of them are all right?",
    )


BROKEN = 10
HONEST = 200


def _judge_verdicts(accused: int, missed: int, broken: int, asked: int) -> Diagnosis | None:
    if not accused and not missed:
        return None
    if accused == asked - broken and not missed:
        return Diagnosis(
            "accuses-all",
            "You accuse every mechanism. Finding that two datasets can be told apart is no accusation: ε says how well "
            "they may be.",
            "Compare what is certified with what is claimed.",
        )
    if missed == broken and not accused:
        return Diagnosis(
            "accuses-none",
            f"You let all {broken} broken mechanisms pass.",
            "Does your verdict depend on the mechanism? And are there enough runs? At 1 − 1e-8 confidence n certifying "
            "runs a side certify about ln(n/9) at most.",
        )
    if accused == asked - broken and missed == broken:
        return Diagnosis("turned-around", "Every verdict is the wrong way round.", "True means broken.")
    if accused and missed:
        return Diagnosis(
            "guessing",
            f"Of {asked} sealed mechanisms you accuse {accused} that keep their claim and let {missed} broken ones "
            "pass.",
            "A certificate, at a high confidence, from enough runs: accuse if it lies above the claim.",
        )
    if accused:
        return Diagnosis(
            "false-alarm",
            f"You accuse {accused} mechanisms that keep their claim. An accusation needs a confidence that stands up "
            "to many of them, and a bound rather than an estimate.",
            "Do you compare the bound with the claim, or with 0? With confidence 0.9 one innocent in ten may be "
            "accused. Try 1 − 1e-8: it costs few runs.",
        )
    return Diagnosis(
        "misses-some",
        f"Of {broken} broken mechanisms you let {missed} pass.",
        "More runs? Some breaks show only in a vector's sum, in a difference, or in a failure: `audit` looks at all of "
        "them.",
    )
