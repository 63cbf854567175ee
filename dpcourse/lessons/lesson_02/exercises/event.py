"""The exercise in which the student finds the event that breaks a claim."""

from __future__ import annotations

from numpy.random import Generator

from dpcourse.checks.cases import Attack
from dpcourse.privacy import Guarantee


def two_counts(patients: list[int], rng: Generator) -> tuple[float, float]:
    """Smokers (1) and others (0), with noise of scale 1 that is drawn once and used twice."""
    noise = rng.laplace(0, 1)
    return round(sum(patients) + noise, 2), round(len(patients) - sum(patients) - noise, 2)


WITHOUT_ANA = [1] * 61 + [0] * 38
WITH_ANA = [*WITHOUT_ANA, 1]

EVENT = (
    Attack(
        two_counts,
        Guarantee(1.0),
        shows=3.0,
        wants="event",
        pair=(WITHOUT_ANA, WITH_ANA),
        question="Each of the two numbers alone keeps the claim. What do they have in common?",
    ),
)
