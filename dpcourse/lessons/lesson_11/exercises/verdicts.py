"""Exercise 11.5: verdicts on sealed mechanisms that nobody has seen before."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance, Diagnosis, Refused, a
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
    return (
        _judge_verdicts(len(accused), len(missed), broken, asked) or _subtle(answer, chance) or _honest(answer, chance)
    )


def _verdict(answer: Answer, mechanism: Sealed, rng: Generator) -> bool:
    verdict = answer(mechanism, mechanism.data, mechanism.neighbour, mechanism.claim, rng.spawn(1)[0])
    if not isinstance(verdict, bool | np.bool_):
        raise Refused(Diagnosis("wrong-type", f"A verdict is True (broken) or False; this is {a(verdict)}."))
    return bool(verdict)


def _letter(rng: Generator) -> str:
    """A name that tells nothing: broken and honest ones are called by the same letters."""
    return str(rng.choice(list("ABCDEFGHIJ")))


def _subtle(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Counts that claim ε = 1 with noise for ε = 2.5.

    At 1 − 1e-8, 2,000 certifying runs a side certify 1.6 or so, and always more than 1; 100 of them never do.
    """
    claim = Guarantee(1.0)

    def run(x: int, runs: int, rng: Generator) -> np.ndarray:
        return laplace(runs, float(x), 1 / 2.5, rng)

    sealed = [Sealed(_letter(chance.rng), claim, n, n + 1, run) for n in chance.rng.integers(5, 100, size=6).tolist()]
    missed = sum(not _verdict(answer, mechanism, chance.rng) for mechanism in sealed)
    if not missed:
        return None
    return Diagnosis(
        "too-few-runs",
        f"The badly broken ones you found. Of {len(sealed)} counts that claim ε = 1, with noise that is only enough "
        f"for ε = 2.5, you let {missed} pass.",
        "A certificate lies below the real ε, the more so the fewer the runs. How many runs does it take to get from "
        "2.5 down to no less than 1?",
    )


def _honest(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Three hundred mechanisms that keep their claim, and no more than that.

    Each tells the truth with probability δ and else nothing, and claims (0.01, δ). At confidence 0.9 an audit of 4,000
    runs accuses one in thirty of them; at 1 − 1e-8 one in a hundred million.
    """
    accused = 0
    for share in chance.rng.uniform(0.35, 0.65, size=HONEST).tolist():

        def run(x: int, runs: int, rng: Generator, share: float = share) -> np.ndarray:
            return (rng.random(runs) < share * x).astype(int)

        accused += _verdict(answer, Sealed(_letter(chance.rng), Guarantee(0.01, share), 1, 0, run), chance.rng)
    if not accused:
        return None
    return Diagnosis(
        "false-alarm",
        f"Of {HONEST} further mechanisms, all of which keep their claim exactly, you accuse {accused}.",
        f"Each verdict may be wrong by bad luck. How sure must one be, so that {HONEST} of them are all right?",
    )


HONEST = 300


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
            "Are there enough runs? At 1 − 1e-8 confidence n certifying runs a side certify about ln(n/9) at most.",
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
            "With confidence 0.9 one innocent in ten may be accused. Try 1 − 1e-8: it costs few runs.",
        )
    return Diagnosis(
        "misses-some",
        f"Of {broken} broken mechanisms you let {missed} pass.",
        "More runs? Some breaks show only in a vector's sum, in a difference, or in a failure: `audit` looks at all of "
        "them.",
    )
