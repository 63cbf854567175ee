"""Mechanisms that choose: an answer that is not a number, or which of many questions to look at.

They compare numbers with float noise and release only the choice, so no low-order bit leaves. The comparison itself is
in floats: δ = 0 in a claim is that of exact arithmetic (events below about 1e-15 are not covered). OpenDP goes further
and narrows intervals around the noisy scores until they no longer overlap.

Only differences of scores count, and they are taken before anything is rounded: an integer beyond 2^53 is not a float,
and rounding it first would stretch the sensitivity.

Scores that are no finite numbers are refused. Such a refusal is itself an output that depends on the data, and no noise
covers it: make sure beforehand that scores are finite whatever the data are. The message says only what kind of array
was given, not what is in it.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpcourse.accounting import PrivacyLoss, renyi
from dpcourse.privacy import BudgetExhausted, Guarantee, Neighbours, arguments


@dataclass(frozen=True)
class _Selection:
    """What every selection mechanism shares: a pure-ε claim for scores of a given sensitivity."""

    epsilon: float
    sensitivity: float = 1.0
    monotonic: bool = False
    neighbours: Neighbours = Neighbours.ADD_REMOVE

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", arguments.positive("epsilon", self.epsilon))
        object.__setattr__(self, "sensitivity", arguments.positive("sensitivity", self.sensitivity))
        if not isinstance(self.monotonic, bool | np.bool_):
            raise TypeError(f"monotonic must be True or False, got {self.monotonic!r}")
        arguments.member("neighbours", self.neighbours, Neighbours)
        if self.monotonic and self.neighbours is not Neighbours.ADD_REMOVE:
            raise ValueError("monotonic scores need add-remove neighbours: a replaced record can move scores both ways")
        _check_scale(self.scale, self.sensitivity, self.epsilon)

    @property
    def guarantee(self) -> Guarantee:
        """ε-DP, with δ = 0."""
        return Guarantee(self.epsilon, 0.0, self.neighbours)

    @property
    def scale(self) -> float:
        """Scale of the noise that decides: 2Δ/ε, or Δ/ε for monotonic scores."""
        return (1 if self.monotonic else 2) * self.sensitivity / self.epsilon

    def privacy_loss(self) -> PrivacyLoss:
        """The loss of the worst ε-DP mechanism, which bounds this one."""
        return PrivacyLoss.pure(self.epsilon)

    def renyi_divergence(self, orders: np.ndarray) -> np.ndarray:
        """The divergence of the worst ε-DP mechanism at each order."""
        return renyi.pure(self.epsilon, orders)

    @property
    def zcdp(self) -> float:
        """ρ = ε²/2, as for any ε-DP mechanism (Bun & Steinke 2016, arXiv:1605.02065)."""
        return self.epsilon * self.epsilon / 2


@dataclass(frozen=True)
class ExponentialMechanism(_Selection):
    """Chooses candidate c with probability ∝ exp(ε u(c) / 2Δ): ε-DP (McSherry & Talwar 2007, doi:10.1109/FOCS.2007.66).

    Utilities that are no finite numbers are refused: an output that depends on the data, and no noise covers it.

    Parameters
    ----------
    epsilon : float
        ε in (0, ∞).
    sensitivity : float
        By how much one utility can move between neighbours, > 0.
    monotonic : bool
        True where adding a record can only raise utilities (or only lower them): then exp(ε u / Δ) is ε-DP too.
    neighbours : Neighbours
        The relation the sensitivity was computed for; `monotonic` needs add-remove.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Examples
    --------
    >>> mechanism = ExponentialMechanism(epsilon=2.0)
    >>> mechanism.probabilities([1e6, 1e6, -1e6]).round(3)
    array([0.5, 0.5, 0. ])
    >>> mechanism.select(["a", "b"], [0.0, 100.0], rng=0)
    'b'
    """

    def privacy_loss(self) -> PrivacyLoss:
        """The dominating pair of a loss with range ε: δ(a) = (1 − e^((a−ε)/2))²/(1 − e^−ε) (arXiv:1909.12830).

        The utilities decide where in [−ε, ε] the loss lies, and no data attain this δ at every a. So the pair composes
        to a bound, also for utilities chosen after earlier answers; for many choices `renyi_divergence` proves less.
        """
        return PrivacyLoss.bounded_range(self.epsilon)

    def renyi_divergence(self, orders: np.ndarray) -> np.ndarray:
        """The largest divergence that a loss with range ε can have at each order."""
        return renyi.bounded_range(self.epsilon, orders)

    @property
    def zcdp(self) -> float:
        """ρ = ε²/8: its loss has range ε, not 2ε (Cesar & Rogers 2021, arXiv:2004.07223)."""
        return self.epsilon * self.epsilon / 8

    def probabilities(self, utilities: Sequence[float] | np.ndarray) -> np.ndarray:
        """Probability of each candidate; the largest utility is subtracted first, so nothing overflows."""
        weights = np.exp(_below_best("utilities", utilities, self.scale))
        return weights / weights.sum()

    def select(self, candidates: Sequence[Any], utilities: Sequence[float] | np.ndarray, *, rng=None) -> Any:
        """One candidate, drawn with `probabilities` (the largest of utility plus Gumbel noise)."""
        rng = np.random.default_rng(rng)
        scores = _below_best("utilities", utilities, self.scale, len(candidates))
        return candidates[int(np.argmax(scores + rng.gumbel(size=scores.size)))]


@dataclass(frozen=True)
class NoisyMax(_Selection):
    """Adds Laplace(2Δ/ε) noise to every score and names the largest: ε-DP.

    Dwork & Roth 2014, doi:10.1561/0400000042, section 3.3.

    Only the winner may leave. Its noisy score is a second release and costs ε of its own.

    Laplace noise decides here, not the Gumbel noise that makes an `ExponentialMechanism`: the loss may have a range
    above ε (a tenth more beside 100 equal rivals), so it composes as any ε-DP mechanism does.

    Parameters and refusals as for `ExponentialMechanism`; monotonic scores need Laplace(Δ/ε) only.

    Examples
    --------
    >>> NoisyMax(epsilon=1.0).select(["red", "blue"], [0.0, 100.0], rng=0)
    'blue'
    """

    def select(self, candidates: Sequence[Any], scores: Sequence[float] | np.ndarray, *, rng=None) -> Any:
        """The candidate whose noisy score is largest."""
        rng = np.random.default_rng(rng)
        below = _below_best("scores", scores, self.scale, len(candidates))
        return candidates[int(np.argmax(below + rng.laplace(size=below.size)))]


@dataclass(frozen=True)
class AboveThreshold:
    """Says, query by query, whether it lies above a threshold, until it has said yes `max_hits` times: ε-DP in all.

    Algorithm 1 of Lyu, Su, Li 2017 (arXiv:1603.01699): Laplace(Δ/ε₁) on the threshold, once; Laplace(2cΔ/ε₂) on every
    query, c = max_hits; ε₁ + ε₂ = ε in the ratio 1 : (2c)^⅔ that their section 4.2 advises. Every "no" is free.

    Queries that are no finite numbers are refused: an output that depends on the data, and no noise covers it.

    Parameters
    ----------
    epsilon : float
        ε in (0, ∞), for the whole run however long.
    threshold : float
        Public, finite.
    sensitivity : float
        By how much one query can move between neighbours, > 0.
    max_hits : int
        How often it may say yes, ≥ 1.
    neighbours : Neighbours
        The relation the sensitivity was computed for.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Examples
    --------
    >>> sparse = AboveThreshold(epsilon=1.0, threshold=50.0)
    >>> sparse.answer([0.0, 0.0, 1000.0, 0.0], rng=0)
    array([False, False,  True])
    """

    epsilon: float
    threshold: float
    sensitivity: float = 1.0
    max_hits: int = 1
    neighbours: Neighbours = Neighbours.ADD_REMOVE

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", arguments.positive("epsilon", self.epsilon))
        threshold = arguments.real("threshold", self.threshold)
        if not np.isfinite(threshold):
            raise ValueError(f"threshold must be finite, got {self.threshold!r}")
        object.__setattr__(self, "threshold", threshold)
        object.__setattr__(self, "sensitivity", arguments.positive("sensitivity", self.sensitivity))
        object.__setattr__(self, "max_hits", arguments.integer("max_hits", self.max_hits, minimum=1))
        arguments.member("neighbours", self.neighbours, Neighbours)
        for scale in (self.threshold_scale, self.query_scale):
            _check_scale(scale, self.sensitivity, self.epsilon)

    @property
    def guarantee(self) -> Guarantee:
        """ε-DP, with δ = 0."""
        return Guarantee(self.epsilon, 0.0, self.neighbours)

    @property
    def threshold_scale(self) -> float:
        """Scale Δ/ε₁ of the noise on the threshold."""
        return self.sensitivity * (1 + (2 * self.max_hits) ** (2 / 3)) / self.epsilon

    @property
    def query_scale(self) -> float:
        """Scale 2cΔ/ε₂ of the noise on each query."""
        return 2 * self.max_hits * self.sensitivity * (1 + (2 * self.max_hits) ** (-2 / 3)) / self.epsilon

    def answer(self, queries: Iterable[float] | np.ndarray, *, rng=None) -> np.ndarray:
        """One complete run with fresh noise: booleans, ending with the `max_hits`-th True if there is one."""
        rng = np.random.default_rng(rng)
        queries = queries if isinstance(queries, np.ndarray) else list(queries)
        over = _minus("queries", queries, self.threshold)
        if over.ndim != 1:
            raise ValueError(f"queries must be one-dimensional, got shape {over.shape}")
        bar = rng.laplace(scale=self.threshold_scale)
        above = over + rng.laplace(scale=self.query_scale, size=over.size) >= bar
        hits = np.flatnonzero(above)
        return above[: hits[self.max_hits - 1] + 1] if hits.size >= self.max_hits else above

    def session(self, rng=None) -> AboveThresholdSession:
        """An interactive run: ask one query at a time, choosing each after seeing the answers before it."""
        return AboveThresholdSession(self, np.random.default_rng(rng))

    def privacy_loss(self) -> PrivacyLoss:
        """The loss of the worst ε-DP mechanism, which bounds the whole run."""
        return PrivacyLoss.pure(self.epsilon)

    def renyi_divergence(self, orders: np.ndarray) -> np.ndarray:
        """At each order α, the smaller of ρα and the divergence of the worst ε-DP mechanism."""
        orders = np.asarray(orders, dtype=float)
        return np.minimum(self.zcdp * orders, renyi.pure(self.epsilon, orders))

    @property
    def zcdp(self) -> float:
        """ρ = ε²/2, as for any ε-DP mechanism (Bun & Steinke 2016, arXiv:1605.02065)."""
        return self.epsilon * self.epsilon / 2


class AboveThresholdSession:
    """One run of `AboveThreshold`: it keeps its noisy threshold to itself and counts its hits."""

    def __init__(self, mechanism: AboveThreshold, rng: np.random.Generator) -> None:
        self.mechanism = mechanism
        self.hits = 0
        self._rng = rng
        self._noise = rng.laplace(scale=mechanism.threshold_scale)

    def ask(self, value: float) -> bool:
        """Is this query above the threshold? Raises `BudgetExhausted` once `max_hits` queries were."""
        if self.hits >= self.mechanism.max_hits:
            hits = "the only hit is" if self.mechanism.max_hits == 1 else f"all {self.mechanism.max_hits} hits are"
            raise BudgetExhausted(f"{hits} used: one more answer would not be covered by {self.mechanism.guarantee}")
        over = float(_minus("value", value, self.mechanism.threshold))
        above = bool(over + self._rng.laplace(scale=self.mechanism.query_scale) >= self._noise)
        self.hits += above
        return above


def _check_scale(scale: float, sensitivity: float, epsilon: float) -> None:
    if not 0 < scale < np.inf:
        raise ValueError(f"sensitivity / epsilon must be a float > 0 and finite, got {sensitivity!r} / {epsilon!r}")


def _below_best(name: str, scores: Sequence[float] | np.ndarray, scale: float, count: int | None = None) -> np.ndarray:
    """By how many scales each score lies below the best, ≤ 0; where that is too large for a float, −∞ says the same."""
    below = _minus(name, scores, None)
    if below.ndim != 1 or not below.size:
        raise ValueError(f"{name} must be one-dimensional and not empty, got shape {below.shape}")
    if count is not None and below.size != count:
        raise ValueError(f"{name} must have one value a candidate ({count}), got {below.size}")
    with np.errstate(over="ignore"):
        return below / scale


def _minus(name: str, values: Any, base: float | None) -> np.ndarray:
    """Each of `values` minus `base` (None: minus the largest), of the same shape, rounded to floats only then."""
    floats = arguments.finite_array(name, values, private=True)
    given = np.asarray(values)
    if given.dtype.kind == "f" and given.dtype.itemsize > 8:
        floats = given  # a long double has digits that no float holds
    elif _may_hold_integers(given, values) and (np.abs(floats) >= 2.0**53).any():
        return _exactly_minus(values, base)
    with np.errstate(over="ignore"):
        return np.asarray(floats - (floats.max(initial=-np.inf) if base is None else base), dtype=float)


def _may_hold_integers(given: np.ndarray, values: Any) -> bool:
    """Among floats in a list there may be some: an array of both holds floats only."""
    return given.dtype.kind in "iu" or (given is not values and given.ndim > 0)


def _exactly_minus(values: Any, base: float | None) -> np.ndarray:
    exact = np.asarray(values, dtype=object)
    fractions = [Fraction(int(x) if isinstance(x, numbers.Integral) else float(x)) for x in exact.flat]
    reference = max(fractions) if base is None else Fraction(base)
    return np.array([_float(fraction - reference) for fraction in fractions]).reshape(exact.shape)


def _float(exact: Fraction) -> float:
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf
