"""Capstone 6.6: λ, read off the weights, and judged where it matters."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import near
from dpcourse.checks.told import same_weights
from dpcourse.datasets import Bank, Customers, simulate_customers
from dpcourse.lessons.capstone_6.design import BANKS, BITS, COLUMNS, FEWEST, HONEST, Run
from dpcourse.lessons.capstone_6.exercises.tools import Source, by_name
from dpcourse.lessons.capstone_6.exercises.world import EXACT, exact_matrix, five_banks, made
from dpcourse.lessons.capstone_6.numbers import auc, ridge_of, scores, sigma, weights_from

LEAST, MOST = 5.0, 50.0  # of λ, in σ: 5 loses 0.019 of AUC at 5,000 customers, 50 loses 0.009 at 20,000, as measured
FEW, MANY = 5_000, 20_000
# Weights that are no ridge: how much less than λ = 10σ they may reach, in the mean over `LOOKS` matrices. Lifting small
# eigenvalues to 8σ loses 0.007 ± 0.004 and 0.001 ± 0.001.
MAY_LOSE = {FEW: 0.035, MANY: 0.012}
WORLDS, LOOKS = {FEW: 3, MANY: 1}, 4  # worlds, and matrices of each


class Told(Run):
    """A run in which the board shows, in place of the noisy matrix, the one in `said`; without it, that of the first
    run, which is kept.

    Whoever draws one noise for an entry and its mirror image opens symmetric matrices, and may read one half of them:
    then the mean of `said` and its mirror image is shown, which says as much.
    """

    said: np.ndarray | None = None

    def open(self, shares: Any) -> np.ndarray:
        seen = super().open(shares)
        if seen.shape != (COLUMNS, COLUMNS):
            return seen
        self.said = seen if self.said is None else self.said
        if np.array_equal(seen, seen.T):
            self.said = (self.said + self.said.T) // 2
        self.board[-1] = self.said
        return self.said.copy()


def _weights(answer: Answer, matrix: np.ndarray, epsilon: float, rng: np.random.Generator) -> np.ndarray | None:
    """The answer's weights where this noisy matrix stands on the board."""
    run = Told(by_name, Source(rng))
    run.said = np.round(matrix * 2.0 ** (2 * BITS)).astype(np.int64)
    given = made(answer, [*five_banks(rng, FEWEST)], run, rng.standard_normal, epsilon)
    return None if given is None else np.nan_to_num(np.asarray(given["weights"], dtype=float))


def told(
    answer: Answer, board: np.ndarray, weights: Any, banks: list[Bank], rng: np.random.Generator
) -> Diagnosis | None:
    """Other customers, as many, and the board shows the noisy matrix of an earlier run: the weights stay as they were.

    Nobody remembers that run.
    """
    answer.renew()
    run = Told(by_name, Source(rng))
    run.said = board
    given = made(answer, [*banks], run, rng.standard_normal)
    if given is None:
        return Diagnosis("refuses-all", "Other customers, as many, are common to all banks, and you refuse.")
    if not np.allclose(given["noisy"], run.said / 2.0 ** (2 * BITS), atol=EXACT):
        return Diagnosis("not-opened", "`noisy` is not what was opened.", "Who has the matrix that you return?")
    before, again = (np.asarray(some, dtype=float) for some in (weights, given["weights"]))
    if same_weights(before, again, 1e-6):
        return None
    off = float(np.abs(again - before).max())
    common = len(by_name([bank.ids for bank in banks])[0])
    return Diagnosis(
        "weights-elsewhere",
        f"With the same noisy matrix on the board, and {common:,} other customers, your weights differ by up to "
        f"{off:.2g}. What does not come from that matrix has no noise.",
        "What do you use for the weights besides `noisy` and σ: a ridge from the data, or a count?",
    )


def _noisy(exact: np.ndarray, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    return exact + rng.normal(0, sigma(epsilon) * (BANKS / HONEST) ** 0.5, exact.shape)


def solved(matrix: np.ndarray, weights: np.ndarray) -> float | None:
    """λ, where these are ridge weights of the matrix, with or without a ridge on the constant; else None."""
    rest = matrix[:-1, -1] - matrix[:-1, :-1] @ weights  # λ times the weights
    near = 1e-6 * np.abs(matrix[:-1, -1]).max()
    for size in (len(weights), len(weights) - 1):
        ridge = float(rest[:size] @ weights[:size] / max(weights[:size] @ weights[:size], 1e-300))
        if np.abs(rest[:size] - ridge * weights[:size]).max() <= near and np.abs(rest[size:]).max(initial=0) <= near:
            return ridge
    return None


def ridged(answer: Answer, chance: Chance) -> Diagnosis | None:
    """λ between 5σ and 50σ, at three ε, of the mean with the mirror image; or whatever loses no more than that.

    σ at the smallest ε is fifteen times that at the largest or more: no λ is right for both.
    """
    rng = chance.rng
    exact = _world(FEW, rng)[0]
    for epsilon in (1.0, 0.2, near(rng.uniform(4, 8), rng, 1.0)):
        matrix = _noisy(exact, epsilon, rng)
        weights = _weights(answer, matrix, epsilon, rng)
        if weights is None:
            return Diagnosis("refuses-all", f"{FEWEST} customers are common to all banks, and you refuse.")
        if solved((matrix + matrix.T) / 2, weights) is None and not _unmeant(matrix, weights):
            return _loses(answer, rng)
        wrong = of_ridge(matrix, weights, epsilon, rng)
        if wrong:
            return wrong
    return None


def _unmeant(matrix: np.ndarray, weights: np.ndarray) -> bool:
    return any(solved(one, weights) is not None for one in (matrix, matrix.T))


def of_ridge(matrix: np.ndarray, weights: np.ndarray, epsilon: float, rng: np.random.Generator) -> Diagnosis | None:
    """What is wrong with ridge weights of a noisy matrix; None for others."""
    if _unmeant(matrix, weights):
        return Diagnosis(
            "no-mean",
            "Your weights solve the matrix as it was opened. In the mean of an entry and its mirror image the truth is "
            "the same, and the noise has half the variance.",
            "Where do you take the mean?",
        )
    ridge = solved((matrix + matrix.T) / 2, weights)
    if ridge is None or LEAST * 0.99 <= ridge / sigma(epsilon) <= MOST * 1.01:
        return None
    return _costs(ridge / sigma(epsilon), epsilon, rng)


def _world(customers: int, rng: np.random.Generator) -> tuple[np.ndarray, Customers]:
    world = simulate_customers(customers, applicants=6_000, rng=rng)
    return exact_matrix(list(world.banks.values()), world.common), world


def _reached(weights: np.ndarray, world: Customers) -> float:
    return auc(scores(weights, world.applicants), world.defaulted)


def _usual(matrix: np.ndarray) -> np.ndarray:
    return weights_from(matrix, ridge_of(sigma(1.0) * (BANKS / HONEST) ** 0.5))


def _costs(times: float, epsilon: float, rng: np.random.Generator) -> Diagnosis:
    """What a λ of so many σ reaches at ε = 1, where it does harm, beside 10σ."""
    customers, found = FEW if times < LEAST else MANY, []
    for _ in range(WORLDS[customers]):
        exact, world = _world(customers, rng)
        for matrix in (_noisy(exact, 1.0, rng) for _ in range(LOOKS)):
            found.append([_reached(one, world) for one in (weights_from(matrix, times * sigma(1.0)), _usual(matrix))])
    own, usual = np.mean(found, axis=0)
    return Diagnosis(
        "ridge",
        f"At ε = {epsilon:g} your λ is {round(times, 1) + 0.0:.1f}σ. On {customers:,} customers at ε = 1 such a λ "
        f"reaches an AUC of {own:.3f}, and 10σ reaches {usual:.3f}: the mean over {len(found)} simulated matrices.",
        "How large is the noise's largest singular value, in σ?",
    )


def _loses(answer: Answer, rng: np.random.Generator) -> Diagnosis | None:
    """Weights that are no ridge regression: compared with one, on the same matrices."""
    for customers, may in MAY_LOSE.items():
        found = []
        for _ in range(WORLDS[customers]):
            exact, world = _world(customers, rng)
            for matrix in (_noisy(exact, 1.0, rng) for _ in range(LOOKS)):
                weights = _weights(answer, matrix, 1.0, rng)
                if weights is not None:
                    found.append([_reached(one, world) for one in (weights, _usual(matrix))])
        own, usual = np.mean(found, axis=0)
        if own < usual - may:
            return Diagnosis(
                "loses",
                f"On {customers:,} customers at ε = 1 your weights reach an AUC of {own:.3f}, and ridge regression "
                f"with λ = 10σ reaches {usual:.3f}: the mean over {len(found)} simulated matrices.",
                "What do your weights do with directions in which the matrix is mostly noise?",
            )
    return None
