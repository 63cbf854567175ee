"""Lesson 10's exercises: right answers pass, each known wrong answer gets its own diagnosis.

A right answer fails a check with probability 1e-6 at most. The long versions run under `make audit`.
"""

import math

import numpy as np
from scipy import stats

import dpcourse.lessons.lesson_10.exercises  # noqa: F401  (so that no check pays for an import)
from dpcourse.checks import rehearse

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


def interpolated(scores, members, fpr):
    steps = np.unique(scores)[::-1]
    alarms, hits = ([0.0, *((scores >= t)[who].mean() for t in steps)] for who in (~members, members))
    return np.interp(fpr, alarms, hits)


def by_quantile(scores, members, fpr):
    return (scores >= np.quantile(scores[~members], 1 - fpr))[members].mean()


def of_everybody(scores, members, fpr):
    return max(((scores >= t)[members].mean() for t in np.unique(scores) if (scores >= t).mean() <= fpr), default=0.0)


def precision(scores, members, fpr):
    fit = [t for t in np.unique(scores) if (scores >= t)[~members].mean() <= fpr]
    return members[scores >= min(fit)].mean() if fit else 0.0


def normal_band(hits, trials, confidence):
    p, z = hits / trials, stats.norm.isf((1 - confidence) / 2)
    return p - z * math.sqrt(p * (1 - p) / trials), p + z * math.sqrt(p * (1 - p) / trials)


def wilson(hits, trials, confidence):
    found = stats.binomtest(hits, trials).proportion_ci(confidence, method="wilson")
    return found.low, found.high


def log_normal(x, sample, sigma):
    return stats.norm.logpdf(x, sample.mean(), sigma)


def lowest(default):
    def answer(scores, members, fpr):
        fit = [t for t in np.unique(scores) if (scores >= t)[~members].mean() <= fpr]
        return (scores >= (min(fit) if fit else default(scores)))[members].mean()

    return answer


def coin(rate):
    return lambda report, fpr, epsilon, rng: bool(rng.random() < rate(report, fpr, epsilon))


WRONG = [
    ("10.1", "interpolated", interpolated),
    ("10.1", "ties", by_quantile),
    ("10.1", "share-of-everybody", of_everybody),
    ("10.1", "precision", precision),
    ("10.1", "swapped", lambda s, m, f: tpr_at(s, ~m, f)),
    ("10.1", "upside-down", lambda s, m, f: tpr_at(-s, m, f)),
    ("10.1", "share-of-everybody-in", lambda s, m, f: tpr_at(s, m, f) * m.mean()),
    ("10.1", "less-than", lambda s, m, f: tpr_at(s, m, np.nextafter(f, 0))),
    ("10.1", "none-below", lowest(np.max)),
    ("10.1", "wrong-value", lambda s, m, f: 0.5),
    ("10.2", "swapped", lambda x, a, b: -lira_score(x, a, b)),
    ("10.2", "not-a-log", lambda x, a, b: math.exp(lira_score(x, a, b))),
    ("10.2", "variance", lambda x, a, b: log_normal(x, a, a.var(ddof=1)) - log_normal(x, b, b.var(ddof=1))),
    ("10.2", "ddof", lambda x, a, b: log_normal(x, a, a.std()) - log_normal(x, b, b.std())),
    ("10.2", "no-log-sigma", lambda x, a, b: lira_score(x, a, b) + np.log(a.std(ddof=1) / b.std(ddof=1))),
    ("10.2", "offline", lambda x, a, b: stats.norm.logcdf((x - b.mean()) / b.std(ddof=1))),
    ("10.2", "wrong-value", lambda x, a, b: x),
    ("10.3", "normal-approximation", normal_band),
    ("10.3", "normal-approximation", lambda h, n, c: tuple(np.clip(normal_band(h, n, c), 0, 1))),
    ("10.3", "error-not-shared", lambda h, n, c: band(h, n, 2 * c - 1)),
    ("10.3", "wilson", wilson),
    ("10.3", "swapped", lambda h, n, c: band(h, n, c)[::-1]),
    ("10.3", "counts", lambda h, n, c: tuple(n * end for end in band(h, n, c))),
    ("10.3", "wrong-shape", lambda h, n, c: h / n),
    ("10.4", "no-prior", lambda e, p: worth(e, 0.5)),
    ("10.4", "odds", lambda e, p: math.exp(e) * p / (1 - p)),
    ("10.4", "probability-times", lambda e, p: min(1.0, p * math.exp(e))),
    ("10.4", "linear", lambda e, p: worth(math.log1p(e), p)),
    ("10.4", "upside-down", lambda e, p: worth(-e, p)),
    ("10.4", "no-epsilon", lambda e, p: p),
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
    ("10.5", "wrong-frequency", lambda report, fpr, epsilon, rng: False),
    ("10.5", "fixed-seed", lambda report, fpr, epsilon, rng: accuse(report, fpr, epsilon, np.random.default_rng(0))),
    ("10.5", "returns-nothing", lambda report, fpr, epsilon, rng: print(accuse(report, fpr, epsilon, rng))),
]


def test_the_package_may_not_answer():
    from dpcourse.attacks import tpr_at_fpr

    assert rehearse("10.1", lambda s, m, f: float(tpr_at_fpr(s, m, f)), times=1).keys == {"package-used": 1}
