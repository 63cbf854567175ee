"""Simulated devices in the field: twenty readings each, and whether the device failed.

Nothing here comes from a real product. Three hidden conditions (heat, load and age, say) move all twenty readings, and
each reading has noise of its own. A device fails with a probability that is logistic in its readings; about 3% do. A
device has one row and one label: it fails once, or not.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

READINGS = 20
WIDTH = READINGS + 1  # of a row: the readings and a constant

_CONDITIONS, _OWN = 3, 0.7  # hidden conditions of unit size in a reading, and the deviation of its own noise
_SHRINK = 3.0  # readings are divided by this, and cut to [-1, 1]
_SLOPE, _FAILS = 1.5, 0.03  # deviation of a failure's log odds, and the share that fails


@dataclass(frozen=True, repr=False)
class Telemetry:
    """What devices hold, and other devices for the test.

    Attributes
    ----------
    rows : ndarray of float32, shape (devices, 21)
        Twenty readings and a constant, all divided by √21: no row is longer than 1.
    failed : ndarray of bool, shape (devices,)
    tested_rows, tested_failed : ndarray
        The same of devices that are used for the test only.
    tested_risk : ndarray, shape (tested,)
        The probability with which each of these fails: the best that a model could know.
    """

    rows: np.ndarray
    failed: np.ndarray
    tested_rows: np.ndarray
    tested_failed: np.ndarray
    tested_risk: np.ndarray

    def first(self, devices: int) -> Telemetry:
        """The same world with these devices only."""
        return Telemetry(
            self.rows[:devices], self.failed[:devices], self.tested_rows, self.tested_failed, self.tested_risk
        )

    def reading(self, number: int) -> np.ndarray:
        """One reading of every device on a scale from 0 to 1, shape (devices,)."""
        return (self.rows[:, number].astype(float) * np.sqrt(WIDTH) + 1) / 2

    def __repr__(self) -> str:
        failed = f"{100 * self.failed.mean():.1f}% failed"
        return f"<Telemetry: {len(self.rows):,} devices, {failed}; {len(self.tested_rows):,} for the test>"


def simulate_telemetry(devices: int = 100_000, *, tested: int = 50_000, rng=None) -> Telemetry:
    """Draw one world.

    A reading is (h + 0.7 e)/3, cut to [-1, 1]: h is a combination of three standard normal conditions, of variance 1,
    with weights drawn once for the world, and e is standard normal. The log odds of a failure are linear in the twenty
    readings, with random weights; their deviation, before readings are cut, is 1.5.

    Parameters
    ----------
    devices, tested : int
        At least 1 each.
    rng : None, int or numpy.random.Generator

    Returns
    -------
    Telemetry

    Raises
    ------
    TypeError, ValueError
        If a number is no integer, or too small.

    Examples
    --------
    >>> simulate_telemetry(20_000, tested=10_000, rng=3)
    <Telemetry: 20,000 devices, 3.0% failed; 10,000 for the test>
    """
    for name, value in (("devices", devices), ("tested", tested)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise TypeError(f"{name} must be an integer, got {value!r}")
        if value < 1:
            raise ValueError(f"{name} must be ≥ 1, got {value!r}")
    rng = np.random.default_rng(rng)
    loadings = rng.normal(size=(_CONDITIONS, READINGS))
    loadings /= np.linalg.norm(loadings, axis=0)
    weights = rng.normal(size=READINGS)
    covariance = (loadings.T @ loadings + _OWN**2 * np.eye(READINGS)) / _SHRINK**2
    weights *= _SLOPE / np.sqrt(weights @ covariance @ weights)

    every = devices + tested
    # Single precision: a million rows are 84 MB instead of 168.
    readings = rng.standard_normal((every, READINGS), dtype=np.float32)
    readings *= np.float32(_OWN / _SHRINK)
    conditions = rng.standard_normal((every, _CONDITIONS), dtype=np.float32)
    readings += conditions @ (loadings / _SHRINK).astype(np.float32)
    np.clip(readings, -1, 1, out=readings)
    risk = special.expit(readings @ weights.astype(np.float32) + np.float32(_intercept()))
    failed = rng.random(every, dtype=np.float32) < risk
    rows = np.empty((every, WIDTH), np.float32)
    rows[:, :READINGS], rows[:, READINGS] = readings, 1
    rows *= np.float32((1 - 1e-6) / np.sqrt(WIDTH))  # a hair less, so that rounding makes no row longer than 1
    return Telemetry(rows[:devices], failed[:devices], rows[devices:], failed[devices:], risk[devices:])


@functools.cache
def _intercept() -> float:
    """The log odds' centre at which the wanted share fails, by Gauss–Hermite quadrature."""
    points, masses = np.polynomial.hermite_e.hermegauss(80)

    def too_many(centre: float) -> float:
        return float(masses @ special.expit(centre + _SLOPE * points) / masses.sum()) - _FAILS

    return float(optimize.brentq(too_many, -10, 0))
