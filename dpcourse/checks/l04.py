"""Exercises of lesson 04: the Gaussian mechanism, selection, the sparse vector, a private median.

Data are drawn anew for every check; outputs that are floats are rounded before the auditor sees them, as in lesson 03.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import log_ndtr, ndtr, ndtri

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Exercise, Trial, Wrong
from dpcourse.checks.cases import Audited, Equals, Frequencies, Mistake, Returns, Useful
from dpcourse.mechanisms import GaussianMechanism
from dpcourse.privacy import Guarantee

CLAIM = Guarantee(1.0)
APPROXIMATE = Guarantee(1.0, 1e-5)


def _swap(here: Any, there: Any, rng: Generator) -> tuple[Any, Any]:
    return (here, there) if rng.random() < 0.5 else (there, here)


def _at_one(answer: Answer, data: Any, rng: Generator) -> Any:
    return answer(*data, 1.0, rng=rng)


# 04.1 The smallest σ


def _root(delta_of: Callable[[float], float], delta: float) -> float:
    """The noise multiplier at which a decreasing δ(σ) passes `delta`, by bisection; NaN if it does not."""
    low, high = 1e-3, 1e4
    if not delta_of(high) <= delta <= delta_of(low):
        return math.nan
    for _ in range(100):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if delta_of(middle) > delta else (low, middle)
    return high


def _sign_slip(epsilon: float, delta: float) -> float:
    return _root(
        lambda s: float(ndtr(0.5 / s - epsilon * s) + np.exp(epsilon + log_ndtr(-0.5 / s - epsilon * s))), delta
    )


def _tail_only(epsilon: float, delta: float) -> float:
    # Φ(1/2s − εs) = δ: a quadratic in s
    z = float(ndtri(delta))
    return (-z + math.sqrt(z * z + 2 * epsilon)) / (2 * epsilon)


def _by_zcdp(epsilon: float, delta: float) -> float:
    root = math.sqrt(math.log(1 / delta) + epsilon) - math.sqrt(math.log(1 / delta))
    return 1 / (math.sqrt(2) * root)


def _exact(epsilon: float, delta: float) -> float:
    return GaussianMechanism(epsilon, delta).sigma


def _classic(epsilon: float, delta: float) -> float:
    return math.sqrt(2 * math.log(1.25 / delta)) / epsilon


SIGMA = (
    Equals(
        lambda rng: (
            float(rng.uniform(0.2, 6)),
            float(10 ** rng.uniform(-8, -2)),
            float(rng.choice([0.5, 3.0, 20.0]) * rng.uniform(0.8, 1.2)),
        ),
        expected=lambda epsilon, delta, sensitivity: sensitivity * _exact(epsilon, delta),
        rtol=1e-4,
        mistakes=(
            Mistake(
                lambda epsilon, delta, sensitivity: sensitivity * _classic(epsilon, delta),
                Wrong(
                    "That is the classic formula: a sufficient σ for ε < 1, wasteful there, and proven no further.",
                    "Solve the exact δ(σ) = δ for σ, by bisection.",
                    "classic",
                ),
            ),
            Mistake(
                lambda epsilon, delta, sensitivity: _exact(epsilon, delta),
                Wrong("That is right for sensitivity 1 only.", "σ grows in proportion to Δ.", "no-sensitivity"),
            ),
            Mistake(
                lambda epsilon, delta, sensitivity: (sensitivity * _exact(epsilon, delta)) ** 2,
                Wrong("That is σ², the variance.", "The standard deviation is wanted.", "variance"),
            ),
            Mistake(
                lambda epsilon, delta, sensitivity: sensitivity * _sign_slip(epsilon, delta),
                Wrong(
                    "You add the two terms of δ(σ). The second is subtracted: it is what e^ε times the other dataset "
                    "already covers.",
                    "δ = Φ(Δ/2σ − εσ/Δ) − e^ε Φ(−Δ/2σ − εσ/Δ).",
                    "sign-slip",
                ),
            ),
            Mistake(
                lambda epsilon, delta, sensitivity: sensitivity * _tail_only(epsilon, delta),
                Wrong(
                    "You make the probability that the loss exceeds ε equal to δ. That is sufficient, and too strict: "
                    "a loss a little above ε breaks the promise by a little only.",
                    "The second term of δ(σ) is missing.",
                    "tail-only",
                ),
            ),
            Mistake(
                lambda epsilon, delta, sensitivity: sensitivity * _by_zcdp(epsilon, delta),
                Wrong("That goes through zCDP: a valid σ, but not the smallest.", "Use the exact δ(σ).", "by-zcdp"),
            ),
        ),
    ),
)


# 04.2 Many counts at once

_SIGMA = _exact(1.0, 1e-5)


def _everyone(rng: Generator) -> tuple[Any, Any]:
    """A table of flags, and the same with one person who says yes to everything."""
    d = int(rng.integers(30, 60))
    flags = rng.random((int(rng.integers(20, 60)), d)) < 0.5
    return _swap((flags,), (np.vstack([flags, np.ones((1, d), dtype=bool)]),), rng)


def _call_counts(answer: Answer, data: Any, rng: Generator) -> Any:
    return answer(data[0], _SIGMA, rng=rng)


def _along(output: Any) -> float:
    """The direction in which the person moves the answer: where the two datasets differ most."""
    cells = np.asarray(output, dtype=float)
    return round(float(cells.sum() / math.sqrt(cells.size)), 3)


def _first_two(output: Any) -> float:
    cells = np.asarray(output, dtype=float)
    return round(float(cells[0] - cells[1]), 3)


def _only_first(rng: Generator) -> tuple[Any, Any]:
    (flags,), _ = _everyone(rng)
    person = np.zeros((1, flags.shape[1]), dtype=bool)
    person[0, 0] = True
    return _swap((flags,), (np.vstack([flags, person]),), rng)


def _first_of_many(rng: Generator) -> tuple[Any, Any]:
    """Everybody says yes to one question; one person more says yes to all: noise scaled to the rows that are there."""
    flags = np.eye(40, dtype=bool)[rng.integers(40, size=30)]
    return _swap((flags,), (np.vstack([flags, np.ones((1, 40), dtype=bool)]),), rng)


def _shared_noise(answer: Answer, trial: Trial, result: Any) -> Wrong | None:
    (flags,), _ = _everyone(trial.rng)
    gaps = {round(float(np.subtract(*answer(flags, _SIGMA, rng=trial.rng)[:2])), 6) for _ in range(20)}
    if len(gaps) > 1:
        return None
    return Wrong(
        "The difference of two of your counts is always the same: they share one noise.",
        "Draw one normal number for each count (size=d).",
        "same-noise",
    )


def _rms(output: Any, truth: Any) -> float:
    """Error per count in units of the smallest σ; the length of the output tells d."""
    error = np.asarray(output, dtype=float) - np.asarray(truth)
    return float(np.sqrt(np.mean(error**2)) / (_SIGMA * math.sqrt(error.size)))


def _counts_of(data: tuple[np.ndarray]) -> np.ndarray:
    return data[0].sum(axis=0)


def _counts_useful(answer: Answer, trial: Trial) -> Wrong | None:
    """`Useful` wants outputs of one shape: every table here has 40 columns."""

    def pairs(rng: Generator) -> tuple[Any, Any]:
        flags = rng.random((int(rng.integers(20, 60)), 40)) < rng.uniform(0.2, 0.8, 40)
        return (flags,), (flags[1:],)

    return Useful(
        pairs,
        truth=_counts_of,
        error=_rms,
        # Of 40 normal numbers the root mean square is above 1.75σ once in 10^7; with twice the noise nearly always.
        within=1.75,
        at_least=0.9,
        runs=400,
        call=_call_counts,
        hint="One person changes d counts by one each. That is √d in L2, and ε is not divided by d.",
    )(answer, trial)


COUNTS = (
    Returns(
        lambda rng: (rng.random((20, 5)) < 0.5, _SIGMA), what="array", shape=lambda flags, sigma: (flags.shape[1],)
    ),
    Audited(
        _only_first,
        APPROXIMATE,
        call=_call_counts,
        view=_first_two,
        runs=3000,
        diagnose=_shared_noise,
        hint="Even one changed count gives the person away.",
        key="too-little-noise",
    ),
    Audited(
        _everyone,
        APPROXIMATE,
        call=_call_counts,
        view=_along,
        runs=8000,
        hint="One person can change all d counts. Each alone hides the person; together they do not. How long is "
        "a vector of d ones?",
        key="sensitivity-not-in-scale",
    ),
    Audited(
        _first_of_many,
        APPROXIMATE,
        call=_call_counts,
        view=_along,
        runs=3000,
        hint="The size of your noise follows the rows that are there. A row may say yes to all d questions, and that "
        "is public.",
        key="scale-from-data",
    ),
    _counts_useful,
)


# 04.3 The exponential mechanism


def _utilities(rng: Generator) -> tuple[list[str], np.ndarray, float]:
    names = [f"option {letter}" for letter in rng.permutation(list("ABCDE"))[:4]]
    sensitivity = float(rng.uniform(2.8, 3.3))  # where no two of the known mistakes give the same weights
    return names, sensitivity * np.array([0.0, 1.2, 2.2, 3.0])[rng.permutation(4)], sensitivity


def _probabilities(data: tuple[list[str], np.ndarray, float], factor: float, sensitivity: float | None = None) -> dict:
    names, utilities, delta = data
    exponent = factor * utilities / (delta if sensitivity is None else sensitivity)
    weights = np.exp(exponent - exponent.max())
    return dict(zip(names, weights / weights.sum(), strict=True))


def _argmax(data: tuple[list[str], np.ndarray, float]) -> dict:
    names, utilities, _ = data
    return {name: float(u == utilities.max()) for name, u in zip(names, utilities, strict=True)}


def _extremes(answer: Answer, trial: Trial) -> Wrong | None:
    """Utilities of ±10^6 must not stop the function, whichever way they point."""
    rng = trial.rng
    for utilities in ([1e6, -1e6, 1e6], [-1e6, -1e6, -1e6], [1e6, 1e6 - 1, -1e6], [-1e6, 1e6, 0.0]):
        names = [f"{letter}{rng.integers(100)}" for letter in "xyz"]
        try:
            with np.errstate(all="ignore"):
                chosen = answer(names, np.array(utilities), 1.0, 1.0, rng=rng)
        except Exception as error:
            return Wrong(
                f"With utilities {utilities} your function stops ({error}). The utilities come from the data, so the "
                "crash is an answer about them.",
                "Subtract the largest exponent from all before you exponentiate: the probabilities stay the same.",
                "overflow",
            )
        best = [name for name, u in zip(names, utilities, strict=True) if u > max(utilities) - 100]
        if chosen not in best:
            if chosen in names and chosen == names[int(np.argmin(utilities))]:
                return Wrong("You prefer small utilities.", "The weight grows with the utility.", "sign-reversed")
            return Wrong(
                f"With utilities {utilities} you choose {chosen!r}: with exponents of that size something overflowed.",
                "Subtract the largest exponent from all before you exponentiate.",
                "overflow",
            )
    return None


def _many_losers(rng: Generator) -> tuple[Any, Any]:
    """One candidate falls and all others rise by the whole sensitivity: where a missing 2 shows."""
    names = [f"{i}" for i in range(20)]
    here, there = np.zeros(20), np.ones(20)
    place = int(rng.integers(20))
    here[place], there[place] = 1.0, 0.0
    return _swap((names, here, 1.0), (names, there, 1.0), rng)


def _is_choice(answer: Answer, trial: Trial) -> Wrong | None:
    names, utilities, sensitivity = _utilities(trial.rng)
    chosen = answer(list(names), utilities.copy(), sensitivity, 1.0, rng=trial.rng)
    if chosen is None:
        return Wrong("Your function returns nothing (None).", "Is a `return` missing?", "returns-nothing")
    if not isinstance(chosen, str) or chosen not in names:
        return Wrong(f"You return {chosen!r}; one of the candidates is wanted.", "candidates[index]", "not-a-candidate")
    return None


EXPONENTIAL = (
    _is_choice,
    _extremes,
    Frequencies(
        lambda rng: (data := _utilities(rng), _probabilities(data, 0.5)),
        call=lambda answer, data, rng: [answer(*data, 1.0, rng=rng)],
        runs=6000,
        mistakes=(
            Mistake(
                _argmax,
                Wrong("You always choose the best: no randomness, no privacy.", "Draw from the weights.", "argmax"),
            ),
            Mistake(
                lambda data: _probabilities(data, 1.0),
                Wrong(
                    "Your weights are exp(εu/Δ). One person can raise one utility and lower the others, so that the "
                    "weight and the sum of weights move against each other.",
                    "Each may take half of ε: exp(εu/2Δ).",
                    "missing-two",
                ),
            ),
            Mistake(
                lambda data: _probabilities(data, 0.5, 1.0),
                Wrong(
                    "The sensitivity does not enter.", "exp(εu/2Δ): measure utilities in units of Δ.", "no-sensitivity"
                ),
            ),
            Mistake(
                lambda data: _probabilities(data, 0.5, 1 / data[2]),
                Wrong("You multiply by the sensitivity.", "Divide: exp(εu/2Δ).", "sensitivity-upside-down"),
            ),
            Mistake(
                lambda data: _probabilities(data, 0.0),
                Wrong("All candidates are equally likely.", "Where do the utilities come in?", "uniform"),
            ),
            Mistake(
                lambda data: _probabilities(data, -0.5),
                Wrong("You prefer small utilities.", "The weight grows with the utility.", "sign-reversed"),
            ),
            Mistake(
                lambda data: _probabilities(data, 0.25),
                Wrong("Your weights are exp(εu/4Δ): more noise than needed.", "One 2 is enough.", "two-twos"),
            ),
        ),
    ),
    Audited(
        _many_losers,
        CLAIM,
        call=_at_one,
        runs=6000,
        hint="One candidate fell and all others rose. Is there a 2 in your exponent?",
        key="missing-two",
    ),
)


# 04.4 The first above a threshold


def _call_first(answer: Answer, data: Any, rng: Generator) -> Any:
    values, threshold = data
    result = answer(values, threshold, 1.0, rng=rng)
    return -1 if result is None else int(result)


def _finds_first(answer: Answer, trial: Trial) -> Wrong | None:
    """Where nothing is close, the answer is certain."""
    threshold = float(trial.rng.uniform(-500, 500))
    for far, wanted in (([-1, 1, -1, 2], 1), ([2, -1, 3], 0), ([-1, -1, -1], None), ([-2, -1, -3, 5, 6], 3)):
        values = threshold + 1e4 * np.array(far, dtype=float)
        got = answer(values, threshold, 1.0, rng=trial.rng)
        if np.ndim(got) or isinstance(got, bool | np.bool_):
            return Wrong(
                f"One position is wanted; you return {got!r}.", "Stop at the first that is above.", "wrong-type"
            )
        if got == wanted and (got is None) == (wanted is None):
            continue
        if wanted is None:
            return Wrong(
                f"No value is above, and you return {got!r}.", "Return None where the loop comes to its end.", "no-none"
            )
        if got is None:
            return Wrong(
                "A value is far above the threshold, and you return None.", "Is a `return` missing?", "returns-nothing"
            )
        if got == int(np.argmax(values)):
            return Wrong(
                "You name the largest; the *first* above the threshold is wanted.",
                "Go through the values in order and stop.",
                "largest-not-first",
            )
        return Wrong(
            f"For values {far} far from the threshold you return {got!r}; right is {wanted}.", "", "wrong-position"
        )
    return None


def _swapped_pair(rng: Generator) -> tuple[Any, Any]:
    threshold = float(rng.uniform(-500, 500))
    return _swap((threshold + np.array([0.0, 1.0]), threshold), (threshold + np.array([1.0, 0.0]), threshold), rng)


def _long_run(rng: Generator) -> tuple[Any, Any]:
    """Six values rise together, and the last one falls: a threshold without noise of its own shows."""
    threshold = float(rng.uniform(-500, 500))
    here, there = np.full(7, -1.0), np.full(7, 0.0)
    here[-1], there[-1] = 0.0, -1.0
    return _swap((threshold + here, threshold), (threshold + there, threshold), rng)


def _one_threshold(answer: Answer, trial: Trial) -> Wrong | None:
    """Twelve values on the threshold: "none above" needs a threshold that is high for all twelve at once.

    With noise redrawn for every value it happens once in 2^12 runs, so more than 8 times in 2,500 with probability
    2e-8; with scales 2/ε and 4/ε it happens in 2.2% of runs, so at most 8 times with probability 1e-14.
    """
    threshold = float(trial.rng.uniform(-500, 500))
    values = np.full(12, threshold)
    none = sum(answer(values, threshold, 1.0, rng=trial.rng) is None for _ in range(2500))
    if none > 8:
        return None
    return Wrong(
        f"Twelve values that lie on the threshold: {none} times in 2,500 you find none above it, as if twelve coins "
        "were tossed each time. Each “no” then tells something of its own, and they add up.",
        "Draw one noise for the threshold, once, before the loop, and keep it: then a run of “no” is one event.",
        "no-threshold-noise",
    )


def _rises(rng: Generator) -> tuple[Any, Any]:
    """A position far from the threshold, then another: noise of the right size finds it."""
    threshold = float(rng.uniform(-500, 500))
    low = threshold - 60 - 20 * rng.random(8)
    place = int(rng.integers(8))
    low[place] = threshold + 60
    other = low.copy()
    other[place] = threshold - 60
    return (low, threshold), (other, threshold)


def _rises_truth(data: Any) -> int:
    above = np.flatnonzero(data[0] > data[1])
    return int(above[0]) if above.size else -1


def _none_above(bar_scale: float, value_scale: float) -> dict[int, float]:
    """One value, 4 below the threshold, at ε = 1: none above (−1), or the first (0).

    The tail of the difference of two Laplace variables of different scales.
    """
    a, b = value_scale, bar_scale
    yes = (a * a * math.exp(-4 / a) - b * b * math.exp(-4 / b)) / (2 * (a * a - b * b))
    return {-1: 1 - yes, 0: yes}


def _one_below(rng: Generator) -> tuple[Any, dict[int, float]]:
    threshold = float(rng.uniform(-500, 500))
    return (np.array([threshold - 4.0]), threshold), _none_above(2, 4)


_SCALES = Frequencies(
    _one_below,
    call=_call_first,
    runs=4000,
    mistakes=(
        Mistake(
            lambda data: _none_above(2, 2 + 1e-6),
            Wrong(
                "Your values have noise of scale 2/ε. Between neighbours a value may fall while the others rise, and "
                "the threshold has to make up for those.",
                "Against the shifted threshold a value moves by 2: scale 2/(ε/2).",
                "value-scale",
            ),
        ),
        Mistake(
            lambda data: _none_above(1, 2),
            Wrong(
                "Scales 1/ε and 2/ε spend all of ε on the threshold and all of it once more on the value.",
                "Half of ε for each.",
                "whole-epsilon-twice",
            ),
        ),
        Mistake(
            lambda data: _none_above(1, 1 + 1e-6),
            Wrong(
                "Scale 1/ε on both: that is ε for the threshold and 2ε for the value.",
                "Half of ε for each, and against the shifted threshold a value moves by 2.",
                "whole-epsilon-twice",
            ),
        ),
    ),
    hint="Scale 1/(ε/2) on the threshold, 2/(ε/2) on each value.",
)


FIRST = (
    _finds_first,
    Audited(
        _swapped_pair,
        CLAIM,
        call=_call_first,
        runs=6000,
        hint="Values (0, 1) and (1, 0) around the threshold: with the same noisy threshold for both, an answer of “the "
        "second” shows which. Does every value get noise of its own?",
        key="no-query-noise",
    ),
    Audited(
        _long_run,
        CLAIM,
        call=_call_first,
        runs=12_000,
        hint="A long run of “no” says that all values are low, once for each of them. One noise on the threshold, "
        "drawn once and kept, makes all the “no” free.",
        key="no-threshold-noise",
    ),
    _one_threshold,
    Useful(
        _rises,
        truth=_rises_truth,
        within=0.5,
        # With scales 2/ε and 4/ε a gap of 60 is passed by chance in 1e-6 of comparisons; at ten times the noise often.
        at_least=0.95,
        runs=400,
        call=_call_first,
        hint="Scale 2/ε on the threshold and 4/ε on the values is enough for one hit, however many values there are.",
    ),
    _SCALES,
)


# 04.5 A private median


def _ages(rng: Generator, n: int | None = None) -> np.ndarray:
    return rng.uniform(20, 80, int(rng.integers(100, 300)) if n is None else n)


def _in_bounds(answer: Answer, trial: Trial) -> Wrong | None:
    rng = trial.rng
    for values in (_ages(rng), np.array([]), np.append(_ages(rng, 9), [1e9, -1e9])):
        result = answer(values, 0.0, 100.0, 1.0, rng=rng)
        if result is None:
            return Wrong("Your function returns nothing (None).", "Is a `return` missing?", "returns-nothing")
        if not 0 <= float(result) <= 100:
            return Wrong(
                f"For {len(values)} records with bounds (0, 100) you return {float(result):.4g}.",
                "Clip the records, and choose among points between the bounds only, also when there are no records.",
                "outside-bounds",
            )
    return None


def _call_median(answer: Answer, data: Any, rng: Generator) -> Any:
    return answer(data[0], 0.0, 100.0, 1.0, rng=rng)


def _rounded(output: Any) -> float:
    return round(float(output), 9)


def _two_camps(rng: Generator) -> tuple[Any, Any]:
    """Half of the people near 10 and half near 90: one person more moves the median across."""
    half = int(rng.integers(15, 40))
    values = np.concatenate([rng.uniform(9, 10, half), rng.uniform(90, 91, half)])
    return _swap((np.append(values, 5.0),), (values,), rng)


def _narrow_gap(rng: Generator) -> tuple[Any, Any]:
    """Two people of almost the same age around the median; without one of them there is no such gap."""
    centre = float(rng.uniform(40, 60))
    few = np.array([10.0, 90.0, centre])
    return _swap((few,), (np.append(few, centre + 1e-4),), rng)


def _extreme(rng: Generator) -> tuple[Any, Any]:
    values = np.full(4, 50.0) + rng.uniform(-1e-3, 1e-3, 4)
    return _swap((values,), (np.append(values, 100.0),), rng)


def _ranked(rng: Generator) -> tuple[Any, Any]:
    """A few people near the middle and one at the top: a second one at the top halves the odds of the lower side."""
    middle = float(rng.uniform(45, 55)) + rng.random(3) * 1e-6
    return _swap((np.append(middle, 100.0),), (np.append(middle, [100.0, 100.0]),), rng)


def _point_of_data(answer: Answer, trial: Trial, _: Any) -> Wrong | None:
    values = _ages(trial.rng, 7)
    results = [float(_call_median(answer, (values,), trial.rng)) for _ in range(60)]
    midpoints = np.append(values, (np.sort(values)[1:] + np.sort(values)[:-1]) / 2)
    known = np.mean([np.min(np.abs(midpoints - result)) < 1e-9 for result in results])
    if known < 0.8:
        return None
    return Wrong(
        "What you return is one of the records (or half-way between two), exactly: whoever sees it has seen a record.",
        "Choose an interval between sorted records, then draw a uniform point inside it.",
        "returns-a-record",
    )


def _beyond_records(answer: Answer, trial: Trial, _: Any) -> Wrong | None:
    values = np.array([49.9, 50.0, 50.1])
    results = [float(_call_median(answer, (values,), trial.rng)) for _ in range(300)]
    if max(np.abs(np.array(results) - 50)) > 0.11:
        return None
    return Wrong(
        "You never return anything outside the range of the records: the smallest and the largest show.",
        "Sort the records together with the public bounds: the outermost intervals reach to them.",
        "bounds-from-data",
    )


def _first_of(*diagnoses: Callable[[Answer, Trial, Any], Wrong | None]):
    def diagnose(answer: Answer, trial: Trial, result: Any) -> Wrong | None:
        return next((wrong for one in diagnoses if (wrong := one(answer, trial, result))), None)

    return diagnose


def _median_audit(pairs: Any, hint: str, key: str, runs: int = 6000) -> Audited:
    return Audited(
        pairs,
        CLAIM,
        call=_call_median,
        view=_rounded,
        runs=runs,
        hint=hint,
        key=key,
        diagnose=_first_of(_point_of_data, _beyond_records),
    )


def _rank_error(output: Any, truth: Any) -> float:
    values = truth
    below = np.searchsorted(values, float(output))
    return abs(below - len(values) / 2)


def _median_useful(answer: Answer, trial: Trial) -> Wrong | None:
    def pairs(rng: Generator) -> tuple[Any, Any]:
        values = np.sort(_ages(rng, 200))
        return (values,), (np.sort(_ages(rng, 200)),)

    return Useful(
        pairs,
        truth=lambda data: data[0],
        error=_rank_error,
        # Weights exp(−ε·rank/2) leave e^−7 beyond 14 ranks, and exp(−ε·rank) less; noise on the median misses by more.
        within=14,
        at_least=0.9,
        runs=400,
        call=_call_median,
        hint="With weights length·exp(−ε·|rank − n/2|/2) or exp(−ε·|rank − n/2|) hardly any answer is 14 ranks off.",
    )(answer, trial)


MEDIAN = (
    _in_bounds,
    Returns(lambda rng: (_ages(rng), 0.0, 100.0, 1.0), what="number"),
    _median_audit(
        _two_camps,
        "One person moved the median from one camp to the other, and your answer followed.",
        "noise-on-the-median",
        3000,
    ),
    _median_audit(
        _narrow_gap,
        "Two records 0.0001 apart: your answer falls between them far too often. An interval's weight must be in "
        "proportion to its length.",
        "lengths-ignored",
        3000,
    ),
    _median_audit(
        _ranked,
        "The weights follow the ranks too sharply: exp(−ε·|rank − n/2|) is the most under adding or removing one.",
        "too-sharp",
        16_000,
    ),
    _median_audit(
        _extreme,
        "One record at the upper bound changes where your answers can fall.",
        "bounds-from-data",
        3000,
    ),
    _median_useful,
)

EXERCISES = (
    Exercise("04.1", "The smallest σ", SIGMA, call="gaussian_sigma(epsilon, delta, sensitivity)"),
    Exercise("04.2", "Many counts at once", COUNTS, call="release_counts(flags, sigma_1, rng)"),
    Exercise(
        "04.3", "Choosing in proportion", EXPONENTIAL, call="choose(candidates, utilities, sensitivity, epsilon, rng)"
    ),
    Exercise("04.4", "The first above a threshold", FIRST, call="first_above(values, threshold, epsilon, rng)"),
    Exercise("04.5", "A private median", MEDIAN, call="private_median(values, low, high, epsilon, rng)"),
)
