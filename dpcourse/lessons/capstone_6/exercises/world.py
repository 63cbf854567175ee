"""What all judges of capstone 6.6 need: banks to hand in, an answer called, the matrix that is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.plain import parts
from dpcourse.datasets import Bank, simulate_customers
from dpcourse.datasets.customers import FEATURES, LENDER, NAMES
from dpcourse.lessons.capstone_6.design import (
    BANKS,
    COLUMNS,
    DELTA,
    Run,
)
from dpcourse.lessons.capstone_6.exercises.block import clipped

WANTED = ("customers", "noisy", "weights", "claim")
EXACT = 0.02  # sums of up to 160 products of numbers below 1, each cut by less than 2^−16: 0.005 at most


@dataclass
class Silent:
    """Noise for robustness: zeros, so that what was added up shows."""

    asked: int = 0

    def __call__(self, shape: Any) -> np.ndarray:
        self.asked += int(np.prod(shape))
        return np.zeros(shape)


def made(
    answer: Answer,
    banks: list[Bank | None],
    run: Run,
    normal: Any,
    epsilon: float = 1.0,
    delta: float = DELTA,
) -> dict[str, Any] | None:
    """What the answer returns, its parts of the right shapes; None where it refuses."""
    ids = [bank and bank.ids for bank in banks]
    lender = banks[NAMES.index(LENDER)]
    features = [bank and bank.features for bank in banks]
    given = answer(ids, features, lender and lender.defaulted, run.tools(normal), epsilon, delta)
    if given is None:
        return None
    parts(given, WANTED)
    shapes = tuple(np.shape(given[key]) for key in ("noisy", "weights"))
    if shapes != ((COLUMNS, COLUMNS), (COLUMNS - 1,)):
        what = f"`noisy` has shape {shapes[0]} and `weights` {shapes[1]}"
        raise Refused(Diagnosis("wrong-shape", f"{what}; {(COLUMNS, COLUMNS)} and {(COLUMNS - 1,)} are wanted."))
    return given


def labels_of(banks: list[Bank], rows: list[np.ndarray]) -> np.ndarray:
    """+1 for a default and −1 otherwise, of the common customers."""
    lender = banks[NAMES.index(LENDER)]
    assert lender.defaulted is not None
    return np.where(lender.defaulted[rows[NAMES.index(LENDER)]], 1.0, -1.0)


def with_constant(label: np.ndarray) -> np.ndarray:
    """The sixth block: constant and label, clipped together."""
    return clipped(np.column_stack((np.ones(len(label)), label)))


def exact_rows(banks: list[Bank], rows: list[np.ndarray]) -> np.ndarray:
    """The rows z of the common customers, in floats, shape (n, 32)."""
    z = [clipped(bank.features[some]) for bank, some in zip(banks, rows, strict=True)]
    return np.hstack([*z, with_constant(labels_of(banks, rows))])


def exact_matrix(banks: list[Bank], rows: list[np.ndarray]) -> np.ndarray:
    """The matrix of the common customers, in floats, shape (32, 32)."""
    whole = exact_rows(banks, rows)
    return whole.T @ whole


def five_banks(rng: np.random.Generator, common: int, kind: str = "plain", many: int | np.ndarray = 12) -> list[Bank]:
    """Five banks; so many rows with strange features, or that repeat an identifier, in each of them (or by bank).

    Or all features are whole, or of one decimal.
    """
    world = simulate_customers(common, others=60, applicants=1, rng=rng)
    banks = []
    for bank, each in zip(world.banks.values(), np.broadcast_to(many, BANKS).tolist(), strict=True):
        ids, features, defaulted = list(bank.ids), bank.features.copy(), bank.defaulted
        if kind == "strange":
            rows = rng.choice(len(ids), each, replace=False)
            features[rows, rng.integers(0, FEATURES, each)] = rng.choice((np.nan, np.inf, -np.inf, 1e150, 1e18), each)
        if kind == "repeated":
            rows = rng.choice(len(ids), each, replace=False)
            ids += [ids[row] for row in rows]
            features = np.vstack((features, np.abs(rng.normal(0, 2, (each, FEATURES)))))
            defaulted = None if defaulted is None else np.append(defaulted, rng.random(each) < 0.5)
        if kind in ("whole", "decimal"):
            features = np.round(features, int(kind == "decimal")) + 0.0
        banks.append(Bank(ids, features, defaulted))
    return banks


MIXES = {
    "plain": (
        "With some customers in common",
        "Is every block clipped by your `block`, at the rows that `align` names for its own bank?",
    ),
    "strange": (
        "With features that are NaN, infinite or huge",
        "Milestone 6.5 settled what becomes of such a row. What becomes of it here?",
    ),
    "repeated": (
        "With identifiers that stand twice in a bank's files",
        '`tools["align"]` names one row for each customer. Which rows do you take?',
    ),
    "whole": (
        "With features that are whole numbers",
        "A row of such features is a row like any other. What does your function do with it?",
    ),
    "decimal": (
        "With features that have one decimal",
        "A row of such features is a row like any other. What does your function do with it?",
    ),
}
