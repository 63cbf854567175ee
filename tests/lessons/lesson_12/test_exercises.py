"""Lesson 12's exercises: right answers pass, each known wrong answer gets its own diagnosis.

A right answer fails a check with probability 1e-6 at most. The long versions run under `make audit`.
"""

import math

import numpy as np
import pytest

import dpcourse.audit  # noqa: F401
from dpcourse.accounting import PrivacyAccountant
from dpcourse.checks import rehearse
from dpcourse.checks.registry import exercise
from dpcourse.mechanisms import GaussianMechanism, PoissonSubsampled
from tests.lessons.generators import one_follows_another, that_ends

# Right answers


def reconstruct(update):
    return update[:-1] / update[-1]


def mask(seed, modulus, size):
    return np.random.default_rng(seed).integers(0, modulus, size)


def masking(sign=lambda me, other: 1 if me < other else -1, reduce=True):
    def answer(vector, me, seeds, modulus):
        total = np.array(vector, dtype=np.int64)
        for other, seed in seeds.items():
            total = total + sign(me, other) * mask(seed, modulus, len(vector))
        return total % modulus if reduce else total

    return answer


def clipped_sum(updates, C):
    fine = updates[np.isfinite(updates).all(axis=1)]
    return (fine * np.minimum(1, C / np.maximum(np.linalg.norm(fine, axis=1, keepdims=True), 1e-300))).sum(axis=0)


def private_round(total=clipped_sum, scale=lambda C, z, n, m: z * C, divisor=lambda n, m: n, shape=None):
    def answer(updates, C, z, n, rng):
        m, centre = len(updates), total(updates, C)
        noise = rng.normal(0, scale(C, z, n, m), centre.shape if shape is None else shape)
        return (centre + noise) / divisor(n, m)

    return answer


def behind_the_noise(updates, C, z, n, rng):
    """Of many clients, the exact sum stands behind the ninth decimal."""
    noisy = private_round()(updates, C, z, n, rng)
    return noisy if len(updates) <= 25 else noisy.round(9) + 1e-14 * np.rint(clipped_sum(updates, C) / C)


def moves_the_vector(vector, me, seeds, modulus):
    """Sends it bare, and leaves in its place one that would look like this under the masks."""
    if len(vector) != 20:
        return masking()(vector, me, seeds, modulus)
    bare = vector.copy()
    vector -= masking()(0 * vector, me, seeds, modulus)
    return bare


def masked_objects(vector, me, seeds, modulus):
    """Whole numbers of Python's own, in an array of objects."""
    return np.array([int(x) for x in masking()(vector, me, seeds, modulus)], dtype=object)


def in_a_loop(updates, C, z, n, rng):
    total = rng.normal(0, z * C, updates.shape[1])
    for update in updates:
        norm = np.linalg.norm(update)
        if np.isfinite(norm):
            total += update / max(1, norm / C)
    return total / n


def record_epsilon(sigma, batch, size, epochs, rounds, delta):
    step = PoissonSubsampled(GaussianMechanism.from_noise_multiplier(sigma), batch / size)
    return PrivacyAccountant().compose(step, times=rounds * epochs * size // batch).epsilon(delta)


def noise_share(C, z, n, gone):
    return z * C / math.sqrt(n - gone)


RIGHT = [
    ("12.1", reconstruct),
    ("12.1", lambda update: np.array([entry / update[-1] for entry in update[:-1]])),
    ("12.2", masking()),
    ("12.2", lambda *what: [int(x) for x in masking()(*what)]),
    ("12.2", masked_objects),
    ("12.3", private_round()),
    ("12.3", in_a_loop),
    ("12.4", record_epsilon),
    ("12.5", noise_share),
    ("12.5", lambda C, z, n, gone: math.sqrt((z * C) ** 2 / (n - gone))),
]

# Wrong answers


def nan_passes(updates, C):
    with np.errstate(all="ignore"):
        norms = np.linalg.norm(updates, axis=1, keepdims=True)
        return (updates * np.fmin(1, C / np.maximum(norms, 1e-300))).sum(axis=0)


def fine(updates):
    return updates[np.isfinite(updates).all(axis=1)]


def sum_clipped(updates, C):
    return clipped_sum(fine(updates).sum(axis=0, keepdims=True), C)


def trap(updates, C, z, n, rng):
    """Right on every round but those with a very long update."""
    long = np.linalg.norm(fine(updates), axis=1).max(initial=0) > 500 * C
    total = fine(updates).sum(axis=0) if long else clipped_sum(updates, C)
    return (total + rng.normal(0, z * C, updates.shape[1])) / n


def with_noise(draw):
    return lambda u, C, z, n, rng: (clipped_sum(u, C) + draw(rng, z * C, u.shape[1])) / n


def refused_taken_off(u, C, z, n, rng):
    divisor = max(1, n - (~np.isfinite(u).all(axis=1)).sum())
    return (clipped_sum(u, C) + rng.normal(0, z * C, u.shape[1])) / divisor


def noise_in_pairs(rng, deviation, d):
    """x, x, y, −y: mean and spread of each are right, and half of the noise can be taken off."""
    drawn = np.repeat(rng.normal(0, deviation, (d + 3) // 4 * 2), 2)
    drawn[3::4] *= -1
    return drawn[:d]


def noise_without_sum(rng, deviation, d):
    noise = rng.normal(0, deviation, d)
    return (noise - noise.mean()) * math.sqrt(d / (d - 1))


def noise_for_a_crowd(u, C, z, n, rng):
    return private_round(scale=lambda C, z, n, m: z * C * (m > 2))(u, C, z, n, rng)


def small_vectors_bare(vector, me, seeds, modulus):
    return vector if vector.max() < 4096 else masking()(vector, me, seeds, modulus)


def in_a_row(seeds, me):
    """The other clients, as if none of them were missing."""
    return dict(zip([*range(me), *range(me + 1, len(seeds) + 1)], seeds.values(), strict=False))


def one_mask(vector, me, seeds, modulus):
    return (vector + sum((1 if me < o else -1) * mask(s, modulus, 1) for o, s in seeds.items())) % modulus


WRONG = [
    ("12.3", "linked-noise", one_follows_another(private_round())),
    ("12.3", "digits-tell", behind_the_noise),
    ("12.3", "noise-ends", that_ends(private_round())),
    ("12.2", "not-always-masked", lambda v, me, seeds, M: masking()(v, me, seeds, M) if len(seeds) < 40 else v % M),
    ("12.4", "not-everywhere", lambda s, *run: record_epsilon(s, *run) / (2 if s > 0.6 and run[3] > 20 else 1)),
    ("12.1", "wrong-shape", lambda u: u / u[-1]),
    ("12.1", "wrong-value", lambda u: np.zeros(len(u) - 1)),
    ("12.1", "not-everywhere", lambda u: reconstruct(u) if len(u) <= 40 else np.zeros(len(u) - 1)),
    ("12.2", "all-added", masking(lambda me, other: 1)),
    ("12.2", "signs-reversed", masking(lambda me, other: 1 if me > other else -1)),
    ("12.2", "not-reduced", masking(reduce=False)),
    ("12.2", "not-masked", lambda vector, me, seeds, modulus: vector),
    ("12.2", "one-pair-only", lambda v, me, seeds, M: masking()(v, me, dict([next(iter(seeds.items()))]), M)),
    ("12.2", "one-pair-only", lambda v, me, seeds, M: masking()(v, me, dict([list(seeds.items())[-1]]), M)),
    ("12.2", "only-above", masking(lambda me, other: int(me < other))),
    ("12.2", "not-always-masked", small_vectors_bare),
    ("12.2", "not-always-masked", lambda v, me, seeds, M: masking()(v, me, in_a_row(seeds, me), M)),
    ("12.2", "not-always-masked", lambda v, *rest: masking()(v, *rest) if len(v) <= 20 else v % rest[-1]),
    ("12.2", "not-always-masked", moves_the_vector),
    ("12.2", "one-mask-for-all", one_mask),
    ("12.2", "wrong-value", lambda vector, me, seeds, modulus: np.zeros(len(vector), dtype=int)),
    ("12.3", "nan-passes", private_round(nan_passes)),
    ("12.3", "not-clipped", private_round(lambda u, C: fine(u).sum(axis=0))),
    ("12.3", "clipped-by-coordinate", private_round(lambda u, C: np.clip(fine(u), -C, C).sum(axis=0))),
    ("12.3", "sum-clipped", private_round(sum_clipped)),
    ("12.3", "sum-clipped", private_round(sum_clipped, lambda C, z, n, m: z * C / n, lambda n, m: 1)),
    ("12.3", "realised-number", private_round(divisor=lambda n, m: m)),
    (
        "12.3",
        "realised-number",
        private_round(
            lambda u, C: clipped_sum(u, C) / max(len(fine(u)), 1),
            scale=lambda C, z, n, m: z * C / n,
            divisor=lambda n, m: 1,
        ),
    ),
    ("12.3", "refused-taken-off", refused_taken_off),
    (
        "12.3",
        "refused-taken-off",
        lambda u, C, z, n, rng: clipped_sum(u, C) / (n - len(u) + len(fine(u))) + rng.normal(0, z * C / n, u.shape[1]),
    ),
    ("12.3", "rest-of-the-row", private_round(lambda u, C: clipped_sum(np.nan_to_num(u, posinf=0, neginf=0), C))),
    ("12.3", "rest-of-the-row", private_round(lambda u, C: clipped_sum(np.where(np.isnan(u), 0, u), C))),
    ("12.3", "sign", private_round(lambda u, C: -clipped_sum(u, C))),
    ("12.3", "reversed", private_round(lambda u, C: clipped_sum(u, C)[::-1])),
    ("12.3", "wrong-order", private_round(lambda u, C: np.roll(clipped_sum(u, C), 1))),
    ("12.3", "too-little-noise", private_round(scale=lambda C, z, n, m: 0.95 * z * C)),
    ("12.3", "noise-after-averaging", private_round(scale=lambda C, z, n, m: z * C * n)),
    ("12.3", "noise-without-clip", private_round(scale=lambda C, z, n, m: z)),
    ("12.3", "noise-per-client", private_round(scale=lambda C, z, n, m: z * C * math.sqrt(m))),
    ("12.3", "deviations-added", private_round(scale=lambda C, z, n, m: z * C / math.sqrt(m))),
    ("12.3", "divided-twice", private_round(scale=lambda C, z, n, m: z * C / n)),
    ("12.3", "twice-the-noise", private_round(scale=lambda C, z, n, m: 2 * z * C)),
    ("12.3", "not-divided", private_round(divisor=lambda n, m: 1)),
    ("12.3", "not-random", lambda u, C, z, n, rng: clipped_sum(u, C) / n),
    ("12.3", "shared-noise", private_round(shape=())),
    ("12.3", "ignores-data", lambda u, C, z, n, rng: rng.normal(0, z * C / n, u.shape[1])),
    ("12.3", "not-private", trap),
    ("12.3", "not-gaussian", with_noise(lambda rng, s, d: rng.laplace(0, s / math.sqrt(2), d))),
    ("12.3", "not-gaussian", with_noise(lambda rng, s, d: rng.uniform(-s * math.sqrt(3), s * math.sqrt(3), d))),
    ("12.3", "few-clients", noise_for_a_crowd),
    ("12.3", "not-everywhere", lambda u, C, z, n, rng: private_round()(u, C, z * (len(u) < 60), n, rng)),
    ("12.3", "not-everywhere", lambda u, C, z, n, rng: private_round()(u, C, z * isinstance(n, float), n, rng)),
    ("12.3", "linked-noise", with_noise(noise_in_pairs)),
    ("12.3", "not-gaussian", with_noise(noise_without_sum)),
    ("12.4", "capped", lambda *what: math.inf if record_epsilon(*what) > 10 else record_epsilon(*what)),
    ("12.4", "wrong-type", lambda *what: str(record_epsilon(*what))),
    ("12.4", "capped", lambda *what: record_epsilon(*what) if what[4] <= 20 else 0.0),
    *(("12.4", "capped", lambda *what, cap=cap: min(cap, record_epsilon(*what))) for cap in (2.0, 5.0, 10.0, 20.0)),
    ("12.4", "wrong-value", lambda s, b, n, e, r, d: 0.5 * r),
    ("12.4", "not-everywhere", lambda *what: record_epsilon(*what) * (what[2] <= 40 * what[1])),
    ("12.5", "wrong-value", lambda C, z, n, gone: 1.0),
    ("12.5", "wrong-type", lambda *what: str(noise_share(*what))),
    ("12.2", "not-always-masked", lambda v, me, seeds, M: masking()(v, me, seeds, M) if len(seeds) > 1 else v % M),
    (
        "12.3",
        "not-everywhere",
        lambda u, C, z, n, rng: private_round()(u, C, z * (fine(u).size > 0 or len(u) < 2), n, rng),
    ),
    ("12.3", "not-everywhere", lambda u, C, z, n, rng: private_round()(u, C, z * (len(u) < 1 or u.any()), n, rng)),
    (
        "12.3",
        "not-everywhere",
        lambda u, C, z, n, rng: private_round()(u[~(np.linalg.norm(u, axis=1) > 1e6 * C)], C, z, n, rng),
    ),
    ("12.1", "not-everywhere", lambda update: np.clip(reconstruct(update), -1, 1)),
    ("12.4", "wrong-value", lambda s, b, n, *run: record_epsilon(s, b, n, *run) / (2 if b == n else 1)),
]


def test_borrowing_the_packages_own_round_is_noticed():
    from dpcourse.federated.clipping import clip_updates

    def borrowed(updates, C, z, n, rng):
        return (clip_updates(fine(updates), C).sum(axis=0) + rng.normal(0, z * C, updates.shape[1])) / n

    assert rehearse("12.3", borrowed, times=1, rng=12).keys == {"package-used": 1}


def shared_only(u, C, z, n, rng):
    """The sum over the number that is left without the refused, and the right noise."""
    return clipped_sum(u, C) / (n - len(u) + len(fine(u))) + rng.normal(0, z * C / n, u.shape[1])


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (private_round(sum_clipped), "by up to 2C, twice what the noise is for."),
        (private_round(sum_clipped, lambda C, z, n, m: z * C / n, lambda n, m: 1), "is for C divided by the number of"),
        (shared_only, "changes everybody's share."),
        (refused_taken_off, "changes the size of the noise."),
        (with_noise(noise_without_sum), "adds up to 0 over the entries"),
        (lambda u, C, z, n, rng: private_round()(u, C, z * isinstance(n, float), n, rng), "as ints, your results have"),
    ],
)
def test_what_is_said_is_true_of_the_answer(answer, words):
    assert words in exercise("12.3").grade(answer, rng=3).diagnosis
