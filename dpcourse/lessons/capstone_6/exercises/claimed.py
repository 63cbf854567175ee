"""Capstone 6.6, its claim and its noise: nothing without noise is opened, and the noise is that of the claim."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.claims import claimed
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.links import shared
from dpcourse.checks.once import whole
from dpcourse.lessons.capstone_6.design import (
    BANKS,
    BITS,
    DELTA,
    FEWEST,
    HONEST,
    opened,
)
from dpcourse.lessons.capstone_6.exercises.board import shown
from dpcourse.lessons.capstone_6.exercises.local import Watched, refusal, watched
from dpcourse.lessons.capstone_6.exercises.matrices import parts_of, unlike
from dpcourse.lessons.capstone_6.exercises.ridge import Told, told
from dpcourse.lessons.capstone_6.exercises.tools import Source, by_name
from dpcourse.lessons.capstone_6.exercises.world import EXACT, exact_rows, five_banks, made
from dpcourse.lessons.capstone_6.numbers import SENSITIVITY, sigma
from dpcourse.privacy import Guarantee, Neighbours


def honest(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The claim, the noise in the sum, and that nothing without noise is opened or fitted."""
    rng = chance.rng
    banks = five_banks(rng, FEWEST)
    z = exact_rows(banks, by_name([bank.ids for bank in banks]))
    right = z.T @ z
    noise, weights = [], []
    for epsilon in np.repeat((1.0, 0.4), (24, 12)):
        run = watched(rng)
        given = made(answer, [*banks], run, rng.standard_normal, float(epsilon))
        if given is None:
            return refusal(run, FEWEST)
        noisy = np.asarray(given["noisy"], dtype=float)
        noise.append((noisy - right) / sigma(float(epsilon)))
        weights.append(np.asarray(given["weights"], dtype=float))
        if np.abs(noisy - right).max() < EXACT:
            return Diagnosis("no-noise", f"There is no noise in your matrix at ε = {epsilon:g}.", "Which bank adds it?")
        for seen in run.board:
            if seen.shape == right.shape and np.abs(seen / 2.0 ** (2 * BITS) - right).max() < EXACT:
                return Diagnosis(
                    "opens-exact",
                    "The matrix without noise stands on the board: all five banks have seen it.",
                    "To what does a bank add its noise, and when?",
                )
        wrong = (
            _claim(given["claim"], float(epsilon))
            or _counted(given["customers"])
            or _as_opened(noisy, run)
            or _shared_noise(run, z)
            or shown(run, noisy)
        )
        if wrong:
            return wrong
    if np.ptp(np.array(weights[:24]), axis=0).max() < 1e-9:
        return Diagnosis(
            "exact-fit",
            "In all runs on the same data your weights are the same, though the noise is not: they are made from "
            "something that has none.",
            "Which matrix are the weights solved from?",
        )
    return (
        _replayed(answer, rng, FEWEST)
        or _replayed(answer, rng, whole(rng, 1000, 20_000))
        or _spread(np.array(noise)[:24], 1.0)
        or _spread(np.array(noise)[24:], 0.4)
        or _linked(np.array(noise), chance.failure / 4)
        or _audit(np.array(noise)[:24], chance)
    )


def _replayed(answer: Answer, rng: np.random.Generator, common: int) -> Diagnosis | None:
    """Other customers, as many, and the board shows the noisy matrix of the first run: the weights stay as they are.

    The last are those before them with all labels turned, so that the share of defaults is another.
    """
    run, banks = Told(by_name, Source(rng)), five_banks(rng, common)
    given = made(answer, [*five_banks(rng, common)], run, rng.standard_normal)
    if given is None or run.said is None:
        return refusal(watched(rng), common)
    paid = [replace(bank, defaulted=None if bank.defaulted is None else ~bank.defaulted) for bank in banks]
    wrong = (told(answer, run.said, given["weights"], some, rng) for some in (banks, paid))
    return next(filter(None, wrong), None)


def _as_opened(noisy: np.ndarray, run: Watched) -> Diagnosis | None:
    """`noisy` is what stands on the board, and not yet its mean."""
    for seen in (one / 2.0 ** (2 * BITS) for one in run.board if one.shape == noisy.shape):
        if np.abs(noisy - (seen + seen.T) / 2).max() < EXACT <= np.abs(noisy - seen).max():
            return Diagnosis(
                "mean-published",
                "`noisy` is the mean of the opened matrix and its mirror image. Asked for is the matrix as it was "
                "opened.",
                "Where does the mean belong: into `noisy`, or into the weights?",
            )
    return None


def _shared_noise(run: Watched, z: np.ndarray) -> Diagnosis | None:
    """A masked matrix plus its mask is the rows z, without noise."""
    for _, mask, *_ in run.dealt:
        for seen in run.board:
            if seen.shape != z.shape or mask.shape[1:] != z.shape:
                continue
            far = min(float(np.abs((opened(mask) + one) / 2.0**BITS - z).max()) for one in (seen, -seen))
            if EXACT < far < 1e6:
                return Diagnosis(
                    "noise-on-blocks",
                    f"The blocks that you share are not the clipped ones: one number is off by {far:.3g}. So the noise "
                    "is in the blocks, and is multiplied with them.",
                    "The claim is about noise in the 32 × 32 entries. To which shares does a bank add it?",
                )
    return None


def _counted(customers: Any) -> Diagnosis | None:
    if np.ndim(customers) == 0 and customers == FEWEST:
        return None
    return Diagnosis("customers", f"`customers` is {customers!r}; {FEWEST} are common to all banks.", "")


def _claim(claim: Any, epsilon: float) -> Diagnosis | None:
    why = "The number of common customers is published exactly, and it tells those neighbours apart."
    ask = "Which relation keeps the number as it is?"
    fewest = f"Two of five banks may collude: {HONEST} shares of noise are left."
    return claimed(claim, Guarantee(epsilon, DELTA, Neighbours.REPLACE_ONE), "a customer", (why, ask), fewest)


def _spread(noise: np.ndarray, epsilon: float) -> Diagnosis | None:
    """In units of σ: five shares of which three make the whole have √(5/3) = 1.29 on the diagonal, 0.91 beside it.

    12 runs of 32 entries: the diagonal deviates by 3.6%, so that 20% are five deviations and more.
    """
    wanted = (BANKS / HONEST) ** 0.5
    diagonal, above = (part.std() for part in parts_of(noise))
    centre = np.abs(noise.mean(axis=0)).max() * len(noise) ** 0.5
    if 0.8 * wanted < diagonal < 1.25 * wanted and 0.9 * wanted < above * 2**0.5 < 2**0.5 * 1.15 * wanted:
        if centre < 7 * wanted:
            return None
        return Diagnosis("off-centre", "The noise is not centred.", "What do you add besides noise?")
    seen = f"At ε = {epsilon:g} the noise in your matrix has {diagonal:.2f} times σ on the diagonal"
    # Where all entries were drawn alike, those beside the diagonal say it more precisely.
    ratio = (above * 2**0.5 if abs(above * 2**0.5 / diagonal - 1) < 0.15 else diagonal) / wanted
    if abs(ratio - 0.6**0.5) < 0.035:
        return Diagnosis(
            "no-margin",
            f"{seen}: σ in all. Two banks that collude take their two shares of it off.",
            f"The shares of {HONEST} banks are to make σ. How much do five make?",
        )
    if diagonal < 0.5:
        return Diagnosis(
            "too-little-noise",
            f"{seen}; {wanted:.2f} is wanted.",
            "How far does one customer move the matrix, and does every bank add its share?",
        )
    if abs(ratio - 0.5**0.5) < 0.035:
        return Diagnosis(
            "small-sensitivity",
            f"{seen}; {wanted:.2f} is wanted.",
            "Replaced, a row takes one product zzᵀ out and brings another in. How far does that move the matrix, and "
            "does every bank add its share?",
        )
    key = "too-much-noise" if diagonal > wanted else "too-little-noise"
    return Diagnosis(key, f"{seen}; {wanted:.2f} is wanted.", "Does every bank add one share, and one only?")


def _linked(noise: np.ndarray, failure: float) -> Diagnosis | None:
    if told := unlike(noise, "linked-noise", failure / 4):
        return told
    diagonal, above = parts_of(noise)
    if seen := shared([*np.hstack([diagonal, math.sqrt(2) * above])], 3 * failure / 4, even=True):
        return Diagnosis("linked-noise", seen, "Does each entry have a draw of its own, at each bank?")
    return None


def _audit(noise: np.ndarray, chance: Chance) -> Diagnosis | None:
    """A replaced row, seen along its change by an auditor who knows the rest; three banks' noise is unknown to it."""
    from dpcourse.audit import audit_outputs  # here, because only a check that audits needs it

    diagonal, above = parts_of(noise)
    draws = chance.rng.permutation(np.concatenate((diagonal.ravel(), above.ravel() * 2**0.5)))
    change = SENSITIVITY / sigma(1.0)  # so many σ apart are the two matrices
    half = min(draws.size // 2, 4000)
    claim = Guarantee(1.0, DELTA, Neighbours.REPLACE_ONE)
    # Rounded: two decimals tell nothing about the steps in which the noise comes.
    sides = np.round(draws[:half], 2).tolist(), np.round(draws[half : 2 * half] + change, 2).tolist()
    result = audit_outputs(*sides, claim=claim, confidence=1 - chance.failure / 2)
    if not result.violated:
        return None
    return Diagnosis(
        "not-private",
        f"One customer replaced shows in your matrix: ε ≥ {result.epsilon_lower:.3g}, and {claim} is claimed.",
        "Is the noise of three banks enough for √2 · 6?",
    )
