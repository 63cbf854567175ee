"""Exercise 04.4: the two scales of noise, known by how often none of several values is above."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Frequencies, Mistake
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.vocabulary import Shared


@cache
def none_above(bar_scale: float, value_scale: float, many: int, below: float) -> float:
    """P[none above] of so many values so far below the threshold, by integrating over the threshold's noise."""
    x, step = np.linspace(-40 * bar_scale, 40 * bar_scale, 20_001, retstep=True)
    room = (x + below) / value_scale
    under = np.where(room < 0, np.exp(np.minimum(room, 0)) / 2, 1 - np.exp(-np.maximum(room, 0)) / 2)
    return float((np.exp(-np.abs(x) / bar_scale) / (2 * bar_scale) * under**many).sum() * step)


_ASKED = ((6, 0.0), (12, 5.0))  # how many values, how far below the threshold


def _noise(bar: float, value: float, epsilon: float) -> list[dict[int, float]]:
    """Of `_level`, with noise of scales bar/ε and value/ε: none above (−1), or one (0)."""
    none = [none_above(bar / epsilon, value / epsilon, *asked) for asked in _ASKED]
    return [{-1: p, 0: 1 - p} for p in none]


def _level(rng: Generator) -> tuple[list[tuple[np.ndarray, float, float]], list[dict[int, float]]]:
    """Values all alike, at an ε at which no two of the known mistakes say "none" equally often.

    At the threshold the ratio of the two scales shows, below it their size: scales 1.5/ε and 4/ε, which cost 1.17 ε,
    say "none" of six in 5.4% of calls where 7.1% are right, eight standard deviations of 12,000 calls.
    """
    threshold, epsilon = float(rng.uniform(-500, 500)), float(rng.uniform(1.4, 1.6))
    return [(np.full(many, threshold - below), threshold, epsilon) for many, below in _ASKED], _noise(2, 4, epsilon)


def _call_level(answer: Answer, data: tuple[np.ndarray, float, float], rng: Generator) -> int:
    return -1 if answer(*data, rng=rng) is None else 0


def _words(data: tuple[np.ndarray, float, float], output: int) -> str:
    values, threshold, epsilon = data
    where = f"{threshold - values[0]:.0f} below the threshold" if values[0] < threshold - 1 else "at the threshold"
    found = "none" if output else "one"
    return f"Of {len(values)} values {where} you find {found} above it, at ε = {epsilon:.2f},"


def _scales(bar: float, value: float, seen: str, next_step: str, key: str) -> Mistake:
    return Mistake(key, lambda data: _noise(bar, value, data[0][2]), seen, next_step)


_RULE = "A threshold with scale b and values with scale c cost 1/b + 2/c: half of ε for each."
SCALES = Frequencies(
    _level,
    call=_call_level,
    runs=(12_000, 4000),  # what shows below the threshold does so in 1,500
    mistakes=(
        Mistake(
            Shared.EPSILON_IGNORED,
            lambda data: _noise(2, 4, 1.0),
            "The ε you are given does not enter: your noise is that of ε = 1.",
            "",
        ),
        _scales(
            2,
            2,
            "Your values have noise of scale 2/ε. Between neighbours a value may fall while the others rise, and "
            "the threshold has to make up for those.",
            "Against the shifted threshold a value moves by 2: scale 2/(ε/2).",
            "value-scale",
        ),
        _scales(
            2,
            3,
            "Your noise is that of scale 2/ε on the threshold and 3/ε on the values: together 1/2 + 2/3 of ε.",
            _RULE,
            "value-scale",
        ),
        _scales(
            1,
            2,
            "Scales 1/ε and 2/ε spend all of ε on the threshold and all of it once more on the value.",
            "Half of ε for each.",
            "whole-epsilon-twice",
        ),
        _scales(
            1,
            1,
            "Scale 1/ε on both: that is ε for the threshold and 2ε for the value.",
            "Half of ε for each, and against the shifted threshold a value moves by 2.",
            "whole-epsilon-twice",
        ),
        _scales(
            1,
            4,
            "Your noise is that of scale 1/ε on the threshold, which spends all of ε there, and 4/ε on the values, "
            "which spends half of it once more.",
            _RULE,
            "threshold-scale",
        ),
        _scales(
            4,
            2,
            "Your noise is that of scale 4/ε on the threshold and 2/ε on the values: together 1/4 + 1 of ε.",
            "The other way round: against the shifted threshold a value moves by 2, the threshold by 1.",
            "scales-swapped",
        ),
        _scales(
            4,
            4,
            "Scale 4/ε on the threshold too is more noise than half of ε asks for: the threshold moves by 1 only.",
            _RULE,
            "threshold-too-noisy",
        ),
        _scales(
            4,
            8,
            "Your noise is that of half the ε you are given: scale 4/ε on the threshold, 8/ε on the values.",
            _RULE,
            "half-epsilon",
        ),
        _scales(
            3,
            3,
            "Scale 3/ε on both keeps ε, with a third of it for the threshold and two thirds for the values.",
            "An even split is asked for: half of ε for each.",
            "uneven-split",
        ),
    ),
    words=_words,
    hint=_RULE,
)


def by_scale(answer: Answer, chance: Chance, _: Any) -> Diagnosis | None:
    """Who has one of the known pairs of scales is told so, whatever the auditor saw first."""
    wrong = SCALES(answer, chance)
    return None if wrong is None or wrong.key == "wrong-frequency" else wrong
