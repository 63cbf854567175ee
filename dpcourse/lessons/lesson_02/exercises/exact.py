"""The exercise on the smallest ε of two distributions on the same few outputs, at a given δ."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import between, whole

_TWENTIETHS, _OUTPUTS = 20, (2, 7)


def _distribution(rng: np.random.Generator, outputs: int) -> np.ndarray:
    """So many outputs, all possible, in twentieths."""
    return 1 + rng.multinomial(_TWENTIETHS - outputs, [1 / outputs] * outputs)


def _delta(rng: np.random.Generator) -> float:
    """None, a small one, or a large one; no sum of chances equals it but for rounding."""
    return (0.0, between(rng, 1e-6, 1e-2), *rng.uniform(0.02, 0.3, size=4).tolist())[rng.integers(6)]


def _with_delta(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, float]:
    """Two distributions; in one draw of three an output is impossible under one of them, and rare under the other."""
    outputs = int(rng.integers(_OUTPUTS[0], _OUTPUTS[1] + 1))
    p, q = _distribution(rng, outputs), _distribution(rng, outputs)
    if rng.random() < 1 / 3:
        for side, most in zip((p, q) if rng.random() < 0.5 else (q, p), (0, int(rng.integers(1, 5))), strict=True):
            side[1] += side[0] - min(side[0], most)
            side[0] = min(side[0], most)
    return p / _TWENTIETHS, q / _TWENTIETHS, _delta(rng)


def _any_outputs(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, float]:
    """Two distributions, no twentieths, on so few outputs that all sets of them can be tried; half of the time each
    side has an impossible one, and else mostly one so rare that ε is 8 to 16."""
    outputs = whole(rng, 2, 12)
    p, q = (0.99 * rng.dirichlet(np.ones(outputs)) + 0.01 / outputs for _ in range(2))
    if rng.random() < 0.5:
        p[0], q[-1] = 0, 0
    elif rng.random() < 0.75:
        p[0], q[0] = rng.permutation((0.5, 10 ** -rng.uniform(4, 7)))
    return p / p.sum(), q / q.sum(), 0.0 if rng.random() < 0.2 else between(rng, 1e-9, 0.5)


def _over(p: np.ndarray, q: np.ndarray, delta: float) -> float:
    """One direction: the largest ln((P(S) − δ) / Q(S)), over sets S of the outputs with the largest ratios."""
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.where(q > 0, p / np.where(q > 0, q, 1), np.inf))
        left, under = np.cumsum(p[order]) - delta, np.cumsum(q[order])
        return float(np.log(np.where(left > 1e-12, left / under, 0)).max())  # where δ covers all, nothing is asked


def smallest(p: np.ndarray, q: np.ndarray, delta: float) -> float:
    """The smallest ε ≥ 0 at which both directions hold with this δ.

    Examples
    --------
    >>> round(smallest(np.array([0.75, 0.25]), np.array([0.25, 0.75]), 0.0), 4)
    1.0986
    >>> round(smallest(np.array([0.75, 0.25]), np.array([0.25, 0.75]), 0.25), 4)  # ln(0.5 / 0.25)
    0.6931
    """
    return max(_over(p, q, delta), _over(q, p, delta), 0.0)


def _signed(p: np.ndarray, q: np.ndarray, delta: float) -> float:
    return max(_over(p, q, delta), _over(q, p, delta))


def _single(p: np.ndarray, q: np.ndarray, delta: float) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.concatenate([(p - delta) / q, (q - delta) / p])
        return max(float(np.log(np.maximum(ratios, 1e-300)).max()), 0.0)


def _single_one_way(p: np.ndarray, q: np.ndarray, delta: float) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        return max(float(np.log(np.maximum((p - delta) / q, 1e-300)).max()), 0.0)


def _rarely_exceeded(p: np.ndarray, q: np.ndarray, delta: float) -> float:
    """The smallest loss that is exceeded with probability δ at most, in both directions."""

    def one_way(p: np.ndarray, q: np.ndarray) -> float:
        with np.errstate(divide="ignore"):
            loss = np.log(p[p > 0]) - np.log(q[p > 0])
        candidates = [0.0, *loss[loss > 0]]
        return min(x for x in candidates if p[p > 0][loss > x + 1e-12].sum() <= delta)

    return max(one_way(p, q), one_way(q, p))


def _finite(p: np.ndarray, q: np.ndarray, delta: float) -> float:
    """The same over the outputs that both datasets can produce."""
    both = (p > 0) & (q > 0)
    return smallest(p[both], q[both], delta)


def _where_finite(p: np.ndarray, q: np.ndarray, delta: float) -> float:
    right = smallest(p, q, delta)
    return right if math.isfinite(right) else _finite(p, q, delta)


def _infinite_with_any_zero(p: np.ndarray, q: np.ndarray, delta: float) -> float:
    return smallest(p, q, delta) if (p > 0).all() and (q > 0).all() else math.inf


def _left(p: np.ndarray, q: np.ndarray, epsilon: float) -> float:
    """One direction: what e^ε·q does not cover of p."""
    return float(np.maximum(p - np.exp(epsilon) * q, 0).sum())


def _both_added(p: np.ndarray, q: np.ndarray, delta: float) -> float:
    """The ε at which what is left over in the two directions together comes down to δ."""

    def left(epsilon: float) -> float:
        return _left(p, q, epsilon) + _left(q, p, epsilon) - delta - 1e-12

    if left(0.0) <= 0:
        return 0.0
    return float(brentq(left, 0.0, 60.0, xtol=1e-12)) if left(60.0) < 0 else math.inf


def _searched(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A search that ends too early: where no ε helps it gives its upper end, elsewhere a step of its grid."""
    p, q = np.array([0.5, 0.5]), np.array([0.0, 1.0])
    ends = [float(np.asarray(answer(p.copy(), q.copy(), delta))) for delta in (0.1, 0.2)]
    if ends[0] == ends[1] and 4 <= ends[0] < math.inf:
        return Diagnosis(
            "end-of-search",
            f"With p = [0.5, 0.5], q = [0, 1] and delta = 0.1 you give {ends[0]:g}, and the same at delta = 0.2: "
            "where your search ends, or where exp overflows.",
            "Does the claim hold at that ε? What does the exercise ask for if it holds at none?",
        )
    drawn = [_with_delta(chance.rng) for _ in range(40)]
    right = [smallest(*some) for some in drawn]
    given = [float(np.asarray(answer(*(np.copy(x) for x in some[:2]), some[2]))) for some in drawn]
    off = [abs(got - wanted) for got, wanted in zip(given, right, strict=True) if math.isfinite(wanted)]
    places = [place for place, (got, wanted) in enumerate(zip(given, right, strict=True)) if got != wanted]
    if all(math.isfinite(got) == math.isfinite(wanted) for got, wanted in zip(given, right, strict=True)) and (
        2e-5 < max(off) < 0.11
    ):
        worst = max((p for p in places if math.isfinite(right[p])), key=lambda place: abs(given[place] - right[place]))
        return Diagnosis(
            "too-coarse",
            f"Your ε is nearly right: {given[worst]:.6g} where {right[worst]:.6g} is the smallest. It has to be right "
            "to 0.01%.",
            "How far apart are the ε that you try? Once you know between which two of them the right one lies, how do "
            "you come closer?",
        )
    return None


_IMPOSSIBLE = Diagnosis(
    "ignores-impossible",
    "With p = [0.5, 0.5], q = [0, 1] and delta = 0.1 you give a finite ε: the first output is left out. Only one of "
    "the datasets can produce it, and it does so half of the time.",
    "By how much is P[M(D) ∈ S] ≤ e^ε P[M(D′) ∈ S] + δ broken for this output, whatever ε is?",
)
_ONE_WAY = Diagnosis(
    "one-direction",
    "You compare p and q one way round only.",
    "May D and D′ change places in the definition? Which ε satisfies both?",
)

_FORMULA = Equals(
    _with_delta,
    expected=smallest,
    times=120,
    rtol=1e-4,
    atol=1e-5,
    wide=_any_outputs,
    mistakes=(
        Mistake.told(_ONE_WAY, lambda p, q, delta: max(_over(p, q, delta), 0.0)),
        Mistake.told(_ONE_WAY, lambda p, q, delta: max(_over(q, p, delta), 0.0)),
        Mistake.told(_ONE_WAY, _single_one_way),
        Mistake(
            "ignores-delta",
            lambda p, q, delta: smallest(p, q, 0.0),
            "That is the ε at δ = 0. A δ makes room for a smaller one.",
            "At which ε does the lesson's exact_delta come down to this δ?",
        ),
        Mistake(
            "negative",
            _signed,
            "Your ε is negative where δ already covers the whole difference.",
            "What is the smallest ε that a claim can have?",
        ),
        Mistake(
            "no-logarithm",
            lambda p, q, delta: math.exp(smallest(p, q, delta)),
            "That is the ratio, e^ε.",
            "What is ε itself?",
        ),
        Mistake(
            "single-outputs",
            _single,
            "You look at one output at a time. With δ > 0, two outputs together may be worse than either.",
            "δ is spent once, on a whole set of outputs. Which set?",
        ),
        Mistake(
            "chance-of-exceeding",
            _rarely_exceeded,
            "You ask that the ratio exceeds e^ε with probability δ at most. The definition asks for less.",
            "Which part of an output's probability counts, if its ratio is just above e^ε?",
        ),
        Mistake(
            "infinite-too-early",
            _infinite_with_any_zero,
            "You give infinity whenever some output is impossible on one side. With p = [0.1, 0.9], q = [0, 1] "
            "and delta = 0.2 the claim holds even at ε = 0.",
            "How likely is the output that only one side can produce, and how much of it does δ cover?",
        ),
        Mistake(
            "directions-added",
            _both_added,
            "You add what is left over in both directions.",
            "The definition is one inequality for each direction. Does δ stand in each of them?",
        ),
        Mistake(
            "wrong-value",
            lambda p, q, delta: max(_left(p, q, delta), _left(q, p, delta)),
            "That is the smallest δ at ε = `delta`.",
            "You are given δ, and ε is wanted. At which ε does exact_delta come down to this δ?",
        ),
        Mistake.told(_IMPOSSIBLE, _where_finite),
        Mistake.told(_IMPOSSIBLE, _finite),
    ),
)


def _smallest_epsilon(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The formula; where no formula explains the answer, perhaps a search that ends too early does."""
    wrong = _FORMULA(answer, chance)
    return _searched(answer, chance) or wrong if wrong is not None and wrong.key == "wrong-value" else wrong


EPSILON = (_smallest_epsilon,)
