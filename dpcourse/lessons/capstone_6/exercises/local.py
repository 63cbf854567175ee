"""Capstones 6.4 and 6.6: runs that are watched; a bank's product follows from its own shares and what was opened."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.datasets.customers import NAMES
from dpcourse.lessons.capstone_6.design import BANKS, COLUMNS, FEWEST, Run, Triple
from dpcourse.lessons.capstone_6.exercises.tools import Source, by_name, run_of

TWICE = Diagnosis(
    "asks-twice",
    "You ask `fresh` twice about one new triple. It remembers the number when it is asked first, so the second answer "
    "is False, and you refuse.",
    "Where is it asked the first time, and what becomes of that answer?",
)


@dataclass
class Watched(Run):
    """A run that keeps what was handed to `open`, and which triples `fresh` was asked about.

    Of an earlier run it can take what stood on the board (`shown`, in order) and let one bank be dealt other shares.
    """

    shown: list[np.ndarray] = field(default_factory=list)
    other_for: int | None = None
    ends: list[np.ndarray] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    dealt: list[Triple] = field(default_factory=list)
    other: np.random.Generator | None = None

    def fresh(self, number: int) -> bool:
        self.asked.append(number)
        return super().fresh(number)

    @property
    def twice(self) -> bool:
        """Whether one triple was asked about twice."""
        return len(set(self.asked)) < len(self.asked)

    def deal(self, n: int, p: int, q: int) -> Triple:
        number, *shares = super().deal(n, p, q)
        if self.other_for is not None and self.other is not None:
            for one in shares:
                one[self.other_for] = self.other.integers(0, 2**64, one.shape[1:], dtype=np.uint64)
        left, right, product = shares
        self.dealt.append((number, left.copy(), right.copy(), product.copy()))  # an answer may write into its own
        return number, left, right, product

    def open(self, shares: Any) -> np.ndarray:
        seen = super().open(shares)
        if seen.shape == (COLUMNS, COLUMNS):
            self.ends.append(np.array(shares))
        if len(self.board) <= len(self.shown):
            self.board[-1] = self.shown[len(self.board) - 1]
        return self.board[-1].copy()


@dataclass(frozen=True)
class Shared:
    """6.4: the shares of two matrices, to be multiplied with a triple."""

    left: np.ndarray
    right: np.ndarray
    triple: Triple

    def of_one(self, bank: int, rng: np.random.Generator) -> Shared:
        """One bank keeps its shares, and all others' are new."""

        def kept(shares: np.ndarray) -> np.ndarray:
            drawn = rng.integers(0, 2**64, shares.shape, dtype=np.uint64)
            drawn[bank] = shares[bank]
            return drawn

        number, *masks = self.triple
        m, n, product = map(kept, masks)
        return Shared(kept(self.left), kept(self.right), (number, m, n, product))


@dataclass(frozen=True)
class Multiplied:
    """6.4: what was multiplied, what stood on the board then, and the shares of the product."""

    shared: Shared
    board: list[np.ndarray]
    product: np.ndarray

    def again(self, answer: Answer, rng: np.random.Generator, keeps: int | None = None) -> np.ndarray | None:
        """The shares of the product where the board shows the same, and one bank may keep its shares alone."""
        shared = self.shared if keeps is None else self.shared.of_one(keeps, rng)
        run = Watched(by_name, Source(rng), shown=self.board)
        number, *masks = shared.triple
        m, n, product = (one.copy() for one in masks)
        given = answer.part(1)(shared.left.copy(), shared.right.copy(), (number, m, n, product), run.fresh, run.open)
        return None if np.shape(given) != self.product.shape else np.asarray(given)


def alone(answer: Answer, rng: np.random.Generator, done: list[Multiplied]) -> Diagnosis | None:
    """6.4: each bank in turn keeps its shares, all others' are new, and the board shows what it showed before.

    Nobody remembers what was shared, or a product that was made of all shares.
    """
    for one in done:
        same = one.again(answer, rng)
        if same is None or not np.array_equal(same, one.product):
            return Diagnosis(
                "not-repeatable",
                "With the same shares, the same triple and the same board your `multiply` gives other shares.",
                "Nothing has to be drawn here. What else changes from call to call?",
            )
    answer.renew()
    for one in done:
        for bank in map(int, rng.permutation(BANKS)):
            given = one.again(answer, rng, keeps=bank)
            if given is None or not np.array_equal(given[bank], one.product[bank]):
                return _in_the_clear(NAMES[bank], one.board)
    return None


def _in_the_clear(name: str, board: list[np.ndarray]) -> Diagnosis:
    seen = (
        f"Bank {name} keeps its own shares, the other four banks' shares are new, and the board shows the same. Your "
        f"share for bank {name} changes, so it is made from more than bank {name} has."
    )
    if not board:
        seen += " Nothing was opened at all: somebody puts all five banks' shares together."
    ask = f"Which line for bank {name} reads more than D, E and its own shares of M, N and MᵀN?"
    return Diagnosis("in-the-clear", seen, ask)


def refusal(run: Watched, common: int) -> Diagnosis:
    """An honest run is refused: why, as far as it shows."""
    if run.twice:
        return TWICE
    ask = f"Fewer than {FEWEST} are too few. What about {FEWEST} themselves?" if common == FEWEST else ""
    return Diagnosis("refuses-all", f"{common:,} customers are common to all banks, and you refuse.", ask)


def watched(rng: np.random.Generator) -> Watched:
    """A run that draws from the check's generator, compares in the clear, and is watched."""
    plain = run_of(rng)
    return Watched(plain.aligned, plain.draw)


def aligning(rows: list[np.ndarray], rng: np.random.Generator) -> Watched:
    """The same, but `align` names these rows."""
    return Watched(lambda ids: [some.copy() for some in rows], Source(rng))
