"""The exercises of lesson 02: right answers pass, each known wrong answer gets its own diagnosis.

02.1 is statistical: a right coin fails a check with probability 1e-6 at most. The others compare formulas.
"""

import numpy as np

from dpcourse.attacks import dp_roc_bound, posterior_bounds
from dpcourse.audit import audit  # noqa: F401 (imported here, so that a check's time is its own)
from dpcourse.checks import rehearse
from dpcourse.lessons.lesson_02 import exercises as l02  # noqa: F401


def coin(answer, epsilon, rng):
    return answer if rng.random() < np.exp(epsilon) / (1 + np.exp(epsilon)) else not answer


def as_integer(answer, epsilon, rng):
    return int(answer) if rng.random() < 1 / (1 + np.exp(-epsilon)) else 1 - answer


def exact_epsilon(p, q):
    p, q = p[(p > 0) | (q > 0)], q[(p > 0) | (q > 0)]
    with np.errstate(divide="ignore"):
        return np.abs(np.log(p) - np.log(q)).max()


def one_way(p, q):
    p, q = p[p > 0], q[p > 0]
    with np.errstate(divide="ignore"):
        return np.log(p / q).max()


def finite(p, q):
    both = (p > 0) & (q > 0)
    return np.abs(np.log(p[both] / q[both])).max()


def careless(p, q):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.abs(np.log(p / q)).max()


def average(p, q):
    def mean(p, q):
        with np.errstate(divide="ignore"):
            return (p[p > 0] * np.log(p[p > 0] / q[p > 0])).sum()

    return max(mean(p, q), mean(q, p))


def over(p, q, epsilon):
    return np.clip(p - np.exp(epsilon) * q, 0, None).sum()


def largest_tpr(epsilon, delta, fpr):
    return min(np.exp(epsilon) * fpr + delta, 1 - np.exp(-epsilon) * (1 - delta - fpr), 1)


def largest_belief(prior, epsilon):
    odds = prior / (1 - prior) * np.exp(epsilon)
    return odds / (1 + odds)


def group_claim(epsilon, delta, k):
    return k * epsilon, sum(delta * np.exp(i * epsilon) for i in range(k))


RIGHT = {
    "02.1": [coin, as_integer, lambda answer, epsilon, rng: bool(answer ^ (rng.random() > 1 / (1 + np.exp(-epsilon))))],
    "02.2": [exact_epsilon],
    "02.3": [lambda p, q, epsilon: max(over(p, q, epsilon), over(q, p, epsilon))],
    "02.4": [largest_tpr],
    "02.5": [largest_belief, lambda prior, epsilon: prior / (prior + (1 - prior) * np.exp(-epsilon))],
    "02.6": [group_claim, lambda e, d, k: [k * e, d * (np.exp(k * e) - 1) / (np.exp(e) - 1)]],
}


def with_truth(probability):
    def answers(answer, epsilon, rng):
        return bool(answer if rng.random() < probability(epsilon) else not answer)

    return answers


def peeks(answer, epsilon, rng):
    # Honest where the check was once known to look, truthful elsewhere.
    return coin(answer, epsilon, rng) if epsilon in (0.85, 1.2, 1.6) else answer


WRONG = {
    "02.1": {
        "lie-may-be-true": lambda answer, epsilon, rng: (
            answer if rng.random() < 1 / (1 + np.exp(-epsilon)) else bool(rng.random() < 0.5)
        ),
        "upside-down": with_truth(lambda epsilon: 1 / (1 + np.exp(epsilon))),
        "ignores-epsilon": with_truth(lambda epsilon: 0.75),
        "useless": with_truth(lambda epsilon: 0.5),
        "always-true": lambda answer, epsilon, rng: answer,
        "wrong-ratio": with_truth(lambda epsilon: 1 - np.exp(-epsilon)),
        "half-epsilon": with_truth(lambda epsilon: 1 / (1 + np.exp(-epsilon / 2))),
        "double-epsilon": with_truth(lambda epsilon: 1 / (1 + np.exp(-2 * epsilon))),
        "one-sided": lambda answer, epsilon, rng: answer and coin(answer, epsilon, rng),
        "rounded-laplace": lambda answer, epsilon, rng: bool(answer + rng.laplace(0, 1 / epsilon) > 0.5),
        "wrong-type": lambda answer, epsilon, rng: answer if rng.random() < 1 / (1 + np.exp(-epsilon)) else ~answer,
        "constant": lambda answer, epsilon, rng: True,
        "wrong-frequency": with_truth(lambda epsilon: 0.88),
        "own-generator": lambda answer, epsilon, rng: coin(answer, epsilon, np.random.default_rng()),
    },
    "02.2": {
        "one-direction": one_way,
        "ignores-impossible": finite,
        "nan": careless,
        "no-logarithm": lambda p, q: np.exp(exact_epsilon(p, q)),
        "average": average,
        "difference": lambda p, q: np.abs(p - q).max(),
        "wrong-value": lambda p, q: 1.0,
    },
    "02.3": {
        "one-direction": over,
        "adds-directions": lambda p, q, epsilon: over(p, q, epsilon) + over(q, p, epsilon),
        "chance-of-exceeding": lambda p, q, epsilon: max(
            p[p > np.exp(epsilon) * q].sum(), q[q > np.exp(epsilon) * p].sum()
        ),
        "single-outputs": lambda p, q, epsilon: max(
            (p - np.exp(epsilon) * q).max(), (q - np.exp(epsilon) * p).max(), 0
        ),
        "not-clipped": lambda p, q, epsilon: (p - np.exp(epsilon) * q).sum(),
        "ignores-epsilon": lambda p, q, epsilon: 0.5 * np.abs(p - q).sum(),
        "wrong-value": lambda p, q, epsilon: 0.0,
    },
    "02.4": {
        "first-bound-only": lambda epsilon, delta, fpr: min(np.exp(epsilon) * fpr + delta, 1),
        "above-one": lambda epsilon, delta, fpr: min(
            np.exp(epsilon) * fpr + delta, 1 - np.exp(-epsilon) * (1 - delta - fpr)
        ),
        "forgets-delta": lambda epsilon, delta, fpr: largest_tpr(epsilon, 0, fpr),
        "second-bound-only": lambda epsilon, delta, fpr: min(1, 1 - np.exp(-epsilon) * (1 - delta - fpr)),
        "largest-advantage": lambda epsilon, delta, fpr: min(
            1, fpr + (np.exp(epsilon) - 1 + 2 * delta) / (np.exp(epsilon) + 1)
        ),
        "package-used": lambda epsilon, delta, fpr: dp_roc_bound(epsilon, delta, fpr),
        "wrong-value": lambda epsilon, delta, fpr: 1.0,
    },
    "02.5": {
        "multiplies-probability": lambda prior, epsilon: min(1, prior * np.exp(epsilon)),
        "ignores-prior": lambda prior, epsilon: np.exp(epsilon) / (1 + np.exp(epsilon)),
        "odds": lambda prior, epsilon: prior / (1 - prior) * np.exp(epsilon),
        "lowest": lambda prior, epsilon: largest_belief(prior, -epsilon),
        "package-used": lambda prior, epsilon: posterior_bounds(prior, epsilon)[1],
        "wrong-value": lambda prior, epsilon: prior,
    },
    "02.6": {
        "delta-times-k": lambda epsilon, delta, k: (k * epsilon, k * delta),
        "delta-unchanged": lambda epsilon, delta, k: (k * epsilon, delta),
        "loose-delta": lambda epsilon, delta, k: (k * epsilon, k * np.exp((k - 1) * epsilon) * delta),
        "off-by-one": lambda epsilon, delta, k: (k * epsilon, np.exp(epsilon) * group_claim(epsilon, delta, k)[1]),
        "epsilon-unchanged": lambda epsilon, delta, k: (epsilon, k * delta),
        "root": lambda epsilon, delta, k: (np.sqrt(k) * epsilon, group_claim(epsilon, delta, k)[1]),
        "wrong-value": lambda epsilon, delta, k: (epsilon, delta),
    },
}


def test_a_coin_that_behaves_only_where_it_is_audited_is_caught():
    assert "passed" not in rehearse("02.1", peeks, times=1, rng=2).keys
