"""Exercise 03.5: an interval that holds for all cells of a table at once."""

from __future__ import annotations

import math

from scipy.special import ndtri

from dpcourse.checks.cases import Equals, Mistake


def _half_width(scale: float, level: float, cells: int) -> float:
    return -scale * math.log(-math.expm1(math.log(level) / cells))


def _normal(scale: float, level: float, cells: int) -> float:

    return math.sqrt(2) * scale * float(ndtri((1 + level ** (1 / cells)) / 2))


HALF_WIDTH = (
    Equals(
        lambda rng: (float(rng.uniform(0.5, 30)), float(rng.uniform(0.6, 0.99)), int(rng.integers(2, 40))),
        expected=_half_width,
        mistakes=(
            Mistake(
                "one-cell",
                lambda scale, level, cells: -scale * math.log(1 - level),
                "That holds for one cell. Each of many cells is another chance to miss.",
                "All cells lie within w with probability (1 − e^(−w/b))^k.",
            ),
            Mistake(
                "bonferroni",
                lambda scale, level, cells: -scale * math.log((1 - level) / cells),
                "That shares out the allowed misses (Bonferroni): safe, and a little wider than it has to be.",
                "The cells' noises are independent, so the probabilities multiply.",
            ),
            Mistake(
                "normal", _normal, "Those are quantiles of a normal distribution.", "Laplace: P[|X| > w] = e^(−w/b)."
            ),
            Mistake(
                "one-tail",
                lambda scale, level, cells: -scale * math.log(2 * (1 - level ** (1 / cells))),
                "That counts one tail only.",
                "Noise errs upwards and downwards.",
            ),
            Mistake(
                "whole-width",
                lambda scale, level, cells: 2 * _half_width(scale, level, cells),
                "That is the whole interval from end to end.",
                "Half of it is wanted.",
            ),
            Mistake(
                "scale-upside-down",
                lambda scale, level, cells: _half_width(1 / scale, level, cells),
                "The wider the noise, the narrower your interval.",
                "`scale` is b, not ε.",
            ),
        ),
    ),
)
