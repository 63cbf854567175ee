"""Capstone 6.3, the office: five blinded lists are compared, and the order of what they share is nobody's."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused, a
from dpcourse.checks.once import whole
from dpcourse.datasets.customers import NAMES
from dpcourse.lessons.capstone_6.design import BANKS
from dpcourse.lessons.capstone_6.exercises.orders import calls, follow, short


def alike(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two orders agree, forwards or backwards, or nearly: by more than independent ones do once in 10^7."""
    agreed = min(abs(float(np.corrcoef(one, other)[0, 1])), 1 - 1e-9)
    return math.atanh(agreed) * math.sqrt(len(one) - 3) > 6.3  # Fisher's transformation: about normal


def compares(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The office's part, on random mixes: empty lists, nobody in common, everybody, as many as in the pilot."""
    rng, common = chance.rng, answer.part(2)
    for size in (0, 1, 2, 3, 5, 30, whole(rng, 30, 2000), whole(rng, 2000, 2100)):
        shared, lists = _lists(rng, size)
        _named(common, shared, lists)
        if size >= 30 and (bank := _followed(common, lists, rng)):
            return Diagnosis(
                "order-of-a-bank",
                f"Bank {bank} sends its list in another order, and your order of the common customers follows it. So "
                f"all banks learn how bank {bank}'s list is sorted.",
                "Which order of the points has nothing to do with anybody's list?",
            )
    return _short(common, rng, chance.failure / 64)


def _lists(rng: np.random.Generator, size: int) -> tuple[list[bytes], list[list[bytes]]]:
    """So many points that all banks share, and the banks' lists, which hold others too, each in an order of its own."""
    shared = [rng.bytes(32) for _ in range(size)]
    lists = []
    for _ in range(BANKS):
        own = [rng.bytes(32) for _ in range(int(rng.integers(0, 8)))]
        lists.append([*shared, *own])
    extra = rng.bytes(32)  # a customer of four banks
    for points in lists[: BANKS - 1]:
        points.append(extra)
    return shared, [[points[i] for i in rng.permutation(len(points))] for points in lists]


def _named(common: Answer, shared: list[bytes], lists: list[list[bytes]]) -> list[list[int]]:
    """The places that `common` returns, of the points that all banks share, in one order."""
    places, size = _places(common, lists), len(shared)
    found = [[points[i] for i in some] for points, some in zip(lists, places, strict=True)]
    if any(set(one) != set(shared) or len(one) != size for one in found):
        raise Refused(
            Diagnosis(
                "wrong-common",
                f"Of {size} customers that all five banks share, and others that fewer share, your places name "
                f"{[len(set(one)) for one in found]} at the five banks.",
                "In how many of the five lists does a point have to be, so that its place counts?",
            )
        )
    if any(one != found[0] for one in found):
        raise Refused(
            Diagnosis(
                "unaligned",
                "At different banks your places name the common customers in different orders: Ana's loans would "
                "stand beside Boris's income.",
                "Which order do all five lists agree on?",
            )
        )
    return places


def _short(common: Answer, rng: np.random.Generator, failure: float) -> Diagnosis | None:
    """Few common customers, other ones in each call, whose order may follow that of one bank's list."""
    for size in short(rng):
        many = calls(size, failure)
        each = [[_ranks(places) for places in _named(common, *_lists(rng, size))] for _ in range(many)]
        for name, orders in zip(NAMES, zip(*each, strict=True), strict=True):
            if follow(orders, failure):
                return Diagnosis(
                    "order-of-a-bank",
                    f"In {many} calls with {size} common customers each, your order of them goes as they stand in bank "
                    f"{name}'s list, or always the same way beside it.",
                    "Where many are common it does not. What is different with few?",
                )
    return None


def _ranks(places: list[int]) -> np.ndarray:
    return np.argsort(np.argsort(places))


def _places(common: Answer, lists: list[list[bytes]]) -> list[list[int]]:
    """What `common` returns, as lists of whole numbers."""
    given = common([list(points) for points in lists])
    if isinstance(given, np.ndarray):
        given = list(given)
    if not isinstance(given, tuple | list) or len(given) != BANKS:
        raise Refused(
            Diagnosis(
                "wrong-shape", f"`common` returns {a(given)}; for each of {BANKS} banks a list of places is wanted."
            )
        )
    for place in (place for places in given for place in places):
        if not isinstance(place, int | np.integer):
            what = "points" if isinstance(place, bytes) else f"{a(place)} among its places"
            ask = "A place is a whole number: points[place] is the point. Which places have the common points?"
            raise Refused(
                Diagnosis("no-places", f"`common` returns {what}; places in each bank's list are wanted.", ask)
            )
    return [[int(place) for place in places] for places in given]


def _followed(common: Answer, lists: list[list[bytes]], rng: np.random.Generator) -> str:
    """The bank whose list the common order follows: as that list is shuffled, so is the order, or nearly."""
    shuffled = [[points[i] for i in rng.permutation(len(points))] for points in lists]
    both = [[_ranks(places) for places in _places(common, some)] for some in (lists, shuffled)]
    return next((name for name, one, two in zip(NAMES, *both, strict=True) if alike(one, two)), "")
