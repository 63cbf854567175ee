"""Capstone 6.5: a row's length is bounded at home, and three banks' noise is enough for what that leaves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance, Diagnosis, Refused
from dpcourse.checks.cases import Equals, Mistake
from dpcourse.lessons.capstone_6.design import BITS, COLUMNS, DELTA, HONEST
from dpcourse.lessons.capstone_6.exercises.parts import Part
from dpcourse.lessons.capstone_6.numbers import SENSITIVITY, SQUARED_LENGTH, sigma
from dpcourse.privacy import Guarantee, Neighbours

PARTS = ("block", "deviation", "noise")
CANARIES = (np.nan, np.inf, -np.inf, 1e300, -1e300, 1e19, 3.0, 1e-300)
STEP = 2**BITS


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
    if given.dtype.kind not in "iu" and not (given.dtype.kind == "f" and np.array_equal(given, np.round(given))):
        raise Refused(
            Diagnosis(
                "not-whole",
                "the result holds no whole numbers.",
                f"Shares are whole numbers. x travels as x · 2^{BITS}, without what is behind the point.",
            )
        )
    return given.astype(float)


def clips(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Rows come out in steps of 2^−16, none longer than 1 to the step; nobody's row changes another's."""
    rng = chance.rng
    for width in (2, 6):
        features = rng.normal(0, 0.5, (200, width)) * rng.choice((0.3, 1.0, 4.0), (200, 1))
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
    """A strange row is bounded, and the rows beside it are what they were: on finite rows, on strange ones, on none."""
    others = rng.normal(0, 0.5, (5, 6))
    for canary in CANARIES:
        strange = rng.normal(0, 0.5, 6)
        strange[int(rng.integers(6))] = canary
        try:
            alone, beside = block_of(answer, others), block_of(answer, np.vstack((others, strange)))
            nobody = block_of(answer, others[:0])
        except AnswerRaised as raised:
            return Diagnosis(
                "raises",
                f"with a feature of {canary:g} in one row, or without a customer, your function stops: {raised}. An "
                "error is an output, and this one tells about a customer.",
                "A row that cannot be read counts as zeros.",
            )
        del nobody
        if not np.array_equal(alone, beside[:5]):
            return Diagnosis(
                "moves-others", f"a feature of {canary:g} in one row changes the other rows.", "Row by row."
            )
        if not (beside[5] ** 2).sum() <= STEP**2:
            return Diagnosis(
                "strange-row",
                f"a row with a feature of {canary:g} comes out as {beside[5].tolist()}.",
                "A row with NaN or infinity becomes zeros, and squares of large numbers overflow.",
            )
        if not math.isfinite(canary) and beside[5].any():
            return Diagnosis(
                "strange-row",
                f"a row with a feature of {canary:g} comes out as {beside[5].tolist()}.",
                "A row with NaN or infinity becomes zeros: what cannot be read is not guessed.",
            )
    return None


def _asked(rng: np.random.Generator) -> tuple[float, float]:
    return float(np.round(rng.uniform(0.3, 3.0), 2)), DELTA


def _with(sensitivity: float, share: float = 1.0) -> Any:
    return lambda epsilon, delta: sigma(epsilon * share, delta, sensitivity)


DEVIATION = Equals(
    _asked,
    lambda epsilon, delta: sigma(epsilon, delta),
    (
        Mistake(
            "sensitivity-one",
            _with(1.0),
            "your σ is that of a number which one customer moves by 1.",
            "How far apart are zzᵀ and wwᵀ for two rows with z·z = w·w = 6?",
        ),
        Mistake(
            "zeroed-row",
            _with(SQUARED_LENGTH),
            "your σ is for a row that is taken out, and moves the matrix by 6. But the number of customers is public, "
            "so that neighbour does not exist: a row is *replaced*, and one product leaves while another arrives.",
            "How far apart are zzᵀ and wwᵀ where z and w are perpendicular?",
        ),
        Mistake(
            "twice-six",
            _with(2 * SQUARED_LENGTH),
            "your σ is for a change of 12, as if zzᵀ and −wwᵀ pointed the same way. They cannot.",
            "‖zzᵀ − wwᵀ‖² = |z|⁴ + |w|⁴ − 2(z·w)². How large can it be?",
        ),
        Mistake(
            "one-block",
            _with(math.sqrt(2)),
            "your σ is for a row of length 1. That is one bank's block; a whole row has six of them.",
            "How long is a row of six blocks, each of length 1?",
        ),
        Mistake(
            "coordinatewise",
            _with(COLUMNS * math.sqrt(2)),
            "your σ is for rows whose 32 entries may all be 1. Clipped blocks bound the length of the row.",
            "How long is a row of six blocks, each of length 1?",
        ),
        Mistake(
            "epsilon-per-bank",
            _with(SENSITIVITY, 1 / 5),
            "your σ is for ε/5. There is one release, not one for each bank.",
            "How often is the matrix published?",
        ),
        Mistake(
            "classic",
            lambda epsilon, delta: SENSITIVITY * math.sqrt(2 * math.log(1.25 / delta)) / epsilon,
            "your σ is the classic one, √(2 ln(1.25/δ))·Δ/ε. It holds for ε < 1 only, and is larger than needed.",
            "`GaussianMechanism(epsilon, delta, sensitivity).sigma` solves for it.",
        ),
    ),
    rtol=2e-3,
    times=6,
)


def adds_noise(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Three shares together: deviation, law and independence of the symmetric part, which is all that counts."""
    rng, runs, d = chance.rng, 150, 12
    for wanted in (float(rng.uniform(5, 40)), 100.0):
        whole = np.zeros((runs, d, d))
        for one in whole:
            for _ in range(HONEST):
                share = np.asarray(answer((d, d), wanted, rng.standard_normal), dtype=float)
                if share.shape != (d, d):
                    return Diagnosis("wrong-shape", f"the share has shape {share.shape}; {(d, d)} is wanted.")
                if not np.array_equal(share, np.round(share)):
                    return Diagnosis("not-whole", "the share holds no whole numbers.", "Noise is shared like data.")
                one += share / 2.0 ** (2 * BITS)
        wrong = (
            _together(whole)
            or _spread(whole, wanted)
            or _shape(whole, wanted, chance.failure / 4)
            or _hidden(whole, wanted, chance)
        )
        if wrong:
            return wrong
    return None


def parts_of(whole: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The diagonal and what is above it, of the symmetric parts, shapes (runs, d) and (runs, d(d−1)/2)."""
    symmetric = (whole + whole.transpose(0, 2, 1)) / 2
    above = np.triu_indices(whole.shape[1], 1)
    return np.diagonal(symmetric, axis1=1, axis2=2), symmetric[:, above[0], above[1]]


def _together(whole: np.ndarray) -> Diagnosis | None:
    """Correlations of 12 entries over 150 runs deviate by 0.08."""
    for part in parts_of(whole):
        some = part[:, :12]
        if some.any() and np.abs(np.corrcoef(some.T) - np.eye(12)).max() > 0.6:
            return Diagnosis("shared", "entries of the noise move together.", "A draw for each entry.")
    return None


def _spread(whole: np.ndarray, wanted: float) -> Diagnosis | None:
    """Deviations over 1,800 and 9,900 numbers: 1.7% and 0.7% off in a right answer, 9% asked for."""
    diagonal, above = (part.std() / wanted for part in parts_of(whole))
    if 0.91 < diagonal < 1.09 and 0.91 * math.sqrt(0.5) < above < 1.09:
        return None
    seen = f"three shares for σ = {wanted:.3g} have a deviation of {diagonal * wanted:.3g} on the diagonal"
    if not diagonal and not above:
        return Diagnosis("no-noise", "the shares hold no noise.", "Who else would add it?")
    if diagonal < 2.0 ** (-BITS + 2):
        return Diagnosis(
            "wrong-steps",
            f"{seen}. The product of two numbers in steps of 2^−{BITS} comes in steps of 2^−{2 * BITS}.",
            "In which steps is the matrix that the noise is added to?",
        )
    if abs(diagonal - math.sqrt(0.6)) < 0.06 and abs(above - math.sqrt(0.3)) < 0.06:
        return Diagnosis(
            "no-margin",
            f"{seen}: five shares make the whole. Two banks that collude know their own shares and take them off.",
            f"The noise of {HONEST} banks has to be enough.",
        )
    share = diagonal / math.sqrt(HONEST)
    if min(abs(share - 1 / 3), abs(share - 1 / 5)) < 0.015:
        return Diagnosis(
            "divided-noise",
            f"{seen}: one share has 1/{1 / share:.0f} of σ, and deviations do not add up.",
            "What adds up is variances.",
        )
    if abs(diagonal - math.sqrt(HONEST)) < 0.15:
        return Diagnosis(
            "whole-noise-each", f"{seen}. Every bank adds the whole noise.", "Three shares together make it."
        )
    if diagonal < 0.91 <= above / math.sqrt(0.5):
        return Diagnosis(
            "thin-diagonal",
            f"{seen}, and of {above * wanted:.3g} beside it. A row with one long entry moves the diagonal alone.",
            "The diagonal needs the whole σ. Is it halved where you make the matrix symmetric?",
        )
    key = "too-little-noise" if diagonal < 1 else "too-much-noise"
    return Diagnosis(key, f"{seen}, and of {above * wanted:.3g} beside it.", "What is the variance of one share?")


def _shape(whole: np.ndarray, wanted: float, level: float) -> Diagnosis | None:
    diagonal, above = parts_of(whole)
    for part in (diagonal, above):
        if stats.kstest((part / part.std()).ravel(), "norm").pvalue < level:
            return Diagnosis("wrong-law", "the shares' sum is not normal.", "`normal(shape)` gives the numbers.")
    return None


def _hidden(whole: np.ndarray, wanted: float, chance: Chance) -> Diagnosis | None:
    """An auditor who knows the two rows looks along the change: every place of the diagonal of every run is a look."""
    from dpcourse.audit import audit_outputs  # here, because only a check that audits needs it

    claim = Guarantee(1.0, DELTA, Neighbours.REPLACE_ONE)
    change = SENSITIVITY / sigma(1.0, DELTA)  # so many σ apart are the two matrices
    draws = chance.rng.permutation(parts_of(whole)[0].ravel() / wanted)
    half = draws.size // 2
    # Rounded: two decimals tell nothing about the steps in which the noise comes.
    sides = np.round(draws[:half], 2).tolist(), np.round(draws[half : 2 * half] + change, 2).tolist()
    result = audit_outputs(*sides, claim=claim, confidence=1 - chance.failure / 4)
    if not result.violated:
        return None
    return Diagnosis(
        "not-private", f"one row shows: ε ≥ {result.epsilon_lower:.3g}, and {claim} is claimed.", "Is the noise whole?"
    )


NOISE = (Part(PARTS, "block", clips), Part(PARTS, "deviation", DEVIATION), Part(PARTS, "noise", adds_noise))
