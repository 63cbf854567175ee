"""The numbers of capstone 8: errors of several designs over a year, what reports give away, caps, and colluders."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpcourse.datasets.meters import Meters, simulate_meters
from dpcourse.federated.secure.fixed_point import FixedPoint
from dpcourse.lessons.capstone_8.design import BUCKETS, CAP, DELTA, SHARES, epsilon_of, sigma, year_norm
from dpcourse.local import RandomizedResponse

FORTNIGHT, MEMORY = 14, 0.5  # days, and the ε of one remembered answer, of the reports that milestone 8.3 attacks
MIDDLES = CAP / BUCKETS * (np.arange(BUCKETS) + 0.5)


def counted(meters: Meters) -> np.ndarray:
    """What counts: kWh up to the cap, shape (homes, days)."""
    return np.minimum(meters.used, np.float32(CAP))


def truth(meters: Meters) -> np.ndarray:
    """The mean of what counts on each day, over these homes."""
    return counted(meters).mean(axis=0, dtype=float)


def rms(errors: ArrayLike) -> float:
    """The root of the mean square over the year."""
    return float(np.sqrt(np.mean(np.square(errors))))


def buckets(meters: Meters) -> np.ndarray:
    """The bucket of 3 kWh that each reading is in, shape (homes, days)."""
    return (counted(meters) * (BUCKETS / CAP)).astype(np.int8).clip(max=BUCKETS - 1)


def from_reports(meters: Meters, reports: np.ndarray, epsilon: float) -> float:
    """The error of daily means read off bucket reports of this ε: unbiased for the middles of the buckets."""
    response = RandomizedResponse(epsilon, BUCKETS)
    p, q = response.truth_probability, response.lie_probability
    shares = np.array([(reports == bucket).mean(axis=0) for bucket in range(BUCKETS)])
    return rms(MIDDLES @ ((shares - q) / (p - q)) - truth(meters))


def fresh(meters: Meters, epsilon: float, *, rng=None) -> float:
    """Every home reports its bucket every day, by randomized response with this ε a day."""
    reports = RandomizedResponse(epsilon, BUCKETS).randomize(buckets(meters), rng=rng)
    return from_reports(meters, reports, epsilon)


def piecewise(values: np.ndarray, epsilon: float, *, rng=None) -> np.ndarray:
    """Unbiased ε-DP reports of values in [0, CAP] by the piecewise mechanism (Wang et al. 2019, arXiv:1907.00235).

    On [−1, 1] a report is in an interval of length C − 1 around the value with probability e^(ε/2)/(e^(ε/2) + 1), and
    else anywhere else in [−C, C].

    Examples
    --------
    >>> reports = piecewise(np.full(100_000, 6.0), 2.0, rng=0)
    >>> bool(abs(reports.mean() - 6) < 0.2)
    True
    """
    rng = np.random.default_rng(rng)
    t = np.asarray(values, dtype=float) * (2 / CAP) - 1
    root = math.exp(epsilon / 2)
    C = (root + 1) / (root - 1)
    left = (C + 1) / 2 * t - (C - 1) / 2
    near = rng.random(t.shape) < root / (root + 1)
    u = rng.random(t.shape)
    far = u * (C + 1) - C  # anywhere in [−C, C] but the interval, which is stepped over
    far += (C - 1) * (far > left)
    return (np.where(near, left + u * (C - 1), far) + 1) * (CAP / 2)


def numbers(meters: Meters, epsilon: float, *, rng=None) -> float:
    """Every home reports a noisy number every day, by the piecewise mechanism with this ε a day."""
    rng = np.random.default_rng(rng)
    values = counted(meters)
    return rms(np.array([piecewise(day, epsilon, rng=rng).mean() for day in values.T]) - truth(meters))


def one_day_means(meters: Meters, epsilon: float, *, rng=None) -> np.ndarray:
    """Means by day where every home reports a noisy number on one day, which a fair draw chooses and which has all of
    ε; NaN on a day that nobody was asked about."""
    rng = np.random.default_rng(rng)
    values = counted(meters)
    homes, days = values.shape
    asked = rng.integers(days, size=homes)
    means = np.full(days, np.nan)
    for day in np.unique(asked):
        means[day] = piecewise(values[asked == day, day], epsilon, rng=rng).mean()
    return means


def one_day(meters: Meters, epsilon: float, *, rng=None) -> float:
    """The error of `one_day_means`, on the days that somebody was asked about."""
    errors = one_day_means(meters, epsilon, rng=rng) - truth(meters)
    return rms(errors[np.isfinite(errors)])


def noise_at_home(meters: Meters, epsilon: float, delta: float = DELTA, *, rng=None) -> float:
    """Every home adds normal noise to its whole year, enough to be private alone: the mean has 1/√n of it."""
    homes, days = meters.used.shape
    deviation = year_norm(days) * sigma(epsilon, delta) / math.sqrt(homes)
    return rms(np.random.default_rng(rng).normal(0, deviation, days))


def noise_once(meters: Meters, epsilon: float, delta: float = DELTA, *, shares: float = 1.0, rng=None) -> float:
    """Secure sums of every day with noise once in total for the year, `shares` times in variance."""
    homes, days = meters.used.shape
    deviation = year_norm(days) * sigma(epsilon, delta) * math.sqrt(shares) / homes
    return rms(np.random.default_rng(rng).normal(0, deviation, days))


def at_full_size(epsilon: float, delta: float = DELTA, *, homes: int, days: int = 365, block: int = 25_000, rng=None):
    """The error of noisy means over so many homes, drawn in blocks so that they never are in memory together, and the
    error that counting to the cap adds: (noise, cap)."""
    rng = np.random.default_rng(rng)
    exact, used = np.zeros(days), np.zeros(days)
    for start in range(0, homes, block):
        meters = simulate_meters(min(block, homes - start), days, rng=rng)
        exact += counted(meters).sum(axis=0, dtype=float)
        used += meters.used.sum(axis=0, dtype=float)
    noisy = exact + rng.normal(0, year_norm(days) * sigma(epsilon, delta) * math.sqrt(homes / SHARES), days)
    return rms((noisy - exact) / homes), rms((exact - used) / homes)


@dataclass(frozen=True)
class Read:
    """What somebody reads off bucket reports, as shares: of days whose report is the truth, of homes whose habitual
    bucket is the most frequent report, and of changes of bucket at which the report changes too."""

    days: float
    habits: float
    changes: float


def read_off(true: np.ndarray, reports: np.ndarray) -> Read:
    """Read buckets off reports, both of shape (homes, days)."""
    habit, guess = (
        np.array([(codes == bucket).sum(axis=1) for bucket in range(BUCKETS)]).argmax(axis=0)
        for codes in (true, reports)
    )
    moved, shown = true[:, 1:] != true[:, :-1], reports[:, 1:] != reports[:, :-1]
    return Read(
        float((true == reports).mean()), float((habit == guess).mean()), float((moved & shown).sum() / moved.sum())
    )


def fresh_read(meters: Meters, epsilon: float, *, rng=None) -> Read:
    """What is read off a report every day with this ε, drawn anew."""
    true = buckets(meters)
    return read_off(true, RandomizedResponse(epsilon, BUCKETS).randomize(true, rng=rng))


def memory(meters: Meters, epsilon: float, *, rng=None) -> tuple[float, Read]:
    """The error of daily means, and what is read off, where homes draw one answer for each bucket and look it up."""
    true = buckets(meters)
    drawn = RandomizedResponse(epsilon, BUCKETS).randomize(np.tile(np.arange(BUCKETS), (len(true), 1)), rng=rng)
    reports = np.take_along_axis(drawn, true.astype(int), axis=1)
    return from_reports(meters, reports, epsilon), read_off(true, reports)


def remembered_fortnight(data: list[tuple[int, ...]], rng=None) -> tuple[int, ...]:
    """What milestone 8.3 attacks: the reports of one home for a fortnight, one remembered answer for each bucket.

    Parameters
    ----------
    data : list of one tuple
        The home's buckets, day by day.
    """
    (home,) = data
    drawn = RandomizedResponse(MEMORY, BUCKETS).randomize(np.arange(BUCKETS), rng=rng).tolist()
    return tuple(drawn[bucket] for bucket in home)


def caps(meters: Meters, epsilon: float, homes: int, tried: tuple[float, ...]) -> np.ndarray:
    """For each cap: the deviation of whole noise in a daily mean of so many homes, and the RMS of what is not counted;
    shape (caps, 2)."""
    days = meters.used.shape[1]
    whole = meters.used.mean(axis=0, dtype=float)
    cut = [rms(np.minimum(meters.used, np.float32(cap)).mean(axis=0, dtype=float) - whole) for cap in tried]
    noise = [year_norm(days, cap) * sigma(epsilon) / homes for cap in tried]
    return np.array([noise, cut]).T


def left_epsilon(honest: np.ndarray | float, shares: int, epsilon: float, delta: float = DELTA, days: int = 365):
    """ε of a home's year where, day by day, so many shares are in the sum and unknown to the onlooker."""
    per_day = np.broadcast_to(np.asarray(honest, dtype=float), (days,))
    return epsilon_of(math.sqrt(float(np.mean(shares / per_day))), sigma(epsilon, delta), delta)


def room(scale: float, homes: int, headroom: int) -> float:
    """How large a reading may be so that sums modulo 2^32, in steps of 1/scale, cannot wrap."""
    return FixedPoint(32, scale, homes, headroom).capacity / scale
