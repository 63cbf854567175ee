"""The exercises on what an attack proves, and on what each member of a household needs."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import between, whole


def _rates(rng: np.random.Generator) -> tuple[float, float, float]:
    """An attack's two rates, in twentieths and better than guessing, and a δ.

    One in four each is explained by δ alone, misses nobody, and raises no false alarm.
    """
    kind = rng.integers(4)
    if kind == 0:
        return 0.0, 0.1, 0.12
    tpr = 20 if kind == 1 else int(rng.integers(2, 20))
    fpr = 0 if kind == 2 else int(rng.integers(0, tpr))
    return fpr / 20, tpr / 20, float(rng.choice([0.0, 0.01, 0.12]))


def _plain_rates(rng: np.random.Generator) -> tuple[float, float, float]:
    """The same without a rate of 0 or 1, and δ below the TPR."""
    tpr = int(rng.integers(4, 20))
    return int(rng.integers(1, tpr)) / 20, tpr / 20, float(rng.choice([0.0, 0.01, 0.12]))


def _any_rates(rng: np.random.Generator) -> tuple[float, float, float]:
    fpr, tpr = sorted(rng.random(2) if rng.random() < 0.5 else 10 ** rng.uniform(-6, 0, 2))
    return float(fpr), float(tpr), 0.0 if rng.random() < 0.2 else between(rng, 1e-12, 0.5)


def _log(over: float, under: float) -> float:
    """ln(over / under), where a rate of 0 may stand below."""
    if over <= 0:
        return -math.inf
    return math.log(over / under) if under > 0 else math.inf


def _says_yes(fpr: float, tpr: float, delta: float) -> float:
    return _log(tpr - delta, fpr)


def _says_no(fpr: float, tpr: float, delta: float) -> float:
    return _log(1 - fpr - delta, 1 - tpr)


def shown(fpr: float, tpr: float, delta: float) -> float:
    """The smallest ε ≥ 0 that a mechanism can have on which some attack has these rates.

    Examples
    --------
    >>> round(shown(0.1, 0.3, 0.0), 4)  # ln 3
    1.0986
    >>> shown(0.0, 0.2, 0.01)
    inf
    """
    return max(_says_yes(fpr, tpr, delta), _says_no(fpr, tpr, delta), 0.0)


def _ratio_less(over: float, under: float, delta: float) -> float:
    """ln(over / under − δ): δ taken off the ratio of the rates."""
    return _log(over / under - delta, 1.0) if under > 0 else math.inf


_TOO_EARLY = Diagnosis(
    "infinite-too-early",
    "With fpr = 0, tpr = 0.1 and delta = 0.12 you give infinity. A δ of 0.12 explains a TPR of 0.1 without any ε.",
    "When a rate below the line is 0, what is left above it after δ is taken off?",
)
_AFTER = Diagnosis(
    "delta-too-late",
    "You take δ off after dividing by the second rate.",
    "Solve TPR ≤ e^ε·FPR + δ for e^ε, one step at a time. In which step does δ go to the other side?",
)
_OFF_EPSILON = Diagnosis("delta-too-late", "You take δ off ε itself.", _AFTER.ask)


def _by_accuracy(fpr: float, tpr: float, delta: float) -> float:
    right = (tpr + 1 - fpr) / 2
    return max(0.0, _log(right - delta, 1 - right))


_YES_ONLY = Diagnosis(
    "first-bound-only",
    "Your result follows from the event “says smokes” alone. With fpr = 0.5 and tpr = 0.95 the event “does not say it” "
    "shows more.",
    "How often does “does not say it” happen on D, and how often on D′? Which of the two is the larger one, and what "
    "may their ratio be?",
)
_MISTAKES = (
    Mistake(
        "smaller-bound",
        lambda fpr, tpr, delta: max(min(_says_yes(fpr, tpr, delta), _says_no(fpr, tpr, delta)), 0.0),
        "You take the smaller of the two. A claim with that ε breaks the other inequality.",
        "Which ε satisfies both?",
    ),
    Mistake(
        "delta-below",
        lambda fpr, tpr, delta: max(_log(tpr, fpr + delta), _log(1 - fpr, 1 - tpr + delta), 0.0),
        "You put δ below the line, beside the second rate.",
        "Solve TPR ≤ e^ε·FPR + δ for e^ε, one step at a time. Which rate is δ taken off?",
    ),
    Mistake.told(_YES_ONLY, lambda fpr, tpr, delta: max(_says_yes(fpr, tpr, delta), 0.0)),
    Mistake.told(_YES_ONLY, _says_yes),
    Mistake(
        "second-bound-only",
        lambda fpr, tpr, delta: max(_says_no(fpr, tpr, delta), 0.0),
        "Your result follows from the event “does not say it” alone. With fpr = 0.05 and tpr = 0.5 "
        "the event “says smokes” shows more.",
        "Which other inequality does the definition give for these two rates?",
    ),
    Mistake(
        "forgets-delta",
        lambda fpr, tpr, delta: shown(fpr, tpr, 0.0),
        "Your result is the one for δ = 0.",
        "Which part of the TPR may δ explain?",
    ),
    Mistake(
        "negative",
        lambda fpr, tpr, delta: max(_says_yes(fpr, tpr, delta), _says_no(fpr, tpr, delta)),
        "You give a negative ε where δ alone explains the attack.",
        "What is the smallest ε that a claim can have?",
    ),
    Mistake(
        "no-logarithm",
        lambda fpr, tpr, delta: math.exp(shown(fpr, tpr, delta)),
        "That is a ratio of two rates, e^ε.",
        "What is ε itself?",
    ),
    Mistake(
        "accuracy-only",
        _by_accuracy,
        "You use only how often the attacker is right. The two rates apart say more.",
        "Which two inequalities does the definition give for them, one for each of his answers?",
    ),
    Mistake(
        "smaller-bound",
        lambda fpr, tpr, delta: min(_says_yes(fpr, tpr, delta), _says_no(fpr, tpr, delta)),
        "You take the smaller of the two. A claim with that ε breaks the other inequality.",
        "Which ε satisfies both?",
    ),
    Mistake.told(_TOO_EARLY, lambda fpr, tpr, delta: math.inf if fpr == 0 or tpr == 1 else shown(fpr, tpr, delta)),
    Mistake.told(_TOO_EARLY, lambda fpr, tpr, delta: math.inf if fpr == 0 else shown(fpr, tpr, delta)),
    Mistake.told(
        _AFTER,
        lambda fpr, tpr, delta: max(_ratio_less(tpr, fpr, delta), _ratio_less(1 - fpr, 1 - tpr, delta), 0.0),
    ),
    Mistake.told(_OFF_EPSILON, lambda fpr, tpr, delta: max(shown(fpr, tpr, 0.0) - delta, 0.0)),
    Mistake(
        "wrong-value",
        lambda fpr, tpr, delta: tpr - fpr,
        "That is the δ needed at ε = 0.",
        "Which ratio gives ε?",
    ),
)

# Ordinary rates first, so that a mistake of thought is heard of before a division by 0.
SHOWN = (
    Equals(_plain_rates, expected=shown, times=40, mistakes=_MISTAKES),
    Equals(_rates, expected=shown, times=60, mistakes=_MISTAKES, wide=_any_rates),
)


def _household(rng: np.random.Generator) -> tuple[float, float, int]:
    return float(rng.choice([0.5, 1.0, 1.5, 2.0])), float(rng.choice([1e-6, 1e-5, 1e-4])), int(rng.integers(2, 7))


def _any_household(rng: np.random.Generator) -> tuple[float, float, int]:
    """Every fifth time with a δ of 0, as in most of the lesson."""
    return between(rng, 0.01, 20.0), 0.0 if rng.random() < 0.2 else between(rng, 1e-12, 0.5), whole(rng, 1, 1000)


def per_person(epsilon: float, delta: float, k: int) -> tuple[float, float]:
    """The claim each of k people needs so that group privacy gives (ε, δ) for all of them.

    Examples
    --------
    >>> per_person(1.0, 0.0, 5)
    (0.2, 0.0)
    """
    return epsilon / k, delta * math.expm1(epsilon / k) / math.expm1(epsilon)


_TWO_STEPS = (
    "Go from D to D′ by way of one person in between, as in the lesson. What is each of the two δ multiplied by?"
)

_WRONG_WAY = Diagnosis(
    "wrong-way",
    "You go from one person to the household. Here the household's claim is given.",
    "Should each person's ε be larger or smaller than the household's?",
)

HOUSEHOLD = (
    Equals(
        _household,
        expected=per_person,
        times=12,
        atol=0.0,  # a δ of 1e-7 is compared relatively
        wide=_any_household,
        mistakes=(
            Mistake(
                "delta-over-k",
                lambda epsilon, delta, k: (epsilon / k, delta / k),
                "Your ε is right. Your δ is too large: in the household it adds up to more than k times itself.",
                _TWO_STEPS,
            ),
            Mistake(
                "delta-unchanged",
                lambda epsilon, delta, k: (epsilon / k, delta),
                "Your ε is right. Your δ is that of the household.",
                _TWO_STEPS,
            ),
            Mistake(
                "household-epsilon",
                lambda epsilon, delta, k: (epsilon / k, delta / sum(math.exp(i * epsilon) for i in range(k))),
                "In the sum for δ you use the household's ε.",
                "Which ε does one step from person to person cost?",
            ),
            Mistake.told(
                _WRONG_WAY,
                lambda epsilon, delta, k: (k * epsilon, delta * math.expm1(k * epsilon) / math.expm1(epsilon)),
            ),
            Mistake.told(_WRONG_WAY, lambda epsilon, delta, k: (k * epsilon, k * delta)),
            Mistake.told(_WRONG_WAY, lambda epsilon, delta, k: (k * epsilon, delta)),
            Mistake(
                "off-by-one",
                lambda epsilon, delta, k: (epsilon / k, per_person(epsilon, delta, k)[1] * math.exp(-epsilon / k)),
                "The powers of e^ε start one too high: the first step's δ is multiplied by nothing.",
                "What is the first δ multiplied by, and what the last?",
            ),
            Mistake(
                "loose-delta",
                lambda epsilon, delta, k: (epsilon / k, delta / (k * math.exp((k - 1) * epsilon / k))),
                "That keeps the promise, with a smaller δ than needed: you use the largest step k times.",
                "Is the δ of each step multiplied by the same power of e^ε?",
            ),
            Mistake(
                "unchanged",
                lambda epsilon, delta, k: (epsilon, delta),
                "That is the household's own claim.",
                "What may each of its k people cost?",
            ),
            Mistake(
                "root",
                lambda epsilon, delta, k: (
                    epsilon / math.sqrt(k),
                    delta * math.expm1(epsilon / math.sqrt(k)) / math.expm1(math.sqrt(k) * epsilon),
                ),
                "You divide ε by √k. With k = 4 people the household would pay twice its ε.",
                "What do k steps cost, if each costs ε?",
            ),
            Mistake(
                "wrong-shape",
                lambda epsilon, delta, k: epsilon / k,
                "You return one number; a pair (ε, δ) is wanted.",
                "What δ does each person need?",
            ),
        ),
    ),
)
