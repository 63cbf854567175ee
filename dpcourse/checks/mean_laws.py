"""Problems of a noisy mean, rows to be clipped and averaged: the law of a right answer, and those of known mistakes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator

from dpcourse.checks.cases import Mistake
from dpcourse.checks.gaussian import GaussianLaw, clipped
from dpcourse.checks.once import whole
from dpcourse.checks.vocabulary import Shared


@dataclass(frozen=True)
class Problem:
    """What an answer is called with: rows of shape (m, d), the clip norm C, σ in units of C, the public divisor."""

    rows: np.ndarray
    C: float
    sigma: float
    size: float

    @cached_property
    def fine(self) -> np.ndarray:
        """The rows that count: a row with NaN or infinity in it does not."""
        return self.rows[np.isfinite(self.rows).all(axis=1)]

    @property
    def m(self) -> int:
        return len(self.rows)

    @cached_property
    def right(self) -> np.ndarray:
        """The mean of a right answer."""
        return clipped(self.fine, self.C).sum(axis=0) / self.size

    @property
    def noise(self) -> float:
        """The deviation of a right answer."""
        return self.sigma * self.C / self.size

    @property
    def on_sum(self) -> float:
        """The deviation of the noise on the sum, σC."""
        return self.sigma * self.C

    def kinds(self, z: str, size: str) -> dict[str, str]:
        """Of which types its rows and numbers are, in words."""
        whole = (np.rint(self.fine) == self.fine).all()
        rows = "of whole numbers" if whole else f"of {self.rows.dtype}"
        return {"rows": rows, f"C, {z} and {size}": "as ints" if isinstance(self.C, int) else "as floats"}

    def law(self, mean: np.ndarray | None = None, deviation: float | None = None) -> GaussianLaw:
        """A law with this mean and deviation, the right ones unless given."""
        return GaussianLaw(self.right if mean is None else mean, self.noise if deviation is None else deviation)


def anywhere(rng: Generator, broken: bool, m: int) -> Problem:
    """So many rows, far shorter and longer than C, of up to 3,000 columns, or 60 where rows are many. Not so little
    noise that a guard against 0/0 such as C / (norm + 1e-6) shows. Every third time rows are whole numbers, every third
    time floats of 32 bits; every other time the public numbers are ints."""
    d = whole(rng, 1, max(min(3000, 200_000 // m), 60))
    C, sigma = (float(low * (high / low) ** rng.random()) for low, high in ((0.3, 100.0), (0.2, 20.0)))
    rows = rng.normal(size=(m, d))
    rows *= C * np.exp(rng.uniform(-6, 6, size=(m, 1))) / np.linalg.norm(rows, axis=1, keepdims=True)
    rows[rng.random(m) < rng.choice((0.0, 0.02))] = 0.0  # where there are none, no two rows are alike
    rows += 0.6 * C * np.eye(1, d)
    if broken and rng.random() < 0.5:
        bad = np.flatnonzero(rng.random(m) < 0.3)
        rows[bad, rng.integers(d, size=bad.size)] = rng.choice([np.nan, np.inf, -np.inf], size=bad.size)
    kind, size = rng.integers(3), whole(rng, 1, 10**5)
    given: np.ndarray = (rows, np.rint(rows), rows.astype(np.float32))[kind]
    if rng.random() < 0.5:
        return Problem(given, math.ceil(C), math.ceil(sigma), size)
    return Problem(given, C, sigma, float(size))


def odd_rows(drawn: Problem, broken: bool, rng: Generator) -> dict[str, Problem]:
    """Problems like this one whose rows are all of a kind that is rare among many, by what they are called.

    There is so little noise that a row which is left out, or not clipped, shows.
    """
    m, d = int(rng.integers(2, 9)), drawn.rows.shape[1]
    row = rng.normal(size=(1, d))
    found = {f"{m} rows of zeros": np.zeros((m, d))}
    for powers in ((0.7, 2), (3, 6.5), (6.5, 10)):
        times = float(10 ** rng.uniform(*powers))
        found[f"a single row that is {times:.2g} times as long as C"] = times * drawn.C * row / np.linalg.norm(row)
    if broken:
        bad = rng.normal(size=(m, d))
        bad[np.arange(m), rng.integers(d, size=m)] = rng.choice([np.nan, np.inf, -np.inf], size=m)
        found[f"{m} rows, each with NaN or infinity in it,"] = bad
    return {called: Problem(rows, drawn.C, 0.3, drawn.size) for called, rows in found.items()}


NOISE_MISTAKES = (
    Mistake(
        "noise-after-averaging",
        lambda p: [p.law(deviation=p.on_sum)],
        "Your noise has deviation {z}C = {p.on_sum:.3g} after the division: {p.size:.0f} times what the claim needs. "
        "That much noise belongs to the sum.",
        "Add the noise to the sum, then divide both.",
    ),
    Mistake(
        "noise-without-clip",
        lambda p: [p.law(deviation=p.sigma / p.size)],
        "Your noise does not know C. Its deviation on the sum is {z} = {p.sigma:.3g}; {one} moves the sum by "
        "C = {p.C:.3g}.",
        "The noise multiplier multiplies the sensitivity.",
    ),
    Mistake(
        "divided-twice",
        lambda p: [p.law(deviation=p.on_sum / p.size**2), p.law(deviation=p.sigma / p.size**2)],
        "The noise is divided by {size} twice: it is {p.size:.0f} times too small.",
        "Add noise of deviation {z}C to the sum, then divide once.",
    ),
    Mistake(
        "variance-for-deviation",
        lambda p: [p.law(deviation=d / p.size) for d in (p.on_sum**2, p.on_sum**0.5, p.sigma**2 * p.C)],
        "Variance and deviation are mixed up: `scale` in NumPy is the deviation.",
        "The deviation on the sum is {z}C.",
    ),
    Mistake(
        "twice-the-noise",
        lambda p: [p.law(deviation=2 * p.noise)],
        "Your noise is for a sensitivity of 2C. Under add-remove {one} moves the sum by C.",
        "Twice C is for replacing {one}.",
    ),
    Mistake(
        "not-divided",
        lambda p: [p.law(p.right * p.size, p.on_sum)],
        "That is the noisy sum.",
        "Divide it by {size}, the expected one.",
    ),
    Mistake(
        Shared.NO_NOISE,
        lambda p: [p.law(deviation=0.0)],
        "There is no noise in your result.",
        "Clipping bounds the sensitivity; the noise hides it.",
    ),
    Mistake(
        "reversed",
        lambda p: [p.law(p.right[::-1])],
        "Your result is the right one back to front.",
        "Every entry belongs to a weight of its own.",
    ),
)
