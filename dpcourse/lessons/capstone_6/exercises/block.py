"""Capstone 6.5, its first part: a row is clipped at home, to length 1 and not a step more."""

from __future__ import annotations

import itertools
import math

import numpy as np

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.measured import as_measured
from dpcourse.checks.once import whole
from dpcourse.lessons.capstone_6.design import BITS

CANARIES = (np.nan, np.inf, -np.inf, 1e300, -1e300, 1e19, 3.0, 1e-300)
STEP = 2**BITS
USUAL = 200  # rows


def clipped(features: np.ndarray) -> np.ndarray:
    """The right block, as floats in units of 1; rows that hold NaN or infinity are zeros."""
    fine = np.where(np.isfinite(features).all(axis=1, keepdims=True), features, 0.0)
    largest = np.maximum(np.abs(fine).max(axis=1, keepdims=True), 1.0)  # squares of 1e300 overflow
    length = largest * np.linalg.norm(fine / largest, axis=1, keepdims=True)
    return fine / np.maximum(length, 1.0)


def block_of(answer: Answer, features: np.ndarray) -> np.ndarray:
    """What `block` returns: whole numbers of the features' shape."""
    handed = features.copy()
    handed.setflags(write=False)
    given = np.asarray(answer(handed))
    if given.shape != features.shape:
        raise Refused(Diagnosis("wrong-shape", f"the result has shape {given.shape}; {features.shape} is wanted."))
    if given.dtype.kind == "f" and not np.array_equal(given, np.round(given)) and np.isfinite(given).all():
        raise Refused(
            Diagnosis(
                "not-whole",
                "some numbers of the result are not whole.",
                f"Shares are whole numbers. x travels as x · 2^{BITS}, without what is behind the point.",
            )
        )
    of_type(given)
    return given.astype(float)


def of_type(given: np.ndarray) -> None:
    if given.dtype.kind != "i":
        ask = "Shares are made of int64. What does `.astype` do?"
        raise Refused(Diagnosis("wrong-type", f"the result is an array of {given.dtype}; int64 is wanted.", ask))


def clips(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Rows come out in steps of 2^−16, none longer than 1 to the step; nobody's row changes another's.

    There are 1, 2, 3 rows, up to twice those of the plan, and for each of its two kinds of blocks as many as there.
    After the first two, features are as measured half of the time: whole, or of a digit or two.
    """
    rng = chance.rng
    large = [(whole(rng, 20_000, 40_000), width) for width in (2, 6)]
    between = [(whole(rng, 4, 20_000), whole(rng, 1, 12)) for _ in range(6)]
    for n, width in ((USUAL, 2), (USUAL, 6), *large, (1, 6), (2, 6), (3, 6), *between):
        features = rng.normal(0, 0.5, (n, width)) * rng.choice((0.3, 1.0, 4.0), (n, 1))
        features = features if n == USUAL else as_measured(features, rng)
        got, right = block_of(answer, features) / STEP, clipped(features)
        squares = ((got * STEP) ** 2).sum(axis=1)
        if np.abs(got - right).max() > 1.5 / STEP:
            return _clipping(got, right, features)
        if squares.max() > STEP**2:
            return Diagnosis(
                "rounded-longer",
                f"one row is {math.sqrt(squares.max()):.2f} steps long, and 1 is {STEP} steps: rounding made it longer "
                "than the bound on which the claim rests.",
                "Which rounding never makes a number larger?",
            )
    return _canaries(answer, rng)


def _clipping(got: np.ndarray, right: np.ndarray, features: np.ndarray) -> Diagnosis:
    found = _known(got, right, features)
    where = f"with {len(features):,} customer{'s' * (len(features) > 1)} "
    return found.led_by(where) if len(features) != USUAL else found


def _known(got: np.ndarray, right: np.ndarray, features: np.ndarray) -> Diagnosis:
    near = 2.5 / STEP
    with np.errstate(all="ignore"):
        length = np.linalg.norm(features, axis=1, keepdims=True)
        known = (
            (
                np.clip(features, -1, 1),
                "coordinatewise",
                f"you clip each feature by itself. A row of {features.shape[1]} ones is "
                f"{math.sqrt(features.shape[1]):.2f} long.",
                "The claim needs the length of the whole row.",
            ),
            (features, "not-clipped", "your rows are as long as they were.", "How long may a row be at most?"),
            (
                features / length,
                "stretched",
                "short rows are made longer. A customer near the centre then counts like one far out.",
                "Only rows longer than 1 are to be changed.",
            ),
            (
                right / STEP,
                "not-scaled",
                "the rows are not in steps of 2^−16.",
                f"x travels as x · 2^{BITS}.",
            ),
            (
                features / max(1.0, float(length.max())),
                "largest-row",
                "you divide everybody by the longest row. So one customer changes all rows.",
                "A row is clipped by its own length alone.",
            ),
        )
        for wrong, key, seen, ask in known:
            if np.abs(got - wrong).max() <= near:
                return Diagnosis(key, seen, ask)
    worst = int(np.abs(got - right).max(axis=1).argmax())
    return Diagnosis(
        "wrong-block",
        f"a row of length {np.linalg.norm(features[worst]):.3g} comes out with length "
        f"{np.linalg.norm(got[worst]):.3g}, and one number is off by {np.abs(got - right).max():.3g}.",
        "A row longer than 1 is divided by its length; others stay.",
    )


def _canaries(answer: Answer, rng: np.random.Generator) -> Diagnosis | None:
    """Strange rows are bounded, and the others are what they were: of six rows one is strange, of more one of 20."""
    for canary, n in itertools.product(CANARIES, (6, whole(rng, 20, 300))):
        features, strange = rng.normal(0, 0.5, (n, 6)), rng.permutation(n) < 1 + n // 20
        features[strange, rng.integers(6, size=strange.sum())] = canary
        others = features[~strange]
        try:
            what = "with usual features"
            alone = block_of(answer, others)
            what = f"with a feature of {canary:g} in {strange.sum()} of {n} rows"
            beside = block_of(answer, features)
            what = "without a customer"
            block_of(answer, others[:0])
        except AnswerRaised as raised:
            return Diagnosis(
                "raises",
                f"{what} your function stops: {raised}. An error is an output, and it depends on the customers.",
                "What does your function do with a row that cannot be read, and with no row at all?",
            )
        if np.abs(alone / STEP - clipped(others)).max() > 1.5 / STEP:
            return _clipping(alone / STEP, clipped(others), others)
        if not np.array_equal(alone, beside[~strange]):
            return Diagnosis("moves-others", f"{what} the other rows are not what they were.", "Row by row.")
        if not ((rows := beside[strange]) ** 2).sum(axis=1).max() <= STEP**2:
            seen = f"{what} such a row comes out with numbers of up to {np.abs(rows).max():.3g}, and 1 is {STEP} "
            ask = "How do you find the length of a row whose squares overflow?"
            if not math.isfinite(canary):
                ask = "Such a row becomes zeros. What does `.astype` make of NaN?"
            elif abs(canary) < 1e9:
                ask = "How long may a row be at most?"
            return Diagnosis("strange-row", f"{seen}steps.", ask)
        if not math.isfinite(canary) and rows.any():
            return Diagnosis(
                "strange-row",
                f"{what} such a row does not come out as zeros: one number is {rows.flat[np.abs(rows).argmax()]:.3g}.",
                "A row with NaN or infinity becomes zeros: what cannot be read is not guessed.",
            )
    return None
