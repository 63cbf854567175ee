"""Capstone 2.3: so many reports together carry discrete Laplace noise, no less and no more, in every bin."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from dpcourse.checks.again import drawn_elsewhere
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Returns
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.links import Draws, linked, which
from dpcourse.checks.noise_laws import geometric
from dpcourse.checks.once import between, near, whole
from dpcourse.checks.plain import only_numbers
from dpcourse.checks.vocabulary import Shared
from dpcourse.checks.whole_apiece import amiss
from dpcourse.checks.whole_noise import missing
from dpcourse.lessons.capstone_2.design import BINS, SHARES
from dpcourse.privacy import Guarantee

SETTINGS = ((0.5, 10), (1.0, 3), (3.0, 6), (0.5, 1))  # ε, shares
CELLS = 6_000
FEW = 100  # lots: a supplier of the project has about 40 a quarter
PLACED = 200  # sums of reports with the project's bins, in which each bin is looked at alone
OTHERS = 100  # sums of reports with as many bins or more; and as many have one bin
LOOKS = 2 * len(SETTINGS)  # a χ² and an audit each


def variance(epsilon: float) -> float:
    """Of discrete Laplace noise with P[x] ∝ e^(−ε|x|)."""
    return 2 * math.exp(-epsilon) / math.expm1(-epsilon) ** 2


def _few(rng: np.random.Generator) -> tuple[np.ndarray, float, int]:
    return rng.integers(0, 40, int(rng.integers(30, 60))), 0.5, int(rng.integers(2, 12))


def _report(answer: Answer, histogram: np.ndarray, epsilon: float, shares: int, rng: np.random.Generator) -> np.ndarray:
    frozen = histogram.copy()
    frozen.setflags(write=False)
    sent = np.asarray(only_numbers(answer(frozen, epsilon, shares, rng=rng)), dtype=float)
    if sent.shape != histogram.shape:
        raise Refused(Diagnosis("wrong-shape", f"Your report has shape {sent.shape}; {histogram.shape} is wanted."))
    return sent


def _sum(answer: Answer, counts: list[np.ndarray], epsilon: float, rng: np.random.Generator) -> np.ndarray:
    return np.sum([_report(answer, histogram, epsilon, len(counts), rng) for histogram in counts], axis=0)


def _anew(answer: Answer, counts: list[np.ndarray], epsilon: float, rng: np.random.Generator) -> Diagnosis | None:
    """One of the reports again, with the same generator and with another, where its noise is never all 0 twice."""
    histogram, shares = counts[int(rng.integers(len(counts)))], len(counts)
    if 2 * len(histogram) / shares * math.log1p(-math.exp(-epsilon)) > -60:  # e to that power is the chance of it
        return None
    return drawn_elsewhere(
        lambda seed: _report(answer, histogram, epsilon, shares, np.random.default_rng(seed)) - histogram, rng
    )


def apart(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Each bin its own noise. Forty right reports of 20 bins each are flat with a probability below 1e-12."""
    nothing = [np.zeros(20, dtype=int)]
    noise = np.array([_sum(answer, nothing, 0.5, chance.rng) for _ in range(40)])
    if np.ptp(noise, axis=1).any() or not np.ptp(noise):
        return None
    return Diagnosis(
        "shared", "All bins share one draw of noise: the difference of two bins is exact.", "A draw for each bin."
    )


def law(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The noise in the sum of the reports: its size, its law, and whether it follows the counts."""
    for epsilon, shares in SETTINGS:
        counts = [np.where(chance.rng.random(CELLS) < 0.5, 0, chance.rng.integers(1, 60, CELLS)) for _ in range(shares)]
        if shares > 1:  # in some bins nobody has a lot: there are such bins in every quarter
            for histogram in counts:
                histogram[: CELLS // 3] = 0
        noise = _sum(answer, counts, epsilon, chance.rng) - np.sum(counts, axis=0)
        wrong = (
            _follows_counts(noise, np.sum(counts, axis=0) == 0)
            or _size(noise, epsilon, shares)
            or _whole(noise)
            or lawful(noise, epsilon, shares, chance.failure / LOOKS)
            or _anew(answer, counts, epsilon, chance.rng)
        )
        if wrong:
            return wrong
    return None


def _follows_counts(noise: np.ndarray, nobody: np.ndarray) -> Diagnosis | None:
    if nobody.any() and noise[~nobody].std() > 0:
        if noise[nobody].std() == 0:
            return Diagnosis(
                "empty-exact",
                "A bin in which nobody has a lot gets no noise: an exact 0 says that no such lot exists.",
                "Every bin needs noise.",
            )
        if noise[nobody].min() >= 0:
            return Diagnosis(
                "cut-at-zero",
                f"Where nobody has a lot your noise is never below 0: it adds {noise[nobody].mean():.2g} lots to each "
                "such bin on average.",
                "Do you cut reports at zero, or take an absolute value? A share of the noise is below 0 as often as "
                "above.",
            )
    return None


def _size(noise: np.ndarray, epsilon: float, shares: int) -> Diagnosis | None:
    """The variance of 6,000 draws deviates by 3.5% (its excess kurtosis is below 9 from ε = 3 downwards)."""
    ratio = float(noise.var() / variance(epsilon))
    if 0.75 < ratio < 1.35:
        return None
    seen = f"{shares} reports at ε = {epsilon:g} carry {ratio:.2g} times the variance of discrete Laplace noise."
    if ratio == 0:
        return Diagnosis("no-noise", "Your reports carry no noise.", "Who adds it, if no server may see a count?")
    if shares > 1 and 0.7 * shares < ratio < 1.4 * shares:
        return Diagnosis(
            "whole-noise-each",
            f"{seen} That is as much as if everybody added the whole noise.",
            "The parts of one number of Laplace noise add up to it. Which law do they have?",
        )
    if shares > 1 and ratio < 1.5 / shares:
        return Diagnosis(
            "divided-noise",
            f"{seen} The noise of the sum is as small as one share of it.",
            "Do you divide a draw by n? Then its variance is divided by n², and n of them add up to 1/n of what is "
            "needed.",
        )
    key = "too-little-noise" if ratio < 1 else "too-much-noise"
    ask = "One lot moves one bin by one. Which ε and how many shares is your noise made for?"
    return Diagnosis(key, f"{seen} {as_at(ratio, epsilon)}", ask)


def as_at(ratio: float, epsilon: float) -> str:
    """At which ε so many times the variance would be right, in a sentence; empty where there is hardly any noise."""
    if ratio < 1e-3:
        return ""
    return f"At ε = {2 * math.asinh((2 * ratio * variance(epsilon)) ** -0.5):.2g} so much would be right."


def _whole(noise: np.ndarray) -> Diagnosis | None:
    if np.array_equal(noise, np.round(noise)):
        return None
    return Diagnosis(
        "not-whole",
        "Your reports are no whole numbers. Shares modulo 2^32 are, and rounding afterwards changes the law.",
        "A whole number of Laplace noise is the difference of two geometric ones. What do those split into?",
    )


def cut(noise: np.ndarray, epsilon: float, shares: int, level: float) -> Diagnosis | None:
    """What is wrong with whole Laplace noise that never goes beyond a bound."""
    if not geometric(1 / epsilon).ends(noise, level):
        return None
    return Shared.NOISE_ENDS.seen(
        f"The noise of {shares} report{'s' * (shares != 1)} at ε = {epsilon:.3g} is never more than "
        f"{np.abs(noise).max():.0f} in {len(noise):,} draws."
    )


def lawful(noise: np.ndarray, epsilon: float, shares: int, level: float) -> Diagnosis | None:
    """χ² against P[x] = tanh(ε/2) e^(−ε|x|), with at least 20 expected in each class."""
    cells = len(noise)
    top = int(math.log(cells * math.tanh(epsilon / 2) / 20) / epsilon)
    values = np.arange(-top, top + 1)
    expected = cells * math.tanh(epsilon / 2) * np.exp(-epsilon * np.abs(values))
    found = np.bincount(np.clip(noise, -top - 1, top + 1).astype(int) + top + 1, minlength=2 * top + 3)
    tail = (cells - expected.sum()) / 2
    if stats.chisquare(found, np.concatenate(([tail], expected, [tail]))).pvalue >= level / 2:
        return cut(noise, epsilon, shares, level / 2)
    if wrong := in_common([noise], [epsilon], level):  # fewer draws than bins: the right law may look wrong
        return wrong
    zeros, right = found[top + 1] / cells, math.tanh(epsilon / 2)
    return Diagnosis(
        "wrong-law",
        f"The noise of {shares} reports at ε = {epsilon:.3g} has about the right size and not the right law: it is 0 "
        f"in {zeros:.1%} of bins, discrete Laplace noise in {right:.1%}.",
        "Neither normal draws nor Laplace draws of several reports add up to a Laplace law. Which law does one report "
        "of yours draw from?",
    )


def audited(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The auditor: is one lot more hidden in the sum of the reports? Every bin is a run."""
    from dpcourse.audit import audit_outputs  # here, because only a check that audits needs it

    for epsilon, shares in SETTINGS:
        known = [chance.rng.integers(0, 3, CELLS) for _ in range(shares)]
        sides = []
        for more in (0, 1):
            counts = [known[0] + more, *known[1:]]
            sides.append((_sum(answer, counts, epsilon, chance.rng) - np.sum(known, axis=0)).tolist())
        claim = Guarantee(epsilon)
        result = audit_outputs(*sides, claim=claim, confidence=1 - chance.failure / LOOKS)
        if result.violated:
            return Diagnosis(
                "not-private",
                f"The sum of {shares} of your reports tells whether one more lot is there: ε ≥ "
                f"{result.epsilon_lower:.3g}, you claim {claim}. What gives it away: {result.event}.",
                "One lot moves one bin by one. Is the noise of all shares together enough for that?",
            )
    return None


def anywhere(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Releases of many lengths (the project's 21 half of the time), ε and shares, looked at in nine groups of them.

    ε is 0.02 to 4, there are up to 30 shares, and bins hold up to twice as many lots as the project's do. In a quarter
    of the sums each report has at most a hundred lots, as a supplier has, or none.

    A right answer fails with probability `chance.failure` at most: `missing` is asked nine times, `in_common` once.
    """
    rng, noise, settings = chance.rng, list[np.ndarray](), list[tuple[int, float, int, int]]()
    wrong, again = list[tuple[float, str, str]](), None
    for number in range(72):
        bins = BINS if number % 2 else whole(rng, 1, 4) if number % 4 == 0 else int(rng.integers(1, 100))
        epsilon, shares = near(float(0.02 * 200 ** rng.uniform()), rng, 1.0), whole(rng, 1, 30)
        epsilon = int(rng.integers(1, 3)) if number % 8 > 5 else epsilon
        falls = np.exp(-float(rng.choice((0.0, 0.25, 0.5))) * np.arange(bins))  # most lots have few defects
        if number % 4 == 1:
            counts = [*rng.multinomial(whole(rng, 1, FEW + 1) - 1, falls / falls.sum(), size=shares)]
        else:
            most = 14 if rng.random() < 2 / 3 else between(rng, 14.0, 2e4)
            counts = [rng.poisson(rng.uniform(0, most) * falls / falls.mean()) for _ in range(shares)]
        noise.append(_sum(answer, counts, epsilon, rng) - np.sum(counts, axis=0))
        settings.append((bins, epsilon, shares, max(int(one.sum()) for one in counts)))
        again = again or _anew(answer, counts, epsilon, rng)
    for where, of in (
        (f"with {BINS} bins", lambda bins, epsilon, shares, lots: bins == BINS),
        (f"with another number of bins than {BINS}", lambda bins, epsilon, shares, lots: bins != BINS),
        ("with up to four bins", lambda bins, epsilon, shares, lots: bins <= 4),
        (f"with at most {FEW} lots a report", lambda bins, epsilon, shares, lots: lots <= FEW),
        ("at ε of 0.5 and less", lambda bins, epsilon, shares, lots: epsilon <= 0.5),
        ("at ε above 0.5", lambda bins, epsilon, shares, lots: epsilon > 0.5),
        ("where ε is an int", lambda bins, epsilon, shares, lots: isinstance(epsilon, int)),
        ("with up to 8 shares", lambda bins, epsilon, shares, lots: shares <= 8),
        ("with more than 8 shares", lambda bins, epsilon, shares, lots: shares > 8),
    ):
        some = [place for place, setting in enumerate(settings) if of(*setting)]
        if not some:
            continue
        found = np.concatenate([noise[place] for place in some])
        at = np.concatenate([np.full(len(noise[place]), settings[place][1]) for place in some])
        if missing(found, at, rng, chance.failure / 18):
            exact, right = float((found == 0).mean()), float(np.tanh(at / 2).mean())
            seen = f"In {len(some)} new sums of reports {where}, {in_words(exact, right)}"
            wrong.append((abs(exact - right), where, seen))
    if wrong:
        return Shared.NOT_EVERYWHERE.seen(
            worst(wrong), "What does your noise depend on besides `epsilon` and `shares`?"
        )
    return again or in_common(noise, [setting[1] for setting in settings], chance.failure / 2)


def apiece(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Each of the project's 21 bins has noise of its own, wherever it stands, and of any number of them all do.

    ε is 0.005 to 0.8. Of a single bin, and where ε is small, the law of the noise is looked at.
    """
    rng, noise, epsilons, truths = chance.rng, list[np.ndarray](), list[float](), list[np.ndarray]()
    for number in range(PLACED + 2 * OTHERS):
        epsilon, shares = float(0.005 * 160 ** rng.uniform()), (1, 1, 1, 2, SHARES)[number % 5]
        bins = BINS if number < PLACED else whole(rng, BINS, 400) if number < PLACED + OTHERS else 1
        counts = [rng.integers(0, 40, bins) for _ in range(shares)]
        truths.append(np.sum(counts, axis=0))
        noise.append(_sum(answer, counts, epsilon, rng) - truths[-1])
        epsilons.append(epsilon)
    level = chance.failure / 4
    same, several = slice(PLACED), slice(PLACED + OTHERS)
    wrong = amiss(noise[same], epsilons[same], level, rng, truths=truths[same])
    wrong = wrong or amiss(noise[several], epsilons[several], level, rng)
    if wrong:
        return wrong.led_by("In new sums of reports: ")
    for where, some in (
        ("with one bin", [place for place, one in enumerate(noise) if len(one) == 1]),
        ("at ε below 0.05", [place for place, epsilon in enumerate(epsilons) if epsilon < 0.05]),
    ):
        found = np.concatenate([noise[place] for place in some])
        at = np.concatenate([np.full(len(noise[place]), epsilons[place]) for place in some])
        if missing(found, at, rng, level):
            seen = in_words(float((found == 0).mean()), float(np.tanh(at / 2).mean()))
            seen = f"In {len(some)} new sums of reports {where}, {seen}"
            return Shared.NOT_EVERYWHERE.seen(seen, "What does your noise depend on besides `epsilon` and `shares`?")
    return None


def in_words(exact: float, right: float, shares: str = "") -> str:
    """What is wrong with noise that is missing somewhere: the share of counts without noise, or the law of the rest."""
    if abs(exact - right) < 0.02:
        return f"your noise is not discrete Laplace noise{shares} at the ε that were asked."
    return f"the noise is 0 in {exact:.0%} of the counts; right noise is 0 in about {right:.0%}."


def worst(wrong: list[tuple[float, str, str]]) -> str:
    """Of groups of calls (how far off each is, which it is, what was seen) the worst one's words, and the others."""
    far = max(wrong)
    others = [where for _, where, _ in wrong if where != far[1]]
    return far[2] + (f" Your noise is also wrong {', '.join(others)}." if others else "")


def in_common(noise: list[np.ndarray], epsilons: list[float], failure: float) -> Diagnosis | None:
    """Draws that hang together, in one sum of reports or in many."""
    if where := linked([draws_of(one, epsilon) for one, epsilon in zip(noise, epsilons, strict=True)], failure):
        some = f"Of all bins one after another, {which(where)}"
        some = "Bins next to each other" if some.endswith("next to each other") else some
        ask = "Does each bin have a draw of its own, in every quarter?"
        return Shared.LINKED_NOISE.seen(f"{some} have noise in common.", ask)
    return None


def draws_of(noise: np.ndarray, epsilon: float) -> Draws:
    """The signs of discrete Laplace noise, and how often it is not 0."""
    return Draws(np.sign(noise), np.full(len(noise), 1 - math.tanh(epsilon / 2)))


NOISE = (
    Returns(_few, what="array", shape=lambda histogram, *_: histogram.shape),
    apart,
    law,
    audited,
    anywhere,
    apiece,
)
