"""Exercise 06.1: reports counted by true answer, and which mistake such a table shows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from dpcourse.audit import audit
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import frozen
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import fresh
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.lesson_06.exercises.response import people, transition_matrix, truth_probability
from dpcourse.privacy import Guarantee, Neighbours


def _or_uniform(share: float, k: int) -> np.ndarray:
    """The truth with probability `share`, else any of the k answers."""
    return share * np.eye(k) + (1 - share) / k


_FORMULAS = {
    "k2-formula": (
        lambda epsilon, k: transition_matrix(math.exp(epsilon) / (1 + math.exp(epsilon)), k),
        "You tell the truth with probability e^ε/(e^ε + 1), which is right for two answers. Here the lies share "
        "what is left among k − 1.",
        "Write down p, the probability of each single lie, and their ratio. It has to be e^ε.",
    ),
    "lie-repeats-truth": (
        lambda epsilon, k: _or_uniform(truth_probability(epsilon, k), k),
        "Your lies are drawn from all k answers, the truth among them, so the truth comes out more often than p.",
        "Draw a lie from the k − 1 other answers: for example (code + a number in 1..k−1) modulo k.",
    ),
    "k2-coin": (
        lambda epsilon, k: _or_uniform((math.exp(epsilon) - 1) / (math.exp(epsilon) + 1), k),
        "You tell the truth with probability (e^ε − 1)/(e^ε + 1), else draw any of the k answers: right for k = 2.",
        "What is the ratio of the truth to one lie now? Solve for the share that makes it e^ε for every k.",
    ),
    "upside-down": (
        lambda epsilon, k: transition_matrix(1 / (math.exp(epsilon) + k - 1), k),
        "The truth is your rarest answer: you give it probability 1/(e^ε + k − 1), which each lie should have.",
        "Which probability should the truth have, and which each lie?",
    ),
    "double-epsilon": (
        lambda epsilon, k: transition_matrix(truth_probability(2 * epsilon, k), k),
        "The truth is e^(2ε) times as likely as a lie: your reports cost 2ε.",
        "Where does the 2 come from?",
    ),
}


def table(answer: Answer, epsilon: float, k: int, sizes: list[int], rng: np.random.Generator) -> np.ndarray:
    """Reports counted by true answer, over calls with these many people."""
    seen = np.zeros((k, k))
    for n in sizes:
        codes = people(rng, n, k)
        reports = np.asarray(answer(frozen(codes), epsilon, k, rng=rng)).astype(int)
        np.add.at(seen, (codes, reports), 1)
    return seen


def contradicts(seen: np.ndarray, wanted: np.ndarray, failure: float) -> tuple[int, int] | None:
    """The cell these probabilities cannot explain (exact binomial, Bonferroni over all cells), or None."""
    totals = seen.sum(axis=1, keepdims=True)
    tails = np.minimum(stats.binom.cdf(seen, totals, wanted), stats.binom.sf(seen - 1, totals, wanted))
    worst = np.unravel_index(np.argmin(tails), tails.shape)
    return (int(worst[0]), int(worst[1])) if 2 * tails[worst] < failure / tails.size else None


def name_the_mistake(
    answer: Answer, seen: np.ndarray, epsilon: float, k: int, worst: tuple[int, int], chance: Chance
) -> Diagnosis:
    shares = seen / seen.sum(axis=1, keepdims=True)
    proof = _audited(answer, epsilon, k, shares, chance)
    certain = np.flatnonzero(np.diag(shares) == 1)
    if 0 < certain.size < k:
        return Diagnosis(
            "one-category-plain",
            f"People in category {certain[0]} always report {certain[0]}; the others are randomized. {proof}",
            "If only some answers are protected, the absence of noise gives the others away. Randomize every category.",
        )
    fits = {
        key: float((seen * np.log(formula(epsilon, k))).sum())
        for key, (formula, _, _) in _FORMULAS.items()
        if contradicts(seen, formula(epsilon, k), chance.failure / 2) is None
    }
    if fits:
        key = max(fits, key=fits.__getitem__)
        _, diagnosis, next_step = _FORMULAS[key]
        return Diagnosis(key, f"{diagnosis} {proof}", next_step)
    if (np.count_nonzero(seen, axis=1) < k).any():
        i, j = np.argwhere(seen == 0)[0]
        alone = table(answer, epsilon, k, [200], chance.rng)
        if alone[i, j] and (np.count_nonzero(alone, axis=1) > 2).any():  # the truth and two lies
            large = f"In calls with {int(seen.sum()):,} people in all nobody in category {i} reports {j}"
            ask = "What does your function do for many people, and not for few?"
            return Shared.NOT_EVERYWHERE.seen(f"{large}. In one with 200 people some do.", ask)
        more = table(answer, epsilon, k, [200] * 80, chance.rng)  # a lie that one call misses another may bring
        if (more[seen == 0] > 0).any():
            return Diagnosis(
                "shared-lies",
                "In one call all who lie move their answer alike, in the next in another way: one lie is drawn for "
                "everybody. Somebody who knows the true answer of one person who lied can read the others' lies.",
                "Draw the lies as you draw the coins: one for each person (size=len(codes)), each used once.",
            )
        return Diagnosis(
            "lie-impossible",
            f"Nobody in category {i} ever reports {j}, so that report proves that its sender is not in {i}. {proof}",
            "A lie must be able to be any of the other answers, each with the same probability.",
        )
    true, other = np.trace(seen) / seen.sum(), 2 * epsilon
    more = table(answer, other, k, [20_000], chance.rng)
    if abs(true - np.trace(more) / more.sum()) < 0.02:  # right is a difference of 0.18 or more
        return Diagnosis(
            "wrong-frequency",
            f"At ε = {epsilon:.3g} and at ε = {other:.3g} alike, {true:.0%} of your reports are the truth. Right is "
            f"{truth_probability(epsilon, k):.0%} and {truth_probability(other, k):.0%}, with k = {k}. {proof}",
            Shared.EPSILON_IGNORED.question,
        )
    i, j = worst
    wanted = transition_matrix(truth_probability(epsilon, k), k)[i, j]
    return Diagnosis(
        "wrong-frequency",
        f"At ε = {epsilon:.3g} and k = {k}, people in category {i} report {j} {shares[i, j]:.1%} of the time; right is "
        f"{wanted:.1%}. {proof}",
        "The truth has probability e^ε/(e^ε + k − 1), every other answer 1/(e^ε + k − 1).",
    )


@dataclass(frozen=True)
class _OneAnswer:
    """The report of the first of a hundred people, as the auditor sees it."""

    answer: Answer
    epsilon: float
    k: int

    def batch(self, code: int, runs: int, rng: np.random.Generator) -> np.ndarray:
        reports = [
            np.asarray(self.answer(np.full(100, code), self.epsilon, self.k, rng=rng)) for _ in range(runs // 100)
        ]
        return np.concatenate(reports)

    def __call__(self, code: int, rng: np.random.Generator) -> int:
        return int(self.batch(code, 100, rng)[0])


def _audited(answer: Answer, epsilon: float, k: int, shares: np.ndarray, chance: Chance) -> str:
    """The auditor's sentence about the two true answers that differ most in some report; empty if it finds nothing."""
    apart = shares[:, None, :] / np.maximum(shares[None, :, :], 1e-3)
    data, neighbour, _ = np.unravel_index(np.argmax(apart), apart.shape)
    claim = Guarantee(epsilon, 0.0, Neighbours.REPLACE_ONE)
    result = audit(
        _OneAnswer(answer, epsilon, k), int(data), int(neighbour), claim=claim, runs=10_000, rng=fresh(chance.rng)
    )
    if not result.violated:
        return ""
    return (
        f"An audit tells the answers {data} and {neighbour} apart: ε ≥ {result.epsilon_lower:.2g} at 99.9% confidence, "
        f"and {epsilon:.2g} is claimed."
    )
