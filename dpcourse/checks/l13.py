"""Exercises of lesson 13: noisy tables, choosing among them, and drawing people from them."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Exercise, Trial, Wrong
from dpcourse.checks.cases import Audited, Equals, Frequencies, Mistake, Returns, Useful, Value
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
    return ((a, b), more) if rng.random() < 0.5 else (more, (a, b))


def _full_neighbours(rng: np.random.Generator) -> tuple[tuple, tuple]:
    """One person more in the fullest cell."""
    a, b = _pairs_of_codes(rng)
    cell = np.bincount(a * _SHAPE[1] + b).argmax()
    more = np.append(a, cell // _SHAPE[1]), np.append(b, cell % _SHAPE[1])
    return ((a, b), more) if rng.random() < 0.5 else (more, (a, b))


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


def _rounded(table: np.ndarray) -> tuple[float, ...]:
    # Hundredths: the low bits of a float tell more than the exercise is about (lesson 14).
    return tuple(np.round(table, 2).ravel().tolist())


def _total(table: np.ndarray) -> float:
    return round(float(table.sum()), 2)


def _moved_cell(epsilon: float):
    """The auditor looks at the cell that differs; both neighbours know which one, for the auditor does."""

    def call(answer: Answer, data: tuple, rng: np.random.Generator) -> float:
        a, b, where = data
        return round(float(np.asarray(answer(a, b, _SHAPE, epsilon, rng=rng), dtype=float)[where]), 2)

    return call


def _with_cell(pairs):
    def factory(rng: np.random.Generator) -> tuple[tuple, tuple]:
        one, other = pairs(rng)
        where = tuple(int(i) for i in np.argwhere(_truth(one) != _truth(other))[0])
        return (*one, where), (*other, where)

    return factory


TABLE = (
    Returns(
        inputs=lambda rng: (*_pairs_of_codes(rng), _SHAPE, float(rng.uniform(0.3, 2))),
        what="array",
        shape=lambda a, b, shape, epsilon: tuple(shape),
    ),
    _exact_zeros,
    Audited(
        _with_cell(_rare_neighbours),
        Guarantee(0.5),
        call=_moved_cell(0.5),
        runs=10_000,
        diagnose=_which_scale,
        hint="One person changes one cell by one: Laplace noise of scale 1/ε in every cell.",
    ),
    Audited(
        _with_cell(_full_neighbours),
        Guarantee(1.0),
        call=_moved_cell(1.0),
        runs=4000,
        diagnose=_which_scale,
        hint="One person changes one cell by one: Laplace noise of scale 1/ε in every cell.",
    ),
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

# 13.3 Choose a pair


def _scores(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """Scores with differences of a few units, far from zero, in an order nobody can guess."""
    gaps = np.array([0.0, 1.0, 2.5, 4.0]) * rng.uniform(0.8, 1.2)
    return rng.permutation(rng.uniform(5_000, 20_000) - gaps), float(rng.uniform(0.8, 1.2))


def _softmax(scores: np.ndarray, scale: float) -> dict[Hashable, float]:
    weights = np.exp((scores - scores.max()) / scale)
    return dict(enumerate((weights / weights.sum()).tolist()))


def _choose(answer: Answer, data: tuple[np.ndarray, float], rng: np.random.Generator) -> list[int]:
    return [answer(*data, rng=rng) for _ in range(6000)]


def _chosen_from(scores: np.ndarray, epsilon: float) -> list[int]:
    return list(range(len(scores)))


def _overflows(answer: Answer, trial: Trial) -> Wrong | None:
    """A naive e^(εu/2) of scores in the thousands is infinite, and its shares are NaN."""
    scores, epsilon = _scores(trial.rng)
    try:
        answer(scores, epsilon, rng=trial.rng)
    except Exception as error:
        if "NaN" in str(error) or "nan" in str(error):
            return Wrong(
                "With scores in the thousands your weights overflow to infinity, and their shares are NaN.",
                "Only differences of scores matter: subtract the largest first.",
                "overflow",
            )
        raise
    return None


CHOICE = (
    _overflows,
    Returns(inputs=_scores, what="integer", among=_chosen_from),
    Frequencies(
        inputs=lambda rng: (lambda data: (data, _softmax(data[0], 2 / data[1])))(_scores(rng)),
        call=_choose,
        mistakes=(
            Mistake(
                lambda data: _softmax(data[0], 1 / data[1]),
                Wrong(
                    "Your choice is that of exp(εu): between neighbours the best score can fall while another rises, "
                    "and the odds move by e^(2ε).",
                    "Which factor belongs under the ε?",
                    "no-two",
                ),
            ),
            Mistake(
                lambda data: {i: 0.25 for i in range(4)},
                Wrong("All pairs come out equally often.", "Where do the scores come in?", "uniform"),
            ),
            Mistake(
                lambda data: dict(enumerate((data[0] / data[0].sum()).tolist())),
                Wrong(
                    "You choose in proportion to the score itself.",
                    "The weight of a score u is exp(εu/2).",
                    "proportional",
                ),
            ),
            Mistake(
                lambda data: _softmax(-data[0], 2 / data[1]),
                Wrong("The worst pair comes out most often.", "Look at the sign in the exponent.", "sign"),
            ),
        ),
    ),
)

# 13.4 Draw the children


def _drawing(rng: np.random.Generator) -> tuple[tuple[np.ndarray, np.ndarray], dict[Hashable, float]]:
    """A noisy table with negative counts and a row without a positive one, and parents for it.

    Outputs are coded as parent · 4 + child, so that one distribution says all.
    """
    table = rng.integers(20, 200, size=(3, 4))
    order = rng.permutation(4)
    table[np.arange(3), order[:3]] = -rng.integers(30, 60, size=3)
    # Rows whose proportions differ clearly; never the negative cell, so that each of these rows has one.
    table[np.arange(3), order[1:]] += 300
    table = np.vstack([table, -rng.integers(1, 40, size=(1, 4))])[rng.permutation(4)]
    share = rng.dirichlet(np.full(4, 20.0))
    parents = rng.choice(4, size=20_000, p=share)
    return (parents, table), _expected((parents, table), _conditional(table))


def _conditional(table: np.ndarray) -> np.ndarray:
    positive = np.maximum(table, 0).astype(float)
    positive[positive.sum(axis=1) == 0] = 1
    return positive / positive.sum(axis=1, keepdims=True)


def _expected(data: tuple[np.ndarray, np.ndarray], children: np.ndarray) -> dict[Hashable, float]:
    parents, table = data
    share = np.bincount(parents, minlength=len(table)) / len(parents)
    return dict(enumerate((share[:, None] * children).ravel().tolist()))


def _rows(weights: np.ndarray) -> np.ndarray:
    weights = np.asarray(weights, dtype=float)
    weights[weights.sum(axis=1) == 0] = 1
    return weights / weights.sum(axis=1, keepdims=True)


def _marginal(table: np.ndarray) -> np.ndarray:
    total = np.maximum(table, 0).sum(axis=0)
    return np.tile(total / total.sum(), (len(table), 1))


def _by_column(table: np.ndarray) -> np.ndarray:
    """Normalised down the columns, then along the rows so that something can be drawn."""
    positive = np.maximum(table, 0).astype(float)
    return _rows(positive / np.maximum(positive.sum(axis=0, keepdims=True), 1e-300))


def _draw(answer: Answer, data: tuple[np.ndarray, np.ndarray], rng: np.random.Generator) -> np.ndarray:
    children = np.asarray(answer(*data, rng=rng))
    if children.shape != data[0].shape:
        raise ValueError(f"a result of shape {children.shape} where {data[0].shape} is wanted")
    return data[0] * 4 + children


def _drawn_mistake(children, wrong: Wrong) -> Mistake:
    return Mistake(lambda data: _expected(data, children(data[1])), wrong)


def _empty_row(answer: Answer, trial: Trial) -> Wrong | None:
    """A parent whose row has no positive count."""
    (parents, table), _ = _drawing(trial.rng)
    try:
        answer(parents, table, rng=trial.rng)
    except Exception as error:
        text = str(error)
        if "NaN" in text or "nan" in text or "division" in text or "sum to 1" in text:
            return Wrong(
                "A row of the table has no positive count at all, and dividing by its sum gives no shares.",
                "The noise says that nobody has this parent. Draw all children alike there.",
                "empty-row",
            )
        if "non-negative" in text:
            return Wrong(
                "Some of the noisy counts are negative, and they are no probabilities.",
                "Cut them at zero before you divide by the sum of the row.",
                "negative-shares",
            )
        raise
    return None


CHILDREN = (
    _empty_row,
    Returns(
        inputs=lambda rng: _drawing(rng)[0],
        what="array",
        shape=lambda parents, table: parents.shape,
        among=range(4),
    ),
    Frequencies(
        inputs=_drawing,
        call=_draw,
        mistakes=(
            _drawn_mistake(
                lambda table: _rows(np.abs(table)),
                Wrong(
                    "Negative counts come out as if they were people: −40 as often as 40.",
                    "A negative count is noise around (almost) nobody. Cut it at zero.",
                    "absolute",
                ),
            ),
            _drawn_mistake(
                lambda table: _rows(table - table.min(axis=1, keepdims=True)),
                Wrong(
                    "You lift each row until nothing is negative, which gives people to every other cell too.",
                    "Cut at zero, and leave the positive counts as they are.",
                    "shifted",
                ),
            ),
            _drawn_mistake(
                lambda table: _rows(table - table.min()),
                Wrong(
                    "You lift the table until nothing is negative, which gives people to every other cell too.",
                    "Cut at zero, and leave the positive counts as they are.",
                    "shifted",
                ),
            ),
            _drawn_mistake(
                _marginal,
                Wrong(
                    "The children do not depend on their parents: you draw from the sums over all rows.",
                    "Take the row of each record's own parent.",
                    "ignores-parent",
                ),
            ),
            _drawn_mistake(
                _by_column,
                Wrong(
                    "You normalise the columns. The child is drawn *given the parent*, which is the row.",
                    "Which axis must add up to 1?",
                    "wrong-axis",
                ),
            ),
            _drawn_mistake(
                lambda table: np.eye(4)[np.argmax(table, axis=1)],
                Wrong(
                    "Every record gets the most frequent child of its parent.",
                    "Draw, so that the rarer ones occur as often as they should.",
                    "argmax",
                ),
            ),
        ),
        hint="For each parent the children must come out in the proportions of the positive counts in its row.",
    ),
)

# 13.5 Copies

_N = 45_222

COPIED = Value(
    1 - (1 - 1 / _N) ** _N,
    mistakes=(
        Mistake(
            (1 - 1 / _N) ** _N,
            Wrong(
                "That is the probability that Vera is *not* in the table.", "One minus it is asked for.", "complement"
            ),
        ),
        Mistake(
            1.0,
            Wrong(
                "That is how many times she is in it on average.",
                "Sometimes it is twice, sometimes never. How often never?",
                "expectation",
            ),
        ),
        Mistake(1 / _N, Wrong("That is the chance of a single draw.", "There are 45,222 of them.", "one-draw")),
        Mistake(
            0.5,
            Wrong("No: in or out is not a fair coin.", "Each draw misses her with probability 1 − 1/n.", "coin"),
        ),
    ),
)

EXERCISES = (
    Exercise("13.1", "The noise of k tables", (SIGMA,), call="table_noise(k, rho)"),
    Exercise("13.2", "A noisy table", TABLE, call="noisy_table(a, b, shape, epsilon, rng)"),
    Exercise("13.3", "Choose a pair", CHOICE, call="choose_pair(scores, epsilon, rng)"),
    Exercise("13.4", "Draw the children", CHILDREN, call="draw_children(parents, table, rng)"),
    Exercise("13.5", "How often a copy gives Vera away", (COPIED,)),
)
