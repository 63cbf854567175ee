"""Capstone 1.5: what is wrong with the noise that fabs add: its size, its law, and what draws have in common."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from scipy import stats

from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.gaussian import noise_ends
from dpcourse.checks.links import shared
from dpcourse.checks.slices import uneven, unlike_sums
from dpcourse.lessons.capstone_1.numbers import ROUNDS, SHARES, gaussian_delta, noise_multiplier


def noise_wrong(
    noise: np.ndarray, epsilon: float, delta: float, sizes: Mapping[str, int], chance: Chance
) -> Diagnosis | None:
    """What is wrong with draws of noise, shape (rounds, fabs, weights), of fabs with so many wafers."""
    z = noise_multiplier(epsilon, delta)
    ratios = noise.var(axis=(0, 2)) * SHARES / z**2 * ROUNDS / len(noise)
    # 1,050 normal numbers a fab: a variance deviates by 4.4%, 6,300 by 1.8%.
    mean = float(ratios.mean())
    if ratios.min() < 0.5 * mean or ratios.max() > 1.6 * mean:
        least, most = (
            f"{[*sizes][place]} ({[*sizes.values()][place]:,} wafers) adds {ratios[place]:.2g} times"
            for place in (ratios.argmin(), ratios.argmax())
        )
        seen = f"Fabs add unequal noise: {least} the variance of a share, {most}."
        ask = "One wafer moves a large fab's sum as far as a small one's. What follows for the noise?"
        return Diagnosis("uneven-noise", seen, ask)
    if linked := _linked(noise):
        return linked
    if not 0.88 < mean < 1.36:
        return _amount(mean, epsilon, delta, *noise.shape[:2])
    if seen := uneven(noise, ("round", "fab", "number"), chance.failure / 16):
        seen = f"The noise that fabs add is not as large everywhere: {seen}."
        return Diagnosis(
            "uneven-noise", seen, "A wafer may move every number in every round. What follows for the noise?"
        )
    if seen := unlike_sums(noise, ("rounds", "fabs", "numbers"), chance.failure / 16):
        seen = f"Each draw of a training has its size, and yet all hang together: {seen}."
        return Diagnosis("linked-noise", seen, "A new draw for every number, fab and round.")
    if seen := shared([noise], chance.failure / 8, "round, fab and number", even=True):
        return Diagnosis("linked-noise", seen, "A new draw for every number, fab and round.")
    return _normal(noise, chance.failure / 8)


def _amount(ratio: float, epsilon: float, delta: float, rounds: int, fabs: int) -> Diagnosis:
    seen = f"At ε = {epsilon:.3g} each fab's noise, over {rounds} rounds, has {ratio:.2g} times the variance of a share"
    mu = math.sqrt(1 / max(ratio, 1e-9)) * math.sqrt(ROUNDS) / noise_multiplier(epsilon, delta)
    broken = f"{seen}: four shares together cost δ = {gaussian_delta(epsilon, mu):.2g} at this ε, not {delta:.2g}."
    if ratio < 0.05:
        ask = "Which ε, which δ and how many rounds do you compute the deviation from?"
        if abs(ratio * rounds - 1) < 0.2:
            ask = "Is the noise made for one round, or for all of them?"
        return Diagnosis("too-little-noise", broken, ask)
    if min(abs(ratio - SHARES / many) for many in (6, fabs)) < 0.1:
        return Diagnosis(
            "counts-dropouts",
            f"{broken} It is right for {SHARES / ratio:.0f} shares, and any four of the fabs have to be enough.",
            "Who is sure to be in the sum?",
        )
    if ratio < 1:
        return Diagnosis("too-little-noise", broken, "Variances add up. What deviation do four shares have together?")
    if abs(ratio - SHARES) < 0.6:
        return Diagnosis(
            "whole-noise-each", f"{seen}. Every fab adds the whole noise.", "How many fabs have to make it together?"
        )
    return Diagnosis("too-much-noise", f"{seen}; 1 is enough.", "For how many rounds, and how many shares, is it made?")


def _normal(noise: np.ndarray, level: float) -> Diagnosis | None:
    """Kolmogorov and Smirnov's test of all fabs' noise, each fab's and round's scaled to deviation 1 as one."""
    scaled = noise / noise.std(axis=(0, 2), keepdims=True)
    if stats.kstest(scaled.ravel(), stats.norm.cdf).pvalue >= level:
        return noise_ends(scaled.ravel(), level)
    return Diagnosis(
        "not-normal",
        "Your noise has the right size, and is not normal: the accountant's δ is for normal noise.",
        "Which law do your draws follow?",
    )


def _linked(noise: np.ndarray) -> Diagnosis | None:
    """The sum of four fabs' noise has four times the variance, and rounds are not alike."""
    scaled = noise / np.maximum(noise.std(axis=(0, 2), keepdims=True), 1e-12)
    shared = scaled[:, :SHARES].sum(axis=1).var() / scaled[:, :SHARES].var(axis=(0, 2)).sum()
    repeated = np.corrcoef(scaled[:-1].ravel(), scaled[1:].ravel())[0, 1] if len(noise) > 1 else 0.0
    if 0.7 < shared < 1.4 and abs(repeated) < 0.15:
        return None
    if abs(repeated) >= 0.15:
        seen = f"The noise of one round and that of the next correlate by {repeated:.2g}; independent noise is near 0."
        return Diagnosis("linked-noise", seen, "What is drawn anew in each round?")
    seen = f"The noise of four fabs together has {shared:.2g} times the variance that four independent shares have."
    return Diagnosis("linked-noise", seen, "What is drawn anew for each fab?")
