"""Exercises of lesson 09: noise for a model, noise for an objective, and what one person moves in a vote.

Data are drawn anew for every check. Answers draw their noise in floats, so audits look at rounded statistics: the hole
in the low bits is lesson 14's.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Case, Exercise, Trial, Wrong
from dpcourse.checks.cases import Audited, Equals, Mistake, Returns, Useful
from dpcourse.privacy import Guarantee, Neighbours

# 09.1 Noise for a model


def _model(rng: Generator) -> tuple[np.ndarray, int, float, float]:
    """Weights, n, λ, ε: λ below 0.1 and ε away from 1, so that a forgotten one shows."""
    epsilon = float(rng.uniform(0.4, 0.7) if rng.random() < 0.5 else rng.uniform(1.6, 2.5))
    weights = rng.normal(size=int(rng.integers(9, 14)))
    return weights, int(rng.integers(100, 1000)), float(10 ** rng.uniform(-3, -1)), epsilon


def _moved_model(rng: Generator) -> tuple[Any, Any]:
    """Minimisers that are as far apart as neighbours' can be, along a diagonal; ε = 1. Both sides hold both."""
    weights, n, lam, _ = _model(rng)
    signs = rng.choice([-1.0, 1.0], len(weights))
    other = weights + signs / math.sqrt(len(weights)) * 2 / (n * lam)
    return (weights, weights, other, n, lam), (other, weights, other, n, lam)


def _nearer(order: int):
    """How much nearer the noisy weights are to one minimiser than to the other, in that norm, in sensitivities."""

    def call(answer: Answer, data: Any, rng: Generator) -> float:
        weights, one, other, n, lam = data
        noisy = np.asarray(answer(weights, n, lam, 1.0, rng=rng), dtype=float)
        difference = np.linalg.norm(noisy - one, order) - np.linalg.norm(noisy - other, order)
        return round(float(difference) * n * lam / 2, 3)

    return call


_NOISE_WRONG = {
    "laplace-coordinates": Wrong(
        "You add Laplace noise to every weight, with the L2 sensitivity as its scale. Laplace noise needs the L1 "
        "sensitivity, and a move of length Δ along a diagonal is Δ√d in L1.",
        "Draw one length, Gamma-distributed, and one direction for the whole vector.",
        "laplace-coordinates",
    ),
    "exponential-length": Wrong(
        "The length of your noise is exponential, as in one dimension. A sphere of radius r has surface ∝ r^(d−1), so "
        "that a density e^(−r/s) in space has a Gamma(d) length; yours piles up at the truth.",
        "Which shape does the Gamma distribution of the length have?",
        "exponential-length",
    ),
    "half-sensitivity": Wrong(
        "Your noise is half as long as it must be. Replacing a record takes one gradient of length 1 away and puts "
        "another in its place: 2/n, not 1/n.",
        "The sensitivity is 2/(nλ).",
        "half-sensitivity",
    ),
    "no-lambda": Wrong(
        "Your noise does not depend on λ: that is the sensitivity of the gradient, 2/n, not of the minimiser.",
        "Divide by λ: it is what holds the minimiser back.",
        "no-lambda",
    ),
    "upside-down": Wrong(
        "Your noise grows with ε.", "More ε means less noise: the scale of the length is 2/(nλε).", "upside-down"
    ),
    "gaussian": Wrong(
        "Your noise is Gaussian, and no Gaussian noise gives a pure ε: its tails fall faster than e^(−ε‖b‖/Δ).",
        "The density asked for is ∝ exp(−nλε‖b‖₂/2): a Gamma length, a uniform direction.",
        "gaussian",
    ),
    "direction": Wrong(
        "The length of your noise is right, but its direction is not uniform: some directions are more likely.",
        "A vector of independent normal numbers, divided by its length, points everywhere alike.",
        "direction",
    ),
    "not-useful": Wrong(
        "Your noise has the right shape and is longer than it needs to be.",
        "The length has mean d · 2/(nλε). Is there a factor too many?",
        "not-useful",
    ),
}


def _noise(answer: Answer, rng: Generator, runs: int) -> tuple[np.ndarray, float, float, float]:
    """Noise vectors of an answer on one input, of shape (runs, d), with its right scale, its λ and its ε."""
    weights, n, lam, epsilon = _model(rng)
    drawn = [np.asarray(answer(weights.copy(), n, lam, epsilon, rng=rng), dtype=float) for _ in range(runs)]
    return np.array(drawn) - weights, 2 / (n * lam * epsilon), lam, epsilon


def _density(answer: Answer, trial: Trial) -> Wrong | None:
    """Length and direction against their distributions, each by a Kolmogorov–Smirnov test."""
    noise, scale, lam, epsilon = _noise(answer, trial.rng, 1500)
    d, level = noise.shape[1], trial.failure / 2
    lengths = np.linalg.norm(noise, axis=1)
    if not lengths.all():
        return Wrong("Some of your noise is exactly zero.", "Where does it come in?", "no-noise")

    def fits(values: np.ndarray, distribution: Any) -> bool:
        return stats.kstest(values, distribution.cdf).pvalue > level

    # A uniform direction's coordinate, mapped to [0, 1]. One coordinate of many, drawn by row, sees a bias in any.
    one = noise[np.arange(len(noise)), trial.rng.integers(d, size=len(noise))] / lengths
    uniform = fits((1 + one) / 2, stats.beta((d - 1) / 2, (d - 1) / 2))
    if uniform and fits(lengths, stats.gamma(d, scale=scale)):
        return None
    flat, mean = noise[:, 0], lengths.mean()
    specific = {
        "laplace-coordinates": (flat, stats.laplace(scale=scale)),
        "exponential-length": (lengths, stats.expon(scale=scale)),
        "half-sensitivity": (lengths, stats.gamma(d, scale=scale / 2)),
        "no-lambda": (lengths, stats.gamma(d, scale=scale * lam)),
        "upside-down": (lengths, stats.gamma(d, scale=scale * epsilon**2)),
        "direction": (lengths, stats.gamma(d, scale=scale)),
    }
    likely = {key: stats.kstest(values, wrong.cdf).pvalue for key, (values, wrong) in specific.items()}
    named = max(likely, key=lambda key: likely[key])
    if likely[named] > level:
        return _NOISE_WRONG[named]
    if mean > 1.1 * d * scale and fits(lengths, stats.gamma(d, scale=mean / d)):
        return _NOISE_WRONG["not-useful"]
    if fits(flat, stats.norm(scale=np.sqrt((noise**2).mean()))):
        return _NOISE_WRONG["gaussian"]
    return Wrong(
        f"The length of your noise has mean {mean:.3g} where {d * scale:.3g} is right for d = {d}, and is "
        "not distributed as it should be.",
        "The density asked for is ∝ exp(−nλε‖b‖₂/2): a Gamma length, a uniform direction.",
        "wrong-distribution",
    )


def _name_noise(answer: Answer, trial: Trial, _: Any) -> Wrong | None:
    return _density(answer, trial)


_REPLACED = Guarantee(1.0, neighbours=Neighbours.REPLACE_ONE)

PERTURB: tuple[Case, ...] = (
    Returns(_model, what="array", shape=lambda weights, *_: weights.shape),
    *(
        Audited(
            _moved_model,
            _REPLACED,
            runs=4000,
            call=_nearer(order),
            diagnose=_name_noise,
            hint="One record moves the minimiser by up to 2/(nλ) in L2. Is that in the length of the noise?",
            key="too-little-noise",
        )
        for order in (1, 2)
    ),
    _density,
)

# 09.2 Where ε goes


def _objective(rng: Generator) -> tuple[float, int, float]:
    """ε, n, λ: either plenty of λ or far too little."""
    epsilon, n = float(rng.uniform(0.2, 3)), int(rng.integers(50, 5000))
    enough = 0.25 / (n * math.expm1(epsilon / 4))
    factor = rng.uniform(1.5, 20) if rng.random() < 0.5 else rng.uniform(0.1, 0.8)
    return epsilon, n, float(enough * factor)


def _share(epsilon: float, n: int, lam: float, *, c: float = 0.25, times: int = 2, least: float = 0.5) -> tuple:
    used = lam
    if epsilon - 2 * math.log1p(c / (n * lam)) < least * epsilon:
        used = c / (n * math.expm1(epsilon / 4))
    return used, epsilon - times * math.log1p(c / (n * used))


SHARE = (
    Equals(
        _objective,
        expected=_share,
        times=40,
        mistakes=(
            Mistake(
                lambda epsilon, n, lam: (lam, epsilon),
                Wrong(
                    "You spend all of ε on the noise. But w is a curved function of the noise, and its Jacobian "
                    "depends on the replaced record: that costs 2 ln(1 + c/(nλ)).",
                    "Take that part away first.",
                    "no-jacobian",
                ),
            ),
            Mistake(
                lambda epsilon, n, lam: _share(epsilon, n, lam, times=1),
                Wrong(
                    "You subtract ln(1 + c/(nλ)) once. The bound is its square: the Hessian loses one record's part "
                    "and gains another's.",
                    "2 ln(1 + c/(nλ)).",
                    "once",
                ),
            ),
            Mistake(
                lambda epsilon, n, lam: (lam, epsilon - 2 * math.log1p(0.25 / (n * lam))),
                Wrong(
                    "Where λ is small you leave less than half of ε for the noise, or even a negative amount.",
                    "Raise λ until 2 ln(1 + c/(nλ)) = ε/2, and solve for λ.",
                    "never-raised",
                ),
            ),
            Mistake(
                lambda epsilon, n, lam: _share(epsilon, n, lam, least=0.0),
                Wrong(
                    "You raise λ only where nothing would be left of ε, as the paper does. That is private, but next "
                    "to that point nearly nothing is left, and the noise is enormous.",
                    "Raise λ as soon as less than ε/2 would be left.",
                    "raised-late",
                ),
            ),
            Mistake(
                lambda epsilon, n, lam: _share(epsilon, n, lam, c=1.0),
                Wrong(
                    "You take 1 for the bound on the curvature; the logistic loss has σ(t)(1 − σ(t)) ≤ 1/4.",
                    "c = 1/4.",
                    "curvature-one",
                ),
            ),
            Mistake(
                lambda epsilon, n, lam: _share(epsilon, 1, lam),
                Wrong(
                    "n is missing: the loss is an average, so that one record's curvature counts 1/n.",
                    "c/(nλ), not c/λ.",
                    "no-n",
                ),
            ),
        ),
    ),
)

# 09.3 What one person moves

_MOVES = {"add-remove": (1.0, math.sqrt(2), 2.0), "replace-one": (2.0, 2 * math.sqrt(2), 4.0)}
_QUANTITIES = ("the largest count", "the counts in L2", "the counts in L1")
_KNOWN_MOVES = (
    ("add-remove", 0, 2.0, Wrong(
        "Adding a record moves one vote, so every count moves by one at most, and so does the largest.",
        "From which count to which does the vote go?", "largest-doubled")),
    ("add-remove", 2, 1.0, Wrong(
        "You say that one person moves the counts by 1 in L1. A teacher always votes: the vote that one count gains, "
        "another loses.", "Write the counts before and after below each other, and subtract.", "sensitivity-one")),
    ("add-remove", 1, 1.0, Wrong(
        "You say that one person moves the counts by 1 in L2. Two counts move, by one each: √(1² + 1²).",
        "The vote that one count gains, another loses.", "one-count-moves")),
    ("add-remove", 1, 2.0, Wrong(
        "That is the move in L1; in L2 squares are added and the root is taken.", "√(1² + 1²)", "l1-for-l2")),
    ("replace-one", 2, 2.0, Wrong(
        "Under replace-one you count one teacher. The old record sat in one part and the new one may sit in another: "
        "two teachers can change their votes.", "Two votes move. Where can they go?", "one-teacher")),
    ("replace-one", 1, 2.0, Wrong(
        "You let the two votes move between four different counts: √(1 + 1 + 1 + 1). They can go the same way, and "
        "then two counts move by two each.", "√(2² + 2²)", "votes-apart")),
    ("replace-one", 0, 1.0, Wrong(
        "Two teachers can change their votes to the same class, and then its count moves by two.",
        "Start from a tie.", "largest-of-one")),
)  # fmt: skip


def _vote_moves(answer: Answer, trial: Trial) -> Wrong | None:
    got = {}
    for relation in trial.rng.permutation(list(_MOVES)):
        result = answer(str(relation))
        if result is None:
            return Wrong("Your function returns nothing (None).", "Is a `return` missing?", "returns-nothing")
        try:
            got[str(relation)] = np.asarray(result, dtype=float)
        except (TypeError, ValueError):
            return Wrong(f"Three numbers are wanted; you return {result!r}.", "", "wrong-type")
        if got[str(relation)].shape != (3,):
            return Wrong("Three numbers are wanted: largest count, L2, L1.", "", "wrong-shape")
    for relation, place, value, wrong in _KNOWN_MOVES:
        if np.isclose(got[relation][place], value):
            return wrong
    for relation, right in _MOVES.items():
        for place, name in enumerate(_QUANTITIES):
            if not np.isclose(got[relation][place], right[place], rtol=1e-3):
                return Wrong(
                    f"Under {relation} you say that {name} can move by {got[relation][place]:.4g}.",
                    "Take six teachers and two classes, and try all pairs of votes.",
                    "wrong-value",
                )
    return None


# 09.4 The winner, with noise

_EPSILON = 2.0


def _tie(rng: Generator) -> tuple[np.ndarray, float]:
    """Eight classes tied in front, others far behind: noise decides, and without it the first of the eight wins."""
    top = int(rng.integers(60, 90))
    return rng.permutation(np.repeat([top, top - 50], [8, int(rng.integers(10, 14))])), _EPSILON


def _shuffled(counts: tuple[int, ...], order: np.ndarray) -> np.ndarray:
    return np.array(counts)[order]


def _gap(low: int, base: int | None = None):
    """A vote won by `low` votes, and the same after one teacher changed: by two more."""

    def pairs(rng: Generator) -> tuple[Any, Any]:
        middle = int(rng.integers(20, 60)) if base is None else base
        order = rng.permutation(2)
        near, far = (middle + low, middle), (middle + low + 1, middle - 1)
        return _shuffled(near, order), _shuffled(far, order)

    return pairs


def _call_vote(answer: Answer, votes: np.ndarray, rng: Generator) -> int:
    return int(answer(votes, _EPSILON, rng=rng))


def _clear(rng: Generator) -> tuple[Any, Any]:
    """Won by four votes or six, with both orders of the classes."""
    return _gap(4)(rng)


def _upset(scale: float, gap: float) -> float:
    """P[the loser wins] when both counts get Laplace noise of this scale."""
    return math.exp(-gap / scale) * (2 + gap / scale) / 4


def _name_vote(answer: Answer, trial: Trial, _: Any) -> Wrong | None:
    runs = 4000
    votes = np.array([31, 29])
    upsets = sum(_call_vote(answer, votes, trial.rng) == 1 for _ in range(runs))
    if stats.binomtest(upsets, runs, _upset(1 / _EPSILON, 2)).pvalue > 1e-4:
        return Wrong(
            "The scale of your noise is 1/ε: enough if one person moved one count by one. But the vote that one count "
            f"gains, another loses, and your real ε is up to {2 * _EPSILON:g}, not {_EPSILON:g}.",
            "The L1 sensitivity of the counts is 2.",
            "sensitivity-one",
        )
    return None


NOISY_WINNER = (
    Returns(_tie, what="integer", among=lambda votes, epsilon: range(len(votes))),
    Audited(
        _gap(0),
        Guarantee(_EPSILON),
        runs=8000,
        call=_call_vote,
        diagnose=_name_vote,
        hint="How far can one person move the counts in L1? Is that in the scale, and nothing that makes it smaller?",
        key="too-little-noise",
    ),
    Audited(
        _gap(0, base=1),
        Guarantee(_EPSILON),
        runs=8000,
        call=_call_vote,
        hint="Does a class that nobody votes for get noise too?",
        key="empty-class-without-noise",
    ),
    Useful(
        _clear,
        truth=np.argmax,
        within=0.5,
        # Right: 97.3% and 99.5%. Twice the noise: 86.5% and 93.8%.
        at_least=0.96,
        runs=3000,
        call=_call_vote,
        hint="Noise of scale 2/ε on every count is enough. Is there more?",
    ),
)

# 09.5 The price of a PATE plan


def _plan(rng: Generator) -> tuple[int, int, float, float]:
    questions = int(rng.integers(200, 2000))
    answers = int(rng.integers(20, questions // 2))
    return questions, answers, float(rng.uniform(20, 400)), float(rng.uniform(10, 200))


def _priced(thresholds, votes):
    """ρ from the number of paid thresholds, and the ρ of one answer times σ₂²."""
    return lambda q, a, s1, s2: thresholds(q, a) / (2 * s1**2) + votes * a / s2**2


PRICE = (
    Equals(
        _plan,
        expected=_priced(lambda q, a: q, 1.0),
        mistakes=(
            Mistake(
                _priced(lambda q, a: q, 0.5),
                Wrong(
                    "You price an answer as if one count moved by one. Two counts move: Δ₂² = 2.",
                    "ρ = Δ₂²/(2σ²).",
                    "sensitivity-one",
                ),
            ),
            Mistake(
                _priced(lambda q, a: q, 2.0),
                Wrong(
                    "You price an answer with the L1 sensitivity 2. Gaussian noise goes by L2, which is √2.",
                    "ρ = Δ₂²/(2σ²).",
                    "l1-norm",
                ),
            ),
            Mistake(
                _priced(lambda q, a: a, 1.0),
                Wrong(
                    "You charge the threshold only for questions that were answered. “No answer” is an answer about "
                    "the teachers too.",
                    "Every question pays for its threshold.",
                    "silence-free",
                ),
            ),
            Mistake(
                _priced(lambda q, a: 0, 1.0),
                Wrong(
                    "Your threshold is free. Whether the teachers agree is a fact about the private data.",
                    "Every question pays for its threshold.",
                    "threshold-free",
                ),
            ),
            Mistake(
                lambda q, a, s1, s2: q / (2 * s1**2) + q / s2**2,
                Wrong(
                    "You charge a winner for every question. Only so many are ever named: that is what the threshold "
                    "is for.",
                    "Which of the two numbers counts the winners?",
                    "all-answered",
                ),
            ),
            Mistake(
                lambda q, a, s1, s2: q / (2 * s1) + a / s2,
                Wrong("Your σ's are not squared.", "ρ = Δ₂²/(2σ²).", "not-squared"),
            ),
        ),
    ),
)

EXERCISES = (
    Exercise("09.1", "Noise for a model", PERTURB, call="perturb(weights, n, lam, epsilon, rng)"),
    Exercise("09.2", "Where ε goes", SHARE, call="share(epsilon, n, lam)"),
    Exercise("09.3", "What one person moves", (_vote_moves,), call="vote_moves(neighbours)"),
    Exercise("09.4", "The winner, with noise", NOISY_WINNER, call="noisy_winner(votes, epsilon, rng)"),
    Exercise("09.5", "The price of a plan", PRICE, call="price(questions, answers, threshold_sigma, vote_sigma)"),
)
