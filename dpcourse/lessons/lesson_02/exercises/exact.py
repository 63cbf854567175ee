"""The exercise on the smallest ε of two distributions on the same few outputs, at a given δ."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.checks.base import Wrong
from dpcourse.checks.cases import Equals, Mistake

# Chances in twentieths; a δ between two of them, so that no sum of chances equals it but for rounding.
_OUTPUTS, _TWENTIETHS, _DELTAS = 4, 20, (0.0, 0.07, 0.12, 0.22)


def _distribution(rng: np.random.Generator) -> np.ndarray:
    """Four outputs, all possible."""
    return (1 + rng.multinomial(_TWENTIETHS - _OUTPUTS, [1 / _OUTPUTS] * _OUTPUTS)) / _TWENTIETHS


def _with_delta(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, float]:
    """Two distributions; in one draw of three an output is impossible under one of them."""
    p, q = _distribution(rng), _distribution(rng)
    if rng.random() < 1 / 3:
        side = (p, q)[int(rng.integers(2))]
        side[1] += side[0]
        side[0] = 0
    return p, q, float(rng.choice(_DELTAS))


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


_IMPOSSIBLE = Wrong(
    "An output that only one dataset can produce is left out. If it is likelier than δ, no ε helps.",
    "Return infinity (np.inf) there.",
    "ignores-impossible",
)
_ONE_WAY = Wrong(
    "You compare p and q one way round only. The data may be either of the two.",
    "Do the same with q and p exchanged, and take the larger ε.",
    "one-direction",
)

EPSILON = (
    Equals(
        _with_delta,
        expected=smallest,
        times=120,
        rtol=1e-4,
        atol=1e-5,
        mistakes=(
            Mistake(lambda p, q, delta: max(_over(p, q, delta), 0.0), _ONE_WAY),
            Mistake(lambda p, q, delta: max(_over(q, p, delta), 0.0), _ONE_WAY),
            Mistake(
                lambda p, q, delta: smallest(p, q, 0.0),
                Wrong(
                    "That is the ε at δ = 0. A δ makes room for a smaller one.",
                    "For which ε does the sum of max(p − e^ε q, 0) fall to δ?",
                    "ignores-delta",
                ),
            ),
            Mistake(
                _signed,
                Wrong(
                    "Your ε is negative where δ already covers the whole difference.",
                    "ε is never below 0. What is the smallest ε there?",
                    "negative",
                ),
            ),
            Mistake(
                lambda p, q, delta: math.exp(smallest(p, q, delta)),
                Wrong("That is the ratio, e^ε.", "ε is its logarithm.", "no-logarithm"),
            ),
            Mistake(
                _single,
                Wrong(
                    "You look at one output at a time. With δ > 0, two outputs together may be worse than either.",
                    "δ is spent once, on a whole set of outputs. Which set?",
                    "single-outputs",
                ),
            ),
            Mistake(
                _rarely_exceeded,
                Wrong(
                    "You ask that the ratio exceeds e^ε with probability δ at most. The definition asks for less.",
                    "Of each output beyond e^ε, only the part p − e^ε q counts.",
                    "chance-of-exceeding",
                ),
            ),
            Mistake(_where_finite, _IMPOSSIBLE),
            Mistake(_finite, _IMPOSSIBLE),
        ),
    ),
)
