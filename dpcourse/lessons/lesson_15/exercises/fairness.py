"""Exercises 15.4 and 15.5: a fairness metric, and whether a difference is within noise."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.once import between, whole

# 15.4 Equal opportunity difference


def _predictions(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, predictions and groups whose rates all differ clearly; either group may be the better off."""
    n = int(rng.integers(400, 1200))
    privileged = rng.random(n) < rng.uniform(0.5, 0.8)
    labels = rng.random(n) < np.where(privileged, rng.uniform(0.4, 0.6), rng.uniform(0.15, 0.3))
    rate = np.where(
        labels,
        np.where(privileged, rng.uniform(0.6, 0.8), rng.uniform(0.3, 0.5)),
        np.where(privileged, rng.uniform(0.2, 0.3), rng.uniform(0.02, 0.12)),
    )
    return labels, rng.random(n) < rate, privileged if rng.random() < 0.5 else ~privileged


def _any_predictions(rng: np.random.Generator, least: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Any shares; somebody in either group earns more. One time in four all predictions are right."""
    labels, says, privileged = rng.random((3, whole(rng, least, 100_000))) < rng.uniform(0.02, 0.98, size=(3, 1))
    labels[:2], privileged[:2] = True, (True, False)
    return labels, labels.copy() if rng.random() < 0.25 else says, privileged


def _difference(rate):
    """A wrong answer of the form rate(other group) − rate(privileged group)."""

    def gives(labels: np.ndarray, says: np.ndarray, privileged: np.ndarray) -> float:
        other, chosen = (rate(labels[group], says[group]) for group in (~privileged, privileged))
        return float(other - chosen)

    return gives


def _true_positive(labels: np.ndarray, says: np.ndarray) -> float:
    return float(says[labels].mean())


def _ratio(labels: np.ndarray, says: np.ndarray, privileged: np.ndarray) -> float:
    other, chosen = (_true_positive(labels[g], says[g]) for g in (~privileged, privileged))
    return other / chosen


_opportunity = _difference(_true_positive)

OPPORTUNITY = Equals(
    _predictions,
    expected=_opportunity,
    wide=_any_predictions,
    full=lambda rng: _any_predictions(rng, 45_000),
    times=40,  # both kinds of inputs occur, except with probability 2e-12
    mistakes=(
        Mistake(
            "wrong-way-round",
            lambda labels, says, privileged: -_opportunity(labels, says, privileged),
            "The difference is the wrong way round.",
            "The other group minus the privileged one.",
        ),
        Mistake(
            "absolute",
            lambda labels, says, privileged: abs(_opportunity(labels, says, privileged)),
            "The sign is lost: it says which group is worse off.",
            "Do not take the absolute value.",
        ),
        Mistake(
            "parity",
            _difference(lambda labels, says: says.mean()),
            "You compare the shares predicted to earn more: that is the statistical parity difference.",
            "Among which people is the rate to be taken?",
        ),
        Mistake(
            "precision",
            _difference(lambda labels, says: labels[says].mean()),
            "Of those *predicted* to earn more you count who does: that is precision.",
            "Of those who *do* earn more, who is predicted so?",
        ),
        Mistake(
            "false-positives",
            _difference(lambda labels, says: says[~labels].mean()),
            "Those are the false positive rates.",
            "Look at the people who do earn more.",
        ),
        Mistake(
            "accuracy",
            _difference(lambda labels, says: (labels == says).mean()),
            "You compare accuracies.",
            "Opportunity concerns those who do earn more, only.",
        ),
        Mistake(
            "wrong-denominator",
            _difference(lambda labels, says: (labels & says).mean()),
            "You divide by all people of the group.",
            "A rate among those who do earn more is divided by their number.",
        ),
        Mistake("ratio", _ratio, "That is a ratio.", "A difference is asked for."),
    ),
)

# 15.5 Is the difference within noise?


def _interval(private: np.ndarray, plain: float) -> np.ndarray:
    change = private - plain
    half = stats.t.ppf(0.975, len(change) - 1) * change.std(ddof=1) / math.sqrt(len(change))
    return np.array([change.mean() - half, change.mean() + half])


def _interval_like(half):
    def gives(private: np.ndarray, plain: float) -> np.ndarray:
        change = private - plain
        return change.mean() + half(change) * np.array([-1.0, 1.0])

    return gives


def _accuracies(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    plain, spread = rng.uniform(0.8, 0.9), rng.uniform(0.002, 0.02)
    return rng.normal(plain - rng.uniform(0, 0.06), spread, size=int(rng.integers(4, 13))), float(plain)


def _any_accuracies(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """Half of them to two digits: some are alike, but not all, for which SciPy's `t.interval` is NaN."""
    private = rng.random(whole(rng, 2, 500)) * between(rng, 0.01, 1.0)
    rounded = private.round(int(rng.choice((2, 17))))
    return rounded if np.ptp(rounded) else private, float(rng.random())


INTERVAL = Equals(
    _accuracies,
    expected=_interval,
    wide=_any_accuracies,
    mistakes=(
        Mistake(
            "single-release",
            _interval_like(lambda c: stats.t.ppf(0.975, len(c) - 1) * c.std(ddof=1)),
            "That is the reach of single releases, not the error of their mean.",
            "The mean of m draws is √m times less uncertain than one draw.",
        ),
        Mistake(
            "normal",
            _interval_like(lambda c: 1.96 * c.std(ddof=1) / math.sqrt(len(c))),
            "You take 1.96, as if the deviation were known. With a few draws it is not.",
            "Student's t takes the place of 1.96 then. How many degrees of freedom does it have for m draws?",
        ),
        Mistake(
            "ddof",
            _interval_like(lambda c: stats.t.ppf(0.975, len(c) - 1) * c.std() / math.sqrt(len(c))),
            "Your deviation divides the sum of squares by m: NumPy does that unless you say ddof=1. Right is m − 1.",
            "The draws have used one degree of freedom for their own mean.",
        ),
        Mistake(
            "degrees",
            _interval_like(lambda c: stats.t.ppf(0.975, len(c)) * c.std(ddof=1) / math.sqrt(len(c))),
            "m degrees of freedom are one too many.",
            "One is used for the mean.",
        ),
        Mistake(
            "one-tail",
            _interval_like(lambda c: stats.t.ppf(0.95, len(c) - 1) * c.std(ddof=1) / math.sqrt(len(c))),
            "That leaves 5% on each side.",
            "95% in the middle leaves 2.5% on each side.",
        ),
        Mistake(
            "not-a-change",
            lambda private, plain: _interval(private, 0.0),
            "That is an interval for the accuracy.",
            "Where does `plain` come in?",
        ),
        Mistake(
            "wrong-way-round",
            lambda private, plain: -_interval(private, plain)[::-1],
            "The change has the wrong sign.",
            "Private minus plain: a loss of accuracy is negative.",
        ),
    ),
)
