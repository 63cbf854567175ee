"""Exercises 11.1 and 11.3: what counts certify."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.audit import clopper_pearson
from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import between, whole

# 11.1 A certificate from counts


Counts = tuple[int, int, int, int, float, float]


def _counts(rng: Generator) -> Counts:
    """Counts for which something is certified, by the event or by its complement, and by neither of the two alone."""
    rates = (rng.uniform(0.4, 0.6), rng.uniform(0.1, 0.2)) if rng.random() < 0.5 else (0.97, rng.uniform(0.5, 0.9))
    runs, false_runs = (int(n) for n in rng.integers(2000, 6000, size=2))
    hits, false_hits = (int(rng.binomial(n, rate)) for n, rate in zip((runs, false_runs), rates, strict=True))
    return hits, runs, false_hits, false_runs, float(rng.uniform(0.005, 0.02)), float(rng.choice([0.9, 0.95, 0.99]))


def _any_counts(rng: Generator) -> Counts:
    """Any two counts, every third time none or all."""
    runs, false_runs = whole(rng, 1, 10**6), whole(rng, 1, 10**6)
    high, low = sorted((rng.random(), between(rng, 1 / false_runs, 1.0)), reverse=True)
    hits = runs if rng.random() < 1 / 6 else round(high * runs)
    false_hits = 0 if rng.random() < 1 / 6 else round(low * false_runs)
    delta = 0.0 if rng.random() < 0.2 else between(rng, 1e-12, 0.5)
    return hits, runs, false_hits, false_runs, delta, 1 - between(rng, 1e-4, 0.5)


def _as_often(rng: Generator, hits: tuple[int, int], false_hits: tuple[int, int]) -> Counts:
    """Of a thousand runs on each."""
    return int(rng.integers(*hits)), 1000, int(rng.integers(*false_hits)), 1000, 0.0, 0.99


def _low(hits: int, runs: int, error: float) -> float:
    return float(clopper_pearson(np.array(hits), runs, error)[0])


def _high(hits: int, runs: int, error: float) -> float:
    return float(clopper_pearson(np.array(hits), runs, error)[1])


def _ratios(true_low: float, false_high: float, delta: float, both: bool = True) -> float:
    pairs = [(true_low, false_high)] + [(1 - false_high, 1 - true_low)] * both
    return max([0.0, *(math.log((top - delta) / below) for top, below in pairs if top > delta and below > 0)])


def certificate(h: int, n: int, f: int, m: int, delta: float, confidence: float, share: float = 2.0) -> float:
    error = (1 - confidence) / share
    return _ratios(_low(h, n, error), _high(f, m, error), delta)


def _one_direction(h: int, n: int, f: int, m: int, delta: float, confidence: float) -> float:
    error = (1 - confidence) / 2
    return _ratios(_low(h, n, error), _high(f, m, error), delta, both=False)


def _by_the_complement(h: int, n: int, f: int, m: int, confidence: float) -> float:
    """Without its δ."""
    error = (1 - confidence) / 2
    return _ratios(1 - _high(f, m, error), 1 - _low(h, n, error), 0.0, both=False)


def _bounds_swapped(h: int, n: int, f: int, m: int, delta: float, confidence: float) -> float:
    error = (1 - confidence) / 2
    return _ratios(_high(h, n, error), _low(f, m, error), delta)


def _normal(h: int, n: int, f: int, m: int, delta: float, confidence: float) -> float:
    z = stats.norm.isf((1 - confidence) / 2)
    p, q = h / n, f / m
    low, high = p - z * math.sqrt(p * (1 - p) / n), q + z * math.sqrt(q * (1 - q) / m)
    return _ratios(low, high, delta)


_ESTIMATE = Diagnosis(
    "estimate",
    "That is the ratio of the frequencies themselves. By luck it is often above the truth: an estimate, and no bound.",
    "Replace the frequencies by a lower bound for the one and an upper bound for the other.",
)
CERTIFICATE = (
    Equals(
        _counts,
        certificate,
        mistakes=(
            Mistake.told(_ESTIMATE, lambda h, n, f, m, d, c: _ratios(h / n, f / m, d)),
            Mistake.told(_ESTIMATE, lambda h, n, f, m, d, c: _ratios(h / n, f / m, 0.0)),
            Mistake(
                "error-not-shared",
                lambda h, n, f, m, d, c: certificate(h, n, f, m, d, c, share=1.0),
                "Each of your two bounds may fail with the whole 1 − confidence. Together they may fail twice as "
                "often as you say.",
                "Two bounds, one budget of error: share it.",
            ),
            Mistake(
                "error-shared-too-often",
                lambda h, n, f, m, d, c: certificate(h, n, f, m, d, c, share=4.0),
                "Valid, but you give away runs: your bounds are two-sided intervals, of which one side is never "
                "used, or four bounds where there are two. Both directions use the same lower and upper bound.",
                "One lower bound for the hits, one upper bound for the false hits, at (1 − confidence)/2 each.",
            ),
            Mistake(
                "other-runs",
                lambda h, n, f, m, d, c: certificate(h, n, min(f, n), n, d, c),
                "For both counts you take `runs`. The neighbour was run `false_runs` times.",
                "Which number of runs belongs to which bound?",
            ),
            Mistake(
                "delta-forgotten",
                lambda h, n, f, m, d, c: certificate(h, n, f, m, 0.0, c),
                "Your bound does not know δ. The claim allows e^ε times as much, plus δ.",
                "Subtract δ before you divide.",
            ),
            Mistake(
                "delta-in-one-direction",
                lambda h, n, f, m, d, c: max(_one_direction(h, n, f, m, d, c), _by_the_complement(h, n, f, m, c)),
                "For one of the two directions your bound does not know δ. The claim allows δ to either event.",
                "Subtract δ for the complement, too.",
            ),
            Mistake(
                "one-direction",
                _one_direction,
                "An event that is nearly certain on both datasets says little by happening, and much by not "
                "happening. Your bound looks at one direction only.",
                "The complement is an event too: 1 − FPR_hi against 1 − TPR_lo.",
            ),
            Mistake(
                "bounds-swapped",
                _bounds_swapped,
                "That is an upper bound for the hits over a lower bound for the false hits: the most that the data "
                "allow, where the least is wanted.",
                "A certificate must hold even if luck was on its side: low over high.",
            ),
            Mistake(
                "normal-approximation",
                _normal,
                "You take the bounds from a normal approximation. Where hits are rare it is off, and it says that "
                "an event seen in no run has probability zero.",
                "Clopper–Pearson is exact: quantiles of scipy.stats.beta.",
            ),
        ),
        rtol=1e-4,
        atol=1e-6,
        times=12,
    ),
    Equals(
        lambda rng: ((n := int(rng.integers(200, 900))), n, 0, n, 0.0, float(rng.choice([0.95, 0.999]))),
        certificate,
        rtol=1e-4,
        atol=1e-6,
        times=3,
    ),
    Equals(
        lambda rng: _as_often(rng, (40, 60), (40, 60)),
        lambda h, n, f, m, d, c: max(0.0, certificate(h, n, f, m, d, c)),
        rtol=1e-4,
        atol=1e-6,
        times=3,
        mistakes=(
            Mistake(
                "negative",
                lambda h, n, f, m, d, c: math.log(_low(h, n, (1 - c) / 2) / _high(f, m, (1 - c) / 2)),
                "A negative ε was certified. Every mechanism satisfies ε ≥ 0.",
                "max(0, …).",
            ),
        ),
    ),
    Equals(  # the event went the other way
        lambda rng: _as_often(rng, (100, 200), (400, 600)),
        certificate,
        wide=_any_counts,
        rtol=1e-4,
        atol=1e-6,
        times=3,
        mistakes=(
            Mistake(
                "turned-after-looking",
                lambda h, n, f, m, d, c: max(certificate(h, n, f, m, d, c), certificate(f, m, h, n, d, c)),
                "You exchange the two datasets when the event went the other way. That takes two bounds more, and "
                "nothing is left to pay for them.",
                "Which dataset the event is expected on was fixed before the counts: where it went the other way, "
                "nothing is certified.",
            ),
        ),
    ),
    Equals(  # so rare that δ alone allows it
        lambda rng: (int(rng.integers(5, 20)), 1000, int(rng.integers(0, 5)), 1000, 0.05, 0.99),
        certificate,
        rtol=1e-4,
        atol=1e-6,
        times=2,
    ),
    Equals(  # so often on both that δ alone allows the complement
        lambda rng: (int(rng.integers(985, 1001)), 1000, int(rng.integers(960, 980)), 1000, 0.05, 0.99),
        certificate,
        rtol=1e-4,
        atol=1e-6,
        times=2,
    ),
)

# 11.3 Guess the canaries


def _canaries(rng: Generator) -> tuple[np.ndarray, np.ndarray, int, float]:
    """Scores of canaries in and out that overlap at a place other than zero; an even number of guesses."""
    m = 2 * int(rng.integers(300, 500))
    members = rng.random(m) < 0.5
    scores = rng.normal(size=m) + members * rng.uniform(0.7, 1.0) + rng.uniform(2, 4)
    return scores, members, 2 * int(rng.integers(60, 100)), float(rng.choice([0.9, 0.95, 0.99]))


def _any_canaries(rng: Generator) -> tuple[np.ndarray, np.ndarray, int, float]:
    members = rng.random(whole(rng, 40, 10_000)) < 0.5
    scores = rng.normal(between(rng, 0.01, 100.0), size=members.size) + members * between(rng, 0.1, 5.0)
    scores *= between(rng, 1e-6, 1.0)  # some differ in late digits only
    many, confidence = 2 * whole(rng, 10, members.size // 2), 1 - between(rng, 1e-4, 0.5)
    if rng.random() < 1 / 3:  # at a low confidence two right guesses certify something
        many, confidence = 2 * whole(rng, 1, 3), float(rng.uniform(0.5, 0.7))
    if rng.random() < 1 / 3:  # ranks, which are whole numbers
        scores = scores.argsort().argsort().astype(float)
    return scores, members, many, confidence


def _told_apart(rng: Generator) -> tuple[np.ndarray, np.ndarray, int, float]:
    """Many canaries, all of which are told apart: each guess is right."""
    members = rng.random(int(rng.integers(3000, 10_000))) < 0.5
    scores = rng.random(members.size) + 2 * members
    return scores, members, 2 * int(rng.integers(300, members.size // 5)), float(rng.uniform(0.9, 0.99))


def _binomial(guesses: int, right: int, confidence: float) -> float:
    """ε whose coin gives this many right guesses or more with probability 1 − confidence; 0 if it is below a half."""
    low = _low(int(right), int(guesses), 1 - confidence)
    return max(0.0, math.log(low / (1 - low))) if low > 0 else 0.0


def _right(scores: np.ndarray, members: np.ndarray, guesses: int) -> int:
    order, half = np.argsort(scores), guesses // 2
    return int(members[order[-half:]].sum() + (~members[order[:half]]).sum())


def _guessed(guess: Any) -> Any:
    return lambda scores, members, guesses, confidence: guess(np.argsort(scores), members, guesses, confidence)


ONE_RUN = (
    Equals(
        _canaries,
        lambda s, b, r, c: _binomial(r, _right(s, b, r), c),
        mistakes=(
            Mistake(
                "estimate",
                lambda s, b, r, c: math.log(_right(s, b, r) / max(r - _right(s, b, r), 0.5)),
                "That is the logarithm of the odds of your guesses: an estimate, above the truth up to half the time.",
                "Which ε makes so many right guesses, or more, as unlikely as 1 − confidence?",
            ),
            Mistake(
                "only-in",
                _guessed(lambda o, b, r, c: _binomial(r, b[o[-r:]].sum(), c)),
                "You guess that the r highest scores are all in. The lowest scores tell just as much: out.",
                "Half of the guesses from either end.",
            ),
            Mistake(
                "only-in",
                _guessed(lambda o, b, r, c: _binomial(r // 2, b[o[-(r // 2) :]].sum(), c)),
                "You make half of the guesses only, those at the top.",
                "The other half: the lowest scores are guessed to be out.",
            ),
            Mistake(
                "no-abstention",
                lambda s, b, r, c: _binomial(len(s), _right(s, b, len(s)), c),
                "You guess about all canaries. Most of them are coin tosses, and they bury the few that are clear.",
                "Only `guesses` of them; about the others say nothing.",
            ),
            Mistake(
                "certifies-nothing",
                lambda s, b, r, c: _binomial(len(s), _right(s, b, r), c),
                "You certify nothing, where most guesses can be right. Either they are turned around, or the "
                "canaries you said nothing about are counted as wrong guesses.",
                "Higher scores mean in; r guesses were made, and v of those r were right.",
            ),
            Mistake(
                "two-sided",
                lambda s, b, r, c: _binomial(r, _right(s, b, r), (1 + c) / 2),
                "You take a two-sided interval. One side is wanted, at the whole 1 − confidence.",
                "P[Bin(r, q) ≥ v] = 1 − confidence, for which q?",
            ),
        ),
        rtol=1e-3,
        atol=1e-5,
        times=5,
        wide=_any_canaries,
        wide_times=60,
        full=_told_apart,
    ),
)
