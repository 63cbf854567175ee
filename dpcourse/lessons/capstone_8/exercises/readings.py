"""What meters say, and what counts of it, in all of capstone 8."""

from __future__ import annotations

import numpy as np

from dpcourse.lessons.capstone_8.design import CAP

STRANGE = (np.nan, np.inf, -np.inf, -1.0, -1e300, 24.0, 24.5, 1e9, 1e300)


def counting(readings: np.ndarray) -> np.ndarray:
    """What counts of readings: kWh between 0 and the cap, whatever the meter says."""
    return np.clip(np.nan_to_num(np.asarray(readings, dtype=float), nan=0.0, posinf=CAP, neginf=0.0), 0, CAP)


def shown(reading: float) -> str:
    """A reading as a student writes it, with all digits where fewer would make it another one.

    >>> shown(np.nan), shown(24.0), shown(np.nextafter(3, 0))
    ('NaN', '24', '2.9999999999999996')
    """
    short = f"{reading:g}"
    return "NaN" if np.isnan(reading) else short if float(short) == reading else repr(float(reading))


def broken(readings: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """The same with so large a share of readings that are none, or are at the cap or above."""
    return np.where(rng.random(readings.shape) < share, rng.choice(STRANGE, readings.shape), readings)


def of_homes(rng: np.random.Generator, homes: int, days: int, top: float = CAP) -> np.ndarray:
    """Readings up to `top`, shape (homes, days); mostly homes differ, as they do: some use twice as much."""
    levels = rng.lognormal(0, 0.45, (homes, 1)) if rng.random() < 2 / 3 else np.ones((homes, 1))
    return np.minimum(rng.uniform(0, top, (homes, days)) * levels, top)
