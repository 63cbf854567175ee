"""Capstones 4.5 and 4.6: a centre with hardly a chip that failed, and a short list of defects, have their noise too."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.once import near
from dpcourse.checks.vocabulary import Shared
from dpcourse.checks.whole_noise import in_shares, misplaced
from dpcourse.datasets.centres import NAMES
from dpcourse.lessons.capstone_4.design import SHARES
from dpcourse.lessons.capstone_4.exercises.leaves import STRANGE, noise_of
from dpcourse.lessons.capstone_4.exercises.reference import counted
from dpcourse.lessons.capstone_4.exercises.world import Message, Office, office, released

SHORT = 5  # defects of the longest list that is called short
WHAT = {
    "none": "Where no chip of a centre failed",
    "strange": "Where all failures of a centre are no defect, such as NaN, −1 or 0.5",
    "one": "Where one chip of a centre failed",
    "two": "Where two chips of a centre failed",
}
Noise = tuple[np.ndarray, float, float]  # of one call; its ε; how many times whole noise it should be


def _chips(kind: str, defects: int, rng: np.random.Generator) -> np.ndarray:
    if kind == "strange":
        return rng.choice((*STRANGE, float(defects)), int(rng.integers(1, 6)))
    few = {"none": 0, "one": 1, "two": 2}
    return rng.integers(0, defects, few[kind] if kind in few else int(10 ** rng.uniform(0, 2))).astype(float)


def _kinds(rng: np.random.Generator, times: int) -> Iterator[tuple[str, str, int, float]]:
    """The kind of chips, what is said of it, the number of defects and ε: of each kind so many numbers or more."""
    for kind, what in WHAT.items():
        many = 0
        while many < times:
            defects = int(rng.integers(SHORT + 1, 40))
            many += defects
            yield kind, what, defects, near(0.4, rng, 4.0)
    for defects in range(1, SHORT + 1):
        what = f"Where the list has {defects} defect{'s' * (defects > 1)}"
        for _ in range(-(-times // defects)):
            yield "some", what, defects, near(0.4, rng, 4.0)


def _missing(found: list[tuple[str, Noise]], chance: Chance) -> Diagnosis | None:
    """What is said of the first kind whose noise is missing, or of another law."""
    for what in (names := list(dict.fromkeys(what for what, _ in found))):
        mine = [one for name, one in found if name == what]
        laws = [in_shares(noise, epsilon, of, chance.rng) for noise, epsilon, of in mine]
        zero, places = (np.concatenate(some) for some in zip(*laws, strict=True))
        noise = np.concatenate([one[0] for one in mine])
        if misplaced(noise, zero, places, chance.failure / len(names)):
            seen = f"{what}, your noise is not as it is elsewhere: it is 0 in {(noise == 0).mean():.0%} of the counts, "
            seen += f"and {zero.mean():.0%} would be right."
            ask = "Who sees such a report learns what is in it. What does your noise depend on besides ε and `shares`?"
            return Shared.NOT_EVERYWHERE.seen(seen, ask)
    return None


def reports(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Of one report or of two together."""
    rng, found = chance.rng, list[tuple[str, Noise]]()
    for number, (kind, what, defects, epsilon) in enumerate(_kinds(rng, 60)):
        shares = 1 + number % 2
        failures = [_chips(kind, defects, rng) for _ in range(shares)]
        found.append((what, (noise_of(answer, failures, defects, epsilon, shares, rng), epsilon, 1.0)))
    return _missing(found, chance)


def uploads(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Of each centre: each release has a centre of every kind, or a short list of defects."""
    rng, found, at = chance.rng, list[tuple[str, Noise]](), office(chance.rng, 1, 28)
    release = functools.partial(_release, answer, at, rng)
    for _ in range(6):
        kinds, defects = rng.permutation(list(WHAT)).tolist(), int(rng.integers(SHORT + 1, 30))
        noise, epsilon = release(kinds, defects)
        found += [(WHAT[kind], (one, epsilon, 1 / SHARES)) for kind, one in zip(kinds, noise, strict=True)]
    for defects in range(1, SHORT + 1):
        for _ in range(-(-24 // defects)):
            noise, epsilon = release(["some"] * len(NAMES), defects)
            what = f"Where the list has {defects} defect{'s' * (defects > 1)}"
            found += [(what, (one, epsilon, 1 / SHARES)) for one in noise]
    return _missing(found, chance)


def _release(
    answer: Answer, at: Office, rng: np.random.Generator, kinds: list[str], defects: int
) -> tuple[list[np.ndarray], float]:
    epsilon = near(0.25, rng, 4.0)
    messages: list[Message] = [
        (name, (rng.random((1, defects)) < 0.5).astype(float), _chips(kind, defects, rng))
        for name, kind in zip(NAMES, kinds, strict=True)
    ]
    given = released(answer, messages, at, epsilon, rng)
    if given is None:
        raise Refused(Diagnosis("refuses-all", "Four centres sent something, and you refuse."))
    return [given.noisy[name] - counted(chips, defects) for name, _, chips in messages], epsilon
