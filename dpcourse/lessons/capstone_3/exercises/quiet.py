"""Whether every number of a secure sum has its noise, wherever it stands and however large it is, over many calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.entries import quiet_number
from dpcourse.datasets.telemetry import WIDTH
from dpcourse.lessons.capstone_3.exercises.noise import Noise
from dpcourse.lessons.capstone_3.exercises.sums import counted, few, summed
from dpcourse.lessons.capstone_3.exercises.tools import decades, people

CALLS = 100  # of the project's width, and as many of others
FLEETS: tuple[tuple[str, Callable[[np.ndarray, np.random.Generator], np.ndarray]], ...] = (
    (", where half of the devices send NaN or infinity,", lambda updates, rng: _broken(updates, rng, 2)),
    (", where all devices send NaN or infinity,", lambda updates, rng: _broken(updates, rng, 1)),
    (", where half of the devices send zeros,", lambda updates, rng: updates * (np.arange(len(updates)) % 2)[:, None]),
    (", where all devices send zeros,", lambda updates, rng: updates * 0.0),
    (", where all updates are short,", lambda updates, rng: updates * 10 ** -rng.uniform(2, 6)),
)


def each_number(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Sums of few devices, of 21 numbers, 2 to 40, or one, many times: each number has noise of the right size.

    In two of five devices have little to say, or nothing.
    """
    rng, found = chance.rng, []
    kinds = dict[str, list[np.ndarray]]()
    widths = np.concatenate((np.full(CALLS, WIDTH), rng.integers(2, 41, CALLS), np.ones(CALLS // 5, dtype=int)))
    for number, d in enumerate(rng.permutation(widths).tolist()):
        (devices, updates), n, threshold = few(rng, "plain", d=d)
        kind, change = FLEETS[number % 5] if number // 5 % 5 < 2 else ("", lambda updates, rng: updates)
        messages = devices, change(updates, rng)
        asked = decades(rng, 0.02, 8), decades(rng, 1e-10, 1e-4), people(rng, 1, 200)
        given = summed(answer, messages, n, *asked, threshold, rng)
        if given is None:
            return Diagnosis("refuses-all", f"{n} devices are asked, {threshold} are enough and there; you refuse.")
        right, many = counted(messages, n)
        noise = Noise(*asked, n, many, threshold, given - right)
        found.append((right, noise.found / noise.right))
        for name in (kind, *[", of one number each,"] * (d == 1)):
            kinds.setdefault(name, []).append(found[-1][1])
    said = [one for one in found if len(one[0]) > 1 and one[0].any()]  # numbers that are all 0 have no order
    return _too_little(kinds, chance.failure / 4) or too_quiet(said, 0.75 * chance.failure)


def _broken(updates: np.ndarray, rng: np.random.Generator, one_of: int) -> np.ndarray:
    """One row of so many cannot be read."""
    updates, some = updates.copy(), np.arange(0, len(updates), one_of)
    updates[some, rng.integers(updates.shape[1], size=len(some))] = rng.choice((np.nan, np.inf, -np.inf), len(some))
    return updates


def _too_little(kinds: dict[str, list[np.ndarray]], failure: float) -> Diagnosis | None:
    """Of which kind of fleet noise, in units of its right deviation, is too small; a χ² test of each."""
    for name, some in kinds.items():
        noise = np.concatenate(some)
        if stats.chi2.cdf(float((noise**2).sum()), noise.size) < failure / len(kinds):
            seen = (
                f"In {len(some)} sums{name} your noise has {np.sqrt((noise**2).mean()):.2g} times the right deviation."
            )
            ask = "Which devices add a share, and what does it depend on that it should not?"
            return Diagnosis("too-little-noise", seen, ask)
    return None


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
