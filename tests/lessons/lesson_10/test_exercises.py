"""Lesson 10's exercises: right answers pass, each known wrong answer gets its own diagnosis.

A right answer fails a check with probability 1e-6 at most. The long versions run under `make audit`.
"""

import math

import numpy as np
from scipy import stats

import dpcourse.lessons.lesson_10.exercises  # noqa: F401  (so that no check pays for an import)
from dpcourse.checks import rehearse
from tests.lessons.generators import in_percent

# Right answers


def tpr_at(scores, members, fpr):
    best = 0.0
    for threshold in np.unique(scores):
        accused = scores >= threshold
        if accused[~members].mean() <= fpr:
            best = max(best, accused[members].mean())
    return best


def lira_score(phi, with_it, without):
    def log_density(sample):
        return stats.norm.logpdf(phi, sample.mean(), sample.std(ddof=1))

    return log_density(with_it) - log_density(without)


def band(hits, trials, confidence):
    tail = (1 - confidence) / 2
    low = stats.beta.ppf(tail, hits, trials - hits + 1) if hits else 0.0
    high = stats.beta.ppf(1 - tail, hits + 1, trials - hits) if hits < trials else 1.0
    return low, high


def worth(epsilon, prior):
    odds = math.exp(epsilon) * prior / (1 - prior)
    return odds / (1 + odds)


def accuse(report, fpr, epsilon, rng):
    return bool(report and rng.random() < fpr * (1 + math.exp(epsilon)))


RIGHT = [("10.1", tpr_at), ("10.2", lira_score), ("10.3", band), ("10.4", worth), ("10.5", accuse)]

# Wrong answers


def coin(rate):
    return lambda report, fpr, epsilon, rng: bool(rng.random() < rate(report, fpr, epsilon))


def of_a_thousand_thresholds(scores, members, fpr):
    """Only quantiles of the members' scores are tried."""
    levels = np.unique(np.quantile(scores[members], np.linspace(0, 1, 1001), method="inverted_cdf"))
    return max([(scores >= t)[members].mean() for t in levels if (scores >= t)[~members].mean() <= fpr], default=0.0)


def of_densities(phi, with_it, without):
    """Densities that are 0 in floats are taken for 1e-300."""
    one, other = (stats.norm.pdf(phi, sample.mean(), sample.std(ddof=1)) for sample in (with_it, without))
    return math.log(max(one, 1e-300)) - math.log(max(other, 1e-300))


def at_least(sample, deviation):
    """The same mean, and this deviation where theirs is smaller."""
    return sample.mean() + (sample - sample.mean()) * max(1.0, deviation / sample.std(ddof=1))


WRONG = [
    ("10.1", "not-everywhere", lambda s, m, f: tpr_at(s, m, f if len(s) <= 3000 else 2 * f)),
    ("10.2", "not-everywhere", lambda x, a, b: lira_score(x, a, b) if len(a) > 7 else 0.0),
    ("10.3", "not-everywhere", lambda h, n, c: band(h, n, c) if n <= 100_000 else (h / n, h / n)),
    ("10.3", "not-everywhere", lambda h, n, c: band(h, n, min((0.95, 0.99, 0.999), key=lambda known: abs(known - c)))),
    ("10.5", "not-everywhere", coin(lambda report, fpr, epsilon: report * fpr * (1 + math.exp(min(epsilon, 1.5))))),
    ("10.5", "not-everywhere", coin(lambda report, fpr, epsilon: report * in_percent(fpr * (1 + math.exp(epsilon))))),
    ("10.1", "wrong-value", lambda s, m, f: 0.5),
    ("10.1", "not-everywhere", lambda s, m, f: tpr_at(s, m, f) if len(s) <= 400 else 0.0),
    ("10.1", "not-everywhere", lambda s, m, f: tpr_at(np.round(s, 2), m, f)),
    ("10.2", "wrong-value", lambda x, a, b: x),
    ("10.2", "not-everywhere", lambda x, a, b: lira_score(x, a, b) if len(a) <= 60 else 0.0),
    ("10.3", "wrong-shape", lambda h, n, c: h / n),
    ("10.5", "always", lambda report, fpr, epsilon, rng: bool(report)),
    ("10.5", "too-timid", coin(lambda report, fpr, epsilon: report * fpr)),
    ("10.5", "guesses", coin(lambda report, fpr, epsilon: fpr)),
    ("10.5", "upside-down", lambda report, fpr, epsilon, rng: accuse(1 - report, fpr, epsilon, rng)),
    ("10.5", "rate-for-coin", coin(lambda report, fpr, epsilon: report * fpr * math.exp(epsilon))),
    ("10.5", "too-many", coin(lambda report, fpr, epsilon: 1.0 if report else fpr)),
    ("10.5", "wrong-type", lambda report, fpr, epsilon, rng: 0.5),
    ("10.5", "own-coin", lambda report, fpr, epsilon, rng: accuse(report, fpr, epsilon, np.random.default_rng())),
    ("10.5", "wrong-frequency", coin(lambda report, fpr, epsilon: 1.04 * report * fpr * (1 + math.exp(epsilon)))),
    ("10.5", "wrong-frequency", coin(lambda report, fpr, epsilon: 0.97 * report * fpr * (1 + math.exp(epsilon)))),
    ("10.5", "never-accuses", lambda report, fpr, epsilon, rng: False),
    ("10.5", "fixed-seed", lambda report, fpr, epsilon, rng: accuse(report, fpr, epsilon, np.random.default_rng(0))),
    ("10.5", "returns-nothing", lambda report, fpr, epsilon, rng: print(accuse(report, fpr, epsilon, rng))),
    ("10.1", "not-everywhere", of_a_thousand_thresholds),
    ("10.1", "not-everywhere", lambda s, m, f: tpr_at(np.round(s, 6), m, f)),
    ("10.1", "not-everywhere", lambda s, m, f: (s[m] > np.quantile(s[~m], 1 - f, method="inverted_cdf")).mean()),
    ("10.2", "not-everywhere", of_densities),
    ("10.2", "not-everywhere", lambda x, a, b: lira_score(x, at_least(a, 1e-3), at_least(b, 1e-3))),
    ("10.2", "not-everywhere", lambda x, a, b: np.clip(lira_score(x, a, b), -1e3, 1e3)),
    ("10.5", "not-everywhere", lambda report, fpr, epsilon, rng: accuse(report, fpr or 1e-3, epsilon, rng)),
    ("10.5", "not-everywhere", lambda report, fpr, *rest, rng: fpr > 1e-4 and accuse(report, fpr, *rest, rng)),
    ("10.3", "not-everywhere", lambda h, n, c: band(h, n, max(c, 0.5))),
]


def test_the_package_may_not_answer():
    from dpcourse.attacks import tpr_at_fpr

    assert rehearse("10.1", lambda s, m, f: float(tpr_at_fpr(s, m, f)), times=1).keys == {"package-used": 1}
