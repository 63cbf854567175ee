"""Exercise 04.3: the exponential mechanism."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Audited, Frequencies, Mistake, either_order, for_each
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.everywhere import Everywhere, Setting, among, any_epsilon
from dpcourse.checks.measured import in_a_file
from dpcourse.checks.named import word
from dpcourse.checks.once import between, whole
from dpcourse.checks.selection import far_behind, few_or_equal, largest_after, softmax
from dpcourse.checks.vocabulary import Shared
from dpcourse.privacy import Guarantee

CLAIM = Guarantee(1.0)
_BEFORE = ("a", "plan ", "x-")
_SENSITIVITIES = ((1e-1, 1e2), (1e-1, 1e2), (1e-4, 1e4))

Data = tuple[list[str], np.ndarray, float, float]


def _at_one(answer: Answer, data: Any, rng: Generator) -> Any:
    return answer(*data, 1.0, rng=rng)


def _utilities(rng: Generator) -> Data:
    names = [f"option {letter}" for letter in rng.permutation(list("ABCDE"))[:4]]
    sensitivity = float(rng.uniform(2.8, 3.3))  # where no two of the known mistakes give the same weights
    utilities = sensitivity * np.array([0.0, 1.2, 2.2, 3.0])[rng.permutation(4)]
    return names, utilities, sensitivity, float(rng.uniform(0.6, 0.75))


def _law(exponents: Callable[[np.ndarray, float, float], np.ndarray]) -> Callable[[Data], dict[str, float]]:
    """Names and their probabilities, in proportion to e to the power of ``exponents(utilities, sensitivity, ε)``."""
    return lambda data: dict(zip(data[0], softmax(exponents(*data[1:])).tolist(), strict=True))


_RIGHT = _law(lambda u, delta, epsilon: epsilon * u / (2 * delta))


def _many_alike(rng: Generator, ahead: float = 1.0) -> Data:
    """Forty candidates alike and one better: other mechanisms find the better one more often than this one does.

    With ε as it is that shows at `ahead` = 1, with twice the ε at one half.
    """
    sensitivity, epsilon = float(rng.uniform(2.8, 3.3)), float(rng.uniform(0.6, 0.75))
    utilities = np.zeros(41)
    utilities[rng.integers(41)] = ahead * 2 * sensitivity / epsilon * float(rng.uniform(3.1, 3.4))
    return [f"place {place}" for place in range(41)], utilities, sensitivity, epsilon


def _largest(factor: float, *, two_sided: bool = True) -> Callable[[Data], dict[str, float]]:
    """The largest after adding Laplace or exponential noise of scale Δ/(factor·ε)."""

    def law(data: Data) -> dict[str, float]:
        names, utilities, delta, epsilon = data
        chances = largest_after(factor * epsilon * utilities / delta, two_sided=two_sided)
        return dict(zip(names, chances.tolist(), strict=True))

    return law


def _extremes(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Utilities of ±10^6 must not stop the function, whichever way they point."""
    rng = chance.rng
    for utilities in ([1e6, -1e6, 1e6], [-1e6, -1e6, -1e6], [1e6, 1e6 - 1, -1e6], [-1e6, 1e6, 0.0]):
        names = [f"{letter}{rng.integers(100)}" for letter in "xyz"]
        try:
            with np.errstate(all="ignore"):
                chosen = [answer(names, np.array(utilities), 1.0, 1.0, rng=rng) for _ in range(30)]
        except Exception as error:
            return Diagnosis(
                "overflow",
                f"With utilities {utilities} your function stops ({error}). The utilities come from the data, so the "
                "crash is an answer about them.",
                "Subtract the largest exponent from all before you exponentiate: the probabilities stay the same.",
            )
        best = [name for name, u in zip(names, utilities, strict=True) if u > max(utilities) - 100]
        strays = [name for name in chosen if name not in best]
        if strays:
            ordinary = np.array([0.0, 50.0, 100.0])
            worst = np.mean([answer(names, ordinary, 1.0, 1.0, rng=rng) == names[0] for _ in range(60)])
            if worst > 0.9:
                return Diagnosis("sign-reversed", "You prefer small utilities.", "The weight grows with the utility.")
            if worst > 0.05:
                return None  # at ordinary utilities it shows what the mistake is
            return Diagnosis(
                "overflow",
                f"With utilities {utilities} you choose {strays[0]!r}: with exponents of that size something "
                "overflowed.",
                "Subtract the largest exponent from all before you exponentiate.",
            )
    return None


def _many_losers(rng: Generator) -> tuple[Any, Any]:
    """One candidate falls and all others rise by the whole sensitivity: where a missing 2 shows."""
    names = [f"{i}" for i in range(20)]
    here, there = np.zeros(20), np.ones(20)
    place = int(rng.integers(20))
    here[place], there[place] = 1.0, 0.0
    return either_order((names, here, 1.0), (names, there, 1.0), rng)


def _is_choice(answer: Answer, chance: Chance) -> Diagnosis | None:
    names, utilities, sensitivity, epsilon = _utilities(chance.rng)
    chosen = answer(list(names), utilities.copy(), sensitivity, epsilon, rng=chance.rng)
    if chosen is None:
        return Diagnosis("returns-nothing", "Your function returns nothing (None).", "Is a `return` missing?")
    if not isinstance(chosen, str) or chosen not in names:
        return Diagnosis(
            "not-a-candidate", f"You return {chosen!r}; one of the candidates is wanted.", "candidates[index]"
        )
    return None


_MISTAKES = (
    Mistake(
        "argmax",
        for_each(_law(lambda u, delta, epsilon: 1e9 * u)),
        "You always choose the best: no randomness, no privacy.",
        "Draw from the weights.",
    ),
    Mistake(
        "missing-two",
        for_each(_law(lambda u, delta, epsilon: epsilon * u / delta)),
        "You choose in proportion to exp(εu/Δ), as Gumbel noise of scale Δ/ε does. One person can raise one utility "
        "and lower the others, so that the weight and the sum of weights move against each other.",
        "Each may take half of ε: exp(εu/2Δ).",
    ),
    Mistake(
        Shared.EPSILON_IGNORED,
        for_each(_law(lambda u, delta, epsilon: u / (2 * delta))),
        "The ε you are given does not enter: you choose as often as at ε = 1.",
        "exp(εu/2Δ): a smaller ε makes the weights more alike.",
    ),
    Mistake(
        "no-sensitivity",
        for_each(_law(lambda u, delta, epsilon: epsilon * u / 2)),
        "The sensitivity does not enter.",
        "exp(εu/2Δ): measure utilities in units of Δ.",
    ),
    Mistake(
        "sensitivity-upside-down",
        for_each(_law(lambda u, delta, epsilon: epsilon * u * delta / 2)),
        "You multiply by the sensitivity.",
        "Divide: exp(εu/2Δ).",
    ),
    Mistake(
        "uniform",
        for_each(_law(lambda u, delta, epsilon: 0 * u)),
        "All candidates are equally likely.",
        "Where do the utilities come in?",
    ),
    Mistake(
        "sign-reversed",
        for_each(_law(lambda u, delta, epsilon: -epsilon * u / (2 * delta))),
        "You prefer small utilities.",
        "The weight grows with the utility.",
    ),
    Mistake(
        "two-twos",
        for_each(_law(lambda u, delta, epsilon: epsilon * u / (4 * delta))),
        "You choose in proportion to exp(εu/4Δ): more noise than needed.",
        "One 2 is enough.",
    ),
    Mistake(
        "permute-and-flip",
        for_each(_largest(0.5, two_sided=False)),
        "Your choices occur as often as those of permute-and-flip, or of the largest after exponential noise. That "
        "is ε-DP too, but another mechanism.",
        "Draw in proportion to exp(εu/2Δ), or add Gumbel noise instead: that gives the same law.",
    ),
    Mistake(
        "noisy-max",
        for_each(_largest(0.5)),
        "You take the largest utility after adding Laplace noise of scale 2Δ/ε. That is ε-DP too, but another "
        "mechanism: its choices occur with other probabilities.",
        "Draw in proportion to exp(εu/2Δ), or add Gumbel noise instead: that gives the same law.",
    ),
    Mistake(
        "noisy-max",
        for_each(_largest(1.0)),
        "You take the largest utility after adding Laplace noise of scale Δ/ε. One utility may fall while another "
        "rises, which costs 2ε; and it is another mechanism than the one asked for.",
        "Draw in proportion to exp(εu/2Δ).",
    ),
)


def _questions(rng: Generator) -> tuple[list[Data], list[dict[str, float]]]:
    questions = [_utilities(rng), _many_alike(rng), _many_alike(rng, 0.5)]
    return questions, [_RIGHT(data) for data in questions]


def _names(rng: Generator, many: int) -> list[Any]:
    """Words, words with numbers, or numbers."""
    numbers = rng.choice(1000, many, replace=False).tolist()
    form = rng.integers(3)
    if form == 0:
        return numbers
    if form == 1:
        return list(map(word, numbers))
    return [f"{_BEFORE[kind]}{one}" for kind, one in zip(rng.integers(len(_BEFORE), size=many), numbers, strict=True)]


def _choice(answer: Answer, rng: Generator) -> Callable[[np.ndarray], int]:
    """A choice among exponents that are so far behind the best, whose score is 0 half of the time."""
    epsilon, sensitivity = float(rng.uniform(0.5, 2)), float(rng.uniform(1, 5))
    best = float(rng.uniform(-50, 50)) * rng.integers(2)

    def choose(behind: np.ndarray) -> int:
        names = [f"place {at}" for at in range(len(behind))]
        utilities = best - 2 * sensitivity / epsilon * behind
        return names.index(answer(list(names), utilities, sensitivity, epsilon, rng=rng))

    return choose


def _far_behind(answer: Answer, chance: Chance) -> Diagnosis | None:
    return far_behind(_choice(answer, chance.rng), chance.rng)


def _few_or_equal(answer: Answer, chance: Chance) -> Diagnosis | None:
    return few_or_equal(_choice(answer, chance.rng), chance)


def _anywhere(rng: Generator) -> Setting:
    """Two candidates to six hundred, one of them ahead by so much that the others are chosen more often all the same.

    Every other time sensitivity and utilities are whole numbers. A utility may be a share, or an income. Most times all
    are far from 0: up to 300 exponents, and whole ones, which single precision would not hold, up to ten million.
    """
    many, epsilon, sensitivity = whole(rng, 2, 600), any_epsilon(rng), between(rng, *rng.choice(_SENSITIVITIES))
    names = _names(rng, many)
    exponents, best = in_a_file(-rng.exponential(size=many), rng), int(rng.choice((many - 1, int(rng.integers(many)))))
    exponents[best] = max(0.01, np.log(np.exp(exponents).sum()) + rng.uniform(-3, -1))
    in_whole, far = rng.random() < 0.5, rng.random() < 0.8
    away = float(rng.choice((-1, 1)) * 10 ** rng.uniform(0, 7 if in_whole and far else 2.5))
    utilities, width = 2 * sensitivity / epsilon * exponents, 2 * sensitivity / epsilon
    if in_whole:
        sensitivity, utilities = math.ceil(sensitivity), np.rint(math.ceil(sensitivity) / sensitivity * utilities)
        utilities[best] = max(utilities[best], np.delete(utilities, best).max() + 1)
        exponents, width = epsilon * utilities / (2 * sensitivity), 2 * sensitivity / epsilon
        utilities = (utilities + np.rint(away * width)).astype(np.int64 if far else float)
    else:
        utilities += away * width
    laws = (softmax(by * exponents) for by in (1, 4, 0.25))
    right, narrow, wide = laws
    judge = among(names, right, best, narrow=narrow, wide=wide)
    sizes = {"ε": epsilon, "candidates": many, "times 2Δ/ε between the scores and 0": abs(away)}
    return Setting((names, utilities, sensitivity, epsilon), sizes, judge)


EXPONENTIAL = (
    _is_choice,
    _extremes,
    Frequencies(
        _questions,
        call=lambda answer, data, rng: answer(*data, rng=rng),
        runs=(2000, 6500, 2000),  # in the second, Laplace noise of scale 2Δ/ε is 9 standard errors away; 6 refuse
        mistakes=_MISTAKES,
        words=lambda data, output: f"Of {len(data[0])} candidates {output!r} is chosen",
        hint="The weight of a utility u is exp(εu/2Δ), and the weights are in proportion to the probabilities.",
    ),
    Audited(
        _many_losers,
        CLAIM,
        call=_at_one,
        runs=2500,
        hint="One candidate fell and all others rose. Is there a 2 in your exponent?",
        key="missing-two",
    ),
    Everywhere(_anywhere, settings=500, often=300, asked=(3, 5, 8), exact="you chose the best one"),
    _far_behind,
    _few_or_equal,
)
