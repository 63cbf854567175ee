"""Exercises 13.3 to 13.5: choosing a pair, drawing the children, and how often a copy gives somebody away."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Trial, Wrong
from dpcourse.checks.cases import Frequencies, Mistake, Returns, Value

# 13.3 Choose a pair


def _scores(rng: np.random.Generator, low: float = 1.7, high: float = 2.3) -> tuple[np.ndarray, float]:
    """Scores with differences of a few units, far from zero, in an order nobody can guess; ε away from 1."""
    gaps = np.array([0.0, 1.0, 2.5, 4.0]) * rng.uniform(0.8, 1.2)
    return rng.permutation(rng.uniform(5_000, 20_000) - gaps), float(rng.uniform(low, high))


def _small_epsilon(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    return _scores(rng, 0.4, 0.6)


def _close(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """The best of four has a probability below 0.32: a right answer does not choose it twenty times in a row."""
    scores, epsilon = _scores(rng, 0.7, 1.4)
    return scores.max() + 0.15 * (scores - scores.max()), epsilon


def _many_alike(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """Forty pairs alike and one better: Laplace noise on the scores finds the better one more often than it should."""
    epsilon = float(rng.uniform(0.8, 1.6))
    scores = np.full(41, rng.uniform(5_000, 20_000))
    scores[rng.integers(scores.size)] += 2 * float(rng.uniform(3.0, 3.5)) / epsilon
    return scores, epsilon


def _noisy_max(scores: np.ndarray, scale: float) -> dict[Hashable, float]:
    """How often each of `_many_alike` is the largest after adding Laplace noise, by integrating over the best."""
    best, others = int(scores.argmax()), len(scores) - 1
    gap = (scores.max() - scores.min()) / scale
    x, step = np.linspace(gap - 40, gap + 40, 40_001, retstep=True)
    below = np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2)
    win = float((np.exp(-np.abs(x - gap)) / 2 * below**others).sum() * step)
    return {i: win if i == best else (1 - win) / others for i in range(len(scores))}


def _softmax(scores: np.ndarray, scale: float) -> dict[Hashable, float]:
    weights = np.exp((scores - scores.max()) / scale)
    return dict(enumerate((weights / weights.sum()).tolist()))


def _choose(answer: Answer, data: tuple[np.ndarray, float], rng: np.random.Generator) -> list[int]:
    return [answer(*data, rng=rng) for _ in range(5000)]


def _choose_often(answer: Answer, data: tuple[np.ndarray, float], rng: np.random.Generator) -> list[int]:
    return [answer(*data, rng=rng) for _ in range(10_000)]


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


def _drawn_from(scores):
    def inputs(rng: np.random.Generator) -> tuple[tuple[np.ndarray, float], dict[Hashable, float]]:
        data = scores(rng)
        return data, _softmax(data[0], 2 / data[1])

    return inputs


_CHOICE_MISTAKES = (
    Mistake(
        lambda data: _softmax(data[0], 2),
        Wrong(
            "Your choice does not follow ε: it is the one for ε = 1.",
            "Where does ε come in?",
            "ignores-epsilon",
        ),
    ),
    Mistake(
        lambda data: _softmax(data[0], 2 * data[1]),
        Wrong("Your choice gets worse as ε grows.", "The weight of a score u is exp(εu/2).", "upside-down"),
    ),
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
)

CHOICE = (
    _overflows,
    Returns(inputs=_close, what="integer", among=_chosen_from),
    Frequencies(inputs=_drawn_from(_scores), call=_choose, mistakes=_CHOICE_MISTAKES),
    Frequencies(inputs=_drawn_from(_small_epsilon), call=_choose, mistakes=_CHOICE_MISTAKES),
    Frequencies(
        inputs=_drawn_from(_many_alike),
        call=_choose_often,
        mistakes=(
            Mistake(
                lambda data: _noisy_max(data[0], 2 / data[1]),
                Wrong(
                    "You take the largest score after adding Laplace noise. That is ε-DP too, but another mechanism: "
                    "its choices occur with other probabilities, and a cost of ε²/8 is proven for the exponential one.",
                    "Draw with weights e^(εu/2), or add Gumbel noise instead: that gives the same law.",
                    "noisy-max",
                ),
            ),
        ),
        hint="The weight of a score u is exp(εu/2), however many pairs there are.",
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


def _steep_row(rng: np.random.Generator) -> tuple[tuple[np.ndarray, np.ndarray], dict[Hashable, float]]:
    """Nearly everybody has one parent, whose counts lie far apart: proportional means proportional."""
    table = np.array([rng.permutation([1000, int(rng.integers(120, 180)), -40, -20]) for _ in range(4)])
    parents = rng.permutation(np.append(np.full(30_000, rng.integers(4)), np.arange(4)))
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
    Frequencies(
        inputs=_steep_row,
        call=_draw,
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
