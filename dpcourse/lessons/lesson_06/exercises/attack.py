"""Exercise 06.3: a collector that claims ε = 1, two neighbours, and the event that refutes it."""

from __future__ import annotations

import numpy as np

from dpcourse.audit import certified_epsilon
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import frozen
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.local import RandomizedResponse


def collect(codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """What an office publishes. It claims ε = 1 for each person, under replacing one record."""
    reports = RandomizedResponse(epsilon=1.0, k=4).randomize(codes, rng=rng)
    people = np.bincount(codes, minlength=4)
    reports[people[codes] < 3] = -1  # small cells are hidden, to protect the people in them
    return reports


def leak_found(answer: Answer, chance: Chance) -> Diagnosis | None:
    if not isinstance(answer.value, tuple | list) or len(answer.value) != 3:
        return Diagnosis(
            "not-three",
            "Three things are wanted: (data, neighbour, event).",
            "Two arrays of codes and a function of the published reports that returns True or False.",
        )
    data, neighbour = (np.asarray(answer.part(i).value) for i in (0, 1))
    wrong = _not_neighbours(data, neighbour)
    if wrong:
        return wrong
    event, runs = answer.part(2), 4000
    if not callable(event.value):
        return Diagnosis(
            "event-no-function", "The third member has to be a function.", "event(reports) -> True or False."
        )
    hits = [0, 0]
    # Mixed, so that an event that counts its calls learns nothing.
    for side in chance.rng.permutation(np.repeat([0, 1], runs)):
        outcome = event(collect(frozen((data, neighbour)[side]), chance.rng))
        if not isinstance(outcome, bool | np.bool_):
            return Diagnosis(
                "event-not-boolean",
                "Your event does not return True or False.",
                "An array of booleans becomes one with .any() or .all().",
            )
        hits[side] += bool(outcome)
    return _certified(hits, runs, chance.failure)


def _not_neighbours(data: np.ndarray, neighbour: np.ndarray) -> Diagnosis | None:
    for name, codes in (("data", data), ("neighbour", neighbour)):
        if (
            codes.ndim != 1
            or codes.dtype.kind not in "iu"
            or not 1 <= codes.size <= 100
            or not np.isin(codes, range(4)).all()
        ):
            strange = codes[~np.isin(codes, range(4))]
            held = f"holds {strange[0]!s}" if strange.size else f"has shape {codes.shape} and type {codes.dtype}"
            return Diagnosis(
                "not-codes",
                "Both datasets must be one-dimensional arrays of 1 to 100 whole numbers in 0..3. "
                f"Your `{name}` {held}.",
                "Which four answers are there? Write both datasets with these.",
            )
    if data.shape != neighbour.shape:
        return Diagnosis(
            "not-neighbours",
            f"Your datasets have {data.size} and {neighbour.size} people. The claim is about replacing one.",
            "Give the same number of people; one of them answers differently.",
        )
    different = int((data != neighbour).sum())
    if different != 1:
        return Diagnosis(
            "not-neighbours" if different else "same-data",
            f"Your datasets differ in {different} people; neighbours differ in exactly one.",
            "Copy the first array and change one entry.",
        )
    return None


def _certified(hits: list[int], runs: int, failure: float) -> Diagnosis | None:
    # Four bounds are looked at (two events, two directions); each gets its share of the error.
    bounds = [certified_epsilon(np.array(a), np.array(b), runs, 0.0, failure / 4) for a, b in (hits, hits[::-1])]
    shown = max(float(np.max(bounds)), 0.0)
    if shown > 1.0:
        return None
    rates = [hit / runs for hit in hits]
    if rates[0] == rates[1] and rates[0] in (0.0, 1.0):
        return Diagnosis(
            "event-constant",
            f"Your event {'always' if rates[0] else 'never'} happens, on both datasets.",
            "Run collect on both and look at what is published. What can only come from one of them?",
        )
    return Diagnosis(
        "event-too-weak",
        f"Your event happens in {rates[0]:.1%} of the runs on one dataset and {rates[1]:.1%} on the other. That "
        f"certifies ε ≥ {shown:.2g}, which the claim of 1 allows.",
        "The randomized answers themselves keep the claim. Which line of collect looks at true codes once more?",
    )
