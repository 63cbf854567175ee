"""Digits far below the noise: do they say something that the noise does not hide?

Noise drawn in floats reaches the last digit, and a result that is rounded is a multiple of its step. Whoever rounds and
adds a billionth of the exact count gives it away in digits that no law of errors sees: the results of one dataset then
lie on a grid that is shifted, or have digits that are always the same.
"""

from __future__ import annotations

import math

import numpy as np

from dpcourse.checks.diagnosis import Diagnosis

FEWEST = 20
FAILURE = 1e-9
_STEPS = tuple(sorted([k * 10.0**e for e in range(-10, 4) for k in (1, 2, 5)] + [2.0**e for e in range(-30, 8)]))[::-1]


def digits_tell(results: np.ndarray, scale: float) -> Diagnosis | None:
    """What is wrong with the low digits of releases of one dataset, shape (runs, d); `scale` is that of the noise.

    Noise in floats is refused with probability 1e-9 at most (Massart 1990, of the uniform law of each place of digits);
    multiples of a step never.

    Examples
    --------
    >>> noisy = 203 + np.random.default_rng(0).laplace(size=(200, 1))
    >>> digits_tell(noisy, 1.0) is None and digits_tell(noisy.round(3), 1.0) is None
    True
    >>> print(digits_tell(noisy.round(3) + 203e-9, 1.0).key)
    digits-tell
    """
    for column in results.T:
        seen = column[column != 0]  # a result that is cut at 0 has no digits
        # Noise that is not there, or far too small, is for the law of the noise to see: its digits are its own.
        if len(seen) >= FEWEST and np.ptp(seen) > scale / 100 and _told(seen, scale, FAILURE / results.shape[1]):
            some = ", ".join(f"{one:.12g}" for one in seen[:3])
            return Diagnosis(
                "digits-tell",
                f"Asked again about the same data you give {some}, …: far behind the point there are digits that the "
                "noise does not reach.",
                "What do you add after the noise, or after rounding? Whoever reads these digits knows it.",
            )
    return None


def _told(results: np.ndarray, scale: float, failure: float) -> bool:
    """Whether results lie on a shifted grid, or some of their digits are not spread evenly."""
    precision = float(np.spacing(np.abs(results).max()))
    differences = results - results[0]
    for step in _STEPS:
        if step < 2**10 * precision:
            break
        if _multiples(differences, step, 16 * precision):
            # By luck all differences of a few whole numbers may be even.
            finer = [one for one in _STEPS if step / 10.5 <= one <= step]
            return not any(_multiples(results, one, 16 * precision) for one in finer)
    gaps = np.diff(np.unique(results))
    own = float(gaps[gaps > 2**10 * precision].min(initial=np.inf))  # a step that is no round number
    if math.isfinite(own) and _multiples(results, own, max(1e-3 * own, 2**10 * precision)):
        return False
    steps = [step for step in 10.0 ** np.arange(-10, 4) if 2**14 * precision <= step <= scale / 100]
    return any(_uneven(np.mod(results / step, 1.0), failure / len(steps)) for step in steps)


def _multiples(values: np.ndarray, step: float, within: float) -> bool:
    return bool((np.abs(values - step * np.rint(values / step)) <= within).all())


def _uneven(places: np.ndarray, failure: float) -> bool:
    """Whether these are not uniform between 0 and 1, by Massart's bound on the distance of two distributions."""
    at, n = np.sort(places), len(places)
    off = max(float((np.arange(1, n + 1) / n - at).max()), float((at - np.arange(n) / n).max()))
    return off > math.sqrt(math.log(2 / failure) / (2 * n))
