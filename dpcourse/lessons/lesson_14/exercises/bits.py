"""Exercise 14.4: the floating-point attack."""

from __future__ import annotations

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import whole

# 14.4 The dataset in the last bits

_LESSON = 100_000  # releases there
_RELEASES = ((1000, 3000), (3000, _LESSON), (_LESSON, 2 * _LESSON))


def _naive(rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Which value each release came from (0 or 1, a fair coin), and value + Laplace noise of scale 1 in floats."""
    truth = rng.integers(2, size=size)
    return truth, truth + rng.laplace(size=size)


def _attacked(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Few releases and many: one of the two arrays, whichever, can be written to."""
    sizes = [whole(chance.rng, *ends) for ends in _RELEASES]
    share, written = Chance(chance.rng, chance.failure / len(sizes)), int(chance.rng.integers(len(sizes)))
    wrong = (_attacked_once(answer, size, share, place == written) for place, size in enumerate(sizes))
    return next(filter(None, wrong), None)


def _attacked_once(answer: Answer, size: int, chance: Chance, writeable: bool) -> Diagnosis | None:
    truth, releases = _naive(chance.rng, size)
    given = releases.copy()
    given.setflags(write=writeable)
    guess = np.asarray(answer(given))
    if guess.shape != truth.shape:
        return Diagnosis(
            "wrong-shape",
            f"For {truth.size:,} releases you return an array of shape {guess.shape}.",
            "One guess a release: 0, 1, or −1 where you are not sure.",
        )
    if not np.isin(guess, (-1, 0, 1)).all():
        return Diagnosis("wrong-value", "There are guesses other than 0, 1 and −1.", "−1 is “not sure”.")
    decided = guess >= 0
    right = int((guess == truth)[decided].sum())
    share, count = decided.mean(), int(decided.sum())
    # A right answer decides 14% or more; its share can only be below 5% by a miracle.
    if stats.binom.cdf(count, truth.size, 0.05) < chance.failure:
        return _silent(count, truth.size)
    if stats.binom.cdf(right, count, 0.99) >= chance.failure:
        return None
    return _misled(guess, releases, right / count, share)


def _silent(count: int, of: int) -> Diagnosis:
    if not count:
        return Diagnosis("never-sure", "You are never sure.", "Some floats can come out of 0 + noise only. Which?")
    return Diagnosis(
        "seldom-sure",
        f"You decide {count:,} of {of:,} releases; at least one in twenty can be decided.",
        "Every release of value 1 is a whole multiple of a fixed power of two. Of which?",
    )


def _misled(guess: np.ndarray, releases: np.ndarray, accuracy: float, share: float) -> Diagnosis:
    if np.mean(guess == (releases > 0.5)) > 0.999:
        return Diagnosis(
            "by-size",
            f"You go by size and are right {accuracy:.0%} of the time. At ε = 1 going by size cannot beat e/(1 + e) = "
            "73%; 99% is wanted.",
            "Do not ask how large the number is, but which numbers can come out at all.",
        )
    fine = releases * 2.0**53 != np.rint(releases * 2.0**53)
    finer = releases * 2.0**52 != np.rint(releases * 2.0**52)
    if np.mean(guess == ~fine) > 0.999 or np.mean(guess == ~finer) > 0.999:
        return Diagnosis(
            "always-sure",
            f"You decide every release, and are right {accuracy:.0%} of the time. A release off the comb of value 1 "
            f"cannot "
            "be 1; one *on* it may still be 0.",
            "Return −1 where both can be.",
        )
    decided = guess >= 0
    if np.mean(guess[decided] == 0) > 0.999 and np.mean(decided == finer) > 0.999:
        return Diagnosis(
            "one-bit-off",
            f"Right {accuracy:.0%} of the time: your comb is too coarse by a bit. Releases of 1 between ½ and 1 are "
            "multiples of 2^−53, not of 2^−52.",
            "Which spacing do floats between ½ and 1 have?",
        )
    if accuracy < 0.01:
        return Diagnosis(
            "upside-down", "All your sure guesses are wrong.", "Which of the two values has the finer floats?"
        )
    sure = f"You are sure of {share:.0%} of the releases, and right in {accuracy:.1%} of those"
    if np.ptp(guess) == 0:
        sure = f"Every guess of yours is {int(guess[0])}, and {accuracy:.1%} of them are right"
    return Diagnosis(
        "not-sure-enough",
        f"{sure}; at least 99% are wanted.",
        "Draw 1 + rng.laplace() many times. What are the results always multiples of?",
    )


GUESS = (_attacked,)
