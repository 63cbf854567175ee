"""Exercises 14.4 and 14.5: the floating-point attack, and a release it learns nothing from."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from dpcourse.attacks import finest_bit
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Trial, Wrong
from dpcourse.checks.cases import Audited, Returns, Useful, either_order
from dpcourse.privacy import Guarantee

# 14.4 The dataset in the last bits

_RELEASES = 40_000


def _naive(rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Which value each release came from (0 or 1, a fair coin), and value + Laplace noise of scale 1 in floats."""
    truth = rng.integers(2, size=size)
    return truth, truth + rng.laplace(size=size)


def _attacked(answer: Answer, trial: Trial) -> Wrong | None:
    truth, releases = _naive(trial.rng, _RELEASES)
    frozen = releases.copy()
    frozen.setflags(write=False)
    guess = np.asarray(answer(frozen))
    if guess.shape != truth.shape:
        return Wrong(
            f"For {truth.size:,} releases you return an array of shape {guess.shape}.",
            "One guess a release: 0, 1, or −1 where you are not sure.",
            "wrong-shape",
        )
    if not np.isin(guess, (-1, 0, 1)).all():
        return Wrong("There are guesses other than 0, 1 and −1.", "−1 is “not sure”.", "wrong-value")
    decided = guess >= 0
    right = int((guess == truth)[decided].sum())
    share, count = decided.mean(), int(decided.sum())
    # A right answer decides 14% or more; its share can only be below 5% by a miracle.
    if stats.binom.cdf(count, truth.size, 0.05) < trial.failure:
        return _silent(count)
    if stats.binom.cdf(right, count, 0.99) >= trial.failure:
        return None
    return _misled(guess, releases, right / count, share)


def _silent(count: int) -> Wrong:
    if not count:
        return Wrong("You are never sure.", "Some floats can come out of 0 + noise only. Which?", "never-sure")
    return Wrong(
        f"You decide {count:,} of {_RELEASES:,} releases; at least one in twenty can be decided.",
        "Every release of value 1 is a whole multiple of a fixed power of two. Of which?",
        "seldom-sure",
    )


def _misled(guess: np.ndarray, releases: np.ndarray, accuracy: float, share: float) -> Wrong:
    if np.mean(guess == (releases > 0.5)) > 0.999:
        return Wrong(
            f"You go by size and are right {accuracy:.0%} of the time. So much is promised to be possible: e/(1 + e) "
            f"= 73%.",
            "Do not ask how large the number is, but which numbers can come out at all.",
            "by-size",
        )
    fine = releases * 2.0**53 != np.rint(releases * 2.0**53)
    finer = releases * 2.0**52 != np.rint(releases * 2.0**52)
    if np.mean(guess == ~fine) > 0.999 or np.mean(guess == ~finer) > 0.999:
        return Wrong(
            f"You decide every release, and are right {accuracy:.0%} of the time. A release off the comb of value 1 "
            f"cannot "
            "be 1; one *on* it may still be 0.",
            "Return −1 where both can be.",
            "always-sure",
        )
    decided = guess >= 0
    if np.mean(guess[decided] == 0) > 0.999 and np.mean(decided == finer) > 0.999:
        return Wrong(
            f"Right {accuracy:.0%} of the time: your comb is too coarse by a bit. Releases of 1 between ½ and 1 are "
            "multiples of 2^−53, not of 2^−52.",
            "Which spacing do floats between ½ and 1 have?",
            "one-bit-off",
        )
    if accuracy < 0.01:
        return Wrong("All your sure guesses are wrong.", "Which of the two values has the finer floats?", "upside-down")
    return Wrong(
        f"You are sure of {share:.0%} of the releases, and right in {accuracy:.1%} of those; at least 99% are wanted.",
        "Draw 1 + rng.laplace() many times. What are the results always multiples of?",
        "not-sure-enough",
    )


GUESS = (_attacked,)

# 14.5 A release without last bits

_COARSEST = -10
_FINEST = -44  # a step of 2^-44 or more, or nine decimals: naive releases near 0 go far below


def _values(rng: np.random.Generator) -> tuple[float, float]:
    """Two values one apart that no grid holds exactly."""
    value = float(rng.uniform(-20, 20))
    return either_order(value, value + 1.0, rng)


def _call(epsilon: float):
    def call(answer: Answer, value: float, rng: np.random.Generator) -> float:
        return answer(value, epsilon, rng=rng)

    return call


def _drawn(answer: Answer, value: float, rng: np.random.Generator, size: int = 300) -> np.ndarray:
    return np.array([float(answer(value, 1.0, rng=rng)) for _ in range(size)])


def _decimal(numbers: np.ndarray) -> bool:
    """Whether all are decimals with few digits: also a grid that both datasets share."""
    return bool((np.round(numbers, 9) == numbers).all())


def _spacing(numbers: np.ndarray) -> float:
    """The step of which all are multiples but for rounding, or 0."""
    step = 0.0
    for gap in np.diff(np.unique(numbers)).tolist():
        while gap > 1e-7:  # Euclid's algorithm, with remainders that rounding made negative
            step, gap = gap, abs(step - gap * round(step / gap))
    return step if step and (np.abs(numbers / step - np.rint(numbers / step)) < 1e-3).all() else 0.0


def _gridded(answer: Answer, trial: Trial) -> Wrong | None:
    """Releases lie on one grid, whatever the value: of a power of two that is fine enough, or of decimals."""
    small = float(trial.rng.uniform(0.1, 0.9))
    values = (0.0, small, 1000 + small)
    samples = [_drawn(answer, value, trial.rng) for value in values]
    steps = [int(finest_bit(sample).min()) for sample in samples]
    if max(steps) > _COARSEST and len(set(steps)) == 1:
        return Wrong(
            f"Your step is 2^{steps[0]}; 2^{_COARSEST} or finer is asked for. A coarse step costs accuracy, and where "
            "1/g is not whole and even, rounding moves neighbours one step further apart.",
            f"Take g = 2.0**{_COARSEST} or smaller.",
            "coarse-step",
        )
    if all(_decimal(sample) for sample in samples):
        return None
    spacings = [_spacing(sample) for sample in samples[:2]]
    if steps[0] < _FINEST and min(spacings) > 0 and math.isclose(*spacings, rel_tol=1e-6):
        return Wrong(
            f"Your releases are whole multiples of {spacings[0]:.6g}, which is no power of two: floats hold such "
            "multiples only roughly, and their last bits depend on how they were computed.",
            f"Take a power of two for g, such as 2.0**{_COARSEST}: its multiples are exact.",
            "not-a-power-of-two",
        )
    if steps[0] < _FINEST:
        return Wrong(
            f"Releases of 0 and of {small:.3f} are multiples of 2^{steps[0]} and 2^{steps[1]}: floats as fine as they "
            f"come. "
            "Which of them can come out depends on the value.",
            "Release whole multiples of a fixed power of two: round the value, and draw whole steps of noise.",
            "naive",
        )
    if steps[1] < _FINEST:
        offsets = samples[1] - small
        return Wrong(
            f"Your noise is on a grid (2^{steps[0]}), and the value {small:.3f} is not: its own last bits show in "
            f"every "
            f"release (all differ from it by multiples of 2^{int(finest_bit(np.round(offsets, 9)).max())} or so).",
            "Round the value to whole steps before the noise is added.",
            "value-not-rounded",
        )
    if len(set(steps)) > 1:
        return Wrong(
            f"The step is 2^{steps[1]} at the value {small:.1f} and 2^{steps[2]} at {1000 + small:.1f}: its size tells "
            "where the value is.",
            "Choose it from ε and the sensitivity alone.",
            "step-from-data",
        )
    return None


def _scale(answer: Answer, trial: Trial, _: object) -> Wrong | None:
    spread = {
        epsilon: float(np.median([abs(answer(0.0, epsilon, rng=trial.rng)) for _ in range(300)]))
        for epsilon in (0.25, 1.0, 4.0)
    }
    if spread[4.0] > 2 * max(spread[0.25], 1e-9):
        return Wrong("Your noise grows with ε.", "Smaller ε is more private: the scale is 1/ε.", "scale-upside-down")
    if spread[0.25] < 2 * spread[4.0]:
        return Wrong("Your noise does not follow ε.", "The scale is 1/ε, in units of the value.", "ignores-epsilon")
    return None


RELEASE = (
    Returns(inputs=lambda rng: (_values(rng)[0], float(rng.uniform(0.5, 2))), what="number"),
    _gridded,
    Audited(
        _values,
        Guarantee(0.5),
        call=_call(0.5),
        runs=16_000,
        diagnose=_scale,
        hint="One record moves the value by 1. Is 1/ε the scale, in units of the value and not of steps?",
    ),
    Audited(
        _values,
        Guarantee(2.0),
        call=_call(2.0),
        runs=8000,
        diagnose=_scale,
        hint="One record moves the value by 1. Is 1/ε the scale, in units of the value and not of steps?",
    ),
    # Laplace noise lies within three scales 95% of the time; of twice the scale, 78% of the time.
    Useful(
        _values,
        truth=float,
        within=3 / 0.5,
        runs=500,
        at_least=0.9,
        call=_call(0.5),
        hint="A scale of 1/ε is enough, plus one step.",
    ),
    Useful(
        _values,
        truth=float,
        within=3 / 4.0,
        runs=500,
        at_least=0.9,
        call=_call(4.0),
        hint="At ε = 0.5 the noise was right. Is the grid fine enough for ε = 4, and does the noise follow ε?",
    ),
)
