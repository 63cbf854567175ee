"""Capstone 6.5: three banks' noise is enough for what rows that are clipped at home can do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import stats

from dpcourse.checks.again import follows
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.gaussian import noise_ends
from dpcourse.checks.links import shared
from dpcourse.checks.once import between, fresh, near, spread
from dpcourse.checks.plain import only_numbers
from dpcourse.checks.real_size import up_to_twice
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.capstone_6.design import BITS, COLUMNS, DELTA, HONEST
from dpcourse.lessons.capstone_6.exercises.block import clips, of_type
from dpcourse.lessons.capstone_6.exercises.matrices import parts_of, unlike
from dpcourse.lessons.capstone_6.exercises.parts import Part
from dpcourse.lessons.capstone_6.exercises.tools import Normal
from dpcourse.lessons.capstone_6.numbers import SENSITIVITY, SQUARED_LENGTH, sigma
from dpcourse.privacy import Guarantee, Neighbours

PARTS = ("block", "deviation", "noise")


def _asked(rng: np.random.Generator) -> tuple[float, float]:
    return near(0.05 * 240 ** rng.random(), rng, 1.0), between(rng, 1e-9, 1e-4)


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
            "row-length",
            _with(math.sqrt(SQUARED_LENGTH)),
            "your σ is for a change of √6, the length of a row z. The matrix changes by wwᵀ − zzᵀ.",
            "‖zzᵀ‖ = |z|². How far apart are zzᵀ and wwᵀ for two perpendicular rows with |z|² = |w|² = 6?",
        ),
        Mistake(
            "row-distance",
            _with(math.sqrt(2 * SQUARED_LENGTH)),
            "your σ is for a change of √12, the distance of two perpendicular rows. The matrix changes by wwᵀ − zzᵀ.",
            "‖zzᵀ‖ = |z|². How far apart are zzᵀ and wwᵀ for those two rows?",
        ),
        Mistake(
            "row-distance",
            _with(2 * math.sqrt(SQUARED_LENGTH)),
            "your σ is for a change of 2√6, twice the length of a row. The matrix changes by wwᵀ − zzᵀ.",
            "‖zzᵀ‖ = |z|². How far apart are zzᵀ and wwᵀ for two perpendicular rows with |z|² = |w|² = 6?",
        ),
        Mistake(
            "half-the-change",
            _with(SENSITIVITY / 2),
            "your σ is for a change of 3√2, half of what one replaced row can do.",
            "wwᵀ − zzᵀ is its own mirror image. Does a mean with the mirror image make it shorter?",
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
            "your σ is the classic one, √(2 ln(1.25/δ))·Δ/ε. It is proved for ε < 1 only, and there it is larger "
            "than needed.",
            "`GaussianMechanism(epsilon, delta, sensitivity).sigma` solves for it.",
        ),
    ),
    rtol=2e-3,
    times=24,
)


def adds_noise(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Three shares together: deviation, law and independence of the symmetric part, which is all that counts."""
    rng, runs = chance.rng, 150
    if (still := np.abs(_share(answer, up_to_twice(rng, 8, COLUMNS), between(rng, 0.3, 1000), np.zeros)).max()) > 0:
        size = still / 2.0 ** (2 * BITS)
        return Diagnosis(
            "own-generator",
            f"where `normal` gives zeros, your share still holds numbers of up to {size:.3g}, in units of 1.",
            "All randomness comes from `normal(shape)`. What else do you draw or add?",
        )
    normal, needed = Normal(fresh(rng)), 0
    for wanted, d in ((near(5 * 20 ** rng.random(), rng, 1.0), int(rng.integers(12, 18))), (100.0, COLUMNS)):
        whole, needed = np.zeros((runs, d, d)), needed + _numbers(d, runs)
        for one in whole:
            for _ in range(HONEST):
                share = _share(answer, d, wanted, normal)
                one += share / 2.0 ** (2 * BITS)
        wrong = (
            _together(whole)
            or _spread(whole, wanted)
            or _shape(whole, wanted, chance.failure / 16)
            or _hidden(whole, wanted, chance)
        )
        if wrong:
            return wrong
    return _asked_for(normal, needed)


def anywhere(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Three shares at σ from 0.3 to 1,000, of matrices of 1 to 64 columns: their deviation, 9% off or less."""
    rng, normal, needed, many = chance.rng, Normal(fresh(chance.rng)), 0, 24
    for wanted in spread(rng, 0.3, 1000, many):
        d = up_to_twice(rng, 1, COLUMNS)
        needed += _numbers(d)
        shares = np.array([_share(answer, d, wanted, normal) for _ in range(HONEST)])
        whole = shares.sum(axis=0, keepdims=True) / 2.0 ** (2 * BITS)
        diagonal, above = (part.ravel() / wanted for part in parts_of(whole))
        for part, least, most in ((diagonal, 0.91, 1.09), (above, 0.91 * math.sqrt(0.5), 1.09)):
            ends = (
                stats.chi2.cdf((part**2).sum() / least**2, len(part)),
                stats.chi2.sf((part**2).sum() / most**2, len(part)),
            )
            if len(part) and min(ends) < chance.failure / (16 * many):
                where = "on the diagonal" if part is diagonal else "beside the diagonal"
                seen = f"three shares of shape ({d}, {d}) for σ = {wanted:.3g} have a deviation of "
                seen += f"{np.sqrt((part**2).mean()) * wanted:.3g} {where}."
                ask = "The variance of a share follows from sigma. What else does yours depend on?"
                return Shared.NOT_EVERYWHERE.seen(seen, ask)
    return _asked_for(normal, needed)


def _numbers(d: int, runs: int = 1) -> int:
    """How many the shares of a matrix need at least, one for each entry of its symmetric part."""
    return runs * HONEST * d * (d + 1) // 2


def _asked_for(normal: Normal, needed: int) -> Diagnosis | None:
    if normal.drawn >= needed:
        return None
    return Diagnosis(
        "own-generator",
        f"your shares need {needed:,} numbers at least, and you ask `normal` for {normal.drawn:,}.",
        "Where does the noise of the other entries come from?",
    )


def drawn(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A share follows from what `normal` gives: its numbers are so large that none is the same twice."""
    for _ in range(4):
        d, wanted = up_to_twice(chance.rng, 8, COLUMNS), between(chance.rng, 0.3, 1000)

        def share(seed: int, d: int = d, wanted: float = wanted) -> np.ndarray:
            return _share(answer, d, wanted, Normal(np.random.default_rng(seed)))

        if wrong := follows(answer, share, chance.rng, "normal"):
            return wrong
    return None


def _share(answer: Answer, d: int, wanted: float, normal: Any) -> np.ndarray:
    share = np.asarray(only_numbers(answer((d, d), wanted, normal)))
    if share.shape != (d, d):
        raise Refused(Diagnosis("wrong-shape", f"the share has shape {share.shape}; {(d, d)} is wanted."))
    if share.dtype.kind == "f" and not np.array_equal(share, np.round(share)):
        raise Refused(Diagnosis("not-whole", "some numbers of the share are not whole.", "Noise is shared like data."))
    of_type(share)
    return share.astype(float)


def _together(whole: np.ndarray) -> Diagnosis | None:
    """Correlations of 12 entries over 150 runs deviate by 0.08."""
    for part in parts_of(whole):
        some = part[:, :12]
        if some.any() and np.abs(np.corrcoef(some.T) - np.eye(12)).max() > 0.6:
            return Diagnosis("shared", "entries of the noise move together.", "A draw for each entry.")
    return None


def _spread(whole: np.ndarray, wanted: float) -> Diagnosis | None:
    """Deviations over 1,800 and 9,900 numbers at least: 1.7% and 0.7% off in a right answer, 9% asked for."""
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
    d, share = len(whole[0]), diagonal / math.sqrt(HONEST)
    # Where all entries are drawn alike, those beside the diagonal say it more precisely.
    alike = math.sqrt(2 * (diagonal**2 + (d - 1) * above**2) / (d + 1) / HONEST)
    if min(abs(one - part) for one in (share, alike) for part in (1 / 3, 1 / 5)) < 0.015:
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
    if told := unlike(whole, "shared", level / 4):
        return told
    for part in (diagonal, above):
        if stats.kstest((part / part.std()).ravel(), "norm").pvalue < level:
            return Diagnosis("wrong-law", "the shares' sum is not normal.", "`normal(shape)` gives the numbers.")
        if told := noise_ends((part / part.std()).ravel(), level / 4):
            return told
    if seen := shared([*np.hstack([diagonal, math.sqrt(2) * above])], level, even=True):
        return Diagnosis("shared", seen, "A draw for each entry.")
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


NOISE = (
    Part(PARTS, "block", clips),
    Part(PARTS, "deviation", DEVIATION),
    Part(PARTS, "noise", adds_noise),
    Part(PARTS, "noise", anywhere),
    Part(PARTS, "noise", drawn),
)
