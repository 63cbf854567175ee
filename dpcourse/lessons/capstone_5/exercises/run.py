"""Capstone 5.5: what a check of the training hands in, and how it runs one: studies, sums by script, a patient more."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from dpcourse.checks.answered import HandedOver, heard
from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.plain import parts
from dpcourse.datasets import simulate_hospitals
from dpcourse.lessons.capstone_5.exercises.reference import (
    CANARIES,
    book,
    numbers_of,
    soiled,
    spread_out,
    ward,
    whole,
    written,
)

Ward = tuple[np.ndarray, ...]
MOST_ROUNDS = 300


@dataclass
class Sums(HandedOver):
    """What the check hands in as `secure_sum`: it notes what was sent, and returns the sum of those that arrived.

    With a `script`, the sums of another run, it returns those. An answer that behaves only where sums are made up, or
    only where they are real, sends other vectors in one run than in the other.
    """

    shape: tuple[int, ...]
    names: frozenset[str]
    rng: np.random.Generator
    gone: int = 0  # hospitals that may be missing
    lost: float = 0.08  # of rounds in which too few arrive
    script: list[np.ndarray | None] | None = None
    sent: list[np.ndarray] = field(default_factory=list)  # of each round, the hospitals' vectors in the order of names
    sums: list[np.ndarray | None] = field(default_factory=list)  # what was returned
    asked_again: ClassVar[bool] = True

    def __call__(self, vectors: Mapping[str, Any]) -> np.ndarray | None:
        kept = {name: numbers_of(vector) for name, vector in dict(vectors).items()}
        if kept.keys() != self.names:
            ask = "You are not told who drops out. What does a hospital without stays send?"
            self.refuse("wrong-names", "In some round secure_sum did not get one vector of each hospital.", ask)
        if any(one.shape != self.shape or not np.isfinite(one).all() for one in kept.values()):
            seen = f"In some round a hospital does not send {self.shape[0]} finite numbers."
            self.refuse("wrong-shape", seen, "What are its clipped sum and its share of the noise?")
        if len(self.sent) >= MOST_ROUNDS:
            seen = f"You ask for more than {MOST_ROUNDS} sums."
            self.refuse("too-many-rounds", seen, "How many rounds is your noise made for?")
        self.sent.append(np.array([kept[name] for name in sorted(kept)]))
        if self.script is not None:
            turn = len(self.sums)
            given = self.script[turn] if turn < len(self.script) else None
        elif self.rng.random() < self.lost:
            given = None
        else:
            away = set(self.rng.permutation(sorted(kept))[: self.rng.integers(self.gone + 1)].tolist())
            given = np.sum([vector for name, vector in kept.items() if name not in away], axis=0)
        self.sums.append(given)
        return None if given is None else given.copy()


def _sizes(rng: np.random.Generator, many: int, largest: int = 150, most: int = 90) -> list[int]:
    """A small hospital, a large one, and others."""
    return rng.permutation([whole(rng, 3, 6), largest, *(whole(rng, 5, most) for _ in range(many - 2))]).tolist()


def study(
    rng: np.random.Generator, reach: int, kind: str, decimals: int | None = None, many: int = 0
) -> tuple[dict[str, Ward], dict[str, Any]]:
    """Hospitals of very unequal size and a plan of any kind; readings and book have so many decimals if that is said.

    In an "ordinary" study stays are as the simulator makes them. In a "clean" one no reading is missing, but half of
    the time outcomes are; it is as large as the brief's: fifty hospitals and more, the largest with 1,400 stays and
    more, and the clip is small. In a "strange" one a hospital is empty, and readings, outcomes or both are of any kind.
    With `many` there are so many hospitals, which may be fewer than five.
    """
    many = many or int(rng.integers(*(5, 9) if kind != "clean" else (50, 56)))
    if kind == "ordinary":
        world = simulate_hospitals(many, rng=rng)
        centre, spread = world.centre, world.spread
        wards = [
            tuple(part[:n] for part in one) for n, one in zip(_sizes(rng, many), world.stays.values(), strict=True)
        ]
    else:
        centre, spread = book(rng, int(rng.integers(6, 20)))
        sizes = _sizes(rng, many, whole(rng, 1400, 3000), 9) if kind == "clean" else _sizes(rng, many)
        wards = [ward(rng, n, centre, spread) for n in sizes]
    if kind == "clean" and rng.random() < 0.5:
        wards = [soiled(rng, one, "outcomes") for one in wards]
    if kind == "strange":
        by_size = np.argsort([-size for size in sizes])
        for place, what in zip(by_size, itertools.cycle(("outcomes", "both", "readings")), strict=False):
            wards[place] = soiled(rng, wards[place], what)
        wards[int(rng.choice(by_size[1:]))] = ward(rng, int(rng.integers(2)), centre, spread)
    if decimals is not None:
        centre, spread = written(centre, spread, decimals)
        wards = [(np.round(X, decimals) + 0.0, *others) for X, *others in wards]
    hospitals = {f"hospital {place + 1:02}": one for place, one in enumerate(wards)}
    shares = int(rng.integers(math.ceil(math.sqrt(1.5 * many)), many - 1) if many > 4 else rng.integers(1, many))
    plan = {
        "centre": centre,
        "spread": spread,
        "clip": spread_out(rng, 0.02, 1 if kind == "clean" else 50),
        "epsilon": spread_out(rng, 0.1, 10),
        "delta": spread_out(rng, 1e-9, 1e-3),
        "reach": reach,
        "shares": shares,
        "declared": {name: 10 * int(rng.integers(1, 30)) for name in hospitals},
    }
    return hospitals, plan


def _copied(hospitals: Mapping[str, Ward]) -> dict[str, Ward]:
    return {name: tuple(part.copy() for part in one) for name, one in hospitals.items()}


def trained(
    answer: Answer, hospitals: Mapping[str, Ward], plan: dict[str, Any], sums: Sums, seed: int
) -> tuple[np.ndarray, Any]:
    """Weights and claim, after the look at what was sent."""
    handed = {
        **plan,
        "declared": dict(plan["declared"]),
        "centre": plan["centre"].copy(),
        "spread": plan["spread"].copy(),
    }
    try:
        with heard(sums):
            given = answer(_copied(hospitals), handed, sums, np.random.default_rng(seed))
    except AnswerRaised as raised:
        if any(one is None for one in sums.sums):
            what = f"After a round in which too few hospitals arrived (secure_sum returned None) you stop: {raised}."
            if "None" in str(raised):
                raise Refused(Diagnosis("no-sum", what, "What should a step do without a sum?")) from raised
        empty = any(not len(y) for _, y, _ in hospitals.values())
        missing = any(np.isnan(X).any() for X, _, _ in hospitals.values())
        odd = [*["A hospital has no stays."] * empty, *["Some readings are missing."] * missing]
        ask = "An error is an output. What does such a hospital send?" if odd else "What does that line get here?"
        raise Refused(Diagnosis("raises", " ".join([f"Your training stops: {raised}.", *odd]), ask)) from raised
    parts(given, ("weights", "claim"))
    weights = numbers_of(given["weights"])
    if weights.shape != sums.shape or not np.isfinite(weights).all():
        raise Refused(Diagnosis("wrong-shape", f"`weights` has shape {weights.shape}; {sums.shape[0]} are wanted."))
    if len(sums.sent) < 2:
        ask = "All that reaches the weights goes through secure_sum. Where do yours come from?"
        raise Refused(Diagnosis("bypasses", f"You ask for {len(sums.sent)} sums.", ask))
    return weights, given["claim"]


def one_more(
    rng: np.random.Generator, hospitals: Mapping[str, Ward], plan: dict[str, Any], strange: bool
) -> tuple[dict[str, Ward], set[str]]:
    """The same study with a patient more, in as many hospitals as allowed; with `strange` readings or without.

    Without, the patient is in the largest hospital with twenty stays: whoever clips in smaller ones alone is seen.
    """
    names = rng.permutation(sorted(hospitals)).tolist()
    if not strange:
        names.sort(key=lambda name: len(hospitals[name][1]), reverse=True)
    chosen, more = names[: plan["reach"]], _copied(hospitals)
    taken = np.unique(np.concatenate([one[2] for one in hospitals.values()]))
    number = int(rng.choice(np.setdiff1d(np.arange(10 * len(taken) + 10), taken)))
    for place, name in enumerate(chosen):
        X, y, patients = more[name]
        stays = int(rng.choice((1, 3, 20))) if place else 20
        rows = plan["centre"] + plan["spread"] * rng.normal(0, 1.5, (stays, len(plan["centre"])))
        if strange:
            rows[0, rng.integers(rows.shape[1])] = rng.choice(CANARIES)
        place = int(rng.integers(len(y) + 1))
        more[name] = (
            np.insert(X, place, rows, axis=0),
            np.insert(y, place, rng.integers(2, size=stays)),
            np.insert(patients, place, np.repeat(number, stays)),
        )
    return more, set(chosen)
