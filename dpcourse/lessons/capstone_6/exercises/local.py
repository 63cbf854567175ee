"""Capstones 6.4 and 6.6: a bank's result follows from its own shares, what it was dealt and what was opened."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance, Diagnosis
from dpcourse.datasets import Bank
from dpcourse.datasets.customers import NAMES
from dpcourse.lessons.capstone_6.design import BANKS, COLUMNS, FEWEST, Run, Triple
from dpcourse.lessons.capstone_6.exercises.tools import Source, by_name, run_of
from dpcourse.lessons.capstone_6.exercises.world import Silent, five_banks, made

TWICE = Diagnosis(
    "asks-twice",
    "You ask `fresh` twice about one new triple. It remembers the number when it is asked first, so the second answer "
    "is False, and you refuse.",
    "Where is it asked the first time? Keep that answer.",
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
        self.dealt.append((number, left, right, product))
        return self.dealt[-1]

    def open(self, shares: Any) -> np.ndarray:
        seen = super().open(shares)
        if seen.shape == (COLUMNS, COLUMNS):
            self.ends.append(np.array(shares))
        if len(self.board) <= len(self.shown):
            self.board[-1] = self.shown[len(self.board) - 1]
        return self.board[-1].copy()


def alone(
    answer: Answer, rng: np.random.Generator, x: np.ndarray, y: np.ndarray, triple: Triple, board: list, product: Any
) -> Diagnosis | None:
    """6.4: each bank in turn keeps its shares, all others' are new, and the board shows what it showed before."""

    def again(keeps: int | None) -> np.ndarray | None:
        number, *shares = [triple[0], *(one.copy() for one in (x, y, *triple[1:]))]
        for one in shares if keeps is not None else ():
            drawn = rng.integers(0, 2**64, one.shape, dtype=np.uint64)
            drawn[keeps] = one[keeps]
            one[:] = drawn
        left, right, *masks = shares
        run = Watched(by_name, Source(rng), shown=board)
        given = answer(left, right, (number, *masks), run.fresh, run.open)
        return None if np.shape(given) != product.shape else np.asarray(given)

    same = again(None)
    if same is None or not np.array_equal(same, product):
        return Diagnosis(
            "not-repeatable",
            "With the same shares, the same triple and the same board your `multiply` gives other shares.",
            "Nothing has to be drawn here. What else changes from call to call?",
        )
    for bank, name in enumerate(NAMES):
        given = again(bank)
        if given is not None and np.array_equal(given[bank], product[bank]):
            continue
        seen = (
            f"Bank {name} keeps its own shares, the other four banks' shares are new, and the board shows the same. "
            f"Your share for bank {name} changes, so it is made from shares that bank {name} never has."
        )
        if not board:
            seen += " Nothing was opened at all: somebody puts all five banks' shares together."
        ask = f"Which line for bank {name} reads more than D, E and its own shares of M, N and MᵀN?"
        return Diagnosis("in-the-clear", seen, ask)
    return None


def together(answer: Answer, chance: Chance) -> Diagnosis | None:
    """6.6: one bank is dealt other shares of the triple, and the board shows the same: its own share changes alone."""
    banks: list[Bank | None] = [*five_banks(chance.rng, FEWEST + 10)]
    seed, bank = int(chance.rng.integers(2**32)), int(chance.rng.integers(BANKS))

    def ends(shown: list[np.ndarray], other_for: int | None) -> Watched:
        source = Source(np.random.default_rng(seed))
        run = Watched(by_name, source, shown=shown, other_for=other_for, other=chance.rng)
        made(answer, banks, run, Silent())
        return run

    first = ends([], None)
    masked = [seen for seen in first.board if seen.shape != (COLUMNS, COLUMNS)]
    if not masked:
        return Diagnosis(
            "in-the-clear",
            "Your matrix is right, and nothing was opened before it. No bank can make its share of the product alone, "
            "so somebody puts all five banks' blocks or shares together.",
            "6.4: which two masked matrices do the banks open, and what does each bank compute from them?",
        )
    shown = first.board[: len(first.board) - len(first.ends)]
    second = ends(shown, bank)
    pairs = list(zip(first.ends, second.ends, strict=False))
    if not pairs or any(one.shape != other.shape or len(one) != BANKS for one, other in pairs):
        return Diagnosis(
            "wrong-shape",
            f"At the end you hand `open` shares of shape {first.ends[-1].shape if first.ends else 'none'}; "
            f"{(BANKS, COLUMNS, COLUMNS)} is wanted, a share of each bank.",
        )
    moved = [k for k in range(BANKS) if any(not np.array_equal(one[k], other[k]) for one, other in pairs)]
    if moved == [bank]:
        return None
    if any(not np.array_equal(*pair) for pair in zip(first.ends, ends(shown, None).ends, strict=False)):
        return Diagnosis(
            "own-generator",
            "With the same numbers from `draw`, `deal` and `normal` your shares of the matrix come out different.",
            "What do you draw that does not come from `tools`?",
        )
    who = ", ".join(NAMES[k] for k in moved)
    what = f"the shares of {who} change" if moved[1:] else f"the share of {who} changes" if moved else "none changes"
    return Diagnosis(
        "in-the-clear",
        f"Bank {NAMES[bank]} is dealt other shares of the triple, and the board shows the same. That should change "
        f"bank {NAMES[bank]}'s share of the matrix and no other. In yours, {what}.",
        "6.4: a bank has its own shares and what was opened. From what else is your matrix made?",
    )


def refusal(run: Watched, common: int) -> Diagnosis:
    """An honest run is refused: why, as far as it shows."""
    if run.twice:
        return TWICE
    ask = f"Fewer than {FEWEST} are too few; {FEWEST} are enough." if common == FEWEST else ""
    return Diagnosis("refuses-all", f"{common:,} customers are common to all banks, and you refuse.", ask)


def watched(rng: np.random.Generator) -> Watched:
    """A run that draws from the check's generator, compares in the clear, and is watched."""
    plain = run_of(rng)
    return Watched(plain.aligned, plain.draw)
