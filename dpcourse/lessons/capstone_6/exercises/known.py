"""Capstone 6.6: of the blocks that are shared, what a bank or two can read off their own shares."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.datasets.customers import FEATURES, NAMES
from dpcourse.lessons.capstone_6.design import BANKS, BITS, COLUMNS, FEWEST, opened
from dpcourse.lessons.capstone_6.exercises.local import Watched, refusal
from dpcourse.lessons.capstone_6.exercises.tools import Source, by_name
from dpcourse.lessons.capstone_6.exercises.world import five_banks, made

LONGEST = 2**BITS  # of a clipped number, in steps
CONSTANT = BANKS * FEATURES  # its column: everybody knows what stands there


@dataclass
class Keeping(Watched):
    """A run that keeps the shares of all that is opened."""

    handed: list[np.ndarray] = field(default_factory=list)

    def open(self, shares: Any) -> np.ndarray:
        self.handed.append(np.array(shares))
        return super().open(shares)

    def inputs(self) -> list[np.ndarray]:
        """The shares of Z: those of a matrix on the board, with those of its mask, as small numbers are their sum."""
        found = []
        for shares in self.handed:
            for _, *masks, _ in self.dealt:
                for mask in (one for one in masks if one.shape == shares.shape and one.shape[2] == COLUMNS):
                    both = shares.astype(np.uint64) + mask, mask - shares.astype(np.uint64)
                    found += [one for one in both if np.abs(opened(one).astype(float)).max() <= LONGEST]
        return found


def unknown(answer: Answer, chance: Chance) -> Diagnosis | None:
    """No number of any block is what one bank's share says, or two banks' shares together.

    One bank's rows are all broken, so that its block is zeros; another's features are all zeros. Uniform shares add up
    to a number as small as those of a block with 2^-47, and one such is let pass.
    """
    rng = chance.rng
    banks = five_banks(rng, FEWEST + 10)
    for place, filling in zip(rng.permutation(BANKS), (np.nan, 0.0), strict=False):
        banks[place] = replace(banks[place], features=np.full_like(banks[place].features, filling))
    run = Keeping(by_name, Source(rng))
    if made(answer, [*banks], run, rng.standard_normal) is None:
        return refusal(run, FEWEST + 10)
    for shares, many in itertools.product(run.inputs(), (1, 2)):
        for some in itertools.combinations(range(BANKS), many):
            together = shares[list(some)].sum(axis=0, dtype=np.uint64).view(np.int64)
            small = np.abs(together.astype(float)) <= LONGEST
            small[:, CONSTANT] = False
            if small.sum() > 1:
                return _read(small, some)
    return None


def _read(small: np.ndarray, some: tuple[int, ...]) -> Diagnosis:
    column = int(small.sum(axis=0).argmax())
    whose = f"bank {NAMES[column // FEATURES]}'s block" if column < CONSTANT else "the block with the label"
    who = f"banks {NAMES[some[0]]} and {NAMES[some[1]]} together" if some[1:] else f"bank {NAMES[some[0]]}"
    return Diagnosis(
        "not-shared",
        f"In {whose}, {who} can read {small[:, column].sum()} numbers of column {column + 1} off their own shares, "
        f"which are as small as those of a clipped block. Two banks' features were all 0, or NaN.",
        "6.4: any four shares of a number are uniform, whatever it is. Which blocks do you not share?",
    )
