"""The exercises on the exact ε and δ of two distributions on the same few outputs."""

from __future__ import annotations

import math

import numpy as np

from dpcourse.checks.base import Wrong
from dpcourse.checks.cases import Equals, Mistake


def _two_distributions(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    size = int(rng.integers(3, 7))
    return rng.dirichlet(np.full(size, 2.0)), rng.dirichlet(np.full(size, 2.0))


def _sometimes_impossible(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two distributions; sometimes an output is impossible under one of them, and one is always impossible."""
    p, q = _two_distributions(rng)
    if rng.random() < 0.5:
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


def _not_a_number(p: np.ndarray, q: np.ndarray) -> float:
    return math.nan  # ln(0/0), whenever an output is impossible on both sides; here one always is


_ONE_WAY = Wrong(
    "You compare p and q one way round only. The data may be either of the two.",
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
                _not_a_number,
                Wrong(
                    "You get NaN where an output is impossible on both sides (0/0), and it swallows the maximum.",
                    "Leave out the outputs with p = q = 0, and only those.",
                    "nan",
                ),
            ),
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
                lambda p, q, epsilon: _hockey(p, q, epsilon) + _hockey(q, p, epsilon),
                Wrong(
                    "You add the two directions up.",
                    "The data are either D or D′: take the worse of the two.",
                    "adds-directions",
                ),
            ),
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
