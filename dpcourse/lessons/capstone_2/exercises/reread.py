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
    off = float(np.abs(np.asarray(given["shares"], dtype=float) - _shares_of(noisy)).sum())
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


def exact_shown(released: Sequence[tuple[dict[str, Any], np.ndarray]]) -> Diagnosis | None:
    """Shares or a rate that are not those of the noisy counts, and five times as near to those of the exact ones.

    Of a right answer none is, but for a rate that comes near by luck: in less than half of the quarters.
    """
    for name, of in (("shares", _shares_of), ("rate", rate_of)):
        off = [
            [float(np.abs(np.asarray(given[name], dtype=float) - of(counts)).sum()) for counts in (exact, noisy)]
            for given, exact in released
            if (noisy := np.asarray(given["noisy"], dtype=float)).sum() > 0
        ]
        others = [(near, far) for near, far in off if far > 1e-6]
        shown = sum(near < far / 5 for near, far in others)
        if shown >= 5 and shown > len(others) / 2:
            seen = (
                f"In {shown} quarters your {name} lies nearer to what the exact counts give than to what `noisy` gives."
            )
            return Diagnosis(f"{name}-elsewhere", seen, OF_NOISY)
    return None


def _shares_of(counts: np.ndarray) -> np.ndarray:
    kept = np.maximum(counts, 0)
    return kept / kept.sum()


OF_NOISY = "Is it read off `noisy` in every quarter, as milestone 2.4 does it?"
