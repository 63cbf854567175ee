"""What the judges of capstone 7.6 need: an answer called and read, and shops to hand in."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.plain import parts
from dpcourse.lessons.capstone_7.design import item_model
from dpcourse.lessons.capstone_7.exercises.phone import STRANGE, contributed

ITEMS, FEW = 12, 8  # of the small shop in which what is counted is looked at; phones that have to stay
LOUD = 1e6  # an ε at which the noise is below 0.001
BOOKS = 60  # of the shops in which the ridge is looked at
Message = tuple[str, np.ndarray]
WANTED = ("gram", "ridge", "model", "popular", "claim")


def phones(many: int) -> tuple[str, ...]:
    return tuple(f"phone {number + 1}" for number in range(many))


def released(
    answer: Answer,
    messages: list[Message],
    who: tuple[str, ...],
    items: int,
    epsilon: float,
    delta: float,
    shares: int,
    rng: np.random.Generator,
) -> dict[str, Any] | None:
    """What the answer returns, its parts of the right kind and read off `gram`; None where it refuses."""
    given = answer(copy.deepcopy(messages), set(who), items, epsilon, delta, shares, rng)
    if given is None:
        return None
    parts(given, WANTED)
    gram, model = (np.asarray(given[key], dtype=float) for key in ("gram", "model"))
    if gram.shape != (items, items) or model.shape != (items, items) or np.shape(given["popular"]) != (items,):
        shapes = f"`gram` has shape {gram.shape}, `model` {model.shape}, `popular` {np.shape(given['popular'])}"
        seen, ask = f"{shapes}, for a catalogue of {items} items.", "How many items does the task want in each?"
        if gram.shape == (items, items):
            raise Refused(Diagnosis("wrong-shape", seen, ask))
        raise Refused(Diagnosis("items-from-data", seen, f"{ask} The catalogue is public."))
    ridge = float(given["ridge"])
    if not (np.isfinite(gram).all() and np.isfinite(model).all() and np.isfinite(ridge)):
        seen = "Your `gram`, `model` or `ridge` holds NaN or infinity."
        raise Refused(Diagnosis("not-finite", seen, "What does a phone send that clicked no item?"))
    if not np.allclose(model, item_model(gram, ridge), atol=1e-6 * max(np.abs(model).max(), 1e-9)):
        ask = "Which matrix and which ridge do you make it of? What is published has to come from the noisy matrix."
        seen = "`model` is not what milestone 7.4 makes of your `gram` and `ridge`."
        raise Refused(Diagnosis("model-elsewhere", seen, ask))
    places = np.asarray(given["popular"])
    if not np.array_equal(np.sort(places), np.arange(items)):
        seen = f"`popular` does not hold each of the numbers from 0 to {items - 1} once."
        ask = "It holds all items in an order. Which one has the largest diagonal entry, which one the next?"
        raise Refused(Diagnosis("popular-elsewhere", seen, ask))
    ordered = np.diag(gram)[places.astype(int)]
    if not np.array_equal(ordered, -np.sort(-np.diag(gram))):
        if np.array_equal(ordered, np.sort(np.diag(gram))):
            ask = "At which end of your order does the most popular item stand?"
            raise Refused(Diagnosis("worst-first", "`popular` begins with the smallest diagonal entry of `gram`.", ask))
        ask = "What do you sort by? An order by exact counts is a second release, without noise."
        raise Refused(Diagnosis("popular-elsewhere", "`popular` is not in the order of the diagonal of `gram`.", ask))
    return {**given, "gram": gram, "model": model, "ridge": ridge}


def broken(clicks: np.ndarray, items: int, rng: np.random.Generator) -> np.ndarray:
    """A log with two clicks more that are none."""
    return rng.permutation(np.append(clicks, rng.choice((*STRANGE, float(items)), 2)))


def beside(
    messages: list[Message], items: int, many: int, rng: np.random.Generator
) -> tuple[list[Message], dict[str, int]]:
    """The messages with broken logs, and with many that do not count: all of one item, which is told by their kind.

    It is none of the items, near both ends, that a wrong answer may make of a broken click.
    """
    again, strange = (int(item) for item in rng.choice(np.arange(3, items - 3), 2, replace=False))
    known = [(name, broken(log, items, rng) if row % 3 == 0 else log) for row, (name, log) in enumerate(messages)]
    second = [(known[place][0], np.array([float(again)])) for place in rng.permutation(np.arange(many) % len(known))]
    others = [(f"stranger {number + 1}", np.array([float(strange)])) for number in range(many)]
    middle = int(rng.integers(len(known) + 1))
    return [*known[:middle], *others, *known[middle:], *second], {"repeated": again, "stranger": strange}


def a_few(messages: list[Message], kind: str, items: int, rng: np.random.Generator) -> list[Message]:
    """The messages, and three that do not count, of one kind."""
    names = [messages[place][0] for place in rng.integers(len(messages), size=3)]
    names = ["", "phone 0", "stranger"] if kind == "stranger" else names
    return [*messages, *((name, rng.integers(items, size=1).astype(float)) for name in names)]


def miscounted(noise: np.ndarray, told: dict[str, int], setting: str) -> Diagnosis | None:
    """What was counted that should not be, where noise is in units of its right deviation, shape (calls, items, items).

    Of right noise, a number is so far out with a probability below 1e-14.
    """
    z = np.abs(noise.mean(axis=0)) * math.sqrt(len(noise))
    far = 8 * max(1.0, 1.5 * float(np.median(z)))  # noise that is too large is no business of this look
    kinds = [kind for kind, item in told.items() if z[item, item] > far] or ["strange"] * bool(z.max() > far)
    if not kinds:
        return None
    what, ask = MIXES[kinds[0]]
    seen = f"{what}, an entry of `gram` is off by {z.max():,.1f} times the deviation of right noise ({setting})."
    return Diagnosis(kinds[0], seen, ask)


def mixed(rng: np.random.Generator, kind: str) -> tuple[list[Message], tuple[str, ...], np.ndarray]:
    """Messages in a small shop, the phones that take part, and the sum of what counts."""
    who = phones(int(rng.integers(FEW + 2, 16)))
    stayed = rng.permutation(who)[: int(rng.integers(FEW, len(who) + 1))]

    def log() -> np.ndarray:
        clicked = rng.choice(ITEMS, int(rng.integers(1, 7)), replace=False)
        return rng.permutation(np.append(clicked, clicked[:1])).astype(float)

    messages = [(str(name), log()) for name in stayed]
    if kind == "strange":
        messages = [(name, broken(clicks, ITEMS, rng)) for name, clicks in messages]
    if kind in ("empty", "repeated"):
        for place in rng.choice(len(messages), 3, replace=False):
            messages[place] = (messages[place][0], np.array([]))
    right = np.sum([contributed(clicks, ITEMS) for _, clicks in messages], axis=0)
    if kind == "repeated":
        again = [*rng.choice(stayed, 3), *(name for name, clicks in messages if not len(clicks))]
        messages.extend((str(name), log()) for name in again)
    if kind == "stranger":
        like = [(messages[-1][0].upper(), log()), (f"{messages[-2][0]} ", log())]  # names that are nearly theirs
        messages[2:2] = [("phone 99", log()), ("", log()), *like]
    return messages, who, right


MIXES = {
    "plain": ("With some phones missing", "Does everybody who sent something count, and once?"),
    "strange": ("With clicks that are NaN, infinite or no item", "What does such a click add in milestone 7.2?"),
    "empty": (
        "With phones that clicked nothing",
        "What does a phone with an empty log add, and has it sent something?",
    ),
    "repeated": (
        "When some phones send more than one message",
        "A person may add a matrix of norm 1 at most. How many of a phone's messages count, and which?",
    ),
    "stranger": ("When messages come from somebody who is not in `phones`", "Whose messages count?"),
}


def shops(rng: np.random.Generator) -> list[list[np.ndarray]]:
    """Logs of 30 phones: with taste and without, long and short, empty, repeated and strange, in all or in one."""

    def plain() -> list[np.ndarray]:
        most = int(rng.integers(3, 8))
        return [rng.choice(BOOKS, int(rng.integers(2, most)), replace=False).astype(float) for _ in range(30)]

    found = [plain() for _ in range(3)]
    for size in (2, 3, 4):
        twos = 2.0 * rng.integers(BOOKS // 2, size=(30, size))
        found.append(list(np.hstack([twos, twos + 1])))
    nothing, strange, some = (
        np.array([]),
        np.array([math.nan, math.inf, -1.0, 0.5]),
        rng.permutation(BOOKS).astype(float),
    )
    for other in (
        lambda log: nothing,
        lambda log: strange[:1],
        lambda log: np.append(log, strange[:1]),
        lambda log: np.append(strange, log),
        lambda log: some,
        lambda log: np.append(log, log[:1].repeat(int(rng.integers(50, 200)))),
    ):
        for who in (range(1), range(int(rng.integers(5, 20))), range(30)):
            found.append([other(log) if place in who else log for place, log in enumerate(plain())])
    return found
