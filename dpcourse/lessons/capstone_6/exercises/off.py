"""Capstone 6.6: of a matrix that is wrong without noise, what it is instead, or where it is wrong."""

from __future__ import annotations

import numpy as np

from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.datasets import Bank
from dpcourse.datasets.customers import FEATURES, LENDER, NAMES
from dpcourse.lessons.capstone_6.design import BANKS, BITS
from dpcourse.lessons.capstone_6.exercises.world import EXACT, MIXES, exact_rows, labels_of, with_constant

_BLOCKS = {f"bank {name}": slice(FEATURES * k, FEATURES * (k + 1)) for k, name in enumerate(NAMES)}
_BLOCKS["constant and label"] = slice(FEATURES * BANKS, None)


def off(noisy: np.ndarray, right: np.ndarray, banks: list[Bank], rows: list[np.ndarray]) -> Diagnosis:
    """What is wrong with a matrix of some customers in common, made with noise that is zero."""
    before = f"{MIXES['plain'][0]}, and noise that is zero, "
    for power in (BITS, -BITS, 2 * BITS):
        if np.allclose(noisy, right * 2.0**power, atol=EXACT * max(2.0**power, 1)):
            seen = f"{before}your matrix is 2^{power} times the right one."
            return Diagnosis("wrong-steps", seen, "The blocks are in steps of 2^−16. In which steps is their product?")
    for key, last, what, ask in _endings(banks, rows):
        z = exact_rows(banks, rows)
        z[:, _BLOCKS["constant and label"]] = last
        if np.abs(z.T @ z - noisy).max() <= EXACT:
            return Diagnosis(key, f"{before}your matrix is the right one, but for this: {what}", ask)
    return _where(np.abs(noisy - right), before)


def _endings(banks: list[Bank], rows: list[np.ndarray]) -> list[tuple[str, np.ndarray, str, str]]:
    """The constant and the label, done wrong: its key, the two columns, what was seen, a question."""
    label, lender = labels_of(banks, rows), banks[NAMES.index(LENDER)].defaulted
    fine = with_constant(label)
    files = np.where(np.resize(np.asarray(lender), len(label)), 1.0, -1.0)
    return [
        (
            "label-first",
            fine[:, ::-1],
            "the label stands before the constant.",
            "Which of the two is the last of the 32 columns?",
        ),
        (
            "label-turned",
            with_constant(-label),
            "the label is −1 for a default, and +1 otherwise.",
            "A high score is a high risk. Which sign has a default?",
        ),
        (
            "label-01",
            with_constant((label + 1) / 2),
            "the label is 0 where nobody defaulted.",
            "The label is +1 or −1 before it is clipped. How is it coded?",
        ),
        (
            "clipped-apart",
            np.column_stack((np.ones(len(label)), label)),
            "constant and label are clipped one by one, and both have length 1. A whole row is then longer than √6.",
            "They are one block of two columns. How long is the row (1, 1), and what becomes of it?",
        ),
        (
            "label-rows",
            with_constant(files),
            "the labels are the first ones in bank B's file, whoever is common.",
            "At which rows of bank B stand the common customers?",
        ),
    ]


def _where(wrong: np.ndarray, before: str) -> Diagnosis:
    """Which blocks are wrong by themselves; else which two do not go together."""
    worst = {(i, j): float(wrong[_BLOCKS[i], _BLOCKS[j]].max()) for i in _BLOCKS for j in _BLOCKS}
    alone = [name for name in _BLOCKS if not worst[name, name] <= EXACT]
    if alone:
        far = max(worst[name, name] for name in alone)
        seen = f"{before}the product of a block with itself is off by up to {far:.3g} for {', '.join(alone)}."
        return Diagnosis("plain", seen, MIXES["plain"][1])
    (one, other), far = max(worst.items(), key=lambda item: item[1])
    seen = f"{before}every block times itself is right, and {one} times {other} is off by up to {far:.3g}."
    return Diagnosis("plain", seen, "Does row i of the two belong to the same customer?")
