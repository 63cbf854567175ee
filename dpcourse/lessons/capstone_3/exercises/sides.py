"""Capstone 3.3: on which side of its row a report lies, which a noisy coin decides."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.links import Draws, linked, repeated
from dpcourse.checks.scores import fit
from dpcourse.lessons.capstone_3.exercises.tools import leaning, reach

Sides = Callable[[np.ndarray, float], np.ndarray]  # lengths of rows, ε -> how likely the report is on the row's side


def same_side(lengths: np.ndarray, epsilon: float) -> np.ndarray:
    return 0.5 + np.minimum(lengths, 1) / 2 * math.tanh(epsilon / 2)


SIDES: tuple[tuple[str, Sides, str, str], ...] = (
    (
        "length-ignored",
        lambda r, e: same_side((r > 0).astype(float), e),
        "A vector of length 0.1 is reported like one of length 1: the mean of its reports is ten times too long.",
        "With which probability must a vector of length 0.1 be rounded to its own side, so that its mean is 0.1 long?",
    ),
    (
        "twice-epsilon",
        lambda r, e: same_side(r, 2 * e),
        "Your reports spend twice `epsilon`: the right side is e^(2ε) times as likely as the wrong one.",
        "For a vector of length 1, divide the probability of its own side by that of the other. What do you get?",
    ),
    (
        "half-epsilon",
        lambda r, e: same_side(r, e / 2),
        "Your reports spend half of `epsilon`: the right side is e^(ε/2) times as likely as the wrong one.",
        "For a vector of length 1, divide the probability of its own side by that of the other. What do you get?",
    ),
    (
        "wrong-side",
        lambda r, e: 1 - same_side(r, e),
        "More reports point away from the vector than along it.",
        "On which side is the dot product with the vector positive?",
    ),
    (
        "no-noise",
        lambda r, e: 0.5 + np.minimum(r, 1) / 2,
        "A vector of length 1 is always reported on its own side. So a report rules out all such vectors on the other.",
        "How often does the coin have to choose the wrong side?",
    ),
    (
        "ignores-data",
        lambda r, e: np.full(len(r), 0.5),
        "Your reports do not follow the vectors.",
        "Where does the direction enter?",
    ),
)


@dataclass(frozen=True)
class Asked:
    """One call: rows, their lengths after clipping, and reports; `cosine` is that with the row's direction."""

    rows: np.ndarray
    lengths: np.ndarray
    directions: np.ndarray
    epsilon: float
    reports: np.ndarray

    @property
    def cosine(self) -> np.ndarray:
        return (self.reports * self.directions).sum(axis=1) / np.linalg.norm(self.reports, axis=1)

    def counted(self, sides: Sides) -> tuple[float, float]:
        """How far the number of reports on the row's side is from that of `sides`, and its variance."""
        p = np.clip(sides(self.lengths, self.epsilon), 0, 1)
        return float((self.cosine > 0).sum() - p.sum()), float((p * (1 - p)).sum())

    def off(self, sides: Sides, failure: float) -> float:
        """The same in units of what chance allows."""
        off, variance = self.counted(sides)
        return abs(off) / reach(variance, failure)

    def with_length(self) -> float:
        """Above 0 where long rows have reports on their side more often than they should, below 0 where less often."""
        own = self.lengths - self.lengths.mean()
        return float(own @ ((self.cosine > 0) - same_side(self.lengths, self.epsilon)))

    def leaning(self, failure: float) -> float:
        """The same of how sides follow the length of their own row, where their number is right."""
        return leaning(self.lengths, self.cosine > 0, same_side(self.lengths, self.epsilon), failure)


def linked_coins(ones: list[Asked], failure: float) -> Diagnosis | None:
    """The coins that decide on sides are independent, of one device to the next and of one call to the next."""
    drawn = [Draws((one.cosine > 0) - (p := same_side(one.lengths, one.epsilon)), p * (1 - p)) for one in ones]
    if repeated(drawn, failure / 2):
        return Diagnosis(
            "same-report", "Asked again, devices throw the same coins.", "Which of your draws come from `rng`?"
        )
    if where := linked(drawn, failure / 2):
        seen = (
            f"Your reports hang together: {where} are on their row's side (u·g > 0) together too often, or too rarely."
        )
        return Diagnosis("linked-coins", seen, "Does each device have a coin of its own?")
    return None


def between(numbers: np.ndarray) -> str:
    """The range in words: "0.2 to 1.5", or one number where all are alike."""
    least, most = (f"{number:.4g}" for number in (numbers.min(), numbers.max()))
    return least if least == most else f"{least} to {most}"


def by_largest(calls: list[tuple[str, Asked]], failure: float) -> Diagnosis | None:
    """None unless rows are divided by the longest: then sides follow another law."""
    some = [one for kind, one in calls if kind in ("unit", "short", "long", "mixed")]
    if any(one.off(same_side, failure) > 1 for one in some) and all(
        one.off(lambda r, e, one=one: same_side(_over_longest(one), e), failure) <= 1  # type: ignore[misc]
        for one in some
    ):
        return Diagnosis(
            "largest-row",
            "You divide all rows by the longest. So the report of one device depends on another device.",
            "What does a device know about the others? A row longer than 1 is divided by its own length.",
        )
    return None


def _over_longest(one: Asked) -> np.ndarray:
    own = np.linalg.norm(one.rows, axis=1)
    return own / max(float(own.max()), 1e-300)


def sided(ones: list[Asked], calls: list[tuple[str, Asked]], failure: float) -> Diagnosis | None:
    wrong = [one for one in ones if one.off(same_side, failure) > 1]
    if not wrong and any(one.leaning(failure) > 1 for one in ones):
        often = sum(one.with_length() for one in ones if one.leaning(failure) > 1) > 0
        long, short = ("too often", "too rarely") if often else ("too rarely", "too often")
        return Diagnosis(
            "others-rows",
            f"In all, the right number of reports lie on their row's side (u·g > 0). But those of long rows do {long}, "
            f"and those of short rows {short}: the probability does not follow the row's own length alone.",
            "What does a device know about the others?",
        )
    if not wrong:
        return None
    found = by_largest(calls, failure)
    if found:
        return found
    for key, other, seen, ask in SIDES:
        if all(one.off(other, failure) <= 1 for one in ones) and fit([one.counted(other) for one in ones], 1e-4):
            return Diagnosis(key, seen, ask)
    alike = [one for one in wrong if len(one.rows) > 50 and one.lengths.min() > 0.999 and _share(one) in (0, 1)]
    worst = max(alike or wrong, key=lambda one: one.off(same_side, failure))
    seen = (
        f"{len(worst.rows):,} rows of length {between(worst.lengths)} after clipping, epsilon = {worst.epsilon:.3g}: "
        f"{_share(worst):.3f} of the reports are on the row's side (u·g > 0), "
        f"{same_side(worst.lengths, worst.epsilon).mean():.3f} would be right."
    )
    if alike:
        ask = "Does each device toss a coin of its own here, and is that coin wrong at times?"
        return Diagnosis("one-coin", f"{seen} One coin decides for all of them, or no coin at all.", ask)
    ask = "With which probability is a row of length r rounded to its own side, and how often does the coin turn that?"
    return Diagnosis("wrong-side-share", seen, ask)


def _share(one: Asked) -> float:
    """How many reports are on the row's side."""
    return float((one.cosine > 0).mean())
