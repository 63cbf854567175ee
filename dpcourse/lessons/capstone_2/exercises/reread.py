"""Capstone 2.6: what is read off the noisy counts is compared with milestone 2.4, wherever the noise is small."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.lessons.capstone_2.exercises.reading import quartile_of, rate_of

MANY = 300.0  # lots, times ε: their total is known to 2%
QUARTILES = 0.15  # of many quarters: right answers differ in 0.005 of them, and the commonest quartile in 0.38


def misread(given: dict[str, Any], epsilon: float) -> Diagnosis | None:
    """Rate within a twentieth of the noisy counts', quartile within one, shares within 0.5 in all."""
    noisy = np.asarray(given["noisy"], dtype=float)
    total = float(noisy.sum())
    if total < MANY / epsilon:
        return None
    rate, right = float(given["rate"]), rate_of(noisy)
    counts, read = f"From {total:,.0f} lots in `noisy`, at ε = {epsilon:.3g},", "read off as in 2.4 it is"
    if not abs(rate - right) <= 0.05 * abs(right) + 1e-12:
        return Diagnosis("rate-elsewhere", f"{counts} your rate is {rate:.4g}; {read} {right:.4g}.", OF_NOISY)
    reached = np.maximum.accumulate(np.cumsum(noisy))
    least, most = (int(np.searchsorted(reached, total / 4, side)) for side in ("left", "right"))
    if not least - 1 <= float(given["quartile"]) <= most + 1:
        seen = f"{counts} your quartile is {float(given['quartile']):g}; {read} {least}."
        return Diagnosis("quartile-elsewhere", seen, OF_NOISY)
    kept = np.maximum(noisy, 0)
    off = float(np.abs(np.asarray(given["shares"], dtype=float) - kept / kept.sum()).sum())
    if not off <= 0.5:
        seen = f"{counts} the absolute differences of your shares from those of 2.4 add up to {off:.2g}."
        return Diagnosis("shares-elsewhere", seen, OF_NOISY)
    return None


def misread_often(published: Sequence[dict[str, Any]], epsilon: float) -> Diagnosis | None:
    """Quarters with hundreds of lots: their quartiles are those of the noisy counts, but for a few near a tie."""
    off = sum(float(given["quartile"]) != quartile_of(np.asarray(given["noisy"], dtype=float)) for given in published)
    if off > QUARTILES * len(published):
        seen = f"In {off} of {len(published)} quarters your quartile is not that of `noisy`."
        return Diagnosis("quartile-elsewhere", seen, OF_NOISY)
    return next(filter(None, (misread(given, epsilon) for given in published)), None)


OF_NOISY = "Is it read off `noisy` in every quarter, as milestone 2.4 does it?"
