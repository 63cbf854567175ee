"""Exercises 13.1 and 13.2: the noise of k tables, and a noisy table, attacked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Trial, Wrong
from dpcourse.checks.cases import Audited, Equals, Mistake, Returns, Useful, either_order
from dpcourse.checks.noise import cell_noise, exact_total, nobody, too_little
from dpcourse.privacy import Guarantee

# 13.1 The noise of k tables

SIGMA = Equals(
    lambda rng: (int(rng.integers(2, 60)), float(rng.uniform(0.005, 1.0))),
    expected=lambda k, rho: math.sqrt(k / (2 * rho)),
    mistakes=(
        Mistake(
            lambda k, rho: math.sqrt(1 / (2 * rho)),
            Wrong(
                "Each of your tables costs the whole ρ, as if it were the only one: k of them cost kρ.",
                "ρ adds up. How much of it may one table spend?",
                "composition-forgotten",
            ),
        ),
        Mistake(
            lambda k, rho: k * math.sqrt(1 / (2 * rho)),
            Wrong(
                "Your noise grows with k. That is the price of Laplace noise and ε; ρ is kinder.",
                "σ² is proportional to k, so σ is proportional to …",
                "linear",
            ),
        ),
        Mistake(
            lambda k, rho: math.sqrt(k / rho),
            Wrong("The 2 of ρ = 1/(2σ²) is missing.", "Put ρ/k for ρ and solve for σ.", "no-two"),
        ),
        Mistake(
            lambda k, rho: k / (2 * rho),
            Wrong("That is σ², the variance of the noise.", "Take the root.", "variance"),
        ),
        Mistake(
            lambda k, rho: math.sqrt(2 * rho / k),
            Wrong("That is upside down: it falls when more tables share ρ.", "Solve ρ/k = 1/(2σ²).", "upside-down"),
        ),
        Mistake(
            lambda k, rho: math.sqrt(k / rho) * math.sqrt(2),
            Wrong(
                "You count a sensitivity of 2 a table. Adding or removing a person changes one cell by one.",
                "Two cells change when a person is *replaced*. Which neighbours does the exercise name?",
                "sensitivity-two",
            ),
        ),
    ),
)

# 13.2 A noisy table

_SHAPE = (4, 5)


def _pairs_of_codes(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two columns of codes, with some cells that nobody is in and some codes that nobody has."""
    n = int(rng.integers(60, 300))
    a, b = rng.integers(_SHAPE[0] - 1, size=n), rng.integers(_SHAPE[1], size=n)
    free = (a != 0) | (b != 0)
    order = rng.permutation(_SHAPE[0])  # which code is the one that nobody has
    return order[a[free]], b[free]


def _rare_neighbours(rng: np.random.Generator) -> tuple[tuple, tuple]:
    """One person more, alone in her cell: an exact zero there, or a missing row, gives her away."""
    a, b = _pairs_of_codes(rng)
    missing = next(code for code in rng.permutation(_SHAPE[0]) if code not in a)
    at = int(rng.integers(len(a) + 1))
    more = np.insert(a, at, missing), np.insert(b, at, rng.integers(_SHAPE[1]))
    return either_order((a, b), more, rng)


def _full_neighbours(rng: np.random.Generator) -> tuple[tuple, tuple]:
    """One person more in the fullest cell."""
    a, b = _pairs_of_codes(rng)
    cell = np.bincount(a * _SHAPE[1] + b).argmax()
    more = np.append(a, cell // _SHAPE[1]), np.append(b, cell % _SHAPE[1])
    return either_order((a, b), more, rng)


def _table_at(epsilon: float):
    def call(answer: Answer, data: tuple[np.ndarray, np.ndarray], rng: np.random.Generator) -> np.ndarray:
        return np.asarray(answer(*data, _SHAPE, epsilon, rng=rng), dtype=float)

    return call


def _truth(data: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    return np.bincount(data[0] * _SHAPE[1] + data[1], minlength=math.prod(_SHAPE)).reshape(_SHAPE)


def _exact_zeros(answer: Answer, trial: Trial) -> Wrong | None:
    """Cells without noise: the table says exactly who is there and who is not."""
    call = _table_at(1.0)
    drawn = [_pairs_of_codes(trial.rng) for _ in range(20)]
    errors = [call(answer, data, trial.rng) - _truth(data) for data in drawn]
    empty = [_truth(data) == 0 for data in drawn]
    silent = [float(np.mean(error[zero] == 0)) for error, zero in zip(errors, empty, strict=True)]
    loud = [float(np.mean(error[~zero] == 0)) for error, zero in zip(errors, empty, strict=True)]
    # Discrete Laplace noise at ε = 1 is zero 46% of the time, in any cell alike; over 20 tables and the 6 or more empty
    # cells of each, a right answer does not come near 95%.
    if np.mean(silent) > 0.95 and np.mean(loud) < 0.8:
        return Wrong(
            "Cells with nobody in them get no noise: an exact 0 says that a person is not there, and anything else "
            "that she is.",
            "Every *declared* cell needs noise, whether anybody is in it or not.",
            "empty-cells-exact",
        )
    if len(errors[0]) and all(np.ptp(error) < 1e-9 for error in errors) and any(abs(e[0, 0]) > 1e-9 for e in errors):
        return Wrong(
            "All cells share one draw of noise: subtract two cells, and what is left is exact.",
            "Draw noise for each cell: size=shape.",
            "shared-noise",
        )
    return None


def _which_scale(answer: Answer, trial: Trial, _: Any) -> Wrong | None:
    spread = {}
    for epsilon in (0.25, 4.0):
        call, drawn = _table_at(epsilon), [_pairs_of_codes(trial.rng) for _ in range(20)]
        spread[epsilon] = np.median([np.abs(call(answer, data, trial.rng) - _truth(data)) for data in drawn])
    if spread[4.0] > 2 * spread[0.25]:
        return Wrong(
            "Your noise grows with ε.", "Smaller ε is more private: is the scale ε, or 1/ε?", "scale-upside-down"
        )
    return None


def _full_cell_errors(answer: Answer, trial: Trial, epsilon: float) -> np.ndarray:
    """Errors of cells with eight people or more: in smaller ones, somebody may have cut at zero."""
    call, drawn = _table_at(epsilon), [_pairs_of_codes(trial.rng) for _ in range(1500)]
    errors = [(call(answer, data, trial.rng) - _truth(data))[_truth(data) >= 8] for data in drawn]
    return np.concatenate(errors)


def _moved_cell(epsilon: float):
    """The auditor looks at the cell that differs; both neighbours know which one, for the auditor does."""

    def call(answer: Answer, data: tuple, rng: np.random.Generator) -> float:
        a, b, where = data
        # Hundredths: the low bits of a float tell more than the exercise is about (lesson 14).
        return round(float(np.asarray(answer(a, b, _SHAPE, epsilon, rng=rng), dtype=float)[where]), 2)

    return call


def _with_cell(pairs):
    def factory(rng: np.random.Generator) -> tuple[tuple, tuple]:
        one, other = pairs(rng)
        where = tuple(int(i) for i in np.argwhere(_truth(one) != _truth(other))[0])
        return (*one, where), (*other, where)

    return factory


NOBODY = (np.zeros(0, dtype=int), np.zeros(0, dtype=int))

TABLE = (
    Returns(
        inputs=lambda rng: (*_pairs_of_codes(rng), _SHAPE, float(rng.uniform(0.3, 2))),
        what="array",
        shape=lambda a, b, shape, epsilon: tuple(shape),
    ),
    _exact_zeros,
    nobody(_table_at(1.0), NOBODY, _SHAPE),
    exact_total(_table_at(1.0), _full_neighbours, _truth),
    cell_noise(_table_at(1.0), _pairs_of_codes, _truth),
    Audited(
        _with_cell(_rare_neighbours),
        Guarantee(0.5),
        call=_moved_cell(0.5),
        runs=6000,
        diagnose=_which_scale,
        hint="One person changes one cell by one: Laplace noise of scale 1/ε in every cell.",
    ),
    Audited(
        _with_cell(_full_neighbours),
        Guarantee(1.0),
        call=_moved_cell(1.0),
        runs=2500,
        diagnose=_which_scale,
        hint="One person changes one cell by one: Laplace noise of scale 1/ε in every cell.",
    ),
    too_little(_full_cell_errors),
    # Two scales hold 86.5% of Laplace(1/ε); noise of twice the scale gets 63% of its cells there.
    Useful(
        _full_neighbours,
        truth=_truth,
        within=2 / 0.5,
        at_least=0.8,
        call=_table_at(0.5),
        error=lambda output, truth: abs(float(output[1, 2]) - float(truth[1, 2])),
        hint="The cells are disjoint: one person is in one of them. Nothing has to be shared among cells.",
    ),
    Useful(
        _full_neighbours,
        truth=_truth,
        within=2 / 4.0,
        at_least=0.8,
        call=_table_at(4.0),
        error=lambda output, truth: abs(float(output[2, 0]) - float(truth[2, 0])),
        hint="At ε = 0.5 the noise was right. Does it follow the ε it is given?",
    ),
)
