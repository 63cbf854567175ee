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
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from scipy import special, stats

from dpcourse.checks.links import same_side

SILENT = 1e-3  # scores that are hardly any noise: of rows of 32 bits, sums differ by as much


@dataclass(frozen=True)
class Asked:
    """One call: its setting, and its scores, independent and standard normal for a right answer.

    A setting is numbers by name. What is no number, such as {"rows": "of float32"}, is text.
    """

    setting: Mapping[str, float | str]
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
    """Where the scores of calls are too small or too large together, and how far, in words; "" where they are nowhere.

    With independent standard normal scores it says something with probability `failure` at most.
    """
    where, how = where_off(asked, failure)
    return where and f"{where}, {how}"


def where_off(asked: Sequence[Asked], failure: float) -> tuple[str, str]:
    """The same in two parts: in which calls, and how far off; "" both where the scores are right."""
    squares = np.array([float((one.scores**2).sum()) for one in asked])
    sizes = np.array([one.scores.size for one in asked])
    kinds = [name for name, value in asked[0].setting.items() if isinstance(value, str)]
    names = [name for name in asked[0].setting if name not in kinds]
    # Too small or too large; each number up and down, each kind, and each call by itself.
    looks = 2 * (2 * len(names) + len(kinds) + 1)
    found = [_worst(squares, sizes, np.full(len(asked), failure / looks / len(asked)), np.ones(len(asked), int))]
    where = [f"In a call with {said(asked[found[0].place].setting)}"]
    for name in kinds:
        values = np.array([one.setting[name] for one in asked])
        for value in np.unique(values):
            here, share = values == value, failure / looks / len(np.unique(values))
            some, many = squares[here].sum(keepdims=True), sizes[here].sum(keepdims=True)
            found.append(_worst(some, many, np.array([share]), here.sum(keepdims=True)))
            where.append(f"In {here.sum()} calls with {name} {value}")
    counts = np.arange(1, len(asked) + 1)
    shares = 6 / (math.pi * counts) ** 2 * failure / looks
    for name in names:
        up = np.argsort([one.setting[name] for one in asked], kind="stable")
        for order, end in ((up, "less"), (up[::-1], "more")):
            found.append(_worst(np.cumsum(squares[order]), np.cumsum(sizes[order]), shares, counts))
            last, calls = asked[order[found[-1].place]].setting, found[-1].place + 1
            words = f"In {calls} calls with {name} = {_brief(last[name])} or {end}"
            words = f"In all {calls} calls" if calls == len(asked) else words
            where.append(words if calls > 1 else f"In a call with {said(last)}")
    worst = max(range(len(found)), key=lambda place: found[place])
    if found[worst].unlikely <= 0:
        return "", ""
    return where[worst], _off(found[worst].squares, found[worst].size)


class _Worst(NamedTuple):
    """Of several sums the least likely. Of those that are impossible: most calls without noise, or fewest with it."""

    unlikely: float
    silent: bool
    rank: int  # how many calls, less than 0 where there is noise
    place: int
    squares: float
    size: int


def _worst(squares: np.ndarray, sizes: np.ndarray, shares: np.ndarray, calls: np.ndarray) -> _Worst:
    unlikely, silent = _unlikely(squares, sizes, shares), squares < SILENT**2 * sizes
    rank = np.where(silent, calls, -calls)
    at = int(np.lexsort((rank, silent, unlikely))[-1])
    return _Worst(float(unlikely[at]), bool(silent[at]), int(rank[at]), at, float(squares[at]), int(sizes[at]))


def said(setting: Mapping[str, float | str]) -> str:
    """A setting in words.

    >>> said({"n": 1724, "q": 0.0796, "rows": "of float32"})
    'n = 1,724, q = 0.0796; rows of float32'
    """
    kinds = [f"; {name} {x}" for name, x in setting.items() if isinstance(x, str)]
    return ", ".join(f"{name} = {_brief(x)}" for name, x in setting.items() if not isinstance(x, str)) + "".join(kinds)


def off_in_calls(
    asked: Sequence[tuple[Mapping[str, float | str], Sequence[np.ndarray]]], failure: float, rng: Generator
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
            return words or _few_have_noise(asked)
    return ""


def _few_have_noise(asked: Sequence[tuple[Mapping[str, float | str], Sequence[np.ndarray]]]) -> str:
    """What is said of noise whose least or whose most is off: whether most entries have none."""
    silent = [(np.abs(one) < SILENT, setting) for setting, calls in asked for one in calls if one.size]
    most, setting = max(silent, key=lambda one: one[0].mean())
    if most.mean() > 0.5:
        where = f"In a call with {said(setting)}"
        return f"{where}, {most.sum():,} of {most.size:,} entries of your result have hardly any noise, or none."
    return (
        "In some of your results, the entry with the least noise, or the one with the most, has too little or too much."
    )


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
    "",  # it depends
    "We asked twice about the same data. Signs of your noise are the same more often, or less often, than by chance.",
    "We asked twice about the same data. Your noise is large in the same entries more often, or less often, than by "
    "chance.",
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
    if times < SILENT:
        return "your results have no noise." if times < 1e-6 else "your results have hardly any noise."
    return f"your results are {times:.2g} times as far from the exact ones as their noise should put them."


def _brief(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int | np.integer) else f"{value:.3g}"
