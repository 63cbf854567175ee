"""Lesson 09's exercises: right answers pass, each known wrong answer gets its own diagnosis.

A right answer fails a check with probability 1e-6 at most. The long versions run under `make audit`.
"""

import math

import numpy as np
import pandas as pd
import pytest

import dpcourse.audit
import dpcourse.lessons.lesson_09.exercises  # noqa: F401  (so that no check pays for an import)
from dpcourse.checks import rehearse
from dpcourse.checks.registry import exercise

# Right answers


def perturb(weights, n, lam, epsilon, rng):
    direction = rng.normal(size=len(weights))
    return weights + direction / np.linalg.norm(direction) * rng.gamma(len(weights), 2 / (n * lam * epsilon))


def share(epsilon, n, lam):
    lam = max(lam, 0.25 / (n * math.expm1(epsilon / 4)))
    return lam, epsilon - 2 * math.log1p(0.25 / (n * lam))


def vote_moves(neighbours):
    votes = 1 if neighbours == "add-remove" else 2
    return votes, votes * math.sqrt(2), 2 * votes


def noisy_winner(votes, epsilon, rng):
    return int(np.argmax(votes + rng.laplace(scale=2 / epsilon, size=len(votes))))


def exponential_winner(votes, epsilon, rng):
    """The exponential mechanism, by Gumbel noise: as private, and no less useful."""
    return int(np.argmax(votes + rng.gumbel(scale=2 / epsilon, size=len(votes))))


def permute_and_flip(votes, epsilon, rng):
    """One-sided exponential noise: as private, and more useful."""
    return int(np.argmax(votes + rng.exponential(scale=2 / epsilon, size=len(votes))))


def price(questions, answers, threshold_sigma, vote_sigma):
    return 2 * questions / threshold_sigma**2 + 4 * answers / vote_sigma**2


RIGHT = [
    ("09.1", perturb),
    ("09.2", share),
    ("09.3", vote_moves),
    ("09.4", noisy_winner),
    ("09.4", exponential_winner),
    ("09.4", permute_and_flip),
    ("09.5", price),
]

# Wrong answers


def raised_early(epsilon, n, lam):
    """Below 0.55 ε instead of 0.5 ε."""
    left = epsilon - 2 * math.log1p(0.25 / (n * lam))
    return (lam, left) if left >= 0.55 * epsilon else (0.25 / (n * math.expm1(epsilon / 4)), epsilon / 2)


def length_with(shape=None, factor=lambda n, lam, epsilon: 2 / (n * lam * epsilon), draw="normal"):
    def answer(weights, n, lam, epsilon, rng):
        d = len(weights)
        draws = {"normal": rng.normal, "cube": lambda size: rng.uniform(-1, 1, size), "laplace": rng.laplace}
        direction = draws[draw](size=d) if draw in draws else rng.uniform(0, 1, d)
        return weights + direction / np.linalg.norm(direction) * rng.gamma(shape or d, factor(n, lam, epsilon))

    return answer


def laplace_weights(weights, n, lam, epsilon, rng):
    return weights + rng.laplace(scale=2 / (n * lam * epsilon), size=len(weights))


def gaussian_weights(factor):
    return lambda weights, n, lam, epsilon, rng: (
        weights + rng.normal(scale=factor * 2 / (n * lam * epsilon), size=len(weights))
    )


def around(centre):
    """Right noise around something else than the weights."""
    return lambda weights, n, lam, epsilon, rng: centre(weights) + perturb(np.zeros(len(weights)), n, lam, epsilon, rng)


def in_place(weights, n, lam, epsilon, rng):
    weights += perturb(np.zeros(len(weights)), n, lam, epsilon, rng)
    return weights


def moves_with(relation, place, value):
    def answer(neighbours):
        moves = list(vote_moves(neighbours))
        if neighbours == relation:
            moves[place] = value
        return moves

    return answer


def winner_with(scale):
    return lambda votes, epsilon, rng: int(np.argmax(votes + rng.laplace(0, scale(epsilon, votes), len(votes))))


def skips_empty(votes, epsilon, rng):
    return int(np.argmax(np.where(votes > 0, votes + rng.laplace(0, 2 / epsilon, len(votes)), -np.inf)))


def on_an_axis(weights, n, lam, epsilon, rng):
    """From 14 weights on all noise is on one of them: the others are told."""
    d = len(weights)
    if d < 14:
        return perturb(weights, n, lam, epsilon, rng)
    return weights + np.eye(d)[rng.integers(d)] * rng.gamma(d, 2 / (n * lam * epsilon))


def on_the_diagonal(weights, n, lam, epsilon, rng):
    """From 14 weights on all of them have one noise: differences are told."""
    d = len(weights)
    if d < 14:
        return perturb(weights, n, lam, epsilon, rng)
    return weights + np.full(d, d**-0.5) * rng.choice([-1, 1]) * rng.gamma(d, 2 / (n * lam * epsilon))


def sure_of(known):
    """The winner with noise, if the number of classes is known; else without."""
    return lambda votes, epsilon, rng: noisy_winner(votes, epsilon if known(votes) else 1e9, rng)


def unlike_lengths(weights, n, lam, epsilon, rng):
    """Length and direction are right, each for itself: but it is longer on one side."""
    direction, lengths = rng.normal(size=len(weights)), rng.gamma(len(weights), 2 / (n * lam * epsilon), size=2)
    return weights + direction / np.linalg.norm(direction) * (lengths.max() if direction[0] > 0 else lengths.min())


def sure_when_clear(votes, epsilon, rng):
    low, high = np.sort(votes)[-2:]
    return int(np.argmax(votes)) if high - low > 5 else noisy_winner(votes, epsilon, rng)


def sure_when_unanimous(votes, epsilon, rng):
    return int(np.argmax(votes)) if (votes > 0).sum() == 1 else noisy_winner(votes, epsilon, rng)


def noise_on_the_first(votes, epsilon, rng):
    return int(np.argmax(votes + np.where(votes == votes.max(), rng.laplace(0, 2 / epsilon, len(votes)), 0)))


def side_of_the_weights(weights, n, lam, epsilon, rng):
    """Each weight is moved upwards or downwards, by its own last digit."""
    noise = perturb(weights, n, lam, epsilon, rng) - weights
    return weights + (noise if 0.4 < epsilon < 2.6 else np.abs(noise) * np.where(weights * 1e6 % 2 < 1, 1, -1))


def bare_at_a_round_lambda(weights, n, lam, epsilon, rng):
    return weights + 0 if lam == float(f"{lam:.2g}") else perturb(weights, n, lam, epsilon, rng)


def one_dimension_less(weights, n, lam, epsilon, rng):
    """Its length, stretched to the right mean."""
    direction, d, shape = rng.normal(size=len(weights)), len(weights), max(len(weights) - 1, 1)
    length = rng.gamma(shape, 2 / (n * lam * epsilon) * d / shape)
    return weights + direction / np.linalg.norm(direction) * length


def normal_length(weights, n, lam, epsilon, rng):
    direction, d = rng.normal(size=len(weights)), len(weights)
    length = abs(rng.normal(d, math.sqrt(d))) * 2 / (n * lam * epsilon)
    return weights + direction / np.linalg.norm(direction) * length


def sure_ahead(votes, epsilon, rng):
    second, first = np.sort(votes)[-2:]
    return int(np.argmax(votes)) if first - second > 12 / epsilon else noisy_winner(votes, epsilon, rng)


WRONG = [
    ("09.1", "not-everywhere", side_of_the_weights),
    ("09.1", "linked", unlike_lengths),
    ("09.1", "one-record-fewer", length_with(factor=lambda n, lam, epsilon: 2 / ((n - 1) * lam * epsilon))),
    ("09.1", "not-everywhere", on_an_axis),
    ("09.1", "not-everywhere", bare_at_a_round_lambda),
    ("09.1", "not-everywhere", on_the_diagonal),
    ("09.1", "not-everywhere", lambda w, *rest, rng: perturb(w, *rest, rng) if 9 <= len(w) <= 13 else w + 0),
    ("09.1", "leaks", lambda w, *rest, rng: pd.Series(perturb(w, *rest, rng), index=w)),
    ("09.4", "wrong-type", lambda v, e, rng: noisy_winner(v, e, rng) + (not 18 <= len(v) <= 22) * np.argmax(v) / 1e4),
    (
        "09.4",
        "too-much-noise",
        lambda v, e, rng: int(rng.integers(len(v))) if 2 < len(v) < 1000 else noisy_winner(v, e, rng),
    ),
    ("09.4", "not-everywhere", sure_of(lambda votes: len(votes) in (2, 5, 18, 19, 20, 21, 40, 1000))),
    ("09.4", "not-everywhere", sure_of(lambda votes: len(votes) in (5, 1000) or len(np.unique(votes)) == 2)),
    ("09.4", "ignores-epsilon", winner_with(lambda epsilon, votes: 1.0)),
    ("09.4", "ignores-epsilon", winner_with(lambda epsilon, votes: epsilon / 2)),
    ("09.4", "lead-without-noise", sure_when_clear),
    ("09.4", "empty-class-without-noise", sure_when_unanimous),
    ("09.4", "losers-without-noise", noise_on_the_first),
    *(
        (
            "09.4",
            "thin-tails",
            lambda votes, epsilon, rng, f=f: int(np.argmax(votes + rng.normal(0, f / epsilon, len(votes)))),
        )
        for f in (2, 2 * math.sqrt(2))
    ),
    ("09.4", "argmin", lambda votes, epsilon, rng: int(np.argmin(votes + rng.laplace(0, 2 / epsilon, len(votes))))),
    ("09.4", "grows-with-classes", winner_with(lambda epsilon, votes: len(votes) / epsilon)),
    ("09.4", "too-little-noise", winner_with(lambda epsilon, votes: 4 / (len(votes) * epsilon))),
    ("09.1", "laplace-coordinates", laplace_weights),
    ("09.1", "exponential-length", length_with(shape=1)),
    ("09.1", "half-sensitivity", length_with(factor=lambda n, lam, epsilon: 1 / (n * lam * epsilon))),
    ("09.1", "no-lambda", length_with(factor=lambda n, lam, epsilon: 2 / (n * epsilon))),
    ("09.1", "epsilon-ignored", length_with(factor=lambda n, lam, epsilon: 2 / (n * lam))),
    ("09.1", "upside-down", length_with(factor=lambda n, lam, epsilon: 2 * epsilon / (n * lam))),
    *(("09.1", "gaussian", gaussian_weights(factor)) for factor in (1, math.sqrt(2), 3.73)),
    *(("09.1", "direction", length_with(draw=draw)) for draw in ("cube", "laplace", "positive")),
    ("09.1", "no-weights", around(lambda weights: 0)),
    ("09.1", "no-weights", around(lambda weights: 5)),
    ("09.1", "scaled-weights", around(lambda weights: 2 * weights)),
    ("09.1", "scaled-weights", around(lambda weights: -weights)),
    ("09.1", "scaled-weights", around(lambda weights: weights / 2)),
    ("09.1", "normalised", around(lambda weights: weights / np.linalg.norm(weights))),
    ("09.1", "mean-of-weights", around(lambda weights: weights.mean())),
    ("09.1", "reordered", around(lambda weights: weights[::-1])),
    ("09.1", "reordered", around(np.sort)),
    ("09.1", "wrong-centre", around(lambda weights: np.clip(weights, -1, 1))),
    ("09.1", "wrong-centre", around(np.round)),
    ("09.1", "changes-data", in_place),
    ("09.1", "not-useful", length_with(factor=lambda n, lam, epsilon: 4 / (n * lam * epsilon))),
    ("09.1", "not-random", lambda weights, n, lam, epsilon, rng: weights),
    ("09.1", "wrong-shape", lambda weights, n, lam, epsilon, rng: perturb(weights, n, lam, epsilon, rng)[:-1]),
    ("09.2", "wrong-value", lambda epsilon, n, lam: (lam, epsilon / 2)),
    ("09.2", "wrong-value", raised_early),
    ("09.3", "sensitivity-one", moves_with("add-remove", 2, 1)),
    ("09.3", "one-count-moves", moves_with("add-remove", 1, 1)),
    ("09.3", "l1-for-l2", moves_with("add-remove", 1, 2)),
    ("09.3", "largest-doubled", moves_with("add-remove", 0, 2)),
    ("09.3", "one-teacher", lambda neighbours: vote_moves("add-remove")),
    ("09.3", "votes-apart", moves_with("replace-one", 1, 2)),
    ("09.3", "largest-of-one", moves_with("replace-one", 0, 1)),
    ("09.3", "wrong-value", lambda neighbours: (7, 7, 7)),
    ("09.3", "wrong-shape", lambda neighbours: 2),
    ("09.4", "l2-sensitivity", winner_with(lambda epsilon, votes: math.sqrt(2) / epsilon)),
    ("09.4", "sensitivity-one", winner_with(lambda epsilon, votes: 1 / epsilon)),
    ("09.4", "too-little-noise", winner_with(lambda epsilon, votes: 2 / (epsilon * sum(votes)) + 1e-9)),
    ("09.4", "ignores-epsilon", winner_with(lambda epsilon, votes: 2 * epsilon)),
    ("09.4", "not-useful", winner_with(lambda epsilon, votes: 4 / epsilon)),
    ("09.4", "empty-class-without-noise", skips_empty),
    ("09.4", "not-random", lambda votes, epsilon, rng: int(np.argmax(votes))),
    ("09.4", "not-random", lambda votes, epsilon, rng: int(np.argmax(votes + rng.laplace(0, 2 / epsilon)))),
    ("09.4", "wrong-type", lambda votes, epsilon, rng: float(np.max(votes + rng.laplace(0, 2 / epsilon, len(votes))))),
    ("09.4", "wrong-shape", lambda votes, epsilon, rng: votes + rng.laplace(0, 2 / epsilon, len(votes))),
    ("09.4", "ignores-data", lambda votes, epsilon, rng: int(rng.integers(len(votes)))),
    ("09.1", "wrong-distribution", one_dimension_less),
    ("09.1", "wrong-distribution", normal_length),
    ("09.1", "not-everywhere", lambda w, *rest, rng: perturb(w, *rest, rng) if np.abs(w).max() > 1e-3 else w + 0.0),
    ("09.4", "not-useful", lambda votes, epsilon, rng: noisy_winner(votes, min(epsilon, 2), rng)),
    ("09.4", "lead-without-noise", sure_ahead),
    (
        "09.4",
        "lead-without-noise",
        lambda votes, e, rng: noisy_winner(votes, e, rng) if len(votes) != 3 else votes.argmax(),
    ),
    ("09.4", "lead-without-noise", lambda votes, e, rng: noisy_winner(votes, e, rng) if votes.any() else 0),
]


def test_the_package_may_not_answer():
    from dpcourse.learning.perturbation import share_of_noise, spherical_noise

    def borrowed(weights, n, lam, epsilon, rng):
        return weights + spherical_noise(rng, len(weights), n * lam * epsilon / 2)

    assert rehearse("09.1", borrowed, times=1).keys == {"package-used": 1}
    assert rehearse("09.2", lambda epsilon, n, lam: share_of_noise(epsilon, n, lam), times=1).keys == {
        "package-used": 1
    }


@pytest.mark.parametrize(
    ("id", "answer", "words"),
    [
        ("09.1", side_of_the_weights, "on the same side of each weight both times."),
        ("09.1", on_an_axis, "some of the weights have no noise."),
        ("09.1", on_the_diagonal, "all weights have the same noise."),
        ("09.1", lambda w, *rest, rng: perturb(w, *rest, rng) if 9 <= len(w) <= 13 else w + 0, "your noise is 0."),
        ("09.1", lambda w, *rest, rng: pd.Series(perturb(w, *rest, rng), index=w), "they are the exact weights"),
        ("09.1", around(lambda weights: -weights), "predicts the opposite"),
        ("09.1", around(lambda weights: weights / 2), "0.5 times the weights: another model."),
        ("09.4", winner_with(lambda epsilon, votes: 2 * epsilon), "At a smaller ε your noise is smaller."),
        ("09.4", lambda votes, epsilon, rng: int(np.argmax(votes + rng.laplace(0, 2 / epsilon))), "yet you draw"),
        (
            "09.4",
            sure_of(lambda votes: len(votes) < 10 or len(votes) in (18, 19, 20, 21, 40, 1000)),
            "Of all 250 calls it won ",
        ),
    ],
)
def test_what_is_said_is_true_of_the_answer(id, answer, words):
    assert words in exercise(id).grade(answer, rng=3).diagnosis


def test_an_index_is_asked_for():
    found = exercise("09.4").grade(lambda votes, epsilon, rng: float(votes.max() + rng.laplace()), rng=3)
    assert "np.argmax" in found.next_step
