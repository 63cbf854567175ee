"""Exercise 05.4: several counts with one ε, audited; and the noise itself, for other numbers of counts."""

from __future__ import annotations

import math
from operator import itemgetter
from typing import Any

import numpy as np
from scipy.stats import binom

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance, Diagnosis
from dpcourse.checks.cases import Audited, Returns, Useful, View, either_order
from dpcourse.checks.columns import counts_wrong
from dpcourse.checks.vocabulary import Shared
from dpcourse.privacy import Guarantee

# 05.4 Several counts with one ε


def _tables(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Ten yes/no questions about each person; the neighbour has one more person, who says yes to all.

    Everyone else answers all questions alike, so that all counts are the same even number, which nobody can guess.
    """
    yes, no = 2 * int(rng.integers(5, 20)), int(rng.integers(5, 40))
    flags = np.repeat(rng.permutation(yes + no)[:, None] < yes, 10, axis=1)
    more = np.insert(flags, int(rng.integers(len(flags) + 1)), True, axis=0)
    return either_order(flags, more, rng)


def _one_column(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The same, but the person who comes says yes to the first question only."""
    flags = rng.random((int(rng.integers(20, 200)), 10)) < rng.uniform(0.1, 0.9)
    more = np.vstack([flags, np.arange(10) == 0])
    return either_order(flags, more, rng)


def _only_she_says_yes_to_all(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Everybody else says yes to the first question at most: the largest row of the table is hers."""
    flags = (rng.random(int(rng.integers(50, 200))) < rng.uniform(0.3, 0.9))[:, None] & (np.arange(10) == 0)
    flags[0, 0] = True
    more = np.insert(flags, int(rng.integers(len(flags) + 1)), True, axis=0)
    return either_order(flags, more, rng)


def _counts_call(epsilon: float):
    def call(answer: Answer, flags: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return answer(flags, epsilon, rng=rng)

    return call


def _high_and_sum(epsilon: float):
    """How many of the ten answers lie above the middle between the two neighbours' counts; and their sum.

    For Laplace noise the first is as good as the likelihood ratio; the second tells Gaussian noise apart best. Both
    neighbours have the same middle: the counts of the smaller table are even.
    """

    def call(answer: Answer, flags: np.ndarray, rng: np.random.Generator) -> tuple[int, float]:
        counts = np.asarray(answer(flags, epsilon, rng=rng), dtype=float)
        middle = 2 * (np.count_nonzero(flags[:, 0]) // 2) + 0.5
        return int(np.count_nonzero(counts > middle)), float(counts.sum())

    return call


def _spread(answer: Answer, chance: Chance, epsilon: float) -> float:
    """Median distance of one count from the truth."""
    flags, _ = _tables(chance.rng)
    truth = flags.sum(axis=0)[0]
    return float(np.median([abs(np.ravel(answer(flags, epsilon, rng=chance.rng))[0] - truth) for _ in range(300)]))


def _which_scale(answer: Answer, chance: Chance, _: Any) -> Diagnosis | None:
    quiet, loud = _spread(answer, chance, 0.25), _spread(answer, chance, 4.0)
    if loud > 2 * quiet:
        return Shared.EPSILON_INVERTED.seen(
            "Your noise grows with ε.", "Smaller ε is more private: is the scale k·ε, or k/ε?"
        )
    # Laplace noise of scale b has median distance b·ln 2.
    scale = _spread(answer, chance, 1.0) / math.log(2)
    if scale < 1.6:
        return Diagnosis(
            "composition-forgotten",
            "Each count has noise for the whole ε, as if it were the only one: your noise has scale about 1/ε. "
            "Ten such answers cost 10ε.",
            "The same person is in all ten counts. By how much can she change all of them together?",
        )
    if scale < 4.8:
        return Diagnosis(
            "l2-sensitivity",
            "The scale of your noise is about √k/ε. Square roots belong to the L2 sensitivity and to Gaussian noise.",
            "For Laplace noise the L1 sensitivity counts: the sum of the changes.",
        )
    return None


def _shared(answer: Answer, chance: Chance, _: Any) -> Diagnosis | None:
    """One draw of noise for all counts: it cancels in their differences."""
    flags, _ = _tables(chance.rng)
    errors = [np.asarray(answer(flags, 1.0, rng=chance.rng), dtype=float) - flags.sum(axis=0) for _ in range(5)]
    if max(np.ptp(error) for error in errors) < 1e-6 < np.ptp([error[0] for error in errors]):
        return Shared.SHARED_NOISE.seen(
            "All counts share one draw of noise: subtract two of them, and what is left is exact.",
            "Draw noise for each count: size=k.",
        )
    return None


def _scale_of_the_data(answer: Answer, chance: Chance, _: Any) -> Diagnosis | None:
    return Diagnosis(
        "scale-from-data",
        "Your noise depends on the table: it is larger where somebody says yes to many questions, so its size tells "
        "whether such a person is there.",
        "Sensitivity is about every possible person, not about those in the table. How many questions are there?",
    )


def _far_off(output: np.ndarray) -> int:
    """How many of nine counts, all 0 or 1, lie beyond half of the scale that is right at ε = 1."""
    return int(np.sum(np.abs(np.asarray(output, dtype=float)[1:]) > 5))


def _every_count(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The counts and the noise on them, for three numbers of questions and values of ε.

    Laplace noise of scale b is b or more with probability 1/e (geometric noise too, at these whole b), independently
    in every count; so is none of their combinations quiet: of 400 releases of k ≤ 20 counts the least singular value
    is above half of its expectation, unless in 1e-9 of the checks, and a repeated or missing draw makes it 0.
    """
    rng, shapes = chance.rng, []
    for k, epsilon, people in ((20, 0.5, 3000), (16, 2.0, 200), (3, 0.25, 60)):
        flags, scale = rng.random((people, k)) < rng.permutation(np.linspace(0.2, 0.8, k)), k / epsilon
        released = np.array([np.asarray(answer(flags, epsilon, rng=rng), dtype=float) for _ in range(400)])
        if released.shape != (400, k):
            return Diagnosis(
                "wrong-shape",
                f"For {k} questions you return an array of shape {released.shape[1:]}.",
                "How many columns does `flags` have?",
            )
        if people == 3000:  # where counts cut at zero are the counts themselves
            wrong = counts_wrong(released, flags, chance.failure / 4)
            if wrong:
                return wrong
        errors = released - flags.sum(axis=0)
        far = int(np.sum(np.abs(errors) >= scale * (1 - 1e-9)))
        if binom.cdf(far, errors.size, math.exp(-1)) < chance.failure / 4:
            return _which_scale(answer, chance, None) or Diagnosis(
                "scale-not-k-over-epsilon",
                f"{k} questions at ε = {epsilon}: your noise is {scale:g} or more in {far / errors.size:.0%} of the "
                f"counts; with the scale that all {k} together need it is in 37%.",
                "The scale is the number of columns over ε, in every table, for every count.",
            )
        if not np.linalg.svd(errors / scale, compute_uv=False)[-1] > 0.3 * math.sqrt(400):
            return Shared.SHARED_NOISE.seen(
                "Some sum or difference of your counts has (nearly) no noise: two of them share a draw.",
                "Draw noise for each count: size=k.",
            )
        if people > 60:
            shapes.append(np.ravel(errors / np.abs(errors).mean()))
    return _thin_tails(np.concatenate(shapes))


def _thin_tails(sizes: np.ndarray) -> Diagnosis | None:
    """Three times its mean size or more is 5.0% of Laplace noise, and 1.7% of normal noise: 14,400 errors tell."""
    far = float(np.mean(np.abs(sizes) >= 3))
    if far > 0.033:
        return None
    return Shared.THIN_TAILS.seen(
        f"{far:.1%} of your noise is three times its mean size or more; of Laplace noise 5.0% is. Noise that falls "
        "faster than e^(−ε|x|/Δ), as normal noise does, keeps no ε with δ = 0, however wide it is.",
        "Laplace noise: P[x] ∝ e^(−|x|/b).",
    )


def _difference(output: np.ndarray) -> float:
    return round(float(output[0] - output[1]), 3)


COUNTS = (
    Returns(
        inputs=lambda rng: (_tables(rng)[0], float(rng.uniform(0.5, 2))),
        what="array",
        shape=lambda flags, epsilon: (flags.shape[1],),
    ),
    Audited(
        _one_column,
        Guarantee(1.0),
        call=_counts_call(1.0),
        view=_difference,
        runs=200,
        diagnose=_shared,
        key="difference",
    ),
    Audited(
        _only_she_says_yes_to_all,
        Guarantee(1.0),
        call=_counts_call(1.0),
        view=_far_off,
        runs=600,
        diagnose=_scale_of_the_data,
    ),
    _every_count,
    Audited(
        _tables,
        Guarantee(1.0),
        call=_high_and_sum(1.0),
        view=itemgetter(0),
        runs=6000,
        diagnose=_which_scale,
        hint="One person is in all the counts. What is the L1 sensitivity of the whole list?",
        also=(
            View(
                itemgetter(1),
                hint="Gaussian noise keeps no pure ε. What does noise with P[x] ∝ e^(−|x|/b) need for b?",
                diagnose=_which_scale,
            ),
        ),
    ),
    # Two scales hold 86.5% of Laplace(k/ε); noise of twice the scale gets 63% of its counts there.
    Useful(
        _tables,
        truth=lambda flags: flags.sum(axis=0),
        within=2 * 10 / 0.5,
        at_least=0.8,
        call=_counts_call(0.5),
        error=lambda output, truth: abs(float(output[3]) - float(truth[3])),
        hint="k counts that one person can change by one each: scale k/ε is enough.",
    ),
    Useful(
        _tables,
        truth=lambda flags: flags.sum(axis=0),
        within=2 * 10 / 4.0,
        at_least=0.8,
        call=_counts_call(4.0),
        error=lambda output, truth: abs(float(output[7]) - float(truth[7])),
        hint="Scale k/ε is enough at every ε. Is there a part of it that does not shrink as ε grows?",
    ),
)
