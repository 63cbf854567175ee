"""Capstone 6.6: a bank's share of the matrix follows from its own shares, and has noise of its own."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.datasets import Bank
from dpcourse.datasets.customers import NAMES
from dpcourse.lessons.capstone_6.design import BANKS, BITS, COLUMNS, FEWEST, HONEST, Triple
from dpcourse.lessons.capstone_6.exercises.local import Watched
from dpcourse.lessons.capstone_6.exercises.matrices import parts_of
from dpcourse.lessons.capstone_6.exercises.tools import Source, by_name
from dpcourse.lessons.capstone_6.exercises.world import five_banks, made
from dpcourse.lessons.capstone_6.numbers import sigma


@dataclass
class Redealt(Watched):
    """A run in which the triples of an earlier one come again."""

    triples: list[Triple] = field(default_factory=list)

    def deal(self, n: int, p: int, q: int) -> Triple:
        number, left, right, product = self.triples[min(len(self.dealt), len(self.triples) - 1)]
        self.dealt.append((number, left, right, product))
        return number, left.copy(), right.copy(), product.copy()


def together(answer: Answer, chance: Chance, given: list[Bank] | None = None) -> Diagnosis | None:
    """6.6: one bank is dealt other shares of the triple, and the board shows the same: its own share changes alone.

    Nobody remembers the first shares. The noise is the same in both runs. In a third one, of banks that are given, each
    bank should have noise of its own: that is asked last, as it says less of noise that is wrong altogether.
    """
    banks: list[Bank | None] = [*(given or five_banks(chance.rng, FEWEST + 10))]
    seed, bank = int(chance.rng.integers(2**32)), int(chance.rng.integers(BANKS))

    def ends(shown: list[np.ndarray], other_for: int | None) -> Watched:
        source = Source(np.random.default_rng(seed))
        run = Watched(by_name, source, shown=shown, other_for=other_for, other=chance.rng)
        made(answer, banks, run, np.random.default_rng(seed + 1).standard_normal)
        return run

    first = ends([], None)
    shown = first.board[: len(first.board) - len(first.ends)]
    answer.renew()
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
        return _own_noise(answer, banks, first, chance.rng, chance.failure / 8) if given else None
    answer.renew()
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


def _own_noise(
    answer: Answer, banks: list[Bank | None], first: Watched, rng: np.random.Generator, failure: float
) -> Diagnosis | None:
    """The triples and the board of the first run come again, and `normal` and `draw` give other numbers.

    A share of the product follows from what came again, so the banks' shares differ by noise: twice that of one bank,
    or all over where the noise was shared anew. Right noise is too small with probability `failure` at most.
    """
    shown = first.board[: len(first.board) - len(first.ends)]
    run = Redealt(by_name, Source(rng), shown=shown, triples=first.dealt)
    answer.renew()
    made(answer, banks, run, rng.standard_normal)
    if not first.ends or not run.ends or first.ends[-1].shape != run.ends[-1].shape:
        return None
    differ = (first.ends[-1].astype(np.uint64) - run.ends[-1].astype(np.uint64)).view(np.int64) / 2.0 ** (2 * BITS)
    diagonal, above = parts_of(differ)
    squares = (diagonal**2).sum(axis=1) + 2 * (above**2).sum(axis=1)
    units = squares / (2 * sigma(1.0) ** 2 / HONEST)
    quiet = stats.chi2.cdf(units, diagonal.shape[1] + above.shape[1]) < failure / len(units)
    if not quiet.any():
        return None
    who = ", ".join(name for name, one in zip(NAMES, quiet, strict=True) if one)
    return Diagnosis(
        "too-little-noise",
        f"The same triple and board come again, and `normal` gives other numbers. Then each bank's share of the matrix "
        f"should differ by its own noise. It differs by less than one bank's noise, or not at all, for {who}.",
        "A bank knows what it adds, and two may collude. Whose noise is left?",
    )
