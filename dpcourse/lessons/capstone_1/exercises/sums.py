"""Capstones 1.2 and 1.4: one wafer in a clipped sum, and who gains from training together."""

from __future__ import annotations

import numpy as np

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.measured import as_measured, to_decimals
from dpcourse.checks.once import between, whole
from dpcourse.datasets.fabs import FAB_SIZES
from dpcourse.lessons.capstone_1 import numbers

PLACES = (*FAB_SIZES, "Japan", "Ireland", "Malaysia", "Oregon", "Fab 7", "Fab 12 East")
LONGER = ("{}2", "{}0", "{} East", "New {}")
LARGEST = 2000  # wafers: twice as many as the project's largest fab has
CANARIES = (0.3, 1.0, 2.0, 1e4, 1e8, 1e12, 1e200, np.inf, -np.inf, np.nan)


def _wafers(
    rng: np.random.Generator, low: int = 20, high: int = 1000
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    n = whole(rng, low, high)
    X, y = rng.uniform(-1, 1, (n, 20)), rng.integers(0, 2, n)
    return rng.normal(0, 0.5, 21), X, y, float(rng.uniform(0.4, 1.2))


def _any_wafers(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """From one wafer to twice the largest fab, with a C at which all are clipped, some, or none, and any weights.

    A quarter are zeros, as in the first round; half of the time readings, or weights, are as measured. Half of the
    time some wafers are alike, and others have readings that are all 0.
    """
    weights, X, y, _ = _wafers(rng, 1, LARGEST)
    if rng.random() < 0.5:
        same = rng.integers(len(y), size=len(y))
        X, y = X[same] * (rng.random((len(y), 1)) > 0.1), y[same]
    weights = as_measured(weights * (between(rng, 0.1, 10) if rng.random() < 0.75 else 0.0), rng)
    return weights, to_decimals(X, rng, 2), y, between(rng, 0.01, 10)


def _gradients(weights: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    Z = np.hstack([X, np.ones((len(X), 1))])
    return (1 / (1 + np.exp(-Z @ weights)) - y)[:, None] * Z


def _clip_whole(weights: np.ndarray, X: np.ndarray, y: np.ndarray, clip: float) -> np.ndarray:
    total = _gradients(weights, X, y).sum(axis=0)
    return total / max(1, np.linalg.norm(total) / clip)


def _clip_readings(weights: np.ndarray, X: np.ndarray, y: np.ndarray, clip: float) -> np.ndarray:
    g = _gradients(weights, X, y)
    return (g / np.maximum(1, np.linalg.norm(g[:, :-1], axis=1, keepdims=True) / clip)).sum(axis=0)


SUMS = Equals(
    _wafers,
    numbers.clipped_sum,
    (
        Mistake(
            "not-clipped",
            lambda w, X, y, C: _gradients(w, X, y).sum(axis=0),
            "Nothing is clipped.",
            "How far can one strange wafer move the sum?",
        ),
        Mistake(
            "clips-the-sum",
            _clip_whole,
            "You clip the sum. It is bounded then, but one wafer can still turn it around: by twice `clip`.",
            "What has to be at most `clip` long before anything is added?",
        ),
        Mistake(
            "mean",
            lambda w, X, y, C: numbers.clipped_sum(w, X, y, C) / len(X),
            "You return the mean of the clipped gradients.",
            "The server adds the sums of all fabs. Who divides, and by what?",
        ),
        Mistake(
            "clips-entries",
            lambda w, X, y, C: np.clip(_gradients(w, X, y), -C, C).sum(axis=0),
            "You clip each entry to [−clip, clip]: a gradient may still be as long as √21 · `clip`.",
            "`clip` bounds the length of a wafer's gradient, all 21 entries together.",
        ),
        Mistake(
            "norm-without-constant",
            _clip_readings,
            "Your norm leaves out the constant's entry.",
            "The gradient has 21 entries. Which of them can move the sum?",
        ),
        Mistake(
            "sign",
            lambda w, X, y, C: -numbers.clipped_sum(w, X, y, C),
            "The sign is turned around.",
            "The gradient of the loss is (p − y) · (x, 1).",
        ),
    ),
    rtol=1e-6,
    atol=1e-8,
    wide=_any_wafers,
)


def replay(answer: Answer, chance: Chance) -> Diagnosis | None:
    """One wafer more, whatever its readings are, moves the sum by C at most; errors and NaN are outputs too.

    Beside as many wafers as the largest fab has, or twice as many, beside fewer, and beside none.
    The sums with it and without are asked for in any order.
    """
    for least, most in ((LARGEST // 2, LARGEST), (1, LARGEST // 2), (0, 0)):
        weights, X, y, clip = _wafers(chance.rng, max(least, 1), max(most, 1))
        if empty := not most:
            X, y = X[:0], y[:0]
        beside = f"Beside {len(y):,} wafers" if len(y) else "Alone"
        for canary in CANARIES:
            row = chance.rng.uniform(-1, 1, 20)
            row[int(chance.rng.integers(20))] = canary
            label = int(chance.rng.integers(2))
            asked = {
                "no wafer at all" if empty else "readings in [−1, 1]": (X, y),
                f"a reading of {canary:g}": (np.vstack([X, row]), np.append(y, label)),
            }
            sums = dict[str, np.ndarray]()
            for what in chance.rng.permutation([*asked]).tolist():
                try:
                    given = answer(weights.copy(), *(part.copy() for part in asked[what]), clip)
                except AnswerRaised as raised:
                    return Diagnosis(
                        "raises",
                        f"With {what} your function stops: {raised}.",
                        "A wafer that cannot be read adds nothing. Without any wafers the sum is 21 zeros.",
                    )
                sums[what] = np.asarray(given, dtype=float)
            before, after = (sums[what] for what in asked)
            moved = float(np.linalg.norm(after - before))
            if not moved <= clip * (1 + 1e-6) + 1e-9:
                seen = f"{beside}, one with a reading of {canary:g} moves the sum by {moved:.3g}; `clip` is {clip:.2g}."
                if np.isfinite(moved):
                    return Diagnosis("moves-more", seen, "How long is what this wafer adds, after you clip it?")
                ask = "NaN compares with nothing, and infinity divided by infinity is NaN. What should such a row add?"
                if np.isfinite(canary):
                    ask = "The square of a large number overflows to infinity. How else can you find the length?"
                return Diagnosis("not-finite", seen, ask)
            if not np.isfinite(canary) and moved > 1e-9 * (1 + len(X)):
                seen = f"One wafer with a reading of {canary:g} moves the sum by {moved:.3g}."
                ask = "What does a wafer add that cannot be read as a whole?"
                return Diagnosis("counts-unreadable", f"{seen} It should not move it at all.", ask)
            right = numbers.clipped_sum(weights, *asked[f"a reading of {canary:g}"], clip)
            overflows = 1e150 < abs(canary) < np.inf  # squared
            if not overflows and not np.allclose(after, right, rtol=1e-6, atol=1e-8):
                off = float(np.linalg.norm(after - right))
                seen = f"{beside}, we added one wafer with a reading of {canary:g}. Your sum is then off by {off:.3g}."
                return Diagnosis("wrong-value", seen, "What should this wafer add, once its gradient is clipped?")
    return None


SUM = (SUMS, replay)
TESTED = (4500, 9000)  # wafers: the project's test has 4,520


def _models(
    rng: np.random.Generator, fabs: tuple[int, int], wafers: tuple[int, int]
) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray]:
    """Some fabs of unequal size, whatever they are called, each of which has a wafer at least; and so many more.

    Mostly one fab's name is part of another's.
    """
    called = rng.choice(PLACES, int(rng.integers(*fabs, endpoint=True)), replace=False).tolist()
    if len(called) > 1 and rng.random() < 0.75:
        called[1] = str(rng.choice(LONGER)).format(called[0])
    names = np.array(called)
    sizes = rng.dirichlet(np.ones(len(names)))
    made_in = rng.permutation(np.append(names, rng.choice(names, whole(rng, *wafers), p=sizes)))
    X, y = rng.uniform(-1, 1, (len(made_in), 20)), rng.integers(0, 2, len(made_in))
    return rng.normal(size=21), {str(name): rng.normal(size=21) for name in names}, X, y, made_in


def _scores(weights: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return (X @ weights[:-1] + weights[-1] > 0) == y


def _right_gains(
    together: np.ndarray, alone: dict[str, np.ndarray], X: np.ndarray, y: np.ndarray, made_in: np.ndarray
) -> list[float]:
    return [
        float(_scores(together, X, y)[made_in == name].mean() - _scores(own, X, y)[made_in == name].mean())
        for name, own in alone.items()
    ]


def gains(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Each fab's accuracy on its own wafers, together less alone: of as many as in the project, and of any number.

    In the end readings are whole, or have a decimal or two, and the weights of one fab are zeros, as before it begins.
    """
    several, some = (2, len(PLACES)), (1, TESTED[1])
    drawn = ((several, TESTED, 9), *[(several, some, 9)] * 4, ((1, 2), some, 9))
    for fabs, wafers, decimals in (*drawn, *[(several, some, decimals) for decimals in (0, 1, 2)]):
        together, alone, X, y, made_in = _models(chance.rng, fabs, wafers)
        X = np.round(X, decimals) + 0.0  # no −0
        if decimals < 9:
            alone[str(chance.rng.choice([*alone]))][:] = 0.0
        given = answer(together.copy(), dict(alone), X.copy(), y.copy(), made_in.copy())
        if not isinstance(given, dict) or set(given) != set(alone):
            return Diagnosis(
                "wrong-type", "A dict with one number for each fab is wanted.", "Its keys are those of `alone`."
            )
        got = np.array([float(given[name]) for name in alone])
        wanted = np.array(_right_gains(together, alone, X, y, made_in))
        if np.allclose(got, wanted, atol=1e-9):
            continue
        everywhere = np.array([_scores(together, X, y).mean() - _scores(own, X, y).mean() for own in alone.values()])
        for other, diagnosis, hint, key in (
            (
                everywhere,
                "You compare on everybody's wafers.",
                "A fab tests its own. Which wafers are those?",
                "all-wafers",
            ),
            (
                -wanted,
                "The sign is turned around.",
                "A gain is positive where the common model is better. What do you take from what?",
                "sign",
            ),
            (
                100 * wanted,
                "Your gains are in percentage points: 100 times too large.",
                "An accuracy lies between 0 and 1. What is the difference of two?",
                "points",
            ),
            (
                np.array([_scores(together, X, y)[made_in == name].mean() for name in alone]),
                "That is the accuracy of the common model. A gain is a difference.",
                "What would the fab have had alone?",
                "no-difference",
            ),
        ):
            if np.allclose(got, other, atol=1e-9):
                return Diagnosis(key, diagnosis, hint)
        worst = int(np.argmax(np.abs(got - wanted)))
        of = "" if alone[list(alone)[worst]].any() else " Its own weights are all 0."
        return Diagnosis(
            "wrong-gain",
            f"With {len(y):,} test wafers, {list(alone)[worst]} gains {wanted[worst]:+.3f}, and you say "
            f"{got[worst]:+.3f}.{of}",
            f"Which wafers are from {list(alone)[worst]}, and how many of them does each of the two models get right?",
        )
    return None


GAINS = (gains,)
