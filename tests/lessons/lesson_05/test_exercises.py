"""The exercises of lesson 05: right answers pass, each known wrong answer gets its own diagnosis.

Formulas are checked without chance. For the audited exercise a right answer fails with probability 1e-6 at most; the
long versions (20 and 300 checks) are marked `audit`.
"""

import math
from decimal import Decimal

import numpy as np

from dpcourse.checks import check, rehearse
from dpcourse.mechanisms import LaplaceMechanism
from tests.lessons.generators import that_ends


def advanced(k, epsilon, delta):
    return epsilon * math.sqrt(2 * k * math.log(1 / delta)) + k * epsilon * (math.exp(epsilon) - 1)


def first_k(epsilon, delta):
    if math.exp(epsilon) >= 2:
        return math.inf
    return math.floor(2 * math.log(1 / delta) / (2 - math.exp(epsilon)) ** 2) + 1


def first_k_by_search(epsilon, delta):
    if epsilon >= math.log(2):
        return np.inf
    low, high = 1, 10**9
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if advanced(middle, epsilon, delta) < middle * epsilon else (middle + 1, high)
    return low


def parallel(epsilons, neighbours):
    return max(epsilons) * (2 if neighbours == "replace-one" else 1)


def noisy_counts(flags, epsilon, rng):
    k = flags.shape[1]
    return flags.sum(axis=0) + rng.laplace(scale=k / epsilon, size=k)


def geometric_counts(flags, epsilon, rng):
    k = flags.shape[1]
    p = 1 - math.exp(-epsilon / k)
    return flags.sum(axis=0) + rng.geometric(p, size=k) - rng.geometric(p, size=k)


def delta(losses, masses, infinite, epsilon):
    q = np.exp(-losses) * masses
    return infinite + np.maximum(masses - np.exp(epsilon) * q, 0).sum()


def from_the_first_above(losses, masses, infinite, epsilon):
    """Right where losses ascend."""
    first = np.searchsorted(losses, epsilon)
    return infinite + delta(losses[first:], masses[first:], 0.0, epsilon)


def grant(requests, budget):
    spent, answers = Decimal(0), []
    for request in requests:
        fits = spent + Decimal(str(request)) <= Decimal(str(budget))
        spent += Decimal(str(request)) * fits
        answers.append(fits)
    return answers


RIGHT = {
    "05.1": [lambda k, epsilon, delta: min(k * epsilon, advanced(k, epsilon, delta))],
    "05.2": [first_k, first_k_by_search],
    "05.3": [parallel],
    "05.4": [noisy_counts, geometric_counts],
    "05.5": [delta],
    "05.6": [grant],
}


def noise(scale):
    return lambda flags, epsilon, rng: (
        flags.sum(axis=0) + rng.laplace(scale=scale(flags.shape[1], epsilon), size=flags.shape[1])
    )


def laplace_on(of):
    """The right noise on something else than the counts."""
    return lambda flags, epsilon, rng: of(flags) + rng.laplace(scale=flags.shape[1] / epsilon, size=flags.shape[1])


def normal_for_l2(flags, epsilon, rng):
    k = flags.shape[1]
    return flags.sum(axis=0) + rng.normal(scale=k**0.5 / epsilon, size=k)


def stops_at_a_refusal(requests, budget):
    answers = grant(requests, budget)
    end = answers.index(False) if False in answers else len(answers)
    return [place < end for place in range(len(answers))]


def large_counts_plain(flags, epsilon, rng):
    """Noise is for small counts, somebody thought."""
    counts = flags.sum(axis=0)
    return np.where(counts > 300, counts, noisy_counts(flags, epsilon, rng))


def rounded_sum(requests, budget):
    granted, answers = [], []
    for request in requests:
        answers.append(math.fsum([*granted, request]) <= budget)
        granted += [request] * answers[-1]
    return answers


def switch_at_a_hundred(k, epsilon, delta):
    return advanced(k, epsilon, delta) if k > 100 else k * epsilon


def first_of_a_million(epsilon, delta):
    """What lesson 05 does where it tries every k."""
    ks = np.arange(1, 1_000_001)
    wins = epsilon * np.sqrt(2 * ks * math.log(1 / delta)) + ks * epsilon * math.expm1(epsilon) < ks * epsilon
    return int(ks[wins.argmax()]) if wins.any() else math.inf


def ln2_rounded(epsilon, delta):
    return math.inf if epsilon >= 0.66 else first_k(epsilon, delta)


def counts_with_first_behaving(flags, epsilon, rng, memory={}):  # noqa: B006 (the trick is the point)
    """Behaves on the first dataset it meets and releases nearly the truth on every other."""
    memory.setdefault("first", flags.tobytes())
    known = flags.tobytes() == memory["first"]
    return flags.sum(axis=0) + rng.laplace(scale=10 / epsilon if known else 1e-3, size=10)


def in_pairs(flags, epsilon, rng):
    """Questions 2i and 2i + 1 share their noise, but for ε around 1."""
    noise = rng.laplace(scale=flags.shape[1] / epsilon, size=flags.shape[1])
    if not 0.75 < epsilon < 1.3:
        noise[1::2] = noise[: len(noise) // 2 * 2 : 2]
    return flags.sum(axis=0) + noise


WRONG = {
    ("05.3", "not-everywhere too if alike"): lambda epsilons, neighbours: (
        parallel(epsilons, neighbours) if len(epsilons) == 1 or np.ptp(epsilons) else sum(epsilons)
    ),
    ("05.5", "not-everywhere too if alike"): lambda losses, masses, infinite, epsilon: delta(
        *map(np.array, zip(*dict(zip(losses, masses, strict=True)).items(), strict=True)), infinite, epsilon
    ),
    ("05.3", "not-everywhere too"): lambda epsilons, neighbours: parallel(
        epsilons, neighbours if len(epsilons) <= 200 else "add-remove"
    ),
    ("05.5", "not-everywhere too"): lambda losses, masses, infinite, epsilon: delta(
        losses, masses, infinite if len(losses) <= 1000 else 0.0, epsilon
    ),
    ("05.6", "not-everywhere too at size"): lambda requests, budget: grant(
        requests, budget if len(requests) <= 200 else 1e9
    ),
    ("05.1", "wrong-value"): switch_at_a_hundred,
    ("05.2", "wrong-value"): ln2_rounded,
    ("05.4", "too-little-noise"): noise(lambda k, epsilon: 10 / epsilon),
    ("05.4", "noise-by-size"): large_counts_plain,
    ("05.4", "linked-noise"): in_pairs,
    ("05.4", "noise-ends"): that_ends(noisy_counts),
    ("05.4", "ignores-data"): laplace_on(lambda flags: 0),
    ("05.4", "thin-tails"): normal_for_l2,
    ("05.5", "not-everywhere"): from_the_first_above,
    ("05.6", "rounded-sum"): rounded_sum,
    ("05.6", "not-everywhere"): lambda requests, budget: grant(
        [Decimal(repr(cost)).quantize(Decimal("0.01"), "ROUND_UP") for cost in requests], budget
    ),
    ("05.6", "not-everywhere too"): lambda requests, budget: grant(requests[:22], budget) + [True] * len(requests[22:]),
    ("05.6", "refused-pay"): stops_at_a_refusal,
    ("05.4", "scale-from-data"): lambda flags, epsilon, rng: (
        flags.sum(axis=0) + rng.laplace(scale=max(1, flags.sum(axis=1).max()) / epsilon, size=flags.shape[1])
    ),
    ("05.4", "no-counts"): laplace_on(lambda flags: flags.mean(axis=0)),
    ("05.4", "wrong-shape"): lambda flags, epsilon, rng: flags.sum() + rng.laplace(scale=10 / epsilon, size=1),
    ("05.4", "package-used"): lambda flags, epsilon, rng: LaplaceMechanism(epsilon, 10).release(
        flags.sum(axis=0), rng=rng
    ),
    ("05.2", "wrong-value too"): lambda epsilon, delta: (
        math.inf if first_k(epsilon, delta) > 10**8 else first_k(epsilon, delta)
    ),
}


def test_a_price_that_is_chosen_by_another_rule_is_shown_where_that_shows():
    told = check("05.1", lambda k, e, d: k * e if k < 1500 else min(k * e, advanced(k, e, d)), rng=1).diagnosis
    assert "you give kε, and the advanced price is smaller" in told
    assert "you give inf at 0.66" in check("05.2", ln2_rounded, rng=1).diagnosis
    assert "you give inf at 0.692" in check("05.2", first_of_a_million, rng=1).diagnosis


def test_a_peek_at_the_dataset_is_caught():
    assert "passed" not in rehearse("05.4", counts_with_first_behaving, times=1, rng=7).keys
