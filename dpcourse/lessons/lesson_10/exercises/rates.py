"""Exercises 10.1 and 10.3: the rate of an attack at few false alarms, and the band around a rate."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.audit import clopper_pearson
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import between, whole

_CASES = 128_000  # 64 models and 2,000 people

# 10.1 The true positive rate at a false positive rate


def _scored(rng: Generator) -> tuple[np.ndarray, np.ndarray, float]:
    """Tied scores; fewer members than others; a rate between two thresholds, on one, or below all of them."""
    kind = rng.integers(4)
    n = 192 if kind == 0 else int(rng.integers(150, 300))
    members = np.zeros(n, dtype=bool)
    members[rng.permutation(n)[: n // 3]] = True
    scores = np.round(rng.normal(size=n) + 0.8 * members, 1)
    for who, count in ((members, 3), (~members, 4)):  # three members and four others tie at the top
        scores[rng.choice(np.flatnonzero(who), count, replace=False)] = 5.0
    if kind == 0:  # a rate that a threshold meets, of 128 others: exact in binary, however it is counted
        met = [float((scores >= t)[~members].mean()) for t in np.unique(scores)]
        return scores, members, float(rng.choice([rate for rate in met if 0.05 < rate < 0.3]))
    return scores, members, float(rng.uniform(0.001, 0.015) if kind == 1 else rng.uniform(0.05, 0.3))


def _many_scores(rng: Generator) -> tuple[np.ndarray, np.ndarray, float]:
    """Thousands of members, of whom so few can be accused that hardly a thousandth of them has one score. Most tie."""
    n = whole(rng, 5000, 15_000)
    members = rng.permutation(n) < n * rng.uniform(0.2, 0.8)
    scores = np.round(rng.normal(size=n) + rng.uniform(0, 0.6) * members, 1)
    return np.maximum(scores, 2.5) / 10.0 ** rng.integers(10), members, float(10 ** -rng.uniform(3, 5))


def _any_scores(rng: Generator, least: int = 2) -> tuple[np.ndarray, np.ndarray, float]:
    """Two cases to twice as many as in the lesson, or so many at least; scores are rounded, and members few or many.

    Scores may lie a tenth apart, or far less. Of many cases they have some hundred values: who tries all thresholds
    shall not take long. In every fourth draw or so all may be accused, members being those with low scores.
    """
    if least == 2 and rng.random() < 0.25:
        return _many_scores(rng)
    n, kind = whole(rng, least, 2 * _CASES), rng.random()
    members = rng.permutation(n) < whole(rng, 1, n - 1)
    scores = np.round(rng.normal(size=n) + rng.uniform(0, 3) * members, int(rng.integers(3 if n <= 3000 else 2)))
    scores /= 10.0 ** rng.integers(10)
    return (-scores, members, 1.0) if kind < 1 / 3 else (scores, members, float(rng.uniform() ** 3))


def _at(scores: np.ndarray, members: np.ndarray, fpr: float, *, by=None, of=None) -> float:
    """The largest share of `of` accused at a threshold that accuses at most a share `fpr` of `by`."""
    by, of = (~members if by is None else by), (members if of is None else of)
    rates = [((scores >= t)[by].mean(), (scores >= t)[of].mean()) for t in np.unique(scores)]
    return max((hit for alarm, hit in rates if alarm <= fpr), default=0.0)


def _interpolated(scores: np.ndarray, members: np.ndarray, fpr: float) -> float:
    steps = np.unique(scores)[::-1]
    alarms = [0.0, *((scores >= t)[~members].mean() for t in steps)]
    return float(np.interp(fpr, alarms, [0.0, *((scores >= t)[members].mean() for t in steps)]))


def _quantile(scores: np.ndarray, members: np.ndarray, fpr: float) -> float:
    return float((scores >= np.quantile(scores[~members], 1 - fpr))[members].mean())


def _precision(scores: np.ndarray, members: np.ndarray, fpr: float) -> float:
    fit = [t for t in np.unique(scores) if (scores >= t)[~members].mean() <= fpr]
    return float(members[scores >= min(fit)].mean()) if fit else 0.0


def _lowest_or_all(scores: np.ndarray, members: np.ndarray, fpr: float) -> float:
    fit = [t for t in np.unique(scores) if (scores >= t)[~members].mean() <= fpr]
    return float((scores >= (min(fit) if fit else scores.max()))[members].mean())


TPR_AT = Equals(
    _scored,
    _at,
    mistakes=(
        Mistake(
            "interpolated",
            _interpolated,
            "You interpolate between two thresholds. Between them there is no attack, unless it tosses a coin.",
            "Take the lowest threshold whose false positive rate is still at most `fpr`.",
        ),
        Mistake(
            "ties",
            _quantile,
            "Your threshold is a quantile of the non-members' scores, and everybody tied with it is accused: the "
            "false positive rate is then above `fpr`.",
            "Count the non-members at or above the threshold.",
        ),
        Mistake(
            "share-of-everybody",
            lambda s, m, f: _at(s, m, f, by=np.ones(len(s), dtype=bool)),
            "You allow a share `fpr` of *everybody* to be accused. The false positive rate is a share of those who "
            "were not in.",
            "Divide by the number of non-members.",
        ),
        Mistake(
            "precision",
            _precision,
            "That is the share of the accused who were in. The true positive rate is the share of those in who are "
            "accused.",
            "Divide by the number of members.",
        ),
        Mistake(
            "swapped",
            lambda s, m, f: _at(s, m, f, by=m, of=~m),
            "You have members and non-members the wrong way round.",
            "False alarms are non-members.",
        ),
        Mistake(
            "less-than",
            lambda s, m, f: _at(s, m, np.nextafter(f, 0)),
            "You accuse too few where a threshold has a false positive rate of just `fpr`.",
            "“At most” includes equality.",
        ),
        Mistake(
            "none-below",
            _lowest_or_all,
            "Right where some threshold keeps to `fpr`. Where none does, nobody may be accused.",
            "Start from a rate of 0.",
        ),
        Mistake(
            "upside-down",
            lambda s, m, f: _at(-s, m, f),
            "You accuse those with low scores.",
            "A higher score means “in”.",
        ),
        Mistake(
            "share-of-everybody-in",
            lambda s, m, f: _at(s, m, f) * m.mean(),
            "You divide by everybody.",
            "Divide by the number of members.",
        ),
    ),
    times=48,
    wide=_any_scores,
    full=lambda rng: _any_scores(rng, _CASES),
    atol=1e-6,  # two rates are never so close: some round theirs
)

# 10.3 The band around a rate


def _counts(rng: Generator) -> tuple[int, int, float]:
    trials = int(rng.integers(20, 400))
    hits = int(rng.choice(np.array([0, trials, rng.integers(1, 15)])))
    return hits, trials, float(rng.choice([0.95, 0.99, 0.999]))


def _any_counts(rng: Generator) -> tuple[int, int, float]:
    trials = whole(rng, 1, 10**6)
    confidence = 1 - between(rng, 1e-4, 0.5) if rng.random() < 0.5 else float(rng.uniform(0.05, 0.95))
    return int(rng.integers(trials + 1)), trials, confidence


def _band(hits: int, trials: int, confidence: float, sides: int = 2) -> tuple[float, float]:
    if not 0 < confidence < 1:  # rounded for a diagnosis, or another argument in its place
        raise ValueError(f"{confidence} is no confidence")
    low, high = clopper_pearson(np.array(hits), trials, (1 - confidence) / sides)
    return float(low), float(high)


def _wald(hits: int, trials: int, confidence: float, *, clip: bool) -> tuple[float, float]:
    p, z = hits / trials, stats.norm.isf((1 - confidence) / 2)
    low, high = (p + sign * z * math.sqrt(p * (1 - p) / trials) for sign in (-1, 1))
    return (max(low, 0.0), min(high, 1.0)) if clip else (low, high)


def _wilson(hits: int, trials: int, confidence: float) -> tuple[float, float]:
    found = stats.binomtest(hits, trials).proportion_ci(confidence, method="wilson")
    return found.low, found.high


_WALD = Diagnosis(
    "normal-approximation",
    "That is the normal approximation p ± z√(p(1 − p)/n). With few hits it is far too narrow: with none, it has no "
    "width at all, and would call a rate of 0 certain.",
    "The exact interval comes from the binomial distribution: quantiles of beta distributions.",
)


class _TwoEnds(Equals):
    """Who returns something else is told which two numbers are wanted."""

    def __call__(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        wrong = super().__call__(answer, chance)
        if wrong is None or wrong.key != "wrong-shape":
            return wrong
        seen = f"{wrong.seen.partition(';')[0]}; two numbers are wanted, (low, high)."
        return Diagnosis(wrong.key, seen, "Between which two rates does the band lie?")


BAND = _TwoEnds(
    _counts,
    _band,
    mistakes=(
        Mistake.told(_WALD, lambda h, n, c: _wald(h, n, c, clip=False)),
        Mistake.told(_WALD, lambda h, n, c: _wald(h, n, c, clip=True)),
        Mistake(
            "error-not-shared",
            lambda h, n, c: _band(h, n, c, sides=1),
            "Each end may be wrong with the whole error: together they may fail up to twice as often as stated.",
            "Half of 1 − confidence for each side.",
        ),
        Mistake(
            "wilson",
            _wilson,
            "That is Wilson's interval: good on average, but it promises its level only roughly. Clopper–Pearson's "
            "never falls below.",
            "Quantiles of beta distributions.",
        ),
        Mistake("swapped", lambda h, n, c: _band(h, n, c)[::-1], "The two ends are the wrong way round.", "Low first."),
        Mistake(
            "counts",
            lambda h, n, c: tuple(np.multiply(_band(h, n, c), n)),
            "These are bounds for the count. Bounds for the rate are wanted.",
            "Divide by trials.",
        ),
    ),
    times=20,
    wide=_any_counts,
)
