"""Simulated homes and the electricity that each of them used on every day of a year.

Nothing here comes from a real meter. A home has a level of its own, uses more in winter, more still in one cold spell
that all homes share, and has busy days and quiet ones that last for a while.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

DAYS = 365

_LEVEL, _LEVELS = np.log(8.0), 0.45  # of the lognormal level of a home, in kWh a day
_WINTER = 0.25  # how much more in the middle of winter, and less in summer
_COLD, _COLD_DAYS, _COLD_STARTS = 0.35, 10, 60  # a cold spell: how much more, how long, in which days it starts
_BUSY, _LASTS = 0.25, 0.7  # deviation of the logarithm of a home's day, and how much of it is left on the next day


@dataclass(frozen=True, repr=False)
class Meters:
    """What homes used.

    Attributes
    ----------
    used : ndarray of float32, shape (homes, days)
        kWh a day; one row is what one meter holds. No upper end: two in a hundred are above 24.
    weather : ndarray, shape (days,)
        The factor that season and cold spell put on every home, 1 on average over a year without a cold spell.
    """

    used: np.ndarray
    weather: np.ndarray

    def __repr__(self) -> str:
        homes, days = self.used.shape
        mean = self.used.mean(dtype=float)
        return f"<Meters: {homes:,} homes, {days} days, {mean:.2f} kWh a day on average, {self.used.max():.0f} at most>"


def simulate_meters(homes: int = 50_000, days: int = DAYS, *, rng=None) -> Meters:
    """Draw homes and what they used from 1 January on.

    A home's day is level × weather × e^noise. The level is lognormal with median 8 kWh and logarithmic deviation 0.45.
    Weather is 1 + 0.25 cos(2π day/365), and 1.35 times that in ten days in a row, which start on one of the first sixty
    days. The noise is a stationary autoregression: normal with deviation 0.25, of which 0.7 is left on the next day.

    Parameters
    ----------
    homes, days : int
        At least 1.
    rng : None, int or numpy.random.Generator

    Returns
    -------
    Meters

    Raises
    ------
    TypeError, ValueError
        If `homes` or `days` is no integer, or below 1.

    Examples
    --------
    >>> meters = simulate_meters(1000, rng=8)
    >>> meters
    <Meters: 1,000 homes, 365 days, 9.15 kWh a day on average, 89 at most>
    >>> meters.used.shape, meters.weather.shape
    ((1000, 365), (365,))
    """
    for name, value in (("homes", homes), ("days", days)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise TypeError(f"{name} must be an integer, got {value!r}")
        if value < 1:
            raise ValueError(f"{name} must be ≥ 1, got {value!r}")
    rng = np.random.default_rng(rng)
    level = rng.lognormal(_LEVEL, _LEVELS, homes).astype(np.float32)
    weather = 1 + _WINTER * np.cos(2 * np.pi * np.arange(days) / DAYS)
    start = int(rng.integers(_COLD_STARTS))
    weather[start : start + _COLD_DAYS] *= 1 + _COLD
    used = np.empty((homes, days), dtype=np.float32)
    busy = _BUSY * rng.standard_normal(homes, dtype=np.float32)
    for day in range(days):
        used[:, day] = level * np.float32(weather[day]) * np.exp(busy)
        busy = _LASTS * busy + _BUSY * np.sqrt(1 - _LASTS**2).astype(np.float32) * rng.standard_normal(
            homes, dtype=np.float32
        )
    return Meters(used, weather)
