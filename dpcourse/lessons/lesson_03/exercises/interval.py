"""Exercise 03.5: an interval that holds for all cells of a table at once."""

from __future__ import annotations

import math

from scipy.special import ndtri

from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.once import between, whole


def _half_width(scale: float, level: float, cells: int) -> float:
    return -scale * math.log(-math.expm1(math.log(level) / cells))


def _normal(scale: float, level: float, cells: int) -> float:

    return math.sqrt(2) * scale * float(ndtri((1 + level ** (1 / cells)) / 2))


HALF_WIDTH = (
    Equals(
        lambda rng: (float(rng.uniform(0.5, 30)), float(rng.uniform(0.6, 0.99)), int(rng.integers(2, 40))),
        expected=_half_width,
        wide=lambda rng: (between(rng, 1e-3, 1e5), 1 - between(rng, 1e-4, 0.9), whole(rng, 1, 10_000)),
        mistakes=(
            Mistake(
                "one-cell",
                lambda scale, level, cells: -scale * math.log(1 - level),
                "That holds for one cell. Each of many cells is another chance to miss.",
                "If each of two cells is within w with probability 95%, how likely are both?",
            ),
            Mistake(
                "bonferroni",
                lambda scale, level, cells: -scale * math.log((1 - level) / cells),
                "That shares out the allowed misses (Bonferroni): safe, and a little wider than it has to be.",
                "The noises are independent. What is the exact probability that every cell is inside?",
            ),
            Mistake(
                "normal",
                _normal,
                "Those are quantiles of a normal distribution.",
                "How likely is Laplace noise farther out than w?",
            ),
            Mistake(
                "one-tail",
                lambda scale, level, cells: -scale * math.log(2 * (1 - level ** (1 / cells))),
                "That counts one tail only.",
                "Can the noise also go the other way?",
            ),
            Mistake(
                "whole-width",
                lambda scale, level, cells: 2 * _half_width(scale, level, cells),
                "That is the whole interval from end to end.",
                "How far is either end from the middle?",
            ),
            Mistake(
                "scale-upside-down",
                lambda scale, level, cells: _half_width(1 / scale, level, cells),
                "The wider the noise, the narrower your interval.",
                "Is `scale` b, or ε?",
            ),
            Mistake(
                "misses-halved",
                lambda scale, level, cells: -scale * math.log((1 - level ** (1 / cells)) / 2),
                "You allow each cell half of the misses that it may have.",
                "Noise is farther out than w with probability e^(−w/b). Does that count one side, or both?",
            ),
            Mistake(
                "power-for-root",
                lambda scale, level, cells: -scale * math.log(1 - level**cells),
                "You let a single cell be within w with probability level^cells, which is less than level.",
                "Must a single cell be inside more often than all cells together, or less often?",
            ),
            Mistake(
                "root-of-misses",
                lambda scale, level, cells: -scale * math.log(1 - level) / cells,
                "You take the root of the probability to miss. With more cells your interval becomes narrower.",
                "Which probability is multiplied from cell to cell: to miss, or to be inside?",
            ),
            Mistake(
                "level-divided",
                lambda scale, level, cells: -scale * math.log(1 - level / cells),
                "You divide the level by the number of cells. With more cells your interval becomes narrower.",
                "How likely must a single cell be inside, if all of them are to be with probability `level`?",
            ),
        ),
    ),
)
