"""Capstone 6.4: a few numbers, a single column or a block of zeros are shared like any other block."""

from __future__ import annotations

import itertools

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import whole
from dpcourse.lessons.capstone_6.design import BANKS
from dpcourse.lessons.capstone_6.exercises.product import shares_of
from dpcourse.lessons.capstone_6.exercises.tools import Source

KINDS = ("zeros", "alike", "small", "any")


def hides_few(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Each block is shared twice, and no share is a number that was there before, or the value itself.

    A share is uniform modulo 2^64: of some 40,000 no two are the same but in one of 10^10 checks.
    """
    rng = chance.rng
    seen: list[np.ndarray] = []
    rows = (1, 2, 3, whole(rng, 4, 12), whole(rng, 13, 80))
    for n, width, kind in itertools.product(rows, (1, 2, whole(rng, 3, 8)), KINDS):
        for _ in range(2):
            values, source = _values(kind, n, width, rng), Source(rng)
            shares = shares_of(answer, values, source)
            seen.append(shares.ravel())
            if wrong := _bare(kind, values, shares) or _undrawn(kind, values, source):
                return wrong
    numbers, times = np.unique(np.concatenate(seen), return_counts=True)
    if times.max() == 1:
        return None
    return Diagnosis(
        "reused",
        f"In blocks of {len(rows)} sizes, the smallest of one number, {numbers[times.argmax()]} is a share "
        f"{times.max()} times. A number modulo 2^64 does not come twice.",
        "Which shares of small blocks, or of zeros, are not drawn anew?",
    )


def _values(kind: str, n: int, width: int, rng: np.random.Generator) -> np.ndarray:
    shape = (n, width)
    if kind == "zeros":
        return np.zeros(shape, dtype=np.int64)
    if kind == "alike":
        return np.full(shape, int(rng.integers(1, 2**16)))
    most = 2 if kind == "small" else 2**16
    return rng.integers(-most, most + 1, shape)


def _of(kind: str, values: np.ndarray) -> str:
    return f"Given values of shape {values.shape}" + ", all of them 0" * (kind == "zeros")


def _bare(kind: str, values: np.ndarray, shares: np.ndarray) -> Diagnosis | None:
    """Whether a share is the value."""
    for bank, share in enumerate(shares.view(np.int64)):
        if (bare := (share == values)).any():
            return Diagnosis(
                "plain",
                f"{_of(kind, values)}, {bare.sum()} of bank {'ABCDE'[bank]}'s shares are the values themselves.",
                "A block that is small, or empty of data, is a secret like any other. When do you not draw?",
            )
    return None


def _undrawn(kind: str, values: np.ndarray, source: Source) -> Diagnosis | None:
    if source.drawn >= (BANKS - 1) * values.size:
        return None
    return Diagnosis(
        "own-generator",
        f"{_of(kind, values)}, your `share` draws {source.drawn} numbers; {BANKS - 1} shares of each of "
        f"{values.size} have to be drawn.",
        "How many shares of a number are drawn, and not computed?",
    )
