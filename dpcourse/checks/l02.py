"""Exercises of lesson 02: the coin, exact ε and δ of small mechanisms, and what the claim leaves an attacker."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpcourse.attacks import dp_roc_bound, posterior_bounds
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Exercise, Trial, Wrong
from dpcourse.checks.cases import Audited, Equals, Frequencies, Mistake
from dpcourse.checks.cases.known import CONSTANT
from dpcourse.privacy import Guarantee, Neighbours

# 02.1 The coin


def _question(rng: np.random.Generator) -> tuple[bool, float]:
    return bool(rng.random() < 0.5), float(rng.uniform(0.4, 2.0))


def _both(answer: Answer, epsilon: float, rng: np.random.Generator) -> list[str]:
    """Ask once somebody who means yes and once somebody who means no."""
    return [_heard(truth, bool(answer(truth, epsilon, rng=rng))) for truth in (True, False)]


def _heard(truth: bool, said: bool) -> str:
    return f"{'yes' if said else 'no'} from who means {'yes' if truth else 'no'}"


def _says(yes: Any, no: Any = None) -> Any:
    """A coin that says yes of a yes with probability ``yes(epsilon)``, and no of a no with ``no(epsilon)``."""
    no = yes if no is None else no

    def distribution(epsilon: float) -> dict[str, float]:
        said = {(True, True): yes(epsilon), (False, False): no(epsilon)}
        said |= {(True, False): 1 - said[True, True], (False, True): 1 - said[False, False]}
        return {_heard(*pair): chance / 2 for pair, chance in said.items()}

    return distribution


def _right(epsilon: float) -> float:
    return 1 / (1 + math.exp(-epsilon))


_COINS = (
    Mistake(
        _says(lambda epsilon: (1 + _right(epsilon)) / 2),
        Wrong(
            "When the coin says to lie, your answer is drawn afresh and is the truth half of the time. That makes "
            "the truth more likely than ε allows.",
            "With probability 1/(1 + e^ε) say the opposite of the truth.",
            "lie-may-be-true",
        ),
    ),
    Mistake(
        _says(lambda epsilon: 1 - _right(epsilon)),
        Wrong("You lie as often as you should tell the truth.", "Which is larger, e^ε or 1?", "upside-down"),
    ),
    Mistake(
        _says(lambda epsilon: 0.75),
        Wrong(
            "You tell the truth 75% of the time whatever ε is: that is the coin of the lesson, with ε = ln 3.",
            "The chance of the truth must follow ε.",
            "ignores-epsilon",
        ),
    ),
    Mistake(
        _says(lambda epsilon: 0.5),
        Wrong(
            "Your answers say nothing about the truth.", "A fair coin keeps every secret, and the count too.", "useless"
        ),
    ),
    Mistake(
        _says(lambda epsilon: 1.0),
        Wrong("You always tell the truth.", "Where is the coin?", "always-true"),
    ),
    Mistake(
        _says(lambda epsilon: 1 - math.exp(-epsilon)),
        Wrong(
            "You tell the truth with probability 1 − e^(−ε). The ratio of truth to lie is then e^ε − 1.",
            "The ratio has to be e^ε: truth + lie = 1 and truth/lie = e^ε.",
            "wrong-ratio",
        ),
    ),
    Mistake(
        _says(lambda epsilon: 1.0, _right),
        Wrong(
            "Whoever means yes always says yes, so a no gives away whoever says it.",
            "Both answers need the coin.",
            "one-sided",
        ),
    ),
    Mistake(
        _says(_right, lambda epsilon: 1.0),
        Wrong(
            "Whoever means no always says no, so a yes gives away whoever says it.",
            "Both answers need the coin.",
            "one-sided",
        ),
    ),
    Mistake(_says(lambda epsilon: 1.0, lambda epsilon: 0.0), CONSTANT),
    Mistake(_says(lambda epsilon: 0.0, lambda epsilon: 1.0), CONSTANT),
)


def _returns_boolean(answer: Answer, trial: Trial) -> Wrong | None:
    """A boolean comes back, drawn from the generator given. (A right coin may well repeat itself 20 times.)"""
    for seed in trial.rng.integers(2**32, size=40).tolist():
        truth, epsilon = _question(trial.rng)
        results = [answer(truth, epsilon, rng=np.random.default_rng(seed)) for _ in range(2)]
        for result in results:
            if result is None:
                return Wrong("Your function returns nothing (None).", "Is a `return` missing?", "returns-nothing")
            if not isinstance(result, bool | np.bool_):
                return Wrong(f"True or False is wanted; you return a {type(result).__name__}.", "", "wrong-type")
        if results[0] != results[1]:
            return Wrong(
                "Your function draws from a generator of its own: the same `rng` gave different results.",
                "Draw from the `rng` you are given (rng.random()).",
                "own-generator",
            )
    return None


def _asked(epsilon: float, runs: int) -> Frequencies:
    return Frequencies(
        inputs=lambda rng: (epsilon, _says(_right)(epsilon)),
        call=_both,
        runs=runs,
        mistakes=_COINS,
        hint="Solve truth + lie = 1 and truth/lie = e^ε.",
    )


COIN = (
    _returns_boolean,
    # At ε = 0.85 the known mistakes lie 0.05 or more apart in their chance of the truth: 8000 askings separate them.
    _asked(0.85, 8000),
    _asked(1.6, 3000),
    Audited(
        pairs=lambda rng: (True, False),
        claim=Guarantee(1.2, 0.0, Neighbours.REPLACE_ONE),
        runs=4000,
        call=lambda answer, truth, rng: bool(answer(truth, 1.2, rng=rng)),
        hint="The ratio of P[yes | yes] to P[yes | no] may be e^ε at most, and so may that of the noes.",
    ),
)

# 02.2 and 02.3: two distributions on the same few outputs


def _two_distributions(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    size = int(rng.integers(3, 7))
    return rng.dirichlet(np.full(size, 2.0)), rng.dirichlet(np.full(size, 2.0))


def _sometimes_impossible(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two distributions; sometimes an output is impossible under one of them, and one is always impossible."""
    p, q = _two_distributions(rng)
    if rng.random() < 0.3:
        side = (p, q)[int(rng.integers(2))]
        side[0] = 0
        side /= side.sum()
    return np.append(p, 0.0), np.append(q, 0.0)


def _loss(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """ln(p/q) where p > 0; what cannot happen under p does not count."""
    with np.errstate(divide="ignore"):
        return np.log(p[p > 0]) - np.log(q[p > 0])


def _epsilon(p: np.ndarray, q: np.ndarray) -> float:
    return float(max(_loss(p, q).max(), _loss(q, p).max()))


def _finite_epsilon(p: np.ndarray, q: np.ndarray) -> float:
    both = (p > 0) & (q > 0)
    return float(np.abs(np.log(p[both]) - np.log(q[both])).max())


_ONE_WAY = Wrong(
    "You compare p with q only. The data may be either of the two.",
    "Do the same with q and p exchanged, and take the worse.",
    "one-direction",
)

EPSILON = (
    Equals(
        _sometimes_impossible,
        expected=_epsilon,
        times=24,
        mistakes=(
            Mistake(lambda p, q: _loss(p, q).max(), _ONE_WAY),
            Mistake(lambda p, q: _loss(q, p).max(), _ONE_WAY),
            Mistake(
                _finite_epsilon,
                Wrong(
                    "An output that one dataset can give and the other cannot is left out. It settles the matter.",
                    "What is ln(p/q) when q is 0 and p is not?",
                    "ignores-impossible",
                ),
            ),
            Mistake(
                lambda p, q: np.exp(_epsilon(p, q)),
                Wrong("That is the largest ratio, e^ε.", "ε is its logarithm.", "no-logarithm"),
            ),
            Mistake(
                lambda p, q: max(float(p[p > 0] @ _loss(p, q)), float(q[q > 0] @ _loss(q, p))),
                Wrong(
                    "That is the average loss. A promise to everybody is about the worst output, however rare.",
                    "Take the largest instead of the mean.",
                    "average",
                ),
            ),
            Mistake(
                lambda p, q: float(np.abs(p - q).max()),
                Wrong("You compare differences of probabilities.", "ε is about their ratios.", "difference"),
            ),
        ),
    ),
)


def _with_epsilon(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, float]:
    return (*_sometimes_impossible(rng), float(rng.uniform(0.05, 0.6)))


def _hockey(p: np.ndarray, q: np.ndarray, epsilon: float) -> float:
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


def _exceeds(p: np.ndarray, q: np.ndarray, epsilon: float) -> float:
    return max(float(p[p > math.exp(epsilon) * q].sum()), float(q[q > math.exp(epsilon) * p].sum()))


def _largest_single(p: np.ndarray, q: np.ndarray, epsilon: float) -> float:
    scale = math.exp(epsilon)
    return max(float((p - scale * q).max()), float((q - scale * p).max()), 0.0)


DELTA = (
    Equals(
        _with_epsilon,
        expected=lambda p, q, epsilon: max(_hockey(p, q, epsilon), _hockey(q, p, epsilon)),
        times=24,
        mistakes=(
            Mistake(_hockey, _ONE_WAY),
            Mistake(lambda p, q, epsilon: _hockey(q, p, epsilon), _ONE_WAY),
            Mistake(
                _exceeds,
                Wrong(
                    "That is the chance that the loss exceeds ε. δ is smaller: of each such output it counts only "
                    "what e^ε times the other probability leaves over.",
                    "Sum p − e^ε q over these outputs, not p.",
                    "chance-of-exceeding",
                ),
            ),
            Mistake(
                _largest_single,
                Wrong(
                    "You look at one output at a time. The definition speaks of sets of outputs.",
                    "Which set makes P(S) − e^ε Q(S) largest? Sum over it.",
                    "single-outputs",
                ),
            ),
            Mistake(
                lambda p, q, epsilon: float(np.sum(p - math.exp(epsilon) * q)),
                Wrong(
                    "You sum over every output, also where p − e^ε q is negative: that gives 1 − e^ε.",
                    "The attacker chooses the set: leave the negative ones out.",
                    "not-clipped",
                ),
            ),
            Mistake(
                lambda p, q, epsilon: float(np.maximum(p - q, 0).sum()),
                Wrong("That is δ at ε = 0.", "Where does ε enter?", "ignores-epsilon"),
            ),
        ),
    ),
)

# 02.4 to 02.6: what the claim leaves


def _claim_and_rate(rng: np.random.Generator) -> tuple[float, float, float]:
    epsilon = float(rng.uniform(0.1, 3))
    # Rates on either side of the corner, so that both branches are met.
    return epsilon, float(rng.choice([0.0, 1e-3, 0.05])), float(rng.choice([rng.uniform(0, 0.1), rng.uniform(0.4, 1)]))


def _first_branch(epsilon: float, delta: float, fpr: float) -> float:
    return math.exp(epsilon) * fpr + delta


POWER = (
    Equals(
        _claim_and_rate,
        expected=dp_roc_bound,
        times=24,
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

EXERCISES = (
    Exercise("02.1", "A coin for any ε", COIN, call="coin(answer, epsilon, rng)"),
    Exercise("02.2", "The exact ε of two distributions", EPSILON, call="exact_epsilon(p, q)"),
    Exercise("02.3", "The exact δ at a given ε", DELTA, call="exact_delta(p, q, epsilon)"),
    Exercise("02.4", "The best attack a claim allows", POWER, call="largest_tpr(epsilon, delta, fpr)"),
    Exercise("02.5", "How far a belief can rise", BELIEF, call="largest_belief(prior, epsilon)"),
    Exercise("02.6", "A household of k", GROUP, call="group_claim(epsilon, delta, k)"),
)
