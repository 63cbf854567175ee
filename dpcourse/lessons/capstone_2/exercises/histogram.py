"""Capstone 2.2: one lot more moves one bin by one, whatever its report says."""

from __future__ import annotations

import numpy as np

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance, Diagnosis
from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.once import whole
from dpcourse.lessons.capstone_2.design import BINS

CANARIES = (0.0, 3.0, 19.0, 20.0, 21.0, 1e9, 1e300, np.inf, -np.inf, np.nan, -1.0, -1e300)


def counted(reports: np.ndarray) -> np.ndarray:
    """The right histogram: NaN and negative reports are left out, 20 and more share the last bin."""
    fine = np.asarray(reports, dtype=float)
    fine = fine[fine >= 0]
    return np.bincount(np.minimum(fine, BINS - 1).astype(int), minlength=BINS)


def _clean(rng: np.random.Generator) -> tuple[np.ndarray]:
    size = whole(rng, 30, 1500)
    large = rng.integers(20, 60, 5)
    return (rng.permutation(np.concatenate((rng.integers(0, 20, size), large))).astype(float),)


def _dirty(rng: np.random.Generator) -> tuple[np.ndarray]:
    return (rng.permutation(np.concatenate((_clean(rng)[0], rng.choice(CANARIES, int(rng.integers(0, 9)))))),)


def replay(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Each canary beside fine lots, and alone: an error is an output, and one lot may change one count by one."""
    for others in (_clean(chance.rng)[0], np.array([])):
        for canary in CANARIES:
            without, beside = others.copy(), np.append(others, canary)
            try:
                before, after = (np.asarray(answer(some), dtype=float) for some in (without, beside))
            except AnswerRaised as raised:
                where = f"with one report of {canary:g}" if len(others) else f"where the only report is {canary:g}"
                return Diagnosis(
                    "raises",
                    f"Your function stops {where}, or with none at all: {raised}. An error is an output, and this one "
                    "tells about a lot.",
                    "What should happen with a report that is no count? It has to go somewhere, or nowhere.",
                )
            if before.shape != (BINS,) or after.shape != (BINS,):
                return Diagnosis(
                    "bins-from-data",
                    f"Your histogram has {before.size} bins, and {after.size} with one report of {canary:g} more.",
                    f"{BINS} bins, whatever the reports are: how many there are must not depend on the data.",
                )
            moved = np.abs(after - before).sum()
            if not moved <= 1:
                return Diagnosis(
                    "more-than-one",
                    f"One report of {canary:g} more changes your counts by {moved:g} in all.",
                    "One lot must change one bin, by one. Does a strange report reach the others' counts?",
                )
    return None


CLEAN = Equals(
    _clean,
    counted,
    (
        Mistake(
            "shares",
            lambda reports: counted(reports) / len(reports),
            "You return shares of lots, not counts.",
            "The number of a supplier's lots is private too. A share also cannot be added up over suppliers.",
        ),
        Mistake(
            "bins-from-data",
            lambda reports: np.histogram(reports, BINS)[0],
            "Your bins run from the smallest to the largest report: one lot moves every bin's borders.",
            "Bins come from what is public: 0, 1, …, 19, and 20 or more.",
        ),
        Mistake(
            "drops-large",
            lambda reports: counted(reports[reports < BINS - 1]),
            "Lots with 20 defects or more are missing from your histogram: the worst lots would not count.",
            "They share the last bin.",
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
HISTOGRAM = (CLEAN, replay, Equals(_dirty, counted))
