"""Capstones 6.5 and 6.6: the symmetric parts of matrices of noise, all that counts, and where they have less."""

from __future__ import annotations

import numpy as np

from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.slices import quietest, uneven, unlike_sums


def parts_of(whole: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The diagonal and what is above it, of the symmetric parts, shapes (runs, d) and (runs, d(d−1)/2)."""
    symmetric = (whole + whole.transpose(0, 2, 1)) / 2
    above = np.triu_indices(whole.shape[1], 1)
    return np.diagonal(symmetric, axis1=1, axis2=2), symmetric[:, above[0], above[1]]


def unlike(noise: np.ndarray, linked: str, failure: float) -> Diagnosis | None:
    """Whether an entry or a row of many matrices has less noise than the others, or sums of entries too little.

    The deviations on the diagonal and beside it are judged elsewhere: they may be any. `linked` is the key for sums.
    """
    for part, where in zip(parts_of(noise), ("on", "above"), strict=True):
        seen = uneven(part, ("run" if where == "above" else "", "entry"), failure / 8)
        if seen:
            seen = f"Of the noise {where} the diagonal of your matrices, {seen}."
            return Diagnosis("too-little-noise", seen, "Which entries does one customer move? Each needs a whole draw.")
        if seen := unlike_sums(part, ("runs", "entries"), failure / 8):
            seen = f"The noise {where} the diagonal of your matrices hangs together: {seen}."
            return Diagnosis(linked, seen, "Does each entry have a draw of its own, at each bank?")
    return quiet_row(noise, failure / 4)


def quiet_row(noise: np.ndarray, failure: float) -> Diagnosis | None:
    """Whether a row and its column have less noise than the others, shape (runs, d, d).

    The diagonal and the rest are scaled apart, by what all numbers say of them.
    """
    diagonal, above = ((part**2).sum(axis=0) / (part**2).mean() for part in parts_of(noise))
    runs, d = noise.shape[:2]
    rows, columns = np.triu_indices(d, 1)
    sums = diagonal + np.bincount(rows, above, d) + np.bincount(columns, above, d)
    row = quietest(sums, runs * d, float(diagonal.sum() + above.sum()), runs * d * (d + 1) // 2, failure)
    if row is None:
        return None
    seen = f"In row and column {row + 1} of your matrix the noise is smaller than in the {d - 1} others."
    return Diagnosis("too-little-noise", seen, "Which entries does one customer move? Each needs a whole draw.")
