"""Exercise 11.2: choose an event on one half of the runs, certify it on the other."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import frozen
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.once import spread
from dpcourse.checks.plain import only_numbers
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
    turned,
)

AUDITS, RUNS, CONFIDENCE = 100, 200, 0.5
ALARMS = 700  # audits of what leaks nothing at all, at this confidence: where five in eight accuse, it shows
CONFIDENCES = (0.55, 0.97)  # of further audits
CHOSEN = (0.9, 0.95, 0.99)  # of a third of them, as people choose them
HIGH = (2.0, 6.0)  # of sixty more, as powers of ten: 99% to 99.9999%
IDLE, HIGHEST = 300, (4.0, 6.0)  # audits of what leaks nothing, which are hardly ever wrong
FAINT, SURER = 300, (1.5, 3.0)  # audits of what leaks hardly anything, at 97% to 99.9%
SMALL = (2.0, 4.5)  # their ε times the root of the runs: so much is seen now and then
ALWAYS = (
    150  # audits of coins that in a half of the runs often fall as they are biased, all of them, at these confidences
)
LONG, SURE = (RUNS, 10_000), 1 - 1e-9  # runs of a half of eight more audits, at this confidence


def _same(rng: Generator, runs: int) -> Outputs:
    """Outputs of a mechanism that does not look at its data, no two of them the same."""
    return (smooth if rng.random() < 0.7 else hilly)(rng, runs)


def _only_in_one_half(rng: Generator, runs: int, first: bool) -> Outputs:
    """Two samples that differ much in one half of the runs, and not at all in the other."""
    data, neighbour = rng.normal(size=(2, runs))
    neighbour[: runs // 2 if first else None][(0 if first else runs // 2) :] += 3.0
    return data, neighbour


def _value(answer: Answer, outputs: Outputs, confidence: float) -> float:
    bound = float(only_numbers(answer(frozen(outputs[0]), frozen(outputs[1]), confidence)))
    if not math.isfinite(bound):
        where = f"With {len(outputs[0]):,} runs a side, at {_sure(1 - confidence)} confidence,"
        raise Refused(Diagnosis("nan", f"{where} your bound is {bound:g}.", "Is something divided by zero there?"))
    return bound


def choose_and_certify(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Whether bounds lie too high (four looks with a quarter of the failure each) or find nothing."""
    rng = chance.rng
    alarms = sum(_value(answer, _same(rng, RUNS), CONFIDENCE) > 1e-9 for _ in range(ALARMS))
    if alarms > stats.binom.isf(chance.failure / 4, ALARMS, 1 - CONFIDENCE):
        return _alarming(answer, rng, alarms)
    looks = (_counted_once, _strength, _beyond, _surely, _found_surely)
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
        if abs(_value(answer, outputs, confidence) - math.log(all_runs / (1 - all_runs))) > 1e-9:
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
        bound = _value(answer, outputs, confidence)
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
        if _value(answer, outputs, 0.6) != _value(answer, outputs, 1 - 1e-6):
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
        idle.append((float(error), _value(answer, outputs, float(1 - error)) > 1e-9))
    for error in 10 ** -rng.uniform(*SURER, FAINT):
        runs, shape = 2 * int(rng.integers(RUNS // 4, RUNS)), laplace if rng.random() < 0.5 else coins
        epsilon = float(rng.uniform(*SMALL) / np.sqrt(runs))
        outputs = shape(rng, epsilon, runs)
        faint.append((float(error), _value(answer, outputs, float(1 - error)) > epsilon + 1e-9))
    for error in 10 ** -rng.uniform(*SURER, ALWAYS):
        runs = 2 * int(rng.integers(RUNS // 8, RUNS // 2))
        epsilon = float(np.log(runs / 2) - rng.uniform(0.1, 0.4))  # of so many runs, one or none is a lie
        outputs = coins(rng, epsilon, runs)
        always.append((float(error), _value(answer, outputs, float(1 - error)) > epsilon + 1e-9))
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


def _found_surely(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Who certifies nothing at high confidences from few runs is never wrong there: half of ε = 4 is within reach."""
    rng, shares = chance.rng, []
    for _ in range(24):
        shape, runs = (laplace, answers, spreads)[int(rng.integers(3))], 2 * int(rng.integers(RUNS // 2, RUNS))
        shares.append(_value(answer, shape(rng, 4.0, runs), float(1 - 10 ** -rng.uniform(*SURER))) / 4)
    if np.median(shares) >= 0.1:
        return None
    low, high = (_sure(10**-power) for power in SURER)
    return Diagnosis(
        "finds-nothing",
        f"At confidences from {low} to {high} your audit certifies {np.median(shares):.1%} of ε = 4, from {RUNS} to "
        f"{2 * RUNS} runs a side. At lower ones, or from more runs, it certifies enough.",
        "What does your function do differently at a high confidence, with few runs?",
    )


_UNTIED = "How sure is each of your two bounds, if both have to hold at once?"
_TIED = f"{_UNTIED} And where do you count an output that equals your threshold?"


def _too_often(of: str, some: list[tuple[float, bool]], failure: float, ask: str = _TIED) -> Diagnosis | None:
    """Whether more of these bounds lie above the real ε than may: the probability of each that it does, and if so."""
    errors, beyond = [error for error, _ in some], sum(above for _, above in some)
    if _at_least(beyond, errors) >= failure:
        return None
    may = f"On average, at most {sum(errors):.2g} may." if sum(errors) >= 0.5 else "Hardly any may."
    low, high = _sure(max(errors)), _sure(min(errors))
    at = f"at {low} confidence" if low == high else f"at confidences from {low} to {high}"
    return Diagnosis(
        "beyond-the-truth",
        f"Of {len(errors)} bounds for {of}, {at}, {beyond} lie above the real ε. {may}",
        ask,
    )


def _sure(error: float) -> str:
    """1 − error in percent, with as many digits as it takes to tell it from 100%.

    >>> _sure(0.45), _sure(0.0085), _sure(3.3e-6)
    ('55%', '99.2%', '99.9997%')
    """
    return f"{1 - error:.{max(0, math.ceil(-math.log10(error)) - 2)}%}"


def _at_least(beyond: int, errors: list[float]) -> float:
    """How likely so many of these independent errors are, or more."""
    chances = np.ones(1)
    for error in errors:
        chances = np.convolve(chances, [1 - error, error])
    return float(chances[beyond:].sum())


def _strength(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Many runs, in random order from mechanisms that leak and from some that do not: lengths tell no answer which.

    Of those that leak half have their outputs above the neighbour's, half below.
    """
    rng, idle = chance.rng, []
    shares: dict[bool, list[float]] = {True: [], False: []}
    levels = rng.permutation([1.0, 2.0, 2.75, 3.5, 4.5, 5.0])
    # So far apart that no constant is good for one half of them and not too large for the smallest.
    leaking = [(float(level), i % 2 == 0) for i, level in enumerate(levels)]
    for level, upwards in rng.permutation([*leaking, *[(0.0, False)] * 5]).tolist():
        runs, epsilon = 2 * int(rng.integers(1500, 2500)), level * float(rng.uniform(1.0, 1.1))
        if epsilon:
            outputs = turned(laplace(rng, epsilon, runs), upwards=bool(upwards))
            shares[bool(upwards)].append(_value(answer, outputs, 0.99) / epsilon)
        else:
            idle.append(_value(answer, _same(rng, runs), 0.99))
    if sum(bound > 1e-9 for bound in idle) > stats.binom.isf(chance.failure / 4, len(idle), 0.01):
        return Diagnosis(
            "accuses-with-many-runs",
            "With 3,000 runs a side or more, at 99% confidence, you accuse mechanisms that ignore their data, of up to "
            f"ε = {max(idle):.3g}. With {RUNS} runs a side, at {CONFIDENCE:.0%}, you did not do so too often.",
            "The bound must come from the counts, whatever the number of runs and the confidence.",
        )
    both = [*shares[True], *shares[False]]
    if max(both) > 1.25:
        return Diagnosis(
            "too-much",
            f"On Laplace noise your bound is {max(both):.3g} times the real ε (99% confidence, 3,000 runs a side or "
            "more).",
            "From which counts does it follow? For which rate do you need a lower bound, for which an upper one?",
        )
    if np.median(both) < 0.025:
        return Diagnosis(
            "finds-nothing",
            f"On mechanisms with ε from 1 to 5 your audit certifies {np.median(both):.1%} of it, from 3,000 runs a "
            "side or more.",
            "Print your threshold and its two counts. Do they differ? Which bound do they give?",
        )
    above, below = (float(np.median(shares[upwards])) for upwards in (True, False))
    if min(above, below) < 0.025:
        found, where = (below, "below") if below > above else (above, "above")
        return Diagnosis(
            "one-side-only",
            f"Where `outputs` lie {where} `neighbour_outputs` your audit certifies {found:.0%} of ε, and nothing where "
            "they lie on the other side.",
            "On which of the two datasets is your event expected? Who decides that, and from which runs?",
        )
    if np.median(both) < 0.45:
        return Diagnosis(
            "weak",
            f"On mechanisms with ε from 1 to 5 your audit certifies {np.median(both):.0%} of it, from 3,000 runs a "
            "side or more; half is easily had.",
            "Do you try thresholds in the tails, and both directions? Is the best one chosen by its bound?",
        )
    return None


def _alarming(answer: Answer, rng: Generator, alarms: int) -> Diagnosis:
    told = (
        f"{alarms} of {ALARMS} mechanisms that ignore their data were accused at {CONFIDENCE:.0%} confidence; "
        f"{1 - CONFIDENCE:.0%} is allowed. "
    )
    halves = [
        np.mean([_value(answer, _only_in_one_half(rng, RUNS, first), 0.999) > 1e-9 for _ in range(20)]) > 0.85
        for first in (True, False)
    ]
    still = sum(_value(answer, _same(rng, RUNS), SURE) > 1e-9 for _ in range(20))
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
