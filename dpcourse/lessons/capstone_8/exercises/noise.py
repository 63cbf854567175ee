"""What is wrong with the noise of daily means, seen at many settings: known wrong deviations first, then the law."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.gaussian import noise_ends
from dpcourse.checks.links import shared
from dpcourse.checks.scores import off_in_calls
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.capstone_8.design import sigma

NORMAL = "Normal noise is asked for. Which method of `rng` draws it?"


@dataclass(frozen=True)
class Noise:
    """Releases of one setting: noise in units of its right deviation, shape (calls, days)."""

    homes: int
    days: int
    epsilon: float
    delta: float
    standard: np.ndarray
    below: int = 0  # how many means are negative
    expected: float = 0.0  # how many right ones would be, on average

    counted: ClassVar[str] = "homes"

    @property
    def said(self) -> str:
        """The setting in words."""
        return f"{self.homes:,} home{'s' * (self.homes > 1)}, {self.days:,} days, {self._budget}"

    @property
    def _budget(self) -> str:
        return f"ε = {self.epsilon:.2g} and δ = {self.delta:.2g}"

    @property
    def ratio(self) -> float:
        return float((self.standard**2).mean())

    def fits(self, deviation: np.ndarray | float, failure: float) -> bool:
        """Whether the noise can have this deviation, in units of the right one."""
        return noise_fits((self.standard / deviation).ravel(), failure)

    def likelihood(self, deviation: np.ndarray | float) -> float:
        """The logarithm of normal noise's density with this deviation, up to a constant."""
        unit = np.broadcast_to(np.maximum(deviation, 1e-300), self.standard.shape)
        return float(-np.log(unit).sum() - ((self.standard / unit) ** 2).sum() / 2)


def noise_fits(standard: np.ndarray, failure: float) -> bool:
    """Whether noise in units of its right deviation has the variance 1."""
    value = float((standard**2).sum())
    return bool(min(stats.chi2.cdf(value, standard.size), stats.chi2.sf(value, standard.size)) > failure)


def likeliest(found: Sequence[Noise], rules: Sequence[tuple[str, Callable[[Any], Any], str, str]]):
    """The known wrong deviation that fits everywhere and is e^20 times as likely as the right one; None if none is.

    Of right noise, no rule is with a probability above e^−20.
    """
    right = sum(s.likelihood(1.0) for s in found)
    fitting = [
        (sum(s.likelihood(rule[1](s)) for s in found), -place)
        for place, rule in enumerate(rules)
        if all(s.fits(rule[1](s), 1e-9) for s in found)
    ]
    best = max(fitting, default=(-math.inf, 0))
    return rules[-best[1]] if best[0] > right + 20 else None


def classic(epsilon: float, delta: float) -> float:
    return math.sqrt(2 * math.log(1.25 / delta)) / epsilon


# Known wrong deviations, in units of the right one, of a setting.
SCALES: Sequence[tuple[str, Callable[[Noise], float], str, str]] = (
    (
        "day-for-year",
        lambda s: 1 / math.sqrt(s.days),
        "that is for one day of a home, which moves one sum by 24.",
        "How far does a home that is at the cap every day move the vector of all sums?",
    ),
    (
        "sum-of-days",
        lambda s: math.sqrt(s.days),
        "that is for a change of 24 · days, the L1 norm of a year.",
        "Which norm of a year of 24s does normal noise need?",
    ),
    (
        "split-by-day",
        lambda s: sigma(s.epsilon / s.days, s.delta / s.days) / (sigma(s.epsilon, s.delta) * math.sqrt(s.days)),
        "that is ε and δ divided among the days. It is safe, and wasteful.",
        "All days together are one vector. What is its norm?",
    ),
    (
        "split-by-day",
        lambda s: sigma(s.epsilon / s.days, s.delta) / (sigma(s.epsilon, s.delta) * math.sqrt(s.days)),
        "that is ε divided among the days, and all of δ for each.",
        "All days together are one vector. What is its norm?",
    ),
    (
        "replaced-twice",
        lambda s: 2.0,
        "that lets a home move a day by 48.",
        "A day is between 0 and 24. How far can one value be from another?",
    ),
    (
        "both-ways",
        lambda s: math.sqrt(2),
        "that lets a home move a day by 24√2.",
        "A day's sum loses one value and gains another. Both are between 0 and 24.",
    ),
    (
        "noise-per-home",
        lambda s: math.sqrt(s.homes),
        "that is as if every home added whole noise.",
        "If nobody sees a single reading, how many draws does one day's sum need?",
    ),
    (
        "not-divided",
        lambda s: s.homes,
        "that is the noise of the sum, on the mean.",
        "The mean is the sum divided by the number of homes. What does that do to the noise?",
    ),
    (
        "divided-twice",
        lambda s: 1 / s.homes,
        "that is the noise of the mean, divided once more.",
        "How often is your noise divided by the number of homes?",
    ),
    (
        "a-year-always",
        lambda s: math.sqrt(365 / s.days),
        "that is for 365 days, however many there are.",
        "How many days are there? Not every call is about a year.",
    ),
    (
        "classic",
        lambda s: classic(s.epsilon, s.delta) / sigma(s.epsilon, s.delta),
        "that comes from √(2 ln(1.25/δ))/ε. It is proven for ε below 1 only, and larger than needed there.",
        "What does `GaussianMechanism` use?",
    ),
    (
        "epsilon-ignored",
        lambda s: sigma(1.0, s.delta) / sigma(s.epsilon, s.delta),
        "that is the noise for ε = 1, whatever `epsilon` is.",
        "Your function is given `epsilon`. Where does it enter?",
    ),
    (
        "delta-ignored",
        lambda s: sigma(s.epsilon, 1e-8) / sigma(s.epsilon, s.delta),
        "that is the noise for δ = 1e-8, whatever `delta` is.",
        "Your function is given `delta`. Where does it enter?",
    ),
)


def noise_wrong(found: Sequence[Noise], failure: float, rng: Generator) -> Diagnosis | None:
    for s in found:
        if not np.isfinite(s.standard).all():
            return Diagnosis(
                "not-finite", "Some of your means are NaN or infinite.", "What does a reading count as that is NaN?"
            )
        largest = float(np.abs(s.standard).max())
        if s.days > 2 and 1e-6 < largest and np.ptp(s.standard, axis=1).max() < 1e-6 * largest:
            return Shared.SHARED_NOISE.seen(
                "All days of a release share one draw of noise.", "How many numbers do you draw for a release?"
            )
    silent = [s for s in found if np.abs(s.standard).max() < 1e-6]
    if len(silent) == len(found):
        return Shared.NO_NOISE.seen("Your means have no noise.")
    if _cut(found):
        return Diagnosis(
            "cut-at-zero",
            "No mean of yours is ever negative. Where the noise is large, that adds use that nobody had.",
            "What does your function do with a mean below 0, and what does the task say about it?",
        )
    if silent:
        s = silent[0]
        return Diagnosis(
            "sometimes-exact",
            f"In {len(silent)} of {len(found)} settings your means have no noise. One has {s.said}.",
            "Every release needs its noise, whatever the readings and however many. When does yours leave it out?",
        )
    if _heavy(found):
        seen = "Your noise is not normal: too much of it is near 0, and too much far out."
        return Diagnosis("not-normal", seen, NORMAL)
    known = likeliest(found, SCALES)
    if known is not None:
        return Diagnosis(known[0], f"{example(found, known[1])}: {known[2]}", known[3])
    z = np.concatenate([s.standard.ravel() for s in found])
    if all(s.fits(1.0, failure / (6 * len(found))) for s in found) and noise_fits(z, failure / 6):
        return _shape(found, z, failure / 6) or _somewhere(found, failure / 6, rng)
    if common := _shared(found, failure):
        return Shared.LINKED_NOISE.seen(common)
    ratio = float(np.median([s.ratio for s in found]))
    shared = Shared.TOO_LITTLE_NOISE if ratio < 1 else Shared.TOO_MUCH_NOISE
    ask = "What is the norm of a whole year of 24s, and which deviation hides a change of that norm at (ε, δ)?"
    one = max(found, key=lambda s: s.standard.size * (s.ratio - 1 - math.log(max(s.ratio, 1e-12))))
    return shared.seen(f"With {one.said} your noise has about {_times(math.sqrt(one.ratio))}.", ask)


def example(found: Sequence[Noise], rule: Callable[[Any], Any]) -> str:
    """A small setting in which a known wrong deviation is far from the right one, and how far."""
    factors = [float(np.mean(rule(s))) for s in found]
    far = max(abs(math.log(factor)) for factor in factors)
    some = [place for place, factor in enumerate(factors) if abs(math.log(factor)) >= min(far, math.log(1.4))]
    one, factor = min(
        ((found[place], factors[place]) for place in some),
        key=lambda pair: (min(pair[0].homes, pair[0].days) < 5, pair[0].homes * pair[0].days),
    )
    return f"With {one.said} your noise has about {_times(factor)}"


def _times(factor: float) -> str:
    """How many times the right deviation.

    >>> _times(1.4142), _times(0.0001)
    ('1.41 times the right deviation', '1/10,000 of the right deviation')
    """
    if factor < 0.01:
        return f"1/{1 / max(factor, 1e-300):,.0f} of the right deviation"
    return f"{factor:,.0f} times the right deviation" if factor >= 100 else f"{factor:.3g} times the right deviation"


def _somewhere(found: Sequence[Noise], failure: float, rng: Generator) -> Diagnosis | None:
    """What is wrong in some settings only, by homes, days, ε and δ, from either end."""
    asked = [
        ({s.counted: s.homes, "days": s.days, "epsilon": s.epsilon, "delta": s.delta}, list(s.standard)) for s in found
    ]
    words = off_in_calls(asked, failure, rng)
    ask = "How does the size of your noise follow from ε, δ and the numbers of homes and days? What else changes it?"
    return Shared.NOT_EVERYWHERE.seen(words, ask) if words else None


def _shared(found: Sequence[Noise], failure: float, fits: bool = False) -> str:
    return shared([one for s in found for one in s.standard], failure, even=fits)


def _cut(found: Sequence[Noise]) -> bool:
    """Whether no mean is negative where thirty should be."""
    return sum(s.expected for s in found) > 40 and not any(s.below for s in found)


def _heavy(found: Sequence[Noise]) -> bool:
    """Whether more than 57% of the noise is within a normal law's quartiles, at whatever deviation each setting has."""
    own = [s.standard / max(math.sqrt(s.ratio), 1e-300) for s in found if s.standard.size >= 20]
    near = np.concatenate([np.abs(one).ravel() < stats.norm.ppf(0.75) for one in own]) if own else np.zeros(1)
    return bool(near.mean() > 0.57 and stats.binom.sf(near.sum() - 1, near.size, 0.5) < 1e-9)


def _shape(found: Sequence[Noise], z: np.ndarray, failure: float) -> Diagnosis | None:
    """The right variance everywhere: centre, independence of days, and the normal law."""
    if abs(z.mean()) * math.sqrt(z.size) > stats.norm.isf(failure / 2):
        return Shared.NOT_CENTRED.seen(f"Your noise is {z.mean():+.2g} of its deviation off 0 on average.")
    sums = np.concatenate([s.standard.sum(axis=1) / math.sqrt(s.days) for s in found])
    spread = float((sums**2).sum())
    steps = np.concatenate([(s.standard[:, 1:] * s.standard[:, :-1]).ravel() for s in found])
    beside = float(steps.sum() / math.sqrt(steps.size))
    if min(stats.chi2.cdf(spread, sums.size), stats.chi2.sf(spread, sums.size)) < failure or abs(
        beside
    ) > 2 * stats.norm.isf(failure / 2):
        together = float(steps.mean()) if steps.size else 0.0
        seen = f"The noise of all days added up has {spread / sums.size:.2g} times the variance of independent days."
        if abs(together) > 0.1:
            seen = f"The noise of a day and that of the next have correlation {together:.2f}; 0 is right."
        return Shared.LINKED_NOISE.seen(seen, "Which days have a draw in common, where each needs one of its own?")
    if seen := _shared(found, failure, fits=True):
        return Shared.LINKED_NOISE.seen(seen)
    if stats.kstest(z, stats.norm.cdf).pvalue < failure:
        return Diagnosis("not-normal", "Your noise has the right variance, but it is not normal.", NORMAL)
    return noise_ends(z, failure / 4)
