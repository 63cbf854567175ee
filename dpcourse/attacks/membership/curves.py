"""ROC curves of an attack, with Clopper–Pearson bands, and whether they lie inside what an (ε, δ) claim allows.

Bands count every (model, record) pair as an independent draw. Pairs of one model are not: its records' scores rise and
fall together, and a point slides along its curve by more than its band says. Against an ε-DP model, guesses are no
better than independent ones all the same (Steinke, Nasr, Jagielski 2023, arXiv:2305.08846), so that a true claim is
seldom refuted; `tpr_at_fpr` can widen its interval to the spread between models.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from dpcourse.attacks.bounds import dp_roc_bound
from dpcourse.audit import clopper_pearson
from dpcourse.privacy import arguments


def roc(scores: np.ndarray, members: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(fpr, tpr) of "score ≥ t is a member" for every threshold t, from (0, 0) to (1, 1); ties move together.

    Parameters
    ----------
    scores, members : ndarray of one shape
        Scores of records, of one model or of many in one array; true for members.
    """
    scores, members = _labelled(scores, members)
    order = np.argsort(-scores)
    last = np.append(np.diff(scores[order]) != 0, True)  # only where a threshold can lie
    hits = np.cumsum(members[order])[last] / members.sum()
    alarms = np.cumsum(~members[order])[last] / (~members).sum()
    return np.append(0.0, alarms), np.append(0.0, hits)


@dataclass(frozen=True)
class Rate:
    """A measured rate with its Clopper–Pearson interval."""

    value: float
    low: float
    high: float

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self.value:.2%} ({self.low:.2%} to {self.high:.2%})"


def tpr_at_fpr(
    scores: np.ndarray, members: np.ndarray, fpr: float, confidence: float = 0.95, *, resamples: int = 0, rng=None
) -> Rate:
    """True positive rate at the largest threshold set whose measured false positive rate is at most `fpr`.

    The interval is Clopper–Pearson's for the members at that threshold. That takes cases for independent and the
    threshold for known; with `resamples` it is widened, where need be, to what resampling whole models says.

    Parameters
    ----------
    scores, members : ndarray of one shape
        With `resamples`, of shape (models, records).
    fpr : float
        The largest false positive rate allowed, in [0, 1].
    confidence : float
        Of the interval, two-sided.
    resamples : int
        How many bootstrap samples of the models (rows) to draw: 0, or 2 or more. The interval is then at least value
        ± z deviations.
    rng : Generator or int, optional
        For `resamples`.

    Examples
    --------
    >>> rng = np.random.default_rng(10)
    >>> members = rng.random((50, 200)) < 0.5
    >>> moods = rng.normal(size=(50, 1))  # of a model: all its scores rise and fall together
    >>> scores = rng.normal(size=(50, 200)) + members + moods
    >>> print(tpr_at_fpr(scores, members, 0.01))
    5.55% (4.93% to 6.22%)
    >>> print(tpr_at_fpr(scores, members, 0.01, resamples=100, rng=10))
    5.55% (4.24% to 6.86%)
    """
    fpr = arguments.probability("fpr", fpr)
    if arguments.integer("resamples", resamples, minimum=0) == 1:
        raise ValueError("resamples must be 0 or ≥ 2, got 1: one sample has no spread")
    error = (1 - arguments.probability("confidence", confidence, one=False)) / 2
    alarms, hits = roc(scores, members)
    value = float(hits[np.flatnonzero(alarms <= fpr)[-1]])
    total = int(np.asarray(members, dtype=bool).sum())
    low, high = map(float, clopper_pearson(np.array(round(value * total)), total, error))
    if resamples:
        half = float(norm.isf(error)) * _spread_over_models(scores, members, fpr, resamples, rng)
        low, high = min(low, max(value - half, 0.0)), max(high, min(value + half, 1.0))
    return Rate(value, low, high)


def _spread_over_models(scores: np.ndarray, members: np.ndarray, fpr: float, resamples: int, rng) -> float:
    """Standard deviation of the rate at `fpr` over bootstrap samples of the models."""
    scores, members = np.asarray(scores, dtype=float), np.asarray(members, dtype=bool)
    if scores.ndim != 2 or len(scores) < 2:
        raise ValueError(f"scores must have shape (models, records) to resample models, got {scores.shape}")
    # Only the highest scores can matter; five times the rate leaves room for samples with fewer alarms.
    model, record = np.nonzero(scores >= np.quantile(scores[~members], 1 - min(5 * fpr, 1.0)))
    order = np.argsort(-scores[model, record])
    model, record = model[order], record[order]
    last = np.append(np.diff(scores[model, record]) != 0, True)
    was_in, sizes = members[model, record], members.sum(axis=1)
    rng, rates = np.random.default_rng(rng), np.empty(resamples)
    for i in range(resamples):
        times = np.bincount(rng.integers(len(scores), size=len(scores)), minlength=len(scores))
        weight = times[model]
        alarms = np.cumsum(weight * ~was_in)[last] / max(times @ (members.shape[1] - sizes), 1)
        hits = np.cumsum(weight * was_in)[last] / max(times @ sizes, 1)
        rates[i] = np.append(0.0, hits)[np.searchsorted(alarms, fpr, side="right")]
    return float(rates.std(ddof=1))


def auc(scores: np.ndarray, members: np.ndarray) -> float:
    """Area under the ROC curve: how often a member scores above a non-member, ties counting half."""
    alarms, hits = roc(scores, members)
    return float(np.trapezoid(hits, alarms))


def best_accuracy(scores: np.ndarray, members: np.ndarray) -> float:
    """The best share of right answers of any threshold, members and non-members counting equally: ½ + (TPR − FPR)/2.

    The best of many thresholds on the same records, so a little too good.
    """
    alarms, hits = roc(scores, members)
    return float(0.5 + (hits - alarms).max() / 2)


@dataclass(frozen=True, eq=False)
class RocBand:
    """Measured points of an ROC curve, each inside a rectangle of Clopper–Pearson bounds; every array of shape (t,).

    Of independent cases, a rectangle misses its true point with probability 1 − `confidence` at most, and so does any
    of them if `simultaneous`.
    """

    fpr: np.ndarray
    tpr: np.ndarray
    fpr_low: np.ndarray
    fpr_high: np.ndarray
    tpr_low: np.ndarray
    tpr_high: np.ndarray
    confidence: float
    simultaneous: bool

    def inside(self, epsilon: float, delta: float) -> np.ndarray:
        """Where the whole rectangle lies inside the region that an (ε, δ) claim allows, above and below the
        diagonal."""
        above = self.tpr_high <= dp_roc_bound(epsilon, delta, self.fpr_low)
        return above & (self.tpr_low >= 1 - dp_roc_bound(epsilon, delta, 1 - self.fpr_high))

    def refutes(self, epsilon: float, delta: float) -> np.ndarray:
        """Where the whole rectangle lies outside of that region: there the claim is refuted."""
        above = self.tpr_low > dp_roc_bound(epsilon, delta, self.fpr_high)
        return above | (self.tpr_high < 1 - dp_roc_bound(epsilon, delta, 1 - self.fpr_low))


def roc_band(
    scores: np.ndarray,
    members: np.ndarray,
    thresholds: np.ndarray,
    *,
    confidence: float = 0.95,
    simultaneous: bool = False,
    claims: int = 1,
) -> RocBand:
    """Rates of "score ≥ t is a member" at thresholds t that were fixed without looking at `members`.

    Parameters
    ----------
    scores, members : ndarray of one shape
    thresholds : ndarray, shape (t,)
        Such as quantiles of all scores (members and others together), or thresholds chosen on other models.
    confidence : float
        Of each rectangle, or of all together if `simultaneous` (Bonferroni over 4·t one-sided bounds).
    claims : int
        With `simultaneous`, the number of such bands that are to hold together.

    Examples
    --------
    >>> rng = np.random.default_rng(10)
    >>> members = rng.random(10_000) < 0.5
    >>> band = roc_band(rng.normal(size=10_000) + members, members, np.array([0.0, 1.0]))
    >>> band.tpr.round(2), bool(band.refutes(0.5, 0.0).all()), bool(band.inside(4.0, 0.0).all())
    (array([0.84, 0.51]), True, True)
    """
    scores, members = _labelled(scores, members)
    thresholds = np.atleast_1d(arguments.finite_array("thresholds", thresholds))
    error = 1 - arguments.probability("confidence", confidence, zero=False, one=False)
    claims = arguments.integer("claims", claims, minimum=1)
    each = error / (4 * (thresholds.size * claims if simultaneous else 1))
    rates, lows, highs = [], [], []
    for group in (scores[~members], scores[members]):
        count = len(group) - np.searchsorted(np.sort(group), thresholds, side="left")
        low, high = clopper_pearson(count, len(group), each)
        rates.append(count / len(group))
        lows.append(low)
        highs.append(high)
    return RocBand(rates[0], rates[1], lows[0], highs[0], lows[1], highs[1], confidence, simultaneous)


def _labelled(scores: np.ndarray, members: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scores, members = arguments.finite_array("scores", scores), np.asarray(members).astype(bool)
    if scores.ndim == 0 or scores.shape != members.shape:
        raise ValueError(f"scores and members must have one shape, got {scores.shape} and {members.shape}")
    if members.all() or not members.any():
        raise ValueError("members must hold both members and non-members")
    return scores.ravel(), members.ravel()
