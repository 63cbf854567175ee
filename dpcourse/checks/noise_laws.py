"""Which noise is it? Many errors of one release, compared with a law, and what is wrong put into words.

An error is what a release gives less the truth. A law is compared at a few thresholds, on either side of 0, by exact
binomial tests: so its centre, its scale, its shape and its tails are all looked at, and a right answer is refused with
the stated probability at most. The words come from what was seen: a cause is named only where its law fits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.vocabulary import Shared

# Where laws are compared, in units of their scale: Laplace noise lies beyond the last once in 400 times.
THRESHOLDS = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
UNITS = (1.0, 0.5, 0.1, 0.05, 0.01, 0.001)


@dataclass(frozen=True)
class Law:
    """A law of noise: P[error > t] and P[error < t], its scale, its mean distance from the middle, its name."""

    above: Callable[[np.ndarray], np.ndarray]
    below: Callable[[np.ndarray], np.ndarray]
    scale: float
    size: float
    name: str
    whole: bool = False

    def fits(self, errors: np.ndarray, failure: float) -> bool:
        """Whether errors, rounded to a grid or not, can be of this law; if they are, with probability 1 − failure.

        Rounding to the nearest step keeps which side of a midpoint an error is on, so there the law is compared.
        """
        step = 1.0 if self.whole else grid(errors, self.scale)
        if self.whole and grid(errors, self.scale) < 1.0:
            return False
        at = np.array(THRESHOLDS) * self.scale
        at = np.unique((np.floor(at / step) + 0.5) * step) if step else at
        counts = np.concatenate([(errors[:, None] > at).sum(axis=0), (errors[:, None] < -at).sum(axis=0)])
        chances = np.clip(np.concatenate([self.above(at), self.below(-at)]), 0.0, 1.0)
        n = len(errors)
        tails = np.minimum(stats.binom.cdf(counts, n, chances), stats.binom.sf(counts - 1, n, chances))
        fine = bool((tails >= failure / (3 * len(tails))).all())
        return fine and not self.often_exact(errors, failure / 3) and not self.ends(errors, failure / 3)

    def ends(self, errors: np.ndarray, failure: float) -> bool:
        """Whether no error lies beyond a bound where some should: noise may be cut, or drawn again, far from 0."""
        largest = np.array(np.abs(errors).max() + (0.5 if self.whole else grid(errors, self.scale) / 2))
        beyond = float(self.above(largest)) + float(self.below(-largest))
        return len(errors) * math.log1p(-min(beyond, 0.5)) < math.log(failure)

    def often_exact(self, errors: np.ndarray, failure: float) -> bool:
        """Whether more errors are 0 than rounding makes so: an answer may leave its noise out now and then."""
        near = np.array(max(finest(errors) / 2, 1e-9 * self.scale))
        chance = 1 - float(self.above(near)) - float(self.below(-near))
        zeros = int((np.abs(errors) <= 1e-9 * self.scale).sum())
        return bool(stats.binom.sf(zeros - 1, len(errors), chance) < failure)


def laplace(scale: float, centre: float = 0.0) -> Law:
    law = stats.laplace(centre, scale)
    return Law(law.sf, law.cdf, scale, scale, "Laplace noise")


def normal(deviation: float, centre: float = 0.0) -> Law:
    law = stats.norm(centre, deviation)
    return Law(law.sf, law.cdf, deviation, deviation * math.sqrt(2 / math.pi), "normal noise")


def geometric(scale: float) -> Law:
    """Two-sided geometric noise: P[k] in proportion to e^(−|k|/scale)."""
    ratio = math.exp(-1 / scale)

    def above(at: np.ndarray) -> np.ndarray:  # of half-integers
        beyond = ratio ** np.ceil(np.abs(at)) / (1 + ratio)
        return np.where(at > 0, beyond, 1 - beyond)

    return Law(above, lambda at: above(-at), scale, 1 / math.sinh(1 / scale), "geometric noise", whole=True)


def one_sided(scale: float) -> Law:
    """Exponential noise, which is also the absolute value of Laplace noise."""
    law = stats.expon(scale=scale)
    return Law(law.sf, law.cdf, scale, scale * math.log(2), "exponential noise")


def grid(errors: np.ndarray, scale: float) -> float:
    """The coarsest step that all errors are multiples of, if it is coarse enough to matter at this scale; else 0."""
    for step in UNITS:
        if step >= scale / 100 and np.allclose(errors / step, np.rint(errors / step), atol=1e-6):
            return step
    return 0.0


def finest(errors: np.ndarray) -> float:
    """The coarsest step that all errors are multiples of, however fine; 0 if there is none down to 1e-7."""
    steps = (*UNITS, *(10.0**-k for k in range(4, 8)))
    return next((step for step in steps if np.abs(errors / step - np.rint(errors / step)).max() < 0.01), 0.0)


@dataclass(frozen=True)
class Wanted:
    """The noise an exercise asks for at one ε, and errors of 5,000 releases or more at that ε.

    Parameters
    ----------
    errors : ndarray, shape (runs,)
        In units in which the sensitivity is 1.
    epsilon : float
    laws : sequence of Law
        Any of them is right.
    """

    errors: np.ndarray
    epsilon: float
    laws: Sequence[Law]

    @property
    def size(self) -> float:
        """The mean distance of the errors from their median: of Laplace noise its scale."""
        return float(np.abs(self.errors - np.median(self.errors)).mean())

    def right(self, failure: float) -> bool:
        return any(law.fits(self.errors, failure) for law in self.laws)


def noise_wrong(
    wanted: Sequence[Wanted], failure: float, *, scale: str = "1/ε", unit: str = "", too_much: str = "", few: str = ""
) -> Diagnosis | None:
    """What is wrong with the noise, seen at two ε or more, the smallest first; None if nothing is.

    Parameters
    ----------
    wanted : sequence of Wanted
    failure : float
        How often right noise may be refused.
    scale : str
        The right scale, as the exercise writes it.
    unit : str
        What errors are measured in, such as " people".
    too_much, few : str
        The question asked of an answer whose noise is too wide, or too narrow.
    """
    share = failure / len(wanted)
    if all(one.right(share) for one in wanted):
        return None
    return (
        _no_noise(wanted)
        or _geometric(wanted)
        or _off_centre(wanted, unit)
        or _follows(wanted, scale)
        or _shape(wanted)
        or _ends(wanted, unit)
        or _size(wanted, scale, unit, too_much, few)
        or _now_and_then(wanted, share)
        or _odd(wanted, unit)
    )


def _no_noise(wanted: Sequence[Wanted]) -> Diagnosis | None:
    for one in wanted:
        if np.ptp(one.errors) == 0:
            return Shared.NO_NOISE.seen(
                f"At ε = {one.epsilon:.3g} your result has no noise: it is the same in {len(one.errors):,} runs."
            )
    return None


def _now_and_then(wanted: Sequence[Wanted], failure: float) -> Diagnosis | None:
    """Noise that is left out in some calls, which hardly shows in its size."""
    for one in wanted:
        if all(law.often_exact(one.errors, failure) for law in one.laws):
            exact = int((np.abs(one.errors) <= 1e-9 * one.laws[0].scale).sum())
            return Shared.NO_NOISE.seen(
                f"At ε = {one.epsilon:.3g} {exact} of {len(one.errors):,} results have no noise; the others have.",
                "When does your function leave its noise out?",
            )
    return None


def _off_centre(wanted: Sequence[Wanted], unit: str) -> Diagnosis | None:
    """Noise whose middle is not 0."""
    if all(_balanced(one.errors) for one in wanted):
        return None
    middle = np.array([np.median(one.errors) for one in wanted])
    side = "above" if middle[0] > 0 else "below"
    where = ", ".join(f"{m:+.2g}{unit} at ε = {one.epsilon:.3g}" for m, one in zip(middle, wanted, strict=True))
    seen = f"Your noise is not centred on 0. The middle of your errors is {where}."
    sizes = [one.size for one in wanted]
    if np.allclose(middle, [one.laws[0].scale for one in wanted], rtol=0.1) and max(sizes) < 1.1 * min(sizes):
        return Shared.CENTRE_FOR_SCALE.seen(f"{seen} Its width is the same at every ε.")
    if all((one.errors >= -1e-9).all() for one in wanted) or all((one.errors <= 1e-9).all() for one in wanted):
        return Shared.ONE_SIDED.seen(f"Your noise has one sign only: every result lies {side} the truth.")
    means = np.array([one.errors.mean() for one in wanted])
    if all(grid(one.errors, 1.0) == 1.0 for one in wanted) and np.allclose(np.abs(means), 0.5, atol=0.1):
        return Shared.CUT_DECIMALS.seen(f"Your results are whole numbers, and on average half a step {side} the truth.")
    return Shared.NOT_CENTRED.seen(seen)


def _balanced(errors: np.ndarray) -> bool:
    """Whether as many errors can lie above 0 as below, at 1e-9."""
    up, down = int((errors > 1e-12).sum()), int((errors < -1e-12).sum())
    return stats.binomtest(up, max(up + down, 1)).pvalue > 1e-9 or up + down == 0


def _follows(wanted: Sequence[Wanted], scale: str) -> Diagnosis | None:
    """Whether the size of the noise follows ε, from the smallest to the largest ε."""
    low, high = wanted[0], wanted[-1]
    right = low.laws[0].size / high.laws[0].size
    power = math.log(low.size / high.size) / math.log(right)
    if abs(power - 1) < 0.2:
        return None
    seen = (
        f"At ε = {low.epsilon:.3g} your noise is {low.size / high.size:.2g} times as wide as at {high.epsilon:.3g}. "
        f"It has to be {right:.2g} times."
    )
    if abs(power) < 0.2:
        return Shared.EPSILON_IGNORED.seen(seen)
    if power < -0.2:
        ask = f"Smaller ε is more private, so it needs more noise. Is your scale {scale}, or upside down?"
        return Shared.EPSILON_INVERTED.seen(seen, ask)
    return Shared.WRONG_POWER.seen(seen, f"The scale is {scale}: neither its root nor its square.")


def _shape(wanted: Sequence[Wanted]) -> Diagnosis | None:
    """Normal noise, whatever its scale."""
    if not all(normal(one.size * math.sqrt(math.pi / 2)).fits(one.errors, 1e-12) for one in wanted):
        return None
    asked, one = wanted[0].laws[0].name, wanted[0]
    return Shared.THIN_TAILS.seen(
        f"Your noise looks like normal noise: the largest of {len(one.errors):,} errors is "
        f"{np.abs(one.errors).max() / one.size:.2g} times their mean size. Of {asked}, which is asked for, the largest "
        f"would be about {math.log(len(one.errors)):.2g} times."
    )


def _ends(wanted: Sequence[Wanted], unit: str) -> Diagnosis | None:
    """Noise of the right law, in its own width, up to a bound, and none beyond."""
    for one in wanted:
        law, wide = one.laws[0], one.size / one.laws[0].size
        if abs(wide - 1) < 0.1 and law.ends(one.errors / wide, 1e-9):
            largest = float(np.abs(one.errors).max())
            beyond = float(law.above(np.array(largest))) + float(law.below(np.array(-largest)))
            return Shared.NOISE_ENDS.seen(
                f"At ε = {one.epsilon:.3g} none of {len(one.errors):,} results is more than {largest:.3g}{unit} off. "
                f"Of {law.name} about {len(one.errors) * beyond:,.0f} would be."
            )
    return None


def _geometric(wanted: Sequence[Wanted]) -> Diagnosis | None:
    """The noise of whole numbers, where it is not what is asked for."""
    if any(law.whole for law in wanted[0].laws) or not all(
        geometric(one.laws[0].scale).fits(one.errors, 1e-9) for one in wanted
    ):
        return None
    return Diagnosis(
        "geometric",
        "Your noise is made of whole numbers: it is two-sided geometric noise. That keeps the claim too, but Laplace "
        "noise is asked for here.",
        "rng.laplace(0, scale) draws a number with decimals. Which scale does it need?",
    )


def _size(wanted: Sequence[Wanted], scale: str, unit: str, too_much: str, few: str) -> Diagnosis | None:
    """Noise of the right kind, which is too wide or too narrow by one factor."""
    factors = [one.size / one.laws[0].size for one in wanted]
    factor = float(np.median(factors))
    if abs(factor - 1) < 0.02:
        return None
    one = wanted[0]
    named = (f"{name} times" for name, known in KNOWN_FACTORS.items() if abs(factor / known - 1) < 0.025)
    seen = (
        f"At ε = {one.epsilon:.3g} your results are off by {one.size:.3g}{unit} on average. Noise of scale {scale} is "
        f"off by {one.laws[0].size:.3g}: yours is {next(named, f'{_two_digits(factor)} times')} as wide."
    )
    if factor < 1:
        ask = few or "How much can one person change the result, and is that in the scale?"
        return Shared.TOO_LITTLE_NOISE.seen(seen, ask)
    ask = too_much or f"Why more than {scale}? Which smaller scale still keeps the claim?"
    return Shared.TOO_MUCH_NOISE.seen(seen, ask)


def _two_digits(number: float) -> str:
    return f"{number:.2g}" if number < 99.5 else f"{number:,.0f}"


KNOWN_FACTORS: Mapping[str, float] = {"√2": math.sqrt(2), "1/√2": math.sqrt(0.5)}


def _odd(wanted: Sequence[Wanted], unit: str) -> Diagnosis:
    """Neither centre nor size: the law is another one."""
    one = next((w for w in wanted if not w.right(1e-6)), wanted[0])
    law = one.laws[0]
    at = law.scale * np.array([0.5, 1.0, 3.0])
    place = int(np.argmax(np.abs([(np.abs(one.errors) > t).mean() - 2 * law.above(np.array(t)) for t in at])))
    share = float((np.abs(one.errors) > at[place]).mean())
    return Shared.WRONG_SHAPE_OF_NOISE.seen(
        f"Your noise has the right size and the wrong shape: at ε = {one.epsilon:.3g}, {share:.1%} of your results are "
        f"more than {at[place]:.3g}{unit} off. Of {law.name} {2 * float(law.above(np.array(at[place]))):.1%} would be.",
        f"{law.name} of one scale is asked for. Is yours drawn from one law, whatever the data?",
    )
