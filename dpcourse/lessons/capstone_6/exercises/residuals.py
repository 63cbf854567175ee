"""Capstone 6.1: what a lender gives away who sends residuals instead of labels."""

from __future__ import annotations

import numpy as np
from scipy import special

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.cases.formula import MOST_SHOWN
from dpcourse.checks.cases.relations import NAMED
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.real_size import up_to_twice
from dpcourse.lessons.capstone_6.exercises.parts import Part
from dpcourse.lessons.capstone_6.residuals import others_scores

NAMES = ("labels", "others")


def _sent(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Residuals of some rounds, shape (rounds, customers), and one bank's own part of the log odds."""
    rounds, customers = int(rng.integers(3, 7)), int(rng.integers(20, 60))
    return _of(rng, rounds, rng.permutation(customers) < customers // 4)


def _wide(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """One round and one customer up to twice those of the pilot, of whom any share defaulted.

    Of many, the log odds are up to 7 or up to 16, where p or 1 − p is a ten-millionth.
    """
    defaulted = rng.random(up_to_twice(rng, 1, 2000)) < rng.random()
    far = 1.2 if len(defaulted) < MOST_SHOWN else float(rng.choice((2.5, 5.5)))
    return _of(rng, up_to_twice(rng, 1, 40), defaulted, far)


def _of(
    rng: np.random.Generator, rounds: int, defaulted: np.ndarray, far: float = 1.2
) -> tuple[np.ndarray, np.ndarray]:
    own, rest = rng.normal(0, far, (2, rounds, len(defaulted)))
    own[0] = rest[0] = 0  # every model starts at zero
    # No p below 0.03 or above 0.97 in few, so that a diagnosis can round residuals.
    return special.expit(np.clip(own + rest, -2.9 * far, 2.9 * far)) - defaulted, own


def _others(residuals: np.ndarray, own: np.ndarray) -> np.ndarray:
    """The right result. A diagnosis rounds what it shows: not so far that p is 0 or 1."""
    if not (residuals * (1 - np.abs(residuals))).all():
        raise ValueError("p lies strictly between 0 and 1")
    return others_scores(residuals, own)


LABELS = Equals(
    lambda rng: _sent(rng)[:1],
    lambda residuals: residuals[0] < 0,
    (
        Mistake(
            "inverted",
            lambda residuals: residuals[0] > 0,
            "You call exactly those customers defaulted that paid.",
            "A residual is p − y. Which sign has it when y = 1?",
        ),
        Mistake(
            "only-surprising",
            lambda residuals: residuals.mean(axis=0) < -0.5,
            "You find only the defaults that surprised the model: those whose residual is below −0.5 on average.",
            "p is never 0 and never 1. Is a large residual needed?",
        ),
        Mistake(
            "large-only",
            lambda residuals: np.abs(residuals).mean(axis=0) > 0.5,
            "You call a customer defaulted where the residual is large on average, whatever its sign. It is large "
            "too for somebody who paid and whom the model took for a bad risk.",
            "How do the residuals of the two differ?",
        ),
    ),
    wide=lambda rng: _wide(rng)[:1],
)
OTHERS = Equals(
    _sent,
    _others,
    (
        Mistake(
            "keeps-own",
            lambda residuals, own: special.logit(residuals + (residuals < 0)),
            "You return the log odds of all banks together.",
            "Which part of it does bank A know already?",
        ),
        Mistake(
            "no-log-odds",
            lambda residuals, own: residuals + (residuals < 0) - own,
            "You take bank A's log odds from the probability p, which is no log odds.",
            "p = 1/(1 + e^−z). What is z, given p?",
        ),
        Mistake(
            "label-forgotten",
            lambda residuals, own: special.logit(np.abs(residuals)) - own,
            "You are right for customers who paid. For the others you take 1 − p for p.",
            "A residual is p − y, and you know y by now. What is p?",
        ),
        Mistake(
            "label-subtracted",
            lambda residuals, own: special.logit(residuals - (residuals < 0)) - own,
            "You are right for customers who paid. For the others your probability is p − 2, which has no log odds.",
            "A residual is p − y. What is p, given the residual and y?",
        ),
        Mistake(
            "no-log-odds",
            lambda residuals, own: residuals - own,
            "You take bank A's log odds from the residual.",
            "What is p, given the residual and the label? What are the log odds, given p?",
        ),
    ),
    atol=1e-6,
    wide=_wide,
)
ONE = (([[0.2]], [[0.5]], "paid"), ([[-0.3]], [[0.5]], "defaulted"))  # residuals and own part of one customer


def others_right(answer: Answer, chance: Chance) -> Diagnosis | None:
    """As declared; what no mistake explains is shown on one customer in one round."""
    wrong = OTHERS(answer, chance)
    if wrong is None or wrong.key not in {"wrong-value", *NAMED}:
        return wrong
    for residuals, own, who in ONE:
        right = float(others_scores(np.array(residuals), np.array(own))[0, 0])
        given = np.asarray(answer(np.array(residuals), np.array(own)), dtype=float)
        if given.size != 1 or not np.isclose(given.item(), right):
            seen = (
                f"One customer, one round, residual {residuals[0][0]}, bank A's part {own[0][0]}: so they {who}. Your "
            )
            seen += f"result is {np.round(given, 3).tolist()}; right is [[{right:.3f}]]."
            ask = "What is y, then p, then the log odds, then what is left without bank A?"
            return Diagnosis(wrong.key, seen, "Which do you take from which?" if wrong.key == "sign" else ask)
    return wrong


RESIDUALS = (Part(NAMES, "labels", LABELS), Part(NAMES, "others", others_right))
