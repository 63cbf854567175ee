"""The exercises on what a claim leaves: the best attack, how far a belief rises, and a group of k."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.attacks import dp_roc_bound, posterior_bounds
from dpcourse.checks.base import Wrong
from dpcourse.checks.cases import Equals, Mistake


def _claim_and_rate(rng: np.random.Generator) -> tuple[float, float, float]:
    epsilon = float(rng.uniform(0.1, 3))
    delta = float(rng.choice([0.0, 1e-3, 0.05]))
    # Rates on either side of the corner, so that both branches are met; and beyond 1 − δ, where both exceed 1.
    return epsilon, delta, float(rng.choice([rng.uniform(0, 0.1), rng.uniform(0.4, 0.9), rng.uniform(1 - delta, 1)]))


def _first_branch(epsilon: float, delta: float, fpr: float) -> float:
    return math.exp(epsilon) * fpr + delta


POWER = (
    Equals(
        _claim_and_rate,
        expected=dp_roc_bound,
        times=80,  # each branch is met but for a chance below 1e-8
        mistakes=(
            Mistake(
                _first_branch,
                Wrong(
                    "e^ε·FPR + δ exceeds 1 for large FPR, and it is not the tightest bound there.",
                    "Write the definition for the event “calls out” as well, from the other dataset.",
                    "first-bound-only",
                ),
            ),
            Mistake(
                lambda epsilon, delta, fpr: min(_first_branch(epsilon, delta, fpr), 1.0),
                Wrong(
                    "True, but not the best bound: for large FPR another one is lower.",
                    "Write the definition for the event “calls out” as well, from the other dataset.",
                    "first-bound-only",
                ),
            ),
            Mistake(
                lambda epsilon, delta, fpr: min(
                    _first_branch(epsilon, delta, fpr), 1 - math.exp(-epsilon) * (1 - delta - fpr)
                ),
                Wrong(
                    "Where FPR exceeds 1 − δ you get a rate above 1.",
                    "Both inequalities hold, but a rate is 1 at most.",
                    "above-one",
                ),
            ),
            Mistake(
                lambda epsilon, delta, fpr: float(dp_roc_bound(epsilon, 0.0, fpr)),
                Wrong("Where is δ?", "Both bounds contain it.", "forgets-delta"),
            ),
            Mistake(
                lambda epsilon, delta, fpr: min(1.0, 1 - math.exp(-epsilon) * (1 - delta - fpr)),
                Wrong(
                    "You use one of the two bounds only: for small FPR the other is lower.",
                    "Take the smaller of the two.",
                    "second-bound-only",
                ),
            ),
            Mistake(
                lambda epsilon, delta, fpr: min(
                    1.0, max(fpr, 0) + (math.exp(epsilon) - 1 + 2 * delta) / (math.exp(epsilon) + 1)
                ),
                Wrong(
                    "That is FPR plus the largest advantage, which is reached at one FPR only.",
                    "Start from the definition, with S the event “calls in”.",
                    "largest-advantage",
                ),
            ),
        ),
    ),
)


def _belief(rng: np.random.Generator) -> tuple[float, float]:
    return float(rng.choice([rng.uniform(0.001, 0.1), rng.uniform(0.3, 0.95)])), float(rng.uniform(0.1, 3))


BELIEF = (
    Equals(
        _belief,
        expected=lambda prior, epsilon: posterior_bounds(prior, epsilon)[1],
        times=24,
        mistakes=(
            Mistake(
                lambda prior, epsilon: prior * math.exp(epsilon),
                Wrong(
                    "You multiply the probability by e^ε, and get beyond 1.",
                    "It is the odds, prior/(1 − prior), that are multiplied.",
                    "multiplies-probability",
                ),
            ),
            Mistake(
                lambda prior, epsilon: min(prior * math.exp(epsilon), 1.0),
                Wrong(
                    "True, but not the best bound: nothing that is uncertain becomes certain at δ = 0.",
                    "It is the odds, prior/(1 − prior), that are multiplied.",
                    "multiplies-probability",
                ),
            ),
            Mistake(
                lambda prior, epsilon: 1 / (1 + math.exp(-epsilon)),
                Wrong("That is right for a prior of ½ only.", "Where does the prior enter?", "ignores-prior"),
            ),
            Mistake(
                lambda prior, epsilon: prior / (1 - prior) * math.exp(epsilon),
                Wrong("Those are odds.", "Turn odds o into a probability: o/(1 + o).", "odds"),
            ),
            Mistake(
                lambda prior, epsilon: posterior_bounds(prior, epsilon)[0],
                Wrong("That is how far the belief can fall.", "Multiply the odds by e^ε, not by e^(−ε).", "lowest"),
            ),
        ),
    ),
)


def _group(rng: np.random.Generator) -> tuple[float, float, int]:
    return float(rng.uniform(0.05, 0.8)), float(rng.choice([1e-6, 1e-5, 1e-4])), int(rng.integers(2, 7))


def _group_claim(epsilon: float, delta: float, k: int) -> tuple[float, float]:
    return k * epsilon, delta * math.expm1(k * epsilon) / math.expm1(epsilon)


GROUP = (
    Equals(
        _group,
        expected=_group_claim,
        mistakes=(
            Mistake(
                lambda epsilon, delta, k: (k * epsilon, k * delta),
                Wrong(
                    "δ grows faster than k: the first step's δ is multiplied by e^ε in each of the steps that follow.",
                    "Write out two steps: P(D₀) ≤ e^ε (e^ε P(D₂) + δ) + δ.",
                    "delta-times-k",
                ),
            ),
            Mistake(
                lambda epsilon, delta, k: (k * epsilon, delta),
                Wrong("δ grows too.", "Write out two steps: P(D₀) ≤ e^ε (e^ε P(D₂) + δ) + δ.", "delta-unchanged"),
            ),
            Mistake(
                lambda epsilon, delta, k: (k * epsilon, k * math.exp((k - 1) * epsilon) * delta),
                Wrong(
                    "k e^((k−1)ε) δ is a bound and found in books; the sum of the steps is smaller.",
                    "Add up δ (1 + e^ε + e^(2ε) + …).",
                    "loose-delta",
                ),
            ),
            Mistake(
                lambda epsilon, delta, k: (k * epsilon, math.exp(epsilon) * _group_claim(epsilon, delta, k)[1]),
                Wrong(
                    "The powers of e^ε start one too high: the last step's δ is multiplied by nothing.",
                    "Add up δ (1 + e^ε + …): k terms, from e^0 to e^((k−1)ε).",
                    "off-by-one",
                ),
            ),
            Mistake(
                lambda epsilon, delta, k: (epsilon, k * delta),
                Wrong("ε is that of one person.", "k people change the output by e^ε each.", "epsilon-unchanged"),
            ),
            Mistake(
                lambda epsilon, delta, k: (math.sqrt(k) * epsilon, _group_claim(epsilon, delta, k)[1]),
                Wrong(
                    "√k is how noise grows, not how people add up.",
                    "Each step may cost ε in the same direction.",
                    "root",
                ),
            ),
        ),
    ),
)
