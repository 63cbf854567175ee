"""Capstone 5.3: how large a share of the noise has to be, and how large those of known mistakes are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy import stats

from dpcourse.accounting import calibrate_noise_multiplier
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.capstone_5.exercises.reference import deviation
from dpcourse.mechanisms.additive.gaussian import analytic_noise_multiplier, classic_noise_multiplier

SETTINGS, LONG = 18, 3_000  # in how many settings the law is looked at, and how many numbers one of the vectors has
Setting = tuple[float, float, int, float, int, int]  # ε, δ, rounds, clip, reach, shares

KNOWN: tuple[tuple[str, Callable[..., float], str, str], ...] = (
    (
        "divided-noise",
        lambda e, d, t, c, k, s: deviation(e, d, t, c, k, s) / math.sqrt(s),
        "Each hospital adds the whole deviation divided by the number of shares. A model trained with it is as "
        "good as ever, so no AUC shows the mistake.",
        "Four shares of deviation 1 add up to a deviation of 2. What has to be divided by how much?",
    ),
    (
        "whole-noise-each",
        lambda e, d, t, c, k, s: deviation(e, d, t, c, k, 1),
        "Every hospital adds all of the noise.",
        "`shares` hospitals together have to make it. What adds up, deviations or variances?",
    ),
    (
        "one-round",
        lambda e, d, t, c, k, s: deviation(e, d, 1, c, k, s),
        "Your noise is right for a single round.",
        "All rounds together have to be (ε, δ)-private. What do `rounds` sums cost?",
    ),
    (
        "splits-epsilon",
        lambda e, d, t, c, k, s: k * c * analytic_noise_multiplier(e / t, d / t) / math.sqrt(s),
        "You give each round ε / rounds and δ / rounds. That is valid, and more noise than it takes.",
        "What do many Gaussian sums cost together?",
    ),
    (
        "one-hospital",
        lambda e, d, t, c, k, s: deviation(e, d, t, c, 1, s),
        "Your noise is for a patient with stays in one hospital.",
        "By how much does a patient move the sum who is in `reach` hospitals, each of which clips for itself?",
    ),
    (
        "root-of-hospitals",
        lambda e, d, t, c, k, s: deviation(e, d, t, c, 1, s) * math.sqrt(k),
        "Your noise is for a patient who moves the sum by √reach times the clip.",
        "What if the parts in two hospitals point the same way?",
    ),
    (
        "ignores-clip",
        lambda e, d, t, c, k, s: deviation(e, d, t, 1, k, s),
        "Your noise does not grow with the clip.",
        "With twice the clip, how far does one patient move the sum?",
    ),
    (
        "classic",
        lambda e, d, t, c, k, s: k * c * classic_noise_multiplier(e, d) * math.sqrt(t / s),
        "Your noise follows √(2 ln(1.25/δ))/ε. That is proved for ε < 1 only, and is more than needed there.",
        "Which function of `dpcourse.accounting` or `dpcourse.mechanisms` solves for the exact noise?",
    ),
    (
        "loose-bound",
        lambda e, d, t, c, k, s: k * c * calibrate_noise_multiplier(e, d, 1.0, t, method="zcdp") / math.sqrt(s),
        "Your noise keeps the claim, and a tighter account of it needs less.",
        "Rounds of Gaussian noise are one Gaussian. What does its exact curve say?",
    ),
    (
        "replace-one",
        lambda e, d, t, c, k, s: 2 * deviation(e, d, t, c, k, s),
        "Your noise is twice as large as needed. That is right for replacing a patient by another.",
        "Which change does the brief promise to hide?",
    ),
)


def amount(settings: Sequence[Setting], rights: Sequence[float], found: np.ndarray, level: float) -> Diagnosis | None:
    """Variances of 3,000 numbers in each setting, in units of the right ones, one by one and together."""
    low = stats.chi2.ppf(level / SETTINGS, LONG) / LONG
    high = stats.chi2.isf(level / SETTINGS, LONG) / LONG
    whole_low, whole_high = (
        bound(level, SETTINGS * LONG) / (SETTINGS * LONG) for bound in (stats.chi2.ppf, stats.chi2.isf)
    )
    # A deviation 1% above the smallest is as good; one that is below it is not.
    if (found > low).all() and (found < 1.02 * high).all() and whole_low < found.mean() < 1.02 * whole_high:
        return None
    for key, gives, seen, ask in KNOWN:
        expected = np.array([gives(*setting) / right for setting, right in zip(settings, rights, strict=True)]) ** 2
        if np.abs(found / expected - 1).max() < 0.17:
            return Diagnosis(key, seen, ask)
    worst = int(np.abs(np.log(found)).argmax())
    epsilon, delta, rounds, clip, reach, shares = settings[worst]
    given = (
        f"For epsilon = {epsilon:.2g}, delta = {delta:.1g}, rounds = {rounds}, clip = {clip:.2g}, reach = {reach}, "
        f"shares = {shares} your noise has {math.sqrt(found[worst]):.3g} times the deviation that a share has to have"
    )
    off, ask = np.abs(found - 1) > 0.25, "How does your deviation follow from each of these six numbers?"
    if np.abs(found / found.mean() - 1).max() < 0.17:
        given = (
            f"In all {SETTINGS} settings your noise has about {math.sqrt(found.mean()):.2f} times the deviation that "
        )
        given += "a share has to have"
        ask = "How far does one patient move one sum, how many sums are there, and how many shares make the whole?"
    elif 0 < off.sum() < SETTINGS / 2:
        given += f"; in {SETTINGS - off.sum()} of {SETTINGS} settings it is right{_apart(settings, off)}"
        ask = "What have those settings in common in which it is not?"
    if found[worst] < 1 or (found < low).any() or found.mean() < whole_low:
        return Shared.TOO_LITTLE_NOISE.seen(f"{given}.", ask)
    return Shared.TOO_MUCH_NOISE.seen(f"{given}.", ask)


def _apart(settings: Sequence[Setting], off: np.ndarray) -> str:
    """Which argument alone tells some wrong settings from the right ones."""
    for name, values in zip(
        ("epsilon", "delta", "rounds", "clip", "reach", "shares"), zip(*settings, strict=True), strict=True
    ):
        wrong, right = np.array(values)[off], np.array(values)[~off]
        if len(wrong) > 2 and wrong.max() < right.min():
            return f", all of them with a larger {name}"
        if len(wrong) > 2 and right.max() < wrong.min():
            return f", all of them with a smaller {name}"
    return ""
