"""Calls in many settings, one each, judged together by scores: standard normal numbers for a right answer.

An answer that is asked often in a few settings can know them, and do what it likes in all others. So it is asked once
in each of many, drawn over decades. What comes out has an exact law in each; its place in that law becomes a score. The
squares of independent scores add up to χ², whatever their settings: of each call; and of the calls up to some size, or
from some size on, of everything that a setting names. Sums that are too small tell of noise that is left out, sums that
are too large of results that are not where they should be.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import special, stats

from dpcourse.checks.links import same_side


@dataclass(frozen=True)
class Asked:
    """One call: its setting, numbers by name; and its scores, independent and standard normal for a right answer."""

    setting: Mapping[str, float]
    scores: np.ndarray


def score_of(law: Any, seen: int, rng: Generator) -> float:
    """A standard normal number, if a whole number has this law of SciPy's: its place, drawn within its step.

    >>> law = stats.binom(10, 0.3)
    >>> rng = np.random.default_rng(0)
    >>> scores = [score_of(law, seen, rng) for seen in law.rvs(10_000, random_state=rng)]
    >>> bool(stats.kstest(scores, stats.norm.cdf).pvalue > 1e-6)
    True
    """
    within = float(rng.random())
    below, at, above = float(law.cdf(seen - 1)), float(law.pmf(seen)), float(law.sf(seen))
    low = below < above  # the smaller end is the exact one
    place = below + within * at if low else above + within * at
    score = float(stats.norm.isf(min(max(place, 1e-300), 1.0)))
    return -min(score, 40.0) if low else max(min(score, 40.0), -40.0)


def off_somewhere(asked: Sequence[Asked], failure: float) -> str:
    """Where the scores of calls are too small or too large together, in words; "" where they are nowhere.

    With independent standard normal scores it says something with probability `failure` at most.
    """
    squares = np.array([float((one.scores**2).sum()) for one in asked])
    sizes = np.array([one.scores.size for one in asked])
    names = list(asked[0].setting)
    looks = 2 * (2 * len(names) + 1)  # too small or too large; each name up and down, and each call by itself
    alone = _unlikely(squares, sizes, np.full(len(asked), failure / looks / len(asked)))
    worst, words = 0.0, ""
    if alone.max() > worst:
        place = int(alone.argmax())
        setting = ", ".join(f"{name} = {_brief(value)}" for name, value in asked[place].setting.items())
        worst, words = float(alone.max()), f"In a call with {setting}, {_off(squares[place], sizes[place])}"
    shares = 6 / (math.pi * np.arange(1, len(asked) + 1)) ** 2 * failure / looks
    for name in names:
        values = np.array([one.setting[name] for one in asked])
        up = np.argsort(values, kind="stable")
        for order, end in ((up, "less"), (up[::-1], "more")):
            some, many = np.cumsum(squares[order]), np.cumsum(sizes[order])
            unlikely = _unlikely(some, many, shares)
            if unlikely.max() > worst:
                place = int(unlikely.argmax())
                where = f"In {place + 1} calls with {name} = {_brief(values[order[place]])} or {end}"
                worst, words = float(unlikely.max()), f"{where}, {_off(some[place], many[place])}"
    return words


def off_in_calls(
    asked: Sequence[tuple[Mapping[str, float], Sequence[np.ndarray]]], failure: float, rng: Generator
) -> str:
    """What is wrong with the scores of settings that were asked about once, twice or more, in words; "" if nothing is.

    Half of the failure goes to `off_somewhere`, the rest to the least and the most of the scores of a call, which show
    noise that is all in one of them, and to signs and sizes of two calls, which show what follows from the data.
    """
    if words := off_somewhere([Asked(setting, np.concatenate(calls)) for setting, calls in asked], failure / 2):
        return words
    looks = (
        lambda calls: [place(one) for one, place in zip(calls, cycle((_least, _most)), strict=False)],
        lambda calls: [same_side(one, other, rng) for one, other in _pairs(calls)],
        lambda calls: [same_side(np.abs(one) - _MEDIAN, np.abs(other) - _MEDIAN, rng) for one, other in _pairs(calls)],
    )
    for look, words in zip(looks, _OTHERWISE, strict=True):
        found = ((setting, np.clip(look(calls), 1e-12, 1)) for setting, calls in asked)
        scores = [Asked(setting, stats.norm.isf(places / 2)) for setting, places in found if places.size]
        if scores and off_somewhere(scores, failure / 6):
            return words
    return ""


def fit(counts: Sequence[tuple[float, float]], failure: float) -> bool:
    """Whether counts of zeros and ones have the law they should: of each, its distance from its mean, and its variance.

    For naming what an answer does, not for refusing it: right counts are said not to fit in about `failure` of cases.
    """
    squares = sum(off**2 / (1 + variance) for off, variance in counts)  # 1: a rare 1 is no evidence
    return bool(squares < stats.chi2.isf(failure, len(counts)))


def _pairs(calls: Sequence[np.ndarray]) -> Iterable[tuple[np.ndarray, np.ndarray]]:
    return zip(calls[::2], calls[1::2], strict=False)


_MEDIAN = float(stats.norm.isf(0.25))  # of the size of a standard normal number
_OTHERWISE = (
    "In some of your results the least noise of an entry, or the most of one, is not what chance makes it.",
    "Asked twice about the same, your noise has the same signs more often, or more seldom, than by chance.",
    "Asked twice about the same, your noise is large in the same entries more often, or more seldom, than by chance.",
)


def _least(scores: np.ndarray) -> float:
    """With which probability the smallest of so many scores is as small."""
    return -math.expm1(len(scores) * special.log1p(-special.erf(np.abs(scores).min() / math.sqrt(2))))


def _most(scores: np.ndarray) -> float:
    """With which probability the largest of so many scores is as large."""
    return -math.expm1(len(scores) * special.log1p(-special.erfc(np.abs(scores).max() / math.sqrt(2))))


def _unlikely(squares: np.ndarray, sizes: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """By how much sums of so many squares are less likely than their share of the failure, as a logarithm."""
    with np.errstate(divide="ignore"):
        small, large = stats.chi2.logcdf(squares, sizes), stats.chi2.logsf(squares, sizes)
    return np.log(shares) - np.minimum(small, large)


def _off(squares: float, size: int) -> str:
    times = math.sqrt(squares / size)
    if times < 1e-6:
        return "your results have no noise."
    return f"your results are off by {times:.2g} times as much as they should be."


def _brief(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.2g}"
