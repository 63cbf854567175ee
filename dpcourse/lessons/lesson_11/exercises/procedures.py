"""Exercises 11.2, 11.4 and 11.5: procedures, tried where the truth is known."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance, Diagnosis, Refused, a
from dpcourse.checks.cases import frozen
from dpcourse.gauntlet.exhibit import laplace
from dpcourse.gauntlet.sealed import Sealed, seal
from dpcourse.privacy import Guarantee

# 11.2 Choose an event, then certify it

AUDITS, RUNS, CONFIDENCE = 100, 200, 0.5


def _laplace_runs(rng: Generator, epsilon: float, runs: int) -> tuple[np.ndarray, np.ndarray]:
    place, width = rng.normal(scale=5), np.exp(rng.normal())
    first, second = rng.laplace(size=(2, runs)) / epsilon + np.array([[0.0], [1.0]]) * (epsilon > 0)
    return place + width * first, place + width * second


def _same(rng: Generator, runs: int) -> tuple[np.ndarray, np.ndarray]:
    """Outputs of a mechanism that does not look at its data: normal or Laplace noise, anywhere."""
    place, width = rng.normal(scale=5), np.exp(rng.normal())
    draw = rng.normal if rng.random() < 0.5 else rng.laplace
    return place + width * draw(size=runs), place + width * draw(size=runs)


def _only_in_one_half(rng: Generator, runs: int, first: bool) -> tuple[np.ndarray, np.ndarray]:
    """Two samples that differ much in one half of the runs, and not at all in the other."""
    data, neighbour = rng.normal(size=(2, runs))
    neighbour[: runs // 2 if first else None][(0 if first else runs // 2) :] += 3.0
    return data, neighbour


def _value(answer: Answer, outputs: tuple[np.ndarray, np.ndarray], confidence: float) -> float:
    return float(answer(frozen(outputs[0]), frozen(outputs[1]), confidence))


def choose_and_certify(answer: Answer, chance: Chance) -> Diagnosis | None:
    rng = chance.rng
    bounds = [_value(answer, _same(rng, RUNS), CONFIDENCE) for _ in range(AUDITS)]
    if not np.isfinite(bounds).all():
        return Diagnosis("nan", "Your bound is not a finite number.", "Is something divided by zero?")
    alarms = sum(bound > 1e-9 for bound in bounds)
    if alarms > stats.binom.isf(chance.failure / 2, AUDITS, 1 - CONFIDENCE):
        return _alarming(answer, rng, alarms)
    return _strength(answer, chance)


def _strength(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Many runs, in random order from mechanisms that leak and from some that do not: lengths tell no answer which."""
    rng, shares, idle = chance.rng, [], []
    # So far apart that no constant is good for one half of them and not too large for the smallest.
    for level in rng.permutation([1.0, 2.0, 3.5, 4.5, 5.0, *[0.0] * 5]):
        runs, epsilon = 2 * int(rng.integers(1500, 2500)), float(level * rng.uniform(1.0, 1.1))
        if epsilon:
            shares.append(_value(answer, _laplace_runs(rng, epsilon, runs), 0.99) / epsilon)
        else:
            idle.append(_value(answer, _same(rng, runs), 0.99))
    if not np.isfinite(shares + idle).all():
        return Diagnosis("nan", "Your bound is not a finite number.", "Is something divided by zero?")
    if sum(bound > 1e-9 for bound in idle) > stats.binom.isf(chance.failure / 2, len(idle), 0.01):
        return Diagnosis(
            "accuses-with-many-runs",
            f"With more runs, at 99% confidence, you accuse mechanisms that ignore their data: ε ≥ {max(idle):.3g}.",
            "The bound must come from the counts, whatever the number of runs and the confidence.",
        )
    if max(shares) > 1.25:
        return Diagnosis(
            "too-much",
            f"Certified {max(shares):.3g} times the ε that Laplace noise really had.",
            "Which bound did you put where? Low over high.",
        )
    if np.median(shares) < 0.025:
        return Diagnosis(
            "finds-nothing",
            f"On mechanisms with ε from 1 to 5 your audit certifies {np.median(shares):.1%} of it, from 3,000 runs a "
            "side or more.",
            "A bound of zero is never wrong, and finds nothing. Does the event depend on the runs?",
        )
    if np.median(shares) < 0.45:
        return Diagnosis(
            "weak",
            f"On mechanisms with ε from 1 to 5 your audit certifies {np.median(shares):.0%} of it, from 3,000 runs a "
            "side or more; half is easily had.",
            "Do you try thresholds in the tails, and both directions? Is the best one chosen by its bound?",
        )
    return None


def _alarming(answer: Answer, rng: Generator, alarms: int) -> Diagnosis:
    told = (
        f"{alarms} of {AUDITS} mechanisms that ignore their data were accused at {CONFIDENCE:.0%} confidence; "
        f"{1 - CONFIDENCE:.0%} is allowed. "
    )
    halves = [
        np.mean([_value(answer, _only_in_one_half(rng, RUNS, first), 0.999) > 1e-9 for _ in range(20)]) > 0.85
        for first in (True, False)
    ]
    if np.mean([_value(answer, _same(rng, RUNS), 1 - 1e-9) > 1e-9 for _ in range(20)]) > 0.3:
        return Diagnosis(
            "no-bound",
            told + "Nearly all: there is no bound in it, only the ratio of frequencies.",
            "Clopper–Pearson bounds for the certifying half's rates; low over high.",
        )
    if halves == [True, True]:
        return Diagnosis(
            "same-runs",
            told + "You choose the event on the same runs that certify it. Among many thresholds one looks good by "
            "luck, and its luck is certified.",
            "Choose on one half of the runs, count on the other.",
        )
    if any(halves):
        return Diagnosis(
            "same-half",
            told + "You split the runs, and then choose and certify on the same half all the same.",
            "The runs that certify must not be those that chose.",
        )
    return Diagnosis(
        "too-tight",
        told + "The event is not the culprit: the bounds are too tight, or there are more of them than they pay for.",
        "One event on the certifying half, two bounds at (1 − confidence)/2 each; is its orientation chosen before?",
    )


# 11.4 Freeze the noise


class _Vector:
    """Adds noise to a scaled vector; how far two neighbours are apart depends on the draw."""

    def __init__(self, rng: Generator) -> None:
        self.base = rng.normal(size=4)
        self.shares = rng.uniform(0.5, 3.0, size=4) * rng.choice([-1.0, 1.0], size=4)
        self.places = rng.integers(1, 6)

    def __call__(self, value, rng):
        factor = 1.0 + rng.integers(self.places + 2)  # a random rounding grid, say
        return self.base + np.asarray(value) * self.shares * factor + rng.laplace(scale=5.0, size=4)


def _hidden(mechanism: Callable[[Any, Generator], np.ndarray]) -> Callable[[Any, Generator], np.ndarray]:
    """The same without its attributes: how far the data move it has to be found by running it."""
    return lambda value, rng: mechanism(value, rng)


def moved(answer: Answer, chance: Chance) -> Diagnosis | None:
    rng = chance.rng
    for _ in range(6):
        mechanism, (data, neighbour) = _hidden(_Vector(rng)), rng.uniform(0.5, 2, size=2) * np.array([1.0, 3.0])
        seeds = rng.choice(2**31, size=12, replace=False).tolist()
        differences = np.array(
            [mechanism(data, np.random.default_rng(s)) - mechanism(neighbour, np.random.default_rng(s)) for s in seeds]
        )
        lengths = np.abs(differences).sum(axis=1)
        got = np.asarray(answer(mechanism, float(data), float(neighbour), list(seeds)))
        if got.ndim or got.dtype.kind not in "iuf":
            return Diagnosis(
                "wrong-shape", f"One number is wanted, and this is {got!r:.60}.", "The largest L1 distance."
            )
        wrong = _judge_moved(float(got), differences, lengths)
        if wrong:
            return wrong
    return None


def _judge_moved(got: float, differences: np.ndarray, lengths: np.ndarray) -> Diagnosis | None:
    def near(value: float) -> bool:
        return math.isclose(got, value, rel_tol=1e-9)

    if near(lengths.max()):
        return None
    euclidean = np.linalg.norm(differences, axis=1)
    known = [
        (lengths.mean(), "That is the mean over the seeds. One is enough to break a claim.", "max, not mean.", "mean"),
        (lengths.min(), "That is the smallest distance.", "The largest one breaks the claim.", "smallest"),
        (
            euclidean.max(),
            "That is a Euclidean distance. Laplace noise is for L1: the sum of the changes.",
            "np.abs(difference).sum()",
            "l2-for-l1",
        ),
        (
            np.abs(differences).max(),
            "That is the largest change of one coordinate. Together the coordinates change by more.",
            "Add their changes up.",
            "largest-coordinate",
        ),
        (
            differences.sum(axis=1).max(),
            "Changes of different sign cancel in your sum.",
            "Absolute values first.",
            "signed",
        ),
        (
            np.abs(differences.sum(axis=1)).max(),
            "Changes of different sign cancel in your sum.",
            "Absolute values first, then the sum.",
            "signed",
        ),
        (lengths[0], "You look at the first seed only.", "The largest distance over all seeds.", "first-seed"),
        (lengths[-1], "You keep the last seed only.", "The largest distance over all seeds.", "last-seed"),
    ]
    for value, diagnosis, hint, key in known:
        if near(float(value)):
            return Diagnosis(key, diagnosis, hint)
    return Diagnosis(
        "noise-not-frozen",
        f"You give {got:.4g}, where the data move the output by {lengths.max():.4g}. The two runs did not have the "
        "same noise.",
        "A fresh np.random.default_rng(seed) for each of the two calls: a generator that was used has moved on.",
    )


# 11.5 Verdicts on sealed mechanisms


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


def _subtle(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Counts that claim ε = 1 with noise for ε = 2.5.

    At 1 − 1e-8, 2,000 certifying runs a side certify 1.6 or so, and always more than 1; 100 of them never do.
    """
    claim = Guarantee(1.0)

    def run(x: int, runs: int, rng: Generator) -> np.ndarray:
        return laplace(runs, float(x), 1 / 2.5, rng)

    sealed = [Sealed("I", claim, n, n + 1, run) for n in chance.rng.integers(5, 100, size=6).tolist()]
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

        accused += _verdict(answer, Sealed("J", Guarantee(0.01, share), 1, 0, run), chance.rng)
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
        f"You let {missed} broken mechanisms pass, of {broken}.",
        "More runs? Some breaks show only in a vector's sum, in a difference, or in a failure: `audit` looks at all of "
        "them.",
    )
