"""Whether every number of a secure sum has its noise, wherever it stands and however large it is, over many calls."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.entries import quiet_number
from dpcourse.datasets.telemetry import WIDTH
from dpcourse.lessons.capstone_3.exercises.noise import Noise
from dpcourse.lessons.capstone_3.exercises.sums import counted, few, summed
from dpcourse.lessons.capstone_3.exercises.tools import decades, people

CALLS = 90  # of the project's width, and as many of others


def each_number(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Sums of few devices, of 21 numbers or 1 to 40, many times: each of their numbers has noise of the right size."""
    rng, found = chance.rng, []
    widths = np.append(np.full(CALLS, WIDTH), rng.integers(1, 41, CALLS))
    for d in rng.permutation(widths).tolist():
        messages, n, threshold = few(rng, "plain", d=d)
        asked = decades(rng, 0.02, 8), decades(rng, 1e-10, 1e-4), people(rng, 1, 200)
        given = summed(answer, messages, n, *asked, threshold, rng)
        if given is None:
            return Diagnosis("refuses-all", f"{n} devices are asked, {threshold} are enough and there; you refuse.")
        right, many = counted(messages, n)
        noise = Noise(*asked, n, many, threshold, given - right)
        found.append((right, noise.found / noise.right))
    return too_quiet(found, chance.failure)


def too_quiet(sums: Sequence[tuple[np.ndarray, np.ndarray]], failure: float) -> Diagnosis | None:
    """Which number of exact sums has too little of the noise beside them, in units of its right deviation.

    By where it stands, and by its rank. Of right noise some number has, with this probability.
    """
    for rank, where in (
        (lambda exact: np.arange(len(exact)), ""),
        (np.argsort, ", with the numbers of the exact sum in order,"),
        (lambda exact: np.argsort(np.abs(exact)), ", with the numbers of the exact sum in order of size,"),
    ):
        if quiet := quiet_number([noise[rank(exact)] for exact, noise in sums], failure / 3):
            return _seen(f"In {len(sums):,} sums{where} {quiet}.")
    return None


def too_quiet_once(campaigns: Sequence[np.ndarray], failure: float) -> Diagnosis | None:
    """Which number of some round has too little noise in all campaigns; each has the shape (rounds, numbers)."""
    quiet = quiet_number([one.ravel() for one in campaigns], failure)
    return _seen(f"In {len(campaigns)} campaigns, all rounds in a row, {quiet}.") if quiet else None


def _seen(seen: str) -> Diagnosis:
    return Diagnosis("too-little-noise", seen, "Does every number of a sum have noise of its own, and as much?")
