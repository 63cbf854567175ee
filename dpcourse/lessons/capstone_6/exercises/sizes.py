"""Capstone 6.6: the noise is there whatever the number of common customers and ε are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import stats

from dpcourse.checks.answered import answered
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.links import shared
from dpcourse.checks.once import near, spread, whole
from dpcourse.lessons.capstone_6.design import BANKS, DELTA, FEWEST, HONEST
from dpcourse.lessons.capstone_6.exercises.board import shown
from dpcourse.lessons.capstone_6.exercises.local import refusal, watched
from dpcourse.lessons.capstone_6.exercises.matrices import parts_of, quiet_row
from dpcourse.lessons.capstone_6.exercises.tools import by_name
from dpcourse.lessons.capstone_6.exercises.world import MIXES, exact_matrix, five_banks, made
from dpcourse.lessons.capstone_6.numbers import sigma

WORLDS = 4
FEW = 5  # worlds with a few strange rows, and with a few repeated identifiers


def everywhere(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Worlds of 100 to 2,500 common customers, at ε from 0.2 to 12 and any δ: each world's matrix has noise enough.

    In two of them features are whole or have one decimal. Each is asked twice, and all noise is another: a quarter of
    the failure allowed goes into that (`shared`).
    """
    rng, found, matrices = chance.rng, list[np.ndarray](), list[np.ndarray]()
    kinds = rng.permutation(["plain", "plain", "whole", "decimal"])
    for number, (level, kind) in enumerate(zip(spread(rng, 0.2, 12, WORLDS), kinds, strict=True)):
        common = round(FEWEST * 25 ** ((number + rng.uniform()) / WORLDS))
        epsilon, delta = near(level, rng, 1.0), spread(rng, 1e-12, 1e-2, 1)[0]
        banks = five_banks(rng, common, kind)
        right = exact_matrix(banks, by_name([bank.ids for bank in banks]))
        for _ in range(2):
            run = watched(rng)
            given = made(answer, [*banks], run, rng.standard_normal, epsilon, delta)
            if given is None:
                return refusal(run, common)
            noisy = np.asarray(given["noisy"], dtype=float)
            noise = noisy - right
            failure = chance.failure / (4 * WORLDS)
            wrong = too_quiet(noise, common, epsilon, failure, delta) or too_far(noise, common, epsilon, delta)
            wrong = wrong or shown(run, noisy)
            if wrong:
                return wrong
            found.append(np.hstack([part.ravel() for part in parts_of(noise[None])]))
            matrices.append(noise / sigma(epsilon, delta))
        if np.corrcoef(found[-2], found[-1])[0, 1] > 0.5:  # 528 numbers of right noise: never in 10^30 checks
            seen = (
                f"Twice with the same {common:,} common customers, and other numbers from `normal`, your noise is the"
            )
            ask = "Every random number comes from `tools`. Which of yours does not?"
            return Diagnosis("own-generator", f"{seen} same, or nearly.", ask)
    if told := quiet_row(np.array(matrices), chance.failure / 8):
        return told
    if seen := shared(found, chance.failure / 4):
        ask = "Does each entry have a draw of its own, at each bank and in every run?"
        return Diagnosis("linked-noise", seen, ask)
    return None


def counts(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Strange rows and repeated identifiers where there is noise: what is off is no more than right noise.

    Most rows are such, at an ε at which they would show; then a few are, and it is noise enough. Of right noise, a sum
    of squares is too large with half of the failure allowed, and too small with the other half.
    """
    rng, failure = chance.rng, chance.failure / (8 + 4 * FEW)
    for kind in ("strange", "repeated"):
        what, hint = MIXES[kind]
        common, epsilon = whole(rng, 400, 800), near(rng.uniform(2, 5), rng, 1.0)
        banks = five_banks(rng, common, kind, common)
        right, found = exact_matrix(banks, by_name([bank.ids for bank in banks])), list[np.ndarray]()
        for _ in range(2):
            run = watched(rng)
            given = answered(kind, what, hint, made, answer, [*banks], run, rng.standard_normal, epsilon)
            found.append(np.asarray(given["noisy"], dtype=float) - right)
            if wrong := too_quiet(found[-1], common, epsilon, failure):
                return wrong
        size = float((in_units((found[0] + found[1]) / 2**0.5, epsilon) ** 2).sum())
        if not size <= stats.chi2.isf(chance.failure / 4, 528):
            far = (size / 528) ** 0.5
            times = "millions of" if far >= 1e6 else f"{far:,.0f}" if far >= 100 else f"{far:.3g}"
            seen = (
                f"{what}, in most rows, and ε = {epsilon:.3g}, the mean of two matrices of yours is {times} times as "
            )
            seen += "far from the right one as their noise should put it."
            return Diagnosis(kind, seen, hint)
        for level in spread(rng, 1, 60, FEW):
            common, rows, epsilon = whole(rng, FEWEST, 1000), round(level), near(spread(rng, 0.2, 12, 1)[0], rng, 1.0)
            banks = five_banks(rng, common, kind, rng.multinomial(rows, rng.dirichlet(np.full(BANKS, 0.5))))
            run = watched(rng)
            given = answered(kind, what, hint, made, answer, [*banks], run, rng.standard_normal, epsilon)
            noise = np.asarray(given["noisy"], dtype=float) - exact_matrix(banks, by_name([bank.ids for bank in banks]))
            if wrong := too_quiet(noise, common, epsilon, failure):
                seen = f"{what}, {rows} in all: "
                return replace(wrong.led_by(seen), ask="What does your noise depend on besides ε and δ?")
    return None


def in_units(noise: np.ndarray, epsilon: float, delta: float = DELTA) -> np.ndarray:
    """A matrix of noise as 528 independent numbers, in units of their right deviation."""
    diagonal, above = (part.ravel() for part in parts_of(noise[None]))
    return np.concatenate((diagonal, above * 2**0.5)) / (sigma(epsilon, delta) * (BANKS / HONEST) ** 0.5)


def too_quiet(noise: np.ndarray, common: int, epsilon: float, failure: float, delta: float = DELTA) -> Diagnosis | None:
    """One matrix of noise, 528 different numbers: their squares add up to less with probability `failure` at most."""
    numbers = in_units(noise, epsilon, delta)
    if stats.chi2.cdf(float(numbers @ numbers), len(numbers)) >= failure:
        return None
    return Diagnosis(
        "noise-by-size",
        f"With {common:,} common customers at ε = {epsilon:.3g} and δ = {delta:.2g} the noise in your matrix has "
        f"{np.sqrt(np.mean(numbers**2)):.2g} times the deviation that five shares make.",
        "Which of the three may the noise depend on: customers, ε, δ? One customer moves the matrix as far as ever.",
    )


def too_far(noise: np.ndarray, common: int, epsilon: float, delta: float = DELTA) -> Diagnosis | None:
    """What is off is not noise alone: more than twice its variance in 528 numbers, where a quarter more is let pass."""
    size = float((in_units(noise, epsilon, delta) ** 2).mean())
    if size < 2:
        return None
    return Diagnosis(
        "far-off",
        f"With {common:,} common customers at ε = {epsilon:.3g} and δ = {delta:.2g} your matrix is {size**0.5:,.3g} "
        "times as far from the right one as the noise of five shares puts it.",
        "With fewer customers it is right. What becomes of a row longer than 1, and who counts, where there are many?",
    )
