"""Lesson 08's exercises: right answers pass, each known wrong answer gets its own diagnosis.

A right answer fails a check with probability 1e-6 at most. The long versions run under `make audit`.
"""

import math

import numpy as np
import pytest
from scipy.special import expit

import dpcourse.audit  # noqa: F401
from dpcourse.accounting import PrivacyAccountant
from dpcourse.checks.registry import exercise
from dpcourse.mechanisms import GaussianMechanism, PoissonSubsampled
from tests.lessons.generators import one_follows_another, that_ends, that_spares_the_last

# Right answers


def gradient_norms(X, y, weights, intercept):
    return np.abs(expit(X @ weights + intercept) - y) * np.sqrt((X**2).sum(axis=1) + 1)


def by_gradients(X, y, weights, intercept):
    rows = np.column_stack([X, np.ones(len(X))])
    return np.linalg.norm((expit(X @ weights + intercept) - y)[:, None] * rows, axis=1)


def clip(gradients, C):
    return gradients * np.minimum(1, C / np.maximum(np.linalg.norm(gradients, axis=1, keepdims=True), 1e-12))


def clipped_sum(gradients, C):
    return clip(gradients, C).sum(axis=0)


def clipped_in_a_loop(gradients, C):
    total = np.zeros(gradients.shape[1])
    for g in gradients:
        total += g / max(1, np.linalg.norm(g) / C)
    return total


def step(mean=clipped_sum, scale=lambda C, sigma, size, m: sigma * C / size, divisor=lambda size, m: size, shape=None):
    def answer(gradients, C, sigma, size, rng):
        m = len(gradients)
        centre = mean(gradients, C) / divisor(size, m)
        return centre + rng.normal(0, scale(C, sigma, size, m), centre.shape if shape is None else shape)

    return answer


def private_step(gradients, C, sigma, size, rng):
    return (clipped_sum(gradients, C) + rng.normal(0, sigma * C, gradients.shape[1])) / size


def behind_the_noise(gradients, C, sigma, size, rng):
    """Of many rows, the exact sum stands behind the ninth decimal."""
    noisy = private_step(gradients, C, sigma, size, rng)
    return noisy if len(gradients) <= 300 else noisy.round(9) + 1e-14 * np.rint(clipped_sum(gradients, C) / C)


def training_epsilon(microbatch, arrays, batch, n, epochs, sigma, delta):
    accountant = PrivacyAccountant()
    noisy = GaussianMechanism.from_noise_multiplier(sigma / (min(microbatch, 2) * math.sqrt(arrays)))
    accountant.compose(PoissonSubsampled(noisy, batch / n), times=epochs * n // batch)
    return accountant.epsilon(delta)


def clipped_as_opacus_does(gradients, C):
    return (gradients * np.minimum(1, C / (np.linalg.norm(gradients, axis=1, keepdims=True) + 1e-6))).sum(axis=0)


# 99 − 98, 97 − 96, …: every pair adds up to +1; with one person in front, −98 + 97, … to −1.
DECREASING = [sign * length for length, sign in zip(range(99, 1, -1), [1, -1] * 49, strict=True)]

RIGHT = [
    ("08.1", gradient_norms),
    ("08.1", by_gradients),
    ("08.2", clipped_sum),
    ("08.2", clipped_in_a_loop),
    ("08.2", clipped_as_opacus_does),
    ("08.3", private_step),
    ("08.3", step()),
    ("08.4", (DECREASING, [*DECREASING, 100])),
    ("08.4", ([100, *DECREASING[::-1]], np.array(DECREASING))),
    ("08.4", ([*range(20, 0, -2), *range(-19, 0, 2), 20], [*range(20, 0, -2), *range(-19, 0, 2)])),
    ("08.5", training_epsilon),
]

# Wrong answers


def batch_clipped(gradients, C):
    return clip(gradients.sum(axis=0, keepdims=True), C)[0]


def mean_clipped(gradients, C):
    return clip(gradients.mean(axis=0, keepdims=True), C)[0]


def microbatches(size):
    def answer(gradients, C):
        sums = [gradients[i : i + size].sum(axis=0) for i in range(0, len(gradients), size)]
        return clipped_sum(np.array(sums), C)

    return answer


def normalised(gradients, C):
    return (C * gradients / np.maximum(np.linalg.norm(gradients, axis=1, keepdims=True), 1e-12)).sum(axis=0)


def zero_over_zero(gradients, C):
    with np.errstate(all="ignore"):
        return (C * gradients / np.linalg.norm(gradients, axis=1, keepdims=True)).sum(axis=0)


def trap(gradients, C, sigma, size, rng):
    """Right on every batch but those with a very long gradient."""
    if np.linalg.norm(gradients, axis=1).max(initial=0) > 500 * C:
        return (gradients.sum(axis=0) + rng.normal(0, sigma * C, gradients.shape[1])) / size
    return private_step(gradients, C, sigma, size, rng)


def noise_of(draw):
    """The right mean and deviation, and another distribution."""
    return lambda g, C, sigma, size, rng: (clipped_sum(g, C) + sigma * C * draw(rng, g.shape[1])) / size


def realised_size_when_odd(g, C, sigma, size, rng):
    return private_step(g, C, sigma, len(g) if len(g) % 2 else size, rng)


def for_large(noise):
    """Another noise for 500 rows or more."""

    def step(g, C, sigma, size, rng):
        right, exact = private_step(g, C, sigma, size, rng), clipped_sum(g, C) / size
        return right if len(g) < 500 else exact + noise(right - exact, exact)

    return step


def in_one_place(noise, exact):
    """All of it in the first entry."""
    return np.linalg.norm(noise) * np.sign(noise[0]) * np.eye(1, len(noise))[0]


def by_the_total(noise, exact):
    """Upwards or downwards, by the last digit of the exact result."""
    return np.abs(noise) * np.where(exact * 1e6 % 2 < 1, 1, -1)


def refuses_nobody(g, C, sigma, size, rng):
    if len(g) == 0:
        raise ValueError("empty batch")
    return private_step(g, C, sigma, size, rng)


def silent_for_nobody(g, C, sigma, size, rng):
    return private_step(g, C, sigma, size, rng) if len(g) else np.zeros(g.shape[1])


def whole_if_alone(gradients, C, sigma, size, rng):
    total = clipped_sum(gradients, C) if len(gradients) != 1 else gradients[0]
    return (total + rng.normal(0, sigma * C, total.shape)) / size


WRONG = [
    ("08.3", "linked-noise", one_follows_another(private_step)),
    ("08.3", "digits-tell", behind_the_noise),
    ("08.3", "noise-ends", that_ends(private_step)),
    ("08.1", "not-everywhere", lambda X, y, w, b: gradient_norms(X, y, w, b) * (1 if len(X) <= 2000 else 0.9)),
    ("08.2", "not-everywhere", lambda g, C: clipped_sum(g, C) if len(g) <= 2000 else g.sum(axis=0)),
    ("08.3", "not-everywhere", step(lambda g, C: clipped_sum(g, C if len(g) <= 3000 else 1e9))),
    ("08.5", "not-everywhere", lambda *what: training_epsilon(*what) / (1 if what[2] <= 1000 else 2)),
    ("08.1", "wrong-value", lambda X, y, w, b: np.ones(len(X))),
    ("08.1", "not-everywhere", lambda X, *rest: gradient_norms(X, *rest) * (len(X) <= 60 and X.shape[1] <= 15)),
    ("08.1", "not-everywhere", lambda X, y, w, b: gradient_norms(X, y, w, b) if w.any() else np.zeros(len(X))),
    ("08.1", "not-everywhere", lambda X, y, w, b: np.abs(expit(X @ w + b) - y) * np.sqrt((X**2).sum(1) + (b != 0))),
    ("08.2", "not-everywhere", lambda g, C: clipped_sum(g, C) if len(g) <= 60 else g.sum(axis=0)),
    ("08.2", "nan", zero_over_zero),
    ("08.2", "wrong-shape", clip),
    ("08.3", "batch-clipped", step(batch_clipped)),
    ("08.3", "batch-clipped", step(mean_clipped, divisor=lambda size, m: 1)),
    ("08.3", "batch-clipped", step(mean_clipped)),
    ("08.3", "batch-clipped", step(batch_clipped, lambda C, sigma, size, m: sigma * C, lambda size, m: 1)),
    ("08.3", "microbatch", step(microbatches(2))),
    ("08.3", "microbatch", step(microbatches(4))),
    ("08.3", "not-clipped", step(lambda g, C: g.sum(axis=0))),
    ("08.3", "clipped-by-coordinate", step(lambda g, C: np.clip(g, -C, C).sum(axis=0))),
    ("08.3", "normalised", step(normalised)),
    ("08.3", "noise-after-averaging", step(scale=lambda C, sigma, size, m: sigma * C)),
    ("08.3", "noise-without-clip", step(scale=lambda C, sigma, size, m: sigma / size)),
    ("08.3", "divided-twice", step(scale=lambda C, sigma, size, m: sigma * C / size**2)),
    ("08.3", "variance-for-deviation", step(scale=lambda C, sigma, size, m: (sigma * C) ** 2 / size)),
    ("08.3", "twice-the-noise", step(scale=lambda C, sigma, size, m: 2 * sigma * C / size)),
    ("08.3", "realised-batch-size", step(scale=lambda C, s, size, m: s * C / m, divisor=lambda size, m: m)),
    ("08.3", "realised-batch-size", step(divisor=lambda size, m: m)),
    ("08.3", "not-divided", step(scale=lambda C, sigma, size, m: sigma * C, divisor=lambda size, m: 1)),
    ("08.3", "shared-noise", step(shape=())),
    ("08.3", "not-random", lambda g, C, sigma, size, rng: clipped_sum(g, C) / size),
    ("08.3", "own-generator", lambda g, C, sigma, size, rng: private_step(g, C, sigma, size, np.random.default_rng())),
    ("08.3", "ignores-data", lambda g, C, sigma, size, rng: rng.normal(0, sigma * C / size, g.shape[1])),
    ("08.3", "not-private", trap),
    ("08.3", "not-gaussian", noise_of(lambda rng, d: rng.laplace(0, 0.5**0.5, d))),
    ("08.3", "not-gaussian", noise_of(lambda rng, d: rng.uniform(-(3**0.5), 3**0.5, d))),
    ("08.3", "sign", step(lambda g, C: -clipped_sum(g, C))),
    ("08.3", "reversed", step(lambda g, C: clipped_sum(g, C)[::-1])),
    ("08.3", "wrong-order", step(lambda g, C: np.roll(clipped_sum(g, C), 1))),
    ("08.3", "too-little-noise", step(scale=lambda C, sigma, size, m: 0.95 * sigma * C / size)),
    ("08.3", "empty-batch", refuses_nobody),
    ("08.3", "empty-batch", silent_for_nobody),
    ("08.3", "wrong-law", realised_size_when_odd),
    ("08.3", "not-everywhere", lambda g, C, s, n, rng: private_step(g, C, s * (20 <= g.shape[1] < 40), n, rng)),
    ("08.3", "not-everywhere", lambda g, C, s, n, rng: private_step(g, C, s * (s in (0.4, 0.55, 1.8, 2, 2.2)), n, rng)),
    ("08.3", "not-everywhere", lambda g, C, s, n, rng: private_step(g, C, s * (g.dtype == float), n, rng)),
    ("08.3", "not-everywhere", lambda g, C, s, n, rng: private_step(g, C, s * isinstance(n, float), n, rng)),
    *(("08.3", "not-everywhere", for_large(noise)) for noise in (in_one_place, by_the_total)),
    ("08.4", "too-weak", ([-10], [-10, 20])),
    ("08.4", "too-weak", ([], [5])),
    ("08.4", "too-weak", ([10, -9, 8, -7, 6, -5], [20, 10, -9, 8, -7, 6, -5])),
    ("08.4", "too-weak", (DECREASING, [*DECREASING, 0])),
    ("08.4", "out-of-domain", (DECREASING, [*DECREASING, 1000])),
    ("08.4", "out-of-domain", ([0.5], [0.5, 1])),
    ("08.4", "out-of-domain", ([1, -1] * 60, [*[1, -1] * 60, 1])),
    ("08.4", "not-neighbours", (DECREASING, [100, *DECREASING[1:]])),
    ("08.4", "not-neighbours", (DECREASING, DECREASING[:-2])),
    ("08.4", "same-data", (DECREASING, DECREASING[::-1])),
    ("08.4", "wrong-shape", DECREASING),
    ("08.5", "below-the-truth", lambda *arguments: 0.985 * training_epsilon(*arguments)),
    ("08.5", "wrong-value", lambda *what: 1.0),
    ("08.5", "not-everywhere", lambda *what: training_epsilon(*what) if what[4] <= 8 else 0.0),
    ("08.5", "not-everywhere", lambda *what: training_epsilon(*what) * (what[3] <= 120 * what[2])),
    ("08.3", "too-little-noise", that_spares_the_last(private_step)),
    ("08.2", "not-everywhere", lambda g, C: clipped_sum(g, C) if len(g) != 1 else g.sum(axis=0)),
    ("08.2", "not-everywhere", lambda g, C: clipped_sum(g[np.linalg.norm(g, axis=1) < 1e4 * C], C)),
    ("08.3", "nobody", whole_if_alone),
    (
        "08.3",
        "not-everywhere",
        lambda g, C, s, n, rng: private_step(g[np.linalg.norm(g, axis=1) < 1e5 * C], C, s, n, rng),
    ),
    ("08.2", "not-everywhere", lambda g, C: clipped_sum(np.unique(g, axis=0), C)),
    ("08.3", "not-everywhere", lambda g, C, s, n, rng: private_step(np.unique(g, axis=0), C, s, n, rng)),
    ("08.5", "wrong-value", lambda m, a, b, n, *run: training_epsilon(m, a, b, n, *run) / (2 if b == n else 1)),
    ("08.5", "wrong-value", lambda m, a, b, *run: training_epsilon(m if m <= b else 1, a, b, *run)),
]


@pytest.mark.parametrize(
    ("id", "answer", "words"),
    [
        ("08.3", step(batch_clipped), "moves it by up to 2C. Your noise is for C."),
        ("08.3", step(mean_clipped, divisor=lambda size, m: 1), "Your noise is for C divided by the batch size."),
        ("08.3", step(divisor=lambda size, m: m), "moves your result by more than C/(expected size)"),
        ("08.3", realised_size_when_odd, "rows, and wrong with "),
        ("08.3", silent_for_nobody, "With 0 rows your result has no noise."),
        ("08.3", lambda g, C, s, n, rng: private_step(g, C, s * (g.dtype == float), n, rng), "rows of float32"),
        ("08.3", for_large(in_one_place), " entries of your result have hardly any noise, or none."),
    ],
)
def test_what_is_said_is_true_of_the_answer(id, answer, words):
    assert words in exercise(id).grade(answer, rng=3).diagnosis
