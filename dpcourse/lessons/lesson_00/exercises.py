"""Exercises of lesson 00: a warm-up that shows how answers are checked."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance, Diagnosis, Exercise
from dpcourse.checks.cases import Audited, Mistake, Returns, Value, either_order, frozen
from dpcourse.checks.noise_laws import Wanted, laplace, noise_wrong
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.lesson_00.decision import DECISION
from dpcourse.privacy import Guarantee

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
            "That shrinks as ε does.",
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


def _people(rng: np.random.Generator) -> np.ndarray:
    """A column of yes and no, of a size and share nobody can guess."""
    return rng.random(int(rng.integers(20, 400))) < rng.uniform(0.1, 0.9)


def _neighbours(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The same people without one who says yes: the neighbours a count tells apart best."""
    flags = _people(rng)
    flags[rng.integers(len(flags))] = True
    without = np.delete(flags, rng.choice(np.flatnonzero(flags)))
    return either_order(flags, without, rng)


def _nobody_or_one(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """An office without records, and one with a single yes: a count of zero is an answer like any other."""
    return either_order(np.zeros(0, dtype=bool), np.ones(1, dtype=bool), rng)


def _everybody(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Everybody says yes, and one fewer does: a count that knows it cannot exceed n tells n."""
    n = int(rng.integers(5, 60))
    return either_order(np.ones(n, dtype=bool), np.ones(n - 1, dtype=bool), rng)


_SHARE = Shared.SHARE.seen(
    "That is a share of the people, not a count: whatever the data, it lies around a number between 0 and 1.",
    "How many are True? (And a mean of nobody is no number at all.)",
)
_CENTRES = (
    Mistake.told(_SHARE, np.mean),
    Mistake(Shared.COUNTS_EVERYBODY, len, "You count everybody, whatever they say.", "How many are True?"),
    Mistake(
        "counts-false", lambda flags: len(flags) - flags.sum(), "You count those who are False.", "How many are True?"
    ),
)
_CALLS = 200


def _counts(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Is it the count, before any noise? And does the noise grow with the people?

    Means of 200 results at ε = 1, on people of whom a known number say yes; a right answer is off by 10 standard errors
    with probability below 1e-10, and its noise with 1,600 people is 3 times that with 25 with less than 1e-9.
    """
    drawn = [chance.rng.permutation(np.repeat([True, False], sizes)) for sizes in ((15, 10), (900, 700), (200, 600))]
    results = np.array([[float(answer(f, 1.0, rng=chance.rng)) for _ in range(_CALLS)] for f in map(frozen, drawn)])
    means = results.mean(axis=1)
    errors = np.maximum(results.std(axis=1, ddof=1) / np.sqrt(_CALLS), 1e-6)
    off = np.abs(means - [flags.sum() for flags in drawn]) / errors
    if (off > 10).any():
        fits = [(np.abs(means - [m.gives(flags) for flags in drawn]) / errors).max() for m in _CENTRES]
        if min(fits) < 10:
            return _CENTRES[int(np.argmin(fits))].diagnosis
        if np.ptp(means) < 10 * errors.max():
            return Shared.IGNORES_DATA.seen(
                f"Your results do not follow the data: they are {means[0]:.3g} on average, for 15, 200 and 900 yes.",
                "Noise alone keeps every secret and answers nothing. Where do the people come in?",
            )
        shift = means - [flags.sum() for flags in drawn]
        if np.ptp(shift) < 10 * errors.max():
            return None  # the noise moves every count alike: said in the right words further down
        return Diagnosis(
            "wrong-count",
            f"Your count is wrong before any noise: where {drawn[1].sum()} of {len(drawn[1])} say yes, you give "
            f"{means[1]:.4g} on average.",
            "Leave the noise out, and count five people.",
        )
    sizes = np.abs(results - means[:, None]).mean(axis=1)
    if sizes[1] > 3 * sizes[0]:
        return Shared.NOISE_PER_PERSON.seen(
            f"Your noise grows with the number of people: with {len(drawn[0])} of them it is {sizes[0]:.2g} on "
            f"average, with {len(drawn[1]):,} it is {sizes[1]:.2g}.",
            "One draw for the count is enough: not one for each person.",
        )
    return None


def _at(epsilon: float):
    def call(answer: Answer, flags: np.ndarray, rng: np.random.Generator) -> float:
        return answer(flags, epsilon, rng=rng)

    return call


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


def _noise(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Is it Laplace noise of scale 1/ε? Counts of some hundred, so that nobody's cutting at zero or at n shows.

    Of 15,000 errors at each ε: noise 8% too wide or too narrow is refused, and what is meant well passes.
    """
    seen, sizes = [], (100, 200)
    for epsilon in (round(chance.rng.uniform(0.4, 0.6), 2), round(chance.rng.uniform(2.0, 3.0), 1)):
        drawn = [
            chance.rng.permutation(np.repeat([True, False], chance.rng.integers(*sizes, size=2))) for _ in range(10)
        ]
        errors = [float(answer(f, epsilon, rng=chance.rng)) - f.sum() for f in map(frozen, drawn) for _ in range(1500)]
        seen.append(Wanted(np.array(errors), epsilon, (laplace(1 / epsilon),)))
    few = "One person changes a count by one. Which scale does that need?"
    return noise_wrong(seen, chance.failure, unit=" people", few=few)


def _rounded(value: float) -> float:
    # Thousandths: the low bits of a float tell more than the exercise is about (lesson 14).
    return round(float(value), 3)


NOISY_COUNT = (
    Returns(inputs=lambda rng: (_people(rng), float(rng.uniform(0.2, 2))), what="number"),
    _counts,
    _noise,
    Audited(
        _neighbours,
        Guarantee(0.5),
        call=_at(0.5),
        view=_rounded,
        runs=6000,
        hint="With many people the noise was right. Does it depend on who is there?",
    ),
    Audited(
        _everybody,
        Guarantee(1.0),
        call=_at(1.0),
        view=_rounded,
        runs=1000,
        hint="Everybody said yes. Does your result know how many people there are? Their number is private here.",
        key="reads-n",
    ),
    Audited(
        _nobody_or_one,
        Guarantee(1.0),
        call=_at(1.0),
        view=_rounded,
        runs=1000,
        hint="The smallest counts are zero and one. A zero needs its noise too.",
        key="zero-without-noise",
    ),
    _draws_again,
)

EXERCISES = (
    Exercise("00.1", "How far off at ε = 0.5", (INTERVAL,)),
    Exercise("00.2", "A count with noise", NOISY_COUNT, call="noisy_count(flags, epsilon, rng)"),
    Exercise("00.3", "Which releases give Ana away?", DECISION),
)
