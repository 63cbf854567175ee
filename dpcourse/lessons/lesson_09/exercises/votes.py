"""Exercises 09.3 and 09.5: what one person moves in a vote, and the price of a plan."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import between, whole

# 09.3 What one person moves

_MOVES = {"add-remove": (1.0, math.sqrt(2), 2.0), "replace-one": (2.0, 2 * math.sqrt(2), 4.0)}
_QUANTITIES = ("the largest count", "the counts in L2", "the counts in L1")
_KNOWN_MOVES = (
    Mistake(
        "largest-doubled",
        ("add-remove", 0, 2.0),
        "Adding a record moves one vote, so every count moves by one at most, and so does the largest.",
        "From which count to which does the vote go?",
    ),
    Mistake(
        "sensitivity-one",
        ("add-remove", 2, 1.0),
        "You say that one person moves the counts by 1 in L1. A teacher always votes: the vote that one count gains, "
        "another loses.",
        "Write the counts before and after below each other, and subtract.",
    ),
    Mistake(
        "one-count-moves",
        ("add-remove", 1, 1.0),
        "You say that one person moves the counts by 1 in L2. Two counts move, by one each: √(1² + 1²).",
        "The vote that one count gains, another loses.",
    ),
    Mistake(
        "l1-for-l2",
        ("add-remove", 1, 2.0),
        "That is the move in L1; in L2 squares are added and the root is taken.",
        "√(1² + 1²)",
    ),
    Mistake(
        "one-teacher",
        ("replace-one", 2, 2.0),
        "Under replace-one you count one teacher. The old record sat in one part and the new one may sit in another: "
        "two teachers can change their votes.",
        "Two votes move. Where can they go?",
    ),
    Mistake(
        "votes-apart",
        ("replace-one", 1, 2.0),
        "You let the two votes move between four different counts: √(1 + 1 + 1 + 1). They can go the same way, and "
        "then two counts move by two each.",
        "√(2² + 2²)",
    ),
    Mistake(
        "largest-of-one",
        ("replace-one", 0, 1.0),
        "Two teachers can change their votes to the same class, and then its count moves by two.",
        "Start from a tie.",
    ),
)


_TUPLE = "How far does the largest count move, how far do all counts in L2, and how far in L1?"


def vote_moves(answer: Answer, chance: Chance) -> Diagnosis | None:
    got = {}
    for relation in chance.rng.permutation(list(_MOVES)):
        result = answer(str(relation))
        if result is None:
            return Diagnosis("returns-nothing", "Your function returns nothing (None).", "Is a `return` missing?")
        try:
            got[str(relation)] = np.asarray(result, dtype=float)
        except (TypeError, ValueError):
            return Diagnosis("wrong-type", f"Three numbers are wanted; you return {result!r}.", _TUPLE)
        if got[str(relation)].shape != (3,):
            return Diagnosis("wrong-shape", "Three numbers are wanted: largest count, L2, L1.", _TUPLE)
    for mistake in _KNOWN_MOVES:
        relation, place, value = mistake.gives
        if np.isclose(got[relation][place], value):
            return mistake.diagnosis
    for relation, right in _MOVES.items():
        for place, name in enumerate(_QUANTITIES):
            if not np.isclose(got[relation][place], right[place], rtol=1e-3):
                return Diagnosis(
                    "wrong-value",
                    f"Under {relation} you say that {name} can move by {got[relation][place]:.4g}.",
                    "Take six teachers and two classes, and try all pairs of votes.",
                )
    return None


# 09.5 The price of a PATE plan


def _plan(rng: Generator) -> tuple[int, int, float, float]:
    questions = int(rng.integers(200, 2000))
    answers = int(rng.integers(20, questions // 2))
    return questions, answers, float(rng.uniform(20, 400)), float(rng.uniform(10, 200))


def _any_plan(rng: Generator) -> tuple[int, int, float, float]:
    questions = whole(rng, 1, 10**6)
    return questions, whole(rng, 1, questions), between(rng, 0.5, 5000), between(rng, 0.5, 5000)


def _priced(thresholds, votes, moved=2):
    """ρ from the number of paid thresholds, and the ρ of one answer times σ₂², where one vote moves; `moved` do."""
    return lambda q, a, s1, s2: moved**2 * (thresholds(q, a) / (2 * s1**2) + votes * a / s2**2)


PRICE = (
    Equals(
        _plan,
        expected=_priced(lambda q, a: q, 1.0),
        wide=_any_plan,
        mistakes=(
            Mistake(
                "one-teacher",
                _priced(lambda q, a: q, 1.0, moved=1),
                "You price one vote that moves, which is the price of a record added or removed.",
                "Which teachers see the old record, and which see the new one?",
            ),
            Mistake(
                "two-apart",
                _priced(lambda q, a: q, 1.0, moved=math.sqrt(2)),
                "You pay twice for one vote that moves. Two votes may move in the same direction.",
                "How far does a count move then, and what does its square cost?",
            ),
            Mistake(
                "sensitivity-one",
                _priced(lambda q, a: q, 0.5),
                "You price an answer as if one count moved by two. Two counts do: Δ₂² = 8.",
                "ρ = Δ₂²/(2σ²).",
            ),
            Mistake(
                "l1-norm",
                _priced(lambda q, a: q, 2.0),
                "You price an answer with the L1 sensitivity 4. Gaussian noise goes by L2, which is √8.",
                "ρ = Δ₂²/(2σ²).",
            ),
            Mistake(
                "silence-free",
                _priced(lambda q, a: a, 1.0),
                "You charge the threshold only for questions that were answered. “No answer” is an answer about "
                "the teachers too.",
                "Every question pays for its threshold.",
            ),
            Mistake(
                "threshold-free",
                _priced(lambda q, a: 0, 1.0),
                "Your threshold is free. Whether the teachers agree is a fact about the private data.",
                "Every question pays for its threshold.",
            ),
            Mistake(
                "all-answered",
                lambda q, a, s1, s2: 4 * (q / (2 * s1**2) + q / s2**2),
                "You charge a winner for every question. Only so many are ever named: that is what the threshold "
                "is for.",
                "Which of the two numbers counts the winners?",
            ),
            Mistake(
                "not-squared",
                lambda q, a, s1, s2: 4 * (q / (2 * s1) + a / s2),
                "Your σ's are not squared.",
                "ρ = Δ₂²/(2σ²).",
            ),
        ),
    ),
)
