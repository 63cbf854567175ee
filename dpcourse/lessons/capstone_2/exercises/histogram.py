"""Capstone 2.2: one lot more moves one bin by one, whatever its report says."""

from __future__ import annotations

import numpy as np

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.once import whole
from dpcourse.lessons.capstone_2.design import BINS

CANARIES = (
    0.0,
    0.25,
    3.0,
    7.5,
    12.75,
    19.0,
    19.75,
    20.0,
    21.0,
    1e9,
    1e300,
    np.inf,
    -np.inf,
    np.nan,
    -0.01,
    -0.3,
    -0.5,
    -1.0,
    -1e300,
)


MOST = 1500  # lots: a quarter of the project has some 760
ALL = 120_000  # and the project counts those of a hundred quarters at once, which are 60,000


def counted(reports: np.ndarray) -> np.ndarray:
    """The right histogram: NaN and negative reports are left out, 20 and more share the last bin."""
    fine = np.asarray(reports, dtype=float)
    fine = fine[fine >= 0]
    return np.bincount(np.minimum(fine, BINS - 1).astype(int), minlength=BINS)


def _clean(rng: np.random.Generator) -> tuple[np.ndarray]:
    size = whole(rng, 30, MOST)
    large = rng.integers(20, 60, 5)
    return (rng.permutation(np.concatenate((rng.integers(0, 20, size), large))).astype(float),)


def _dirty(rng: np.random.Generator) -> tuple[np.ndarray]:
    return (rng.permutation(np.concatenate((_clean(rng)[0], rng.choice(CANARIES, int(rng.integers(0, 9)))))),)


def _of(rng: np.random.Generator, least: int, most: int) -> tuple[np.ndarray]:
    """So many lots; in half of the cases some reports are strange."""
    size = whole(rng, least, most)
    strange = rng.random(size) < rng.choice((0.0, 0.3))
    return (np.where(strange, rng.choice(CANARIES, size), rng.integers(0, 26, size)),)


def replay(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Each canary beside fine lots, many or few, and alone.

    An error is an output, and one lot may change one count by one.
    """
    few = chance.rng.integers(0, 26, whole(chance.rng, 1, 30)).astype(float)
    for others in (_clean(chance.rng)[0], few, np.array([])):
        for canary in CANARIES:
            many = f"{len(others):,} reports" if len(others) > 1 else "one report" if len(others) else "no reports"
            before = _counts(answer, others.copy(), f"with {many}", "What does the line on which it stops get here?")
            ask = f"Where does the task put a report of {canary:g}: in which bin, or in none?"
            after = _counts(answer, np.append(others, canary), f"with one report of {canary:g}", ask)
            if before.shape != (BINS,) or after.shape != (BINS,):
                return Diagnosis(
                    "bins-from-data",
                    f"With {many} your histogram has {before.size} {'bin' if before.size == 1 else 'bins'}; with one "
                    f"more report, of {canary:g} defects, it has {after.size}.",
                    f"{BINS} bins, whatever the reports are: how many there are must not depend on the data.",
                )
            moved = np.abs(after - before).sum()
            if not moved <= 1:
                return Diagnosis(
                    "more-than-one",
                    f"With {many}, one of {canary:g} more changes your counts by {moved:g} in all.",
                    "One lot may change one bin, by one. Does a strange report reach the others' counts?",
                )
            if not len(others) and not canary >= 0 and after.any():
                seen = f"One report is all there is, of {canary:g}, and your counts add up to {after.sum():g}."
                return Diagnosis("wrong-value", seen, "Which reports are left out, where there is one as where many?")
    return None


def _counts(answer: Answer, reports: np.ndarray, what: str, ask: str) -> np.ndarray:
    try:
        return np.asarray(answer(reports), dtype=float)
    except AnswerRaised as raised:
        seen = f"Your function stops {what}: {raised}. An error is an output, and this one tells about a lot."
        if not len(reports):
            seen = f"Your function stops where there is no report: {raised}. A supplier that made no lot is no error."
            ask = "What is the histogram of no lots?"
        raise Refused(Diagnosis("raises", seen, ask)) from None


CLEAN = Equals(
    _clean,
    counted,
    (
        Mistake(
            "shares",
            lambda reports: counted(reports) / len(reports),
            "You return shares of lots, not counts: one lot more moves the shares of other bins, too.",
            "Fifteen histograms are added up. What do fifteen shares add up to?",
        ),
        Mistake(
            "bins-from-data",
            lambda reports: np.histogram(reports, BINS)[0],
            "Your bins run from the smallest to the largest report: a lot with more defects than all others moves "
            "every bin's borders.",
            "Bins come from what is public: 0, 1, …, 19, and 20 or more.",
        ),
        Mistake(
            "drops-large",
            lambda reports: counted(reports[reports < BINS - 1]),
            "Lots with 20 defects or more are missing from your histogram: the worst lots would not count.",
            "In which of the 21 bins does a lot with 34 defects count?",
        ),
        Mistake(
            "defects",
            lambda reports: np.bincount(
                np.minimum(reports, BINS - 1).astype(int), weights=np.minimum(reports, BINS - 1), minlength=BINS
            ),
            "Your bins hold defects, not lots: one lot of 20 defects moves its bin by 20.",
            "Each lot adds one.",
        ),
        Mistake(
            "cumulative",
            lambda reports: np.cumsum(counted(reports)),
            "You return cumulative counts: one lot without a defect moves all 21 of them.",
            "Each lot in one bin only. Sums can be made from the release.",
        ),
    ),
)
DIRTY = Equals(
    _dirty,
    counted,
    (
        Mistake(
            "rounded",
            lambda reports: counted(np.rint(reports[reports >= 0])),
            "Your fractions are rounded: a lot with 7.5 defects counts as one with 8.",
            "What is the whole part of 7.5?",
        ),
        Mistake(
            "drops-fractions",
            lambda reports: counted(reports[(reports % 1 == 0) | (reports >= BINS - 1)]),
            "Lots with fractions of defects are not in your counts.",
            "In which bin is a lot with 7.5 defects?",
        ),
    ),
    wide=lambda rng: _of(rng, 1, ALL),
    full=lambda rng: _of(rng, ALL // 2, ALL),
    wide_times=60,
)
HISTOGRAM = (CLEAN, replay, DIRTY)
