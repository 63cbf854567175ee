"""Exercises of lesson 00: a warm-up that shows how answers are checked."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance, Exercise
from dpcourse.checks.cases import Mistake, Value, either_order
from dpcourse.checks.counting import YES_COUNTS
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.release import Probe, Release
from dpcourse.checks.vocabulary import Shared
from dpcourse.checks.words import Words
from dpcourse.lessons.lesson_00.decision import DECISION

_WIDTH = math.log(100) / 0.5  # P[|Laplace(1/ε)| > w] = e^(−εw) = 1/100: 9.21, which no whole number is close to

INTERVAL = Value(
    _WIDTH,
    mistakes=(
        Mistake(
            "five-percent",
            math.log(20) / 0.5,
            "That is exceeded with probability 5%.",
            "Which probability is asked for here?",
        ),
        Mistake(
            "whole-people",
            9.0,
            "w = 9 is exceeded with probability e^(−4.5), which is 1.11%.",
            "Laplace noise has decimals. Which w makes e^(−εw) exactly 1%?",
        ),
        Mistake("whole-width", 2 * _WIDTH, "That is the whole interval from end to end.", "How far is either end?"),
        Mistake(
            "multiplied",
            math.log(100) * 0.5,
            "That is ln(100) times ε, which gives less noise when ε is smaller.",
            "Is there more noise or less when ε is smaller?",
        ),
        Mistake(
            "one-tail",
            math.log(50) / 0.5,
            "That is exceeded upwards in 1% of releases and downwards in another 1%.",
            "Which of these does e^(−εw) count: up, down, or both?",
        ),
        Mistake(
            "both-tails-twice",
            math.log(200) / 0.5,
            "That is exceeded with probability 0.5%, up and down together.",
            "Do you halve the 1%? Which does e^(−εw) count already: up, down, or both?",
        ),
        Mistake("negative", -_WIDTH, "That is below 0, and w is a distance.", "Which sign has the logarithm of 0.01?"),
        Mistake(
            "the-other-way",
            -math.log(0.99) / 0.5,
            "That is exceeded with probability 99%.",
            "Which probability belongs to e^(−εw)?",
        ),
        Mistake(
            "normal",
            2.5758 * math.sqrt(2) / 0.5,
            "That is 2.58 standard deviations, which a normal distribution exceeds with probability 1%.",
            "Which formula does the exercise give for Laplace noise?",
        ),
        Mistake("epsilon-one", math.log(100), "That is the width at ε = 1.", "What is the ε of this count?"),
        Mistake(
            "scale",
            1 / 0.5,
            "That is the scale of the noise. It is exceeded with probability e^(−1), which is 37%.",
            "Which w is exceeded with probability 1%?",
        ),
    ),
)


def _office(yes: int, no: int):
    """So many people who say yes, and no, or a few more."""
    return lambda rng: (rng.permutation(np.repeat([True, False], rng.integers((yes, no), (yes + 9, no + 9)))),)


def _some_hundred(rng: np.random.Generator) -> tuple[np.ndarray]:
    """So many of each that nobody's cutting at zero or at n shows."""
    return (rng.permutation(np.repeat([True, False], rng.integers(100, 200, size=2))),)


def _any_share(rng: np.random.Generator) -> tuple[np.ndarray]:
    """A share of yes of its own; in one dataset of four nobody says yes, or everybody."""
    share = rng.choice([0.0, 1.0]) if rng.random() < 0.25 else rng.random()
    return (rng.random(300) < share,)


def _one_yes_fewer(rng: np.random.Generator):
    """The same people without one who says yes: the neighbours a count tells apart best."""
    flags = rng.random(int(rng.integers(20, 400))) < rng.uniform(0.1, 0.9)
    flags[rng.integers(len(flags))] = True
    without = np.delete(flags, rng.choice(np.flatnonzero(flags)))
    return either_order((flags,), (without,), rng)


def _everybody(rng: np.random.Generator):
    """Everybody says yes, and one fewer does: a count that knows it cannot exceed n tells n."""
    flags = np.ones(int(rng.integers(5, 60)), dtype=bool)
    return either_order((flags,), (flags[1:],), rng)


def _nobody_or_one(rng: np.random.Generator):
    """An office without records, and one with a single yes: a count of zero is an answer like any other."""
    return either_order((np.zeros(0, dtype=bool),), (np.ones(1, dtype=bool),), rng)


def _draws_again(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Noise drawn until the result is not negative: how often that takes depends on the count.

    From one seed, a release takes as many random numbers on nobody's yes as on everybody's; clamping at zero does, too.
    """
    few, many = np.zeros(50, dtype=bool), np.ones(50, dtype=bool)
    for seed in chance.rng.integers(2**32, size=40).tolist():
        generators = [np.random.default_rng(seed) for _ in range(2)]
        result = [float(answer(flags, 0.5, rng=rng)) for flags, rng in zip((few, many), generators, strict=True)][0]
        taken = [rng.bit_generator.state for rng in generators]
        if result >= 0 and taken[0] != taken[1]:
            return Diagnosis(
                "draws-again",
                "Where nobody says yes you draw again until the result is not negative. So the noise has another "
                "distribution where the count is small, and neighbours differ by more than ε.",
                "Draw once. Setting a negative result to zero afterwards would be harmless; drawing again is not.",
            )
    return None


NOISY_COUNT = Release(
    data=(_office(15, 10), _office(900, 700), _office(200, 600)),
    many=_some_hundred,
    anew=_any_share,
    truth=lambda flags: flags.sum(),
    mistakes=YES_COUNTS,
    nobody=(np.zeros(0, dtype=bool),),
    neighbours=(
        Probe(
            _one_yes_fewer,
            "With many people the noise was right. Does it depend on who is there?",
            epsilon=0.5,
            runs=6000,
        ),
        Probe(
            _everybody,
            "Everybody said yes. Does your result know how many people there are? Their number is private here.",
            "reads-n",
        ),
        Probe(_nobody_or_one, "The smallest counts are zero and one. Has a zero its noise too?", Shared.NOBODY.key),
    ),
    after=(_draws_again,),
    looks=(1, 600),
    words=Words(
        unit=" people",
        too_little="One person changes a count by one. Which scale does that need?",
        check_truth="Leave the noise out, and count five people. What comes out?",
    ),
)

EXERCISES = (
    Exercise("00.1", "How far off at ε = 0.5", (INTERVAL,)),
    Exercise("00.2", "A count with noise", NOISY_COUNT.cases, call="noisy_count(flags, epsilon, rng)"),
    Exercise("00.3", "Which releases give Ana away?", DECISION),
)
