"""What the judges of capstone 8.6 hand in: messages of homes, and with them what does not count."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.lessons.capstone_8.design import CAP
from dpcourse.lessons.capstone_8.exercises.readings import broken, counting

DAYS, FEW = 5, 8  # of the small world in which what is counted is looked at; homes that have to report on a day
Message = tuple[str, float, float]


def names(many: int) -> list[str]:
    return [f"home {number + 1}" for number in range(many)]


def mixed(rng: np.random.Generator, kind: str) -> tuple[list[Message], list[str], np.ndarray, np.ndarray]:
    """Messages of a small world, the homes that take part, sums of what counts, and how many homes reported."""
    homes = names(int(rng.integers(FEW + 2, 16)))
    there = np.zeros((len(homes), DAYS), dtype=bool)
    for day in range(DAYS):
        few = kind == "few" and day % 3 == 0
        many = int(rng.integers(0, FEW)) if few else int(rng.integers(FEW, len(homes) + 1))
        there[rng.permutation(len(homes))[:many], day] = True
    readings = rng.uniform(0, 30, there.shape)
    if kind == "strange":
        readings = broken(readings, 0.3, rng)
    if kind == "repeated":  # a NaN that came first counts, too: as 0
        readings[rng.random(readings.shape) < 0.3] = math.nan
    messages: list[Message] = [(homes[home], int(day), float(readings[home, day])) for home, day in np.argwhere(there)]
    messages = [messages[place] for place in rng.permutation(len(messages))]
    messages = beside(messages, kind, homes, DAYS, {"repeated": 10, "stranger": 6, "no-day": 27}.get(kind, 0), rng)
    if kind == "few":  # as many messages as would do
        messages += [(home, day, 20.0) for home, day, _ in messages if day % 3 == 0] * FEW
        messages += [(f"home {99 + number}", day, 20.0) for day in range(0, DAYS, 3) for number in range(FEW)]
    return messages, homes, np.where(there, counting(readings), 0).sum(axis=0), there.sum(axis=0)


def beside(
    messages: list[Message],
    kind: str,
    homes: list[str],
    days: int,
    many: int,
    rng: np.random.Generator,
    day: int | None = None,
) -> list[Message]:
    """The messages, and so many that do not count: on any days, or so that they would move this day most.

    Of days that are none, a wrong answer may make the last one, or day 2.
    """
    sent, messages = [one for one in messages if day is None or one[1] == day], list(messages)
    if kind == "repeated":
        for place in rng.permutation(np.arange(many) % len(sent)):
            messages.append((*sent[place][:2], float(rng.uniform(0, CAP)) if day is None else CAP))
    if kind == "stranger":
        for number, place in enumerate(rng.integers(len(messages), size=many)):
            name = str(rng.choice(["home 99", "", "HOME 1"])) if day is None else f"home {len(homes) + 1 + number}"
            messages.insert(int(place), (name, int(rng.integers(days)) if day is None else day, 20.0))
    if kind == "no-day":
        nones = (-1.0, 2.5)
        if day is None:
            close = rng.integers(days, size=2) + 10 ** rng.uniform(-6, -0.4, 2) * (1, -1)
            nones = (-1.0, float(days), 10.0 * days, 2.5, math.nan, math.inf, -math.inf, *close.tolist())
        some = rng.permutation(len(homes))
        front = [(homes[some[place % len(some)]], none, CAP) for none in nones for place in range(many // len(nones))]
        return [*front, *messages]  # before the home's own, which would hide it
    return messages


def around(
    messages: list[Message], homes: list[str], days: int, many: int, rng: np.random.Generator
) -> tuple[list[Message], dict[int, str]]:
    """The messages and all kinds that do not count, so many for a day; on which days a wrong answer counts them."""
    again, strange = (int(day) for day in rng.choice(np.delete(np.arange(days - 1), 2), 2, replace=False))
    messages = beside(messages, "stranger", homes, days, many, rng, strange)
    messages = beside(messages, "no-day", homes, days, 2 * many, rng, 2)
    messages = beside(messages, "repeated", homes, days, many, rng, again)
    return messages, {again: "repeated", strange: "stranger", 2: "no-day", days - 1: "no-day"}


MIXES = {
    "plain": (
        "With some homes missing on some days",
        "What do you add up for a day, and by what do you divide it?",
    ),
    "strange": (
        "With readings that are NaN, infinite, below 0 or above 24",
        "The home reported. What does such a reading count as?",
    ),
    "repeated": (
        "When homes send more than one message for a day",
        "A home may move a day's sum by 24 at most. How many of its messages for a day count, and which?",
    ),
    "stranger": ("When messages come from somebody who is not in `homes`", "Whose messages count?"),
    "no-day": (
        "With messages for days such as −1, 2.5, NaN or one after the last",
        "The days are 0, …, days − 1. Which day does your code make of −1 or 2.5? (NumPy counts −1 from the end.)",
    ),
    "few": (
        f"With fewer than {FEW} homes on some days, but enough messages of theirs and of strangers, and `shares` = "
        f"{FEW}",
        "What is published for such a day, and what for the others?",
    ),
}
