"""Capstone 8.6: noise that homes make in shares: its claim, its size, and what wrong shares are called."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from dpcourse.checks.claims import claimed
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.scores import off_in_calls
from dpcourse.lessons.capstone_8.design import sigma, year_norm
from dpcourse.lessons.capstone_8.exercises.noise import Noise, noise_fits
from dpcourse.privacy import Guarantee, Neighbours


@dataclass(frozen=True)
class Reported(Noise):
    """Noise with `homes` shares to a whole, the number of homes that reported day by day, and of all."""

    many: np.ndarray = field(default_factory=lambda: np.ones(1))
    declared: int = 1
    counted: ClassVar[str] = "shares"

    @property
    def said(self) -> str:
        return f"{self.declared} homes, shares = {self.homes}, {self.days:,} days, {self._budget}"


# Whose shares are counted: known wrong deviations, in units of the right one.
SHARED: Sequence[tuple[str, Callable[[Reported], Any], str, str]] = (
    (
        "dropped-noise",
        lambda s: math.sqrt(s.homes / s.declared),
        "Your shares make the noise whole when all homes report. Those that do not report add none, so there is too "
        "little.",
        "How many homes are sure to report, and how large is a share when just these make the noise whole?",
    ),
    (
        "no-margin",
        lambda s: np.sqrt(s.homes / s.many),
        "However many homes report, their shares together are just whole noise. But all of them except `shares` may "
        "tell the server theirs. What is left is too little.",
        "How large is one share, if any `shares` of them have to make the noise whole?",
    ),
    (
        "whole-noise-each",
        lambda s: math.sqrt(s.homes),
        "Every home adds all of the noise.",
        "Variances add up. What is the variance of one share?",
    ),
    (
        "not-divided",
        lambda s: s.many,
        "Your noise is that of a day's sum, and you add it to the day's mean.",
        "The mean is the sum divided by the homes that reported. What does that do to the noise?",
    ),
)


def claim_wrong(claim: Any, epsilon: float, delta: float) -> Diagnosis | None:
    why = "`reported` and the divisors are exact, so adding or removing a home shows."
    ask = "Under which relation is the number of homes the same on both sides?"
    fewest = "Only `shares` homes are sure to report on a day and to keep their noise to themselves."
    return claimed(claim, Guarantee(epsilon, delta, Neighbours.REPLACE_ONE), "a home", (why, ask), fewest)


def words_of(kind: str, words: Mapping[str, tuple[str, str]]) -> tuple[str, str]:
    """What is said of a kind of days, where a number is what meters say on them; and what is asked."""
    said = {"nan": "NaN", "inf": "infinity", "-inf": "−infinity"}.get(kind, f"{kind} kWh")
    return words.get(kind, (f"Where meters say {said} on a day", words["strange"][1]))


def by_days(
    found: Sequence[tuple[np.ndarray, np.ndarray, float]], words: Mapping[str, tuple[str, str]], failure: float
) -> Diagnosis | None:
    """Where days on which readings are strange, or others' messages came, go wrong, and days like any other do not.

    Of each setting the kinds of its days ("" for a day like any other, a number for what meters say on it), its
    noise in units of the right deviation, shape (calls, days), and ε.
    """
    parts = {
        kind: np.concatenate([noise[:, kinds == kind].ravel() for kinds, noise, _ in found])
        for kind in sorted({str(kind) for kinds, _, _ in found for kind in kinds})
    }
    fine = parts.pop("", np.zeros(0))
    off = [kind for kind, noise in parts.items() if not noise_fits(noise, failure / (2 * len(parts)))]
    if not off or (fine.size and not noise_fits(fine, 1e-6)):
        return None
    kind = max(off, key=lambda kind: (kind not in words, float(np.nan_to_num((parts[kind] ** 2).mean(), nan=np.inf))))
    what, ask = words_of(kind, words)
    ratio = float(np.sqrt((parts[kind] ** 2).mean()))
    if ratio < 1:
        seen = f"{what}, your noise has about {ratio:.2g} times the right deviation. On ordinary days it is right."
        ask = "Such a home has reported, and counts as 0 or 24. Which share of noise does it add?"
        if kind in words and kind != "strange":
            ask = "Each home that reports adds one share of noise. Which homes add none on such days?"
        return Diagnosis("no-share", seen, ask)
    z, epsilon = max(
        (float(np.nan_to_num(np.abs(noise[:, kinds == kind]), nan=np.inf).max()), epsilon)
        for kinds, noise, epsilon in found
        if (kinds == kind).any()
    )
    size = f"{z:,.1f} times" if z < 1e6 else "far more than"
    seen = f"{what}, a day's mean is off by {size} the deviation that its noise should have (at ε = {epsilon:.2g})."
    return Diagnosis(kind if kind in words else "strange", seen, ask)


def wrong_size(
    sums: list[tuple[np.ndarray, int, float, float, list[np.ndarray]]], failure: float, rng: np.random.Generator
) -> Diagnosis | None:
    """Whether the noise of daily sums is wrong for these homes, shares, ε and δ, from the fewest homes to the most."""
    asked = []
    for reported, shares, epsilon, delta, calls in sums:
        deviation = year_norm(len(reported)) * sigma(epsilon, delta) * np.sqrt(reported / shares)
        setting = {"homes a day": round(reported.mean()), "days": len(reported), "epsilon": epsilon}
        asked.append((setting, [one / deviation for one in calls]))
    words = off_in_calls(asked, failure, rng)
    sizes = [setting["homes a day"] for setting, _ in asked]
    many = f"{min(sizes):,} to {max(sizes):,}" if len(sizes) > 1 else f"{min(sizes):,}"
    seen = f"In networks of fewer than 30 homes your noise was right. We asked again with {many} homes a day. "
    ask = "Which part of your code behaves differently with many homes? Each adds one share of `shares`."
    return Diagnosis("noise-by-size", seen + words, ask) if words else None
