"""The exercises of lesson 02: right answers pass, each known wrong answer gets its own diagnosis.

02.1 and 02.6 are statistical: a right answer fails a check with probability 1e-6 at most. The others compare formulas
and values.
"""

import math
from itertools import product

import numpy as np

from dpcourse.checks import rehearse
from dpcourse.privacy import Neighbours
from tests.lessons.generators import in_percent


def coin(answer, epsilon, rng):
    return answer if rng.random() < np.exp(epsilon) / (1 + np.exp(epsilon)) else not answer


def as_integer(answer, epsilon, rng):
    return int(answer) if rng.random() < 1 / (1 + np.exp(-epsilon)) else 1 - answer


def exact_delta(p, q, epsilon):
    return max(np.maximum(p - np.exp(epsilon) * q, 0).sum(), np.maximum(q - np.exp(epsilon) * p, 0).sum())


def by_bisection(p, q, delta):
    low, high = 0.0, 50.0
    if exact_delta(p, q, high) > delta + 1e-12:
        return np.inf
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if exact_delta(p, q, middle) <= delta + 1e-12 else (middle, high)
    return high


def by_sets(p, q, delta):
    sets = np.array(list(product((0, 1), repeat=len(p))))[1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.concatenate([(sets @ p - delta) / (sets @ q), (sets @ q - delta) / (sets @ p)])
    return max(0.0, np.log(ratios[ratios > 1e-9]).max(initial=0.0))


def one_way(p, q, delta):
    return by_bisection_of(lambda epsilon: np.maximum(p - np.exp(epsilon) * q, 0).sum(), delta)


def by_bisection_of(curve, delta):
    if curve(50.0) > delta + 1e-12:
        return np.inf
    low, high = 0.0, 50.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if curve(middle) <= delta + 1e-12 else (middle, high)
    return high


def on_a_grid(p, q, delta, step):
    kept = [epsilon for epsilon in np.arange(0, 8, step) if exact_delta(p, q, epsilon) <= delta + 1e-12]
    return kept[0] if kept else np.inf


def rarely_exceeded(p, q, delta):
    def chance(p, q, epsilon):
        return p[p > np.exp(epsilon) * q * (1 + 1e-9)].sum()

    return by_bisection_of(lambda epsilon: max(chance(p, q, epsilon), chance(q, p, epsilon)), delta)


def single(p, q, delta):
    return by_bisection_of(
        lambda epsilon: max((p - np.exp(epsilon) * q).max(), (q - np.exp(epsilon) * p).max(), 0), delta
    )


def without_impossible(p, q, delta):
    both = (p > 0) & (q > 0)
    found = by_bisection(p, q, delta)
    return found if np.isfinite(found) else by_bisection(p[both], q[both], delta)


def signed(p, q, delta):
    sets = np.array(list(product((0, 1), repeat=len(p))))[1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.concatenate([(sets @ p - delta) / (sets @ q), (sets @ q - delta) / (sets @ p)])
    return np.log(ratios[ratios > 1e-9]).max()


def ratio(over, under):
    if over <= 0:
        return 0.0
    return over / under if under > 0 else np.inf


def epsilon_shown(fpr, tpr, delta):
    return np.log(max(1.0, ratio(tpr - delta, fpr), ratio(1 - delta - fpr, 1 - tpr)))


def per_person(epsilon, delta, k):
    return epsilon / k, delta / sum(np.exp(i * epsilon / k) for i in range(k))


CLAIMS = {"A": (0.75, 0, "add-remove"), "B": (0.5, 0, "replace-one"), "C": (0.5, 1e-6, "add-remove")}


RIGHT = {
    "02.1": [coin, as_integer, lambda answer, epsilon, rng: bool(answer ^ (rng.random() > 1 / (1 + np.exp(-epsilon))))],
    "02.2": [by_bisection, by_sets],
    "02.3": [epsilon_shown],
    "02.4": [per_person, lambda e, d, k: [e / k, d * (np.exp(e / k) - 1) / (np.exp(e) - 1)]],
    "02.5": [CLAIMS, {**CLAIMS, "A": [3 / 4, 0.0, Neighbours.ADD_REMOVE]}],
    "02.6": [
        lambda output: output[0] + output[1] > 99.5,
        lambda output: bool(round(sum(output)) == 99),
        lambda output: int(abs(sum(output) - 100) < 0.1),
    ],
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
        "rare-lies": with_truth(lambda epsilon: in_percent(1 / (1 + np.exp(-epsilon)))),
        "lie-may-be-true": lambda answer, epsilon, rng: (
            answer if rng.random() < 1 / (1 + np.exp(-epsilon)) else bool(rng.random() < 0.5)
        ),
        "upside-down": with_truth(lambda epsilon: 1 / (1 + np.exp(epsilon))),
        "ignores-epsilon": with_truth(lambda epsilon: 0.75),
        "useless": with_truth(lambda epsilon: 0.5),
        "always-true": lambda answer, epsilon, rng: answer,
        "not-everywhere": lambda answer, epsilon, rng: coin(answer, epsilon if 0.4 <= epsilon <= 2 else 40.0, rng),
        "wrong-ratio": with_truth(lambda epsilon: 1 - np.exp(-epsilon)),
        "half-epsilon": with_truth(lambda epsilon: 1 / (1 + np.exp(-epsilon / 2))),
        "double-epsilon": with_truth(lambda epsilon: 1 / (1 + np.exp(-2 * epsilon))),
        "one-sided": lambda answer, epsilon, rng: answer and coin(answer, epsilon, rng),
        "rounded-laplace": lambda answer, epsilon, rng: bool(answer + rng.laplace(0, 1 / epsilon) > 0.5),
        "wrong-type": lambda answer, epsilon, rng: answer if rng.random() < 1 / (1 + np.exp(-epsilon)) else ~answer,
        "constant": lambda answer, epsilon, rng: True,
        "wrong-frequency": with_truth(lambda epsilon: 0.88),
        "own-generator": lambda answer, epsilon, rng: coin(answer, epsilon, np.random.default_rng()),
        "not-everywhere too": with_truth(lambda epsilon: 1 / (1 + np.exp(-min(epsilon, 4.5)))),
    },
    "02.2": {
        "one-direction": one_way,
        "one-direction too": lambda p, q, delta: one_way(q, p, delta),
        "ignores-delta": lambda p, q, delta: by_bisection(p, q, 0),
        "negative": signed,
        "no-logarithm": lambda p, q, delta: np.exp(by_bisection(p, q, delta)),
        "single-outputs": single,
        "chance-of-exceeding": rarely_exceeded,
        "ignores-impossible": without_impossible,
        "ignores-impossible too": lambda p, q, delta: by_bisection(p[(p > 0) & (q > 0)], q[(p > 0) & (q > 0)], delta),
        "wrong-value": lambda p, q, delta: 1.0,
        "wrong-value too": lambda p, q, delta: exact_delta(p, q, delta),
        "wrong-shape": lambda p, q, delta: np.log(p / np.maximum(q, 1e-9)),
        "infinite-too-early": lambda p, q, delta: (
            np.inf if (p == 0).any() or (q == 0).any() else by_bisection(p, q, delta)
        ),
        "directions-added": lambda p, q, delta: by_bisection_of(
            lambda epsilon: np.maximum(p - np.exp(epsilon) * q, 0).sum() + np.maximum(q - np.exp(epsilon) * p, 0).sum(),
            delta,
        ),
        "too-coarse": lambda p, q, delta: on_a_grid(p, q, delta, 0.01),
        "too-coarse too": lambda p, q, delta: on_a_grid(p, q, delta, 0.001),
        "end-of-search": lambda p, q, delta: min(by_bisection(p, q, delta), 50.0),
        "not-everywhere": lambda p, q, delta: np.inf if by_bisection(p, q, delta) > 10 else by_bisection(p, q, delta),
    },
    "02.3": {
        "first-bound-only": lambda fpr, tpr, delta: max(math.log((tpr - delta) / fpr), 0),  # and stops at fpr = 0
        "second-bound-only": lambda fpr, tpr, delta: np.log(max(1.0, ratio(1 - delta - fpr, 1 - tpr))),
        "forgets-delta": lambda fpr, tpr, delta: epsilon_shown(fpr, tpr, 0),
        "negative": lambda fpr, tpr, delta: np.log(max(ratio(tpr - delta, fpr), ratio(1 - delta - fpr, 1 - tpr))),
        "no-logarithm": lambda fpr, tpr, delta: np.exp(epsilon_shown(fpr, tpr, delta)),
        "accuracy-only": lambda fpr, tpr, delta: np.log(
            max(1.0, ratio((tpr + 1 - fpr) / 2 - delta, 1 - (tpr + 1 - fpr) / 2))
        ),
        "infinite-too-early": lambda fpr, tpr, delta: (
            np.inf if fpr == 0 or tpr == 1 else epsilon_shown(fpr, tpr, delta)
        ),
        "infinite-too-early too": lambda fpr, tpr, delta: np.inf if fpr == 0 else epsilon_shown(fpr, tpr, delta),
        "delta-too-late": lambda fpr, tpr, delta: np.log(
            max(1.0, *(a / b - delta if b else np.inf for a, b in ((tpr, fpr), (1 - fpr, 1 - tpr))))
        ),
        "smaller-bound": lambda fpr, tpr, delta: np.log(
            max(1.0, min(ratio(tpr - delta, fpr), ratio(1 - delta - fpr, 1 - tpr)))
        ),
        "delta-below": lambda fpr, tpr, delta: np.log(
            max(1.0, ratio(tpr, fpr + delta), ratio(1 - fpr, 1 - tpr + delta))
        ),
        "delta-too-late too": lambda fpr, tpr, delta: max(epsilon_shown(fpr, tpr, 0) - delta, 0),
        "first-bound-only too": lambda fpr, tpr, delta: np.log(
            max(1.0, ratio(tpr - delta, fpr), ratio(1 - tpr - delta, 1 - fpr))
        ),
        "wrong-value": lambda fpr, tpr, delta: tpr - fpr,
        "raised": lambda fpr, tpr, delta: max(
            math.log(max((tpr - delta) / fpr, 1e-9)), math.log(max((1 - fpr - delta) / (1 - tpr), 1e-9)), 0
        ),
    },
    "02.4": {
        "wrong-shape": lambda epsilon, delta, k: epsilon / k,
        "wrong-value": lambda epsilon, delta, k: (epsilon / k, 0.0),
    },
    "02.5": {
        "A-per-visit": {**CLAIMS, "A": (0.25, 0, "add-remove")},
        "A-twice": {**CLAIMS, "A": (1.5, 0, "add-remove")},
        "A-upside-down": {**CLAIMS, "A": (12, 0, "add-remove")},
        "A-relation": {**CLAIMS, "A": (0.75, 0, "replace-one")},
        "A-delta": {**CLAIMS, "A": (0.75, 1e-6, "add-remove")},
        "B-relation": {**CLAIMS, "B": (0.25, 0, "add-remove")},
        "B-one-count": {**CLAIMS, "B": (0.25, 0, "replace-one")},
        "B-epsilon": {**CLAIMS, "B": (0.75, 0, "replace-one")},
        "A-upside-down too": {**CLAIMS, "A": (4, 0, "add-remove")},
        "B-upside-down": {**CLAIMS, "B": (8, 0, "replace-one")},
        "B-upside-down too": {**CLAIMS, "B": (4, 0, "replace-one")},
        "C-upside-down": {**CLAIMS, "C": (2, 1e-6, "add-remove")},
        "C-no-delta": {**CLAIMS, "C": (0.5, 0, "add-remove")},
        "C-exchanged": {"A": (3 / 4, 0, "add-remove"), "B": (0.5, 0, "replace-one"), "C": (1e-6, 0.5, "add-remove")},
        "C-infinite": {**CLAIMS, "C": (np.inf, 1e-6, "add-remove")},
        "A-infinite": {**CLAIMS, "A": (np.inf, 0.0, "add-remove")},
        "C-complement": {**CLAIMS, "C": (0.5, 1 - 1e-6, "add-remove")},
        "C-epsilon": {**CLAIMS, "C": (1, 1e-6, "add-remove")},
        "wrong-type": [CLAIMS["A"]],
        "wrong-type too": {**CLAIMS, "B": (0.5, 0, "replacing")},
        "wrong-shape": {"A": CLAIMS["A"]},
        "wrong-shape too": {**CLAIMS, "B": 0.5},
    },
    "02.6": {
        "separates-nothing": lambda output: output[0] > 1000 or output[1] > 38,
        "claim-holds": lambda output: output[0] > 61.5,
        "never-happens": lambda output: output[0] == output[1],
        "always-happens": lambda output: True,
        "wrong-type": lambda output: output[0] + output[1],
    },
}


def test_a_coin_that_behaves_only_where_it_is_audited_is_caught():
    assert "passed" not in rehearse("02.1", peeks, times=1, rng=2).keys
