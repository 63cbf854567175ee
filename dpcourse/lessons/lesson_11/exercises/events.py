"""Exercise 11.2: whether an audit that chooses an event and certifies it gives bounds that are too high."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import spread
from dpcourse.lessons.lesson_11.exercises.asked import CONFIDENCE, RUNS, SURER, bound_of, percent, same
from dpcourse.lessons.lesson_11.exercises.outputs import (
    CALLED,
    LEAKING,
    Outputs,
    answers,
    coins,
    hilly,
    in_whole_numbers,
    laplace,
    smooth,
    spreads,
    stepped,
)
from dpcourse.lessons.lesson_11.exercises.strength import at_high_confidence, with_many_runs

AUDITS = 100
ALARMS = 700  # audits of what leaks nothing at all, at this confidence: where five in eight accuse, it shows
FEW = 0.45  # of the first 200 accuse: who has five in eight is below that once in a million times
CONFIDENCES = (0.55, 0.97)  # of further audits
CHOSEN = (0.9, 0.95, 0.99)  # of a third of them, as people choose them
HIGH = (2.0, 6.0)  # of sixty more, as powers of ten: 99% to 99.9999%
IDLE, HIGHEST = 300, (4.0, 6.0)  # audits of what leaks nothing, which are hardly ever wrong
FAINT = 300  # audits of what leaks hardly anything, at the confidences of `SURER`
SMALL = (2.0, 4.5)  # their ε times the root of the runs: so much is seen now and then
ALWAYS = (
    150  # audits of coins that in a half of the runs often fall as they are biased, all of them, at these confidences
)
LONG, SURE = (RUNS, 10_000), 1 - 1e-9  # runs of a half of eight more audits, at this confidence


def _only_in_one_half(rng: Generator, runs: int, first: bool) -> Outputs:
    """Two samples that differ much in one half of the runs, and not at all in the other."""
    data, neighbour = rng.normal(size=(2, runs))
    neighbour[: runs // 2 if first else None][(0 if first else runs // 2) :] += 3.0
    return data, neighbour


def choose_and_certify(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Whether bounds lie too high (four looks with a quarter of the failure each) or find nothing."""
    rng = chance.rng
    alarms = sum(bound_of(answer, same(rng, RUNS), CONFIDENCE) > 1e-9 for _ in range(200))
    if alarms > FEW * 200:
        alarms += sum(bound_of(answer, same(rng, RUNS), CONFIDENCE) > 1e-9 for _ in range(ALARMS - 200))
    if alarms > stats.binom.isf(chance.failure / 4, ALARMS, 1 - CONFIDENCE):
        return _alarming(answer, rng, alarms)
    looks = (_counted_once, with_many_runs, _beyond, _surely, at_high_confidence)
    return next(filter(None, (look(answer, chance) for look in looks)), None)


def _counted_once(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Two outputs that one threshold parts without an error, at a place that nobody can know: what all runs would say.

    Whoever certifies it has counted the runs that chose the threshold. (The bound of one event; no part of the runs
    certifies exactly as much.)
    """
    rng = chance.rng
    for _ in range(4):
        runs, confidence = 2 * int(rng.integers(RUNS // 4, RUNS)), float(rng.choice(CHOSEN))
        outputs = coins(rng, 700.0, runs)  # nobody ever lies
        all_runs = ((1 - confidence) / 2) ** (1 / runs)  # both bounds of an event that always happened, and never
        if abs(bound_of(answer, outputs, confidence) - math.log(all_runs / (1 - all_runs))) > 1e-9:
            return None
    return Diagnosis(
        "same-half",
        f"With {runs} runs a side, perfectly apart, your bound is the one that {runs} certifying runs give: those that "
        "chose the threshold are counted again.",
        "The runs that certify must not be those that chose.",
    )


def _beyond(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Further audits at many confidences: of mechanisms that leak nothing, a little or much; some have an ε of 4.

    What leaks is Laplace noise, randomized response with two answers or more, or a spread; what does not has one hill
    or two, heavy tails or a few numbers. Sixty more are at high confidences, and eight have up to twenty thousand runs.
    A bound lies above the real ε with a probability of 1 − confidence at most, so how often it does is at most a sum of
    independent events with known probabilities: of each shape, of each confidence that people choose, and of the high
    ones, which share a quarter of the failure.
    """
    rng, shares, lengths = chance.rng, [], spread(chance.rng, *LONG, 8)
    found: dict[tuple[str, float], list[tuple[float, bool]]] = {}  # by shape or confidence
    for kind in rng.permutation(
        ["none", "little", "much"] * (4 * AUDITS // 3) + ["sure"] * 60 + ["long"] * len(lengths)
    ):
        runs, confidence = 2 * int(rng.integers(RUNS // 4, RUNS)), float(rng.uniform(*CONFIDENCES))
        confidence = float(rng.choice(CHOSEN)) if rng.random() < 1 / 3 else confidence
        leaks = {"none": 0.0, "much": float(rng.uniform(3.5, 4.5)), "sure": float(rng.choice([0.0, 1.0, 4.0]))}
        epsilon = leaks.get(kind, float(rng.uniform(0.2, 1.5)))
        if kind == "long":
            runs, confidence = 2 * round(lengths.pop()), SURE
        elif kind == "sure":
            confidence = float(1 - 10 ** -rng.uniform(*HIGH))
        if epsilon:
            leaky = (laplace, answers, spreads) if kind == "much" else LEAKING
            shape = leaky[int(rng.integers(len(leaky)))]
            called, outputs = CALLED[shape], shape(rng, epsilon, runs)
        else:
            idle = (smooth, hilly, stepped, stepped)[int(rng.integers(4))]
            called, outputs = CALLED[idle], idle(rng, runs)
        if kind in ("sure", "long") and rng.random() < 0.5:
            outputs = in_whole_numbers(outputs)
        bound = bound_of(answer, outputs, confidence)
        groups = [({"sure": "outputs of all kinds", "long": "many outputs"}.get(kind, called), 0.0)]
        groups += [("outputs of all kinds", confidence)] * (confidence in CHOSEN)
        for group in groups:
            found.setdefault(group, []).append((1 - confidence, bound > epsilon + 1e-9))
        if kind == "much":
            shares.append(bound / epsilon)
    for (of, _), some in found.items():
        ask = _UNTIED if of in map(CALLED.get, (laplace, smooth, hilly)) else _TIED
        if wrong := _too_often(of, some, chance.failure / 4 / len(found), ask):
            return wrong
    if np.median(shares) < 0.2:
        return Diagnosis(
            "finds-nothing",
            f"On mechanisms of three kinds with ε around 4 your audit certifies {np.median(shares):.1%} of it, from "
            f"100 to 400 runs a side, at confidences from {CONFIDENCES[0]:.0%} to {CONFIDENCES[1]:.0%}. On Laplace "
            "noise, with 3,000 runs a side or more, at 99%, it certifies enough.",
            "What does your function do differently with few runs, at a lower confidence, or on other outputs?",
        )
    return None


def _surely(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A bound falls as the confidence grows, and at high ones it is hardly ever too high where little or nothing leaks.

    Who certifies an estimate wherever a test finds something is right where nothing leaks, and where much does. And
    who takes the width of a bound from an estimate has none where an event always happened, or never.
    """
    rng = chance.rng
    for _ in range(12):
        outputs = laplace(rng, 4.0, 2 * RUNS)
        if bound_of(answer, outputs, 0.6) != bound_of(answer, outputs, 1 - 1e-6):
            break
    else:
        return Diagnosis(
            "confidence-ignored",
            "For the same outputs your bound is the same at 60% and at 99.9999% confidence.",
            "Where does `confidence` enter your bounds?",
        )
    idle, faint, always = [], [], []
    for error in 10 ** -rng.uniform(*HIGHEST, IDLE):
        outputs = (smooth, hilly, stepped)[int(rng.integers(3))](rng, 2 * int(rng.integers(RUNS // 4, RUNS)))
        idle.append((float(error), bound_of(answer, outputs, float(1 - error)) > 1e-9))
    for error in 10 ** -rng.uniform(*SURER, FAINT):
        runs, shape = 2 * int(rng.integers(RUNS // 4, RUNS)), laplace if rng.random() < 0.5 else coins
        epsilon = float(rng.uniform(*SMALL) / np.sqrt(runs))
        outputs = shape(rng, epsilon, runs)
        faint.append((float(error), bound_of(answer, outputs, float(1 - error)) > epsilon + 1e-9))
    for error in 10 ** -rng.uniform(*SURER, ALWAYS):
        runs = 2 * int(rng.integers(RUNS // 8, RUNS // 2))
        epsilon = float(np.log(runs / 2) - rng.uniform(0.1, 0.4))  # of so many runs, one or none is a lie
        outputs = coins(rng, epsilon, runs)
        always.append((float(error), bound_of(answer, outputs, float(1 - error)) > epsilon + 1e-9))
    failure = chance.failure / 12
    return (
        _too_often("outputs that ignore the data", idle, failure)
        or _too_often("outputs with a small ε", faint, failure)
        or _too_often(
            "randomized response that lies so rarely that half of the runs hold about one lie",
            always,
            failure,
            "An event never happened in 50 runs: how often may it happen all the same?",
        )
    )


_UNTIED = "How sure is each of your two bounds, if both have to hold at once?"
_TIED = f"{_UNTIED} And where do you count an output that equals your threshold?"


def _too_often(of: str, some: list[tuple[float, bool]], failure: float, ask: str = _TIED) -> Diagnosis | None:
    """Whether more of these bounds lie above the real ε than may: the probability of each that it does, and if so."""
    errors, beyond = [error for error, _ in some], sum(above for _, above in some)
    if _at_least(beyond, errors) >= failure:
        return None
    may = f"On average, at most {sum(errors):.2g} may." if sum(errors) >= 0.5 else "Hardly any may."
    low, high = percent(max(errors)), percent(min(errors))
    at = f"at {low} confidence" if low == high else f"at confidences from {low} to {high}"
    return Diagnosis(
        "beyond-the-truth",
        f"Of {len(errors)} bounds for {of}, {at}, {beyond} lie above the real ε. {may}",
        ask,
    )


def _at_least(beyond: int, errors: list[float]) -> float:
    """How likely so many of these independent errors are, or more."""
    chances = np.ones(1)
    for error in errors:
        chances = np.convolve(chances, [1 - error, error])
    return float(chances[beyond:].sum())


def _alarming(answer: Answer, rng: Generator, alarms: int) -> Diagnosis:
    told = (
        f"{alarms} of {ALARMS} mechanisms that ignore their data were accused at {CONFIDENCE:.0%} confidence; "
        f"{1 - CONFIDENCE:.0%} is allowed. "
    )
    halves = [
        np.mean([bound_of(answer, _only_in_one_half(rng, RUNS, first), 0.999) > 1e-9 for _ in range(20)]) > 0.85
        for first in (True, False)
    ]
    still = sum(bound_of(answer, same(rng, RUNS), SURE) > 1e-9 for _ in range(20))
    if still > 6:
        return Diagnosis(
            "no-bound",
            told + f"At {SURE:.7%} confidence it still accuses {still} of 20: your number is no bound.",
            "Which bounds hold for the two rates, given the counts?",
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
