"""The exercises on what an attack proves, and on what each member of a household needs."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.checks.base import Wrong
from dpcourse.checks.cases import Equals, Mistake


def _rates(rng: np.random.Generator) -> tuple[float, float, float]:
    """An attack's two rates, in twentieths and better than guessing, and a δ; sometimes it raises no false alarm."""
    tpr = int(rng.integers(2, 20))
    fpr = int(rng.integers(0, tpr)) if rng.random() < 0.8 else 0
    return fpr / 20, tpr / 20, float(rng.choice([0.0, 0.01, 0.12]))


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


def _by_accuracy(fpr: float, tpr: float, delta: float) -> float:
    right = (tpr + 1 - fpr) / 2
    return max(0.0, _log(right - delta, 1 - right))


SHOWN = (
    Equals(
        _rates,
        expected=shown,
        times=60,
        mistakes=(
            Mistake(
                lambda fpr, tpr, delta: max(_says_yes(fpr, tpr, delta), 0.0),
                Wrong(
                    "You use the event “says smokes” only. An attacker who rarely says “does not” proves more by that.",
                    "Write the definition for the event “does not say it”, with the datasets exchanged.",
                    "first-bound-only",
                ),
            ),
            Mistake(
                lambda fpr, tpr, delta: max(_says_no(fpr, tpr, delta), 0.0),
                Wrong(
                    "You use the event “does not say it” only. A careful attacker proves more by “says smokes”.",
                    "TPR ≤ e^ε·FPR + δ must hold as well. Take the larger ε.",
                    "second-bound-only",
                ),
            ),
            Mistake(
                lambda fpr, tpr, delta: shown(fpr, tpr, 0.0),
                Wrong("Where is δ?", "It may explain a part of the TPR. Take it off first.", "forgets-delta"),
            ),
            Mistake(
                lambda fpr, tpr, delta: max(_says_yes(fpr, tpr, delta), _says_no(fpr, tpr, delta)),
                Wrong(
                    "You give a negative ε where δ alone explains the attack.",
                    "ε is never below 0.",
                    "negative",
                ),
            ),
            Mistake(
                lambda fpr, tpr, delta: math.exp(shown(fpr, tpr, delta)),
                Wrong("That is a ratio of two rates, e^ε.", "ε is its logarithm.", "no-logarithm"),
            ),
            Mistake(
                _by_accuracy,
                Wrong(
                    "You use only how often the attacker is right. The two rates apart say more.",
                    "Solve TPR ≤ e^ε·FPR + δ for ε, and do the same for the other event.",
                    "accuracy-only",
                ),
            ),
            Mistake(
                lambda fpr, tpr, delta: min(_says_yes(fpr, tpr, delta), _says_no(fpr, tpr, delta)),
                Wrong(
                    "You take the smaller of the two. Both limits hold, so the mechanism must allow the larger.",
                    "max instead of min.",
                    "smaller-bound",
                ),
            ),
        ),
    ),
)


def _household(rng: np.random.Generator) -> tuple[float, float, int]:
    return float(rng.choice([0.5, 1.0, 1.5, 2.0])), float(rng.choice([1e-6, 1e-5, 1e-4])), int(rng.integers(2, 7))


def per_person(epsilon: float, delta: float, k: int) -> tuple[float, float]:
    """The claim each of k people needs so that group privacy gives (ε, δ) for all of them.

    Examples
    --------
    >>> per_person(1.0, 0.0, 5)
    (0.2, 0.0)
    """
    return epsilon / k, delta * math.expm1(epsilon / k) / math.expm1(epsilon)


_TWO_STEPS = "Write out two people: P(D₀) ≤ e^ε (e^ε P(D₂) + δ) + δ. How often does δ count?"

HOUSEHOLD = (
    Equals(
        _household,
        expected=per_person,
        times=12,
        atol=0.0,  # a δ of 1e-7 is compared relatively
        mistakes=(
            Mistake(
                lambda epsilon, delta, k: (epsilon / k, delta / k),
                Wrong(
                    "Your ε is right. Your δ is too large: in the household it adds up to more than k times itself.",
                    _TWO_STEPS,
                    "delta-over-k",
                ),
            ),
            Mistake(
                lambda epsilon, delta, k: (epsilon / k, delta),
                Wrong("Your ε is right. Your δ is that of the household.", _TWO_STEPS, "delta-unchanged"),
            ),
            Mistake(
                lambda epsilon, delta, k: (epsilon / k, delta / sum(math.exp(i * epsilon) for i in range(k))),
                Wrong(
                    "In the sum for δ you use the household's ε.",
                    "Which ε does one step from person to person cost?",
                    "household-epsilon",
                ),
            ),
            Mistake(
                lambda epsilon, delta, k: (k * epsilon, delta * math.expm1(k * epsilon) / math.expm1(epsilon)),
                Wrong(
                    "You go from one person to the household. Here the household's claim is given.",
                    "Should each person's ε be larger or smaller than the household's?",
                    "wrong-way",
                ),
            ),
            Mistake(
                lambda epsilon, delta, k: (epsilon / k, per_person(epsilon, delta, k)[1] * math.exp(-epsilon / k)),
                Wrong(
                    "The powers of e^ε start one too high: the last step's δ is multiplied by nothing.",
                    "Add up k terms, from e^0 on.",
                    "off-by-one",
                ),
            ),
            Mistake(
                lambda epsilon, delta, k: (epsilon / k, delta / (k * math.exp((k - 1) * epsilon / k))),
                Wrong(
                    "That keeps the promise, with a smaller δ than needed: you use the largest step k times.",
                    "Add up the steps, 1 + e^ε + e^(2ε) + …, with one person's ε.",
                    "loose-delta",
                ),
            ),
            Mistake(
                lambda epsilon, delta, k: (epsilon, delta),
                Wrong("That is the household's own claim.", "k people cost k times ε.", "unchanged"),
            ),
            Mistake(
                lambda epsilon, delta, k: (
                    epsilon / math.sqrt(k),
                    delta * math.expm1(epsilon / math.sqrt(k)) / math.expm1(math.sqrt(k) * epsilon),
                ),
                Wrong(
                    "√k is how independent noise grows, not how people add up.",
                    "Each step may cost ε in the same direction.",
                    "root",
                ),
            ),
        ),
    ),
)
