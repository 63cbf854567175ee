"""The noise of secure sums: how much there has to be, and what a wrong amount comes from."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.gaussian import noise_ends
from dpcourse.checks.links import shared
from dpcourse.mechanisms.additive.gaussian import analytic_noise_multiplier


def whole(epsilon: float, delta: float, rounds: int) -> float:
    """The deviation of the noise in each of so many sums, in which one device moves a vector of norm 1 to another."""
    return 2 * math.sqrt(rounds) * analytic_noise_multiplier(epsilon, delta)


@dataclass(frozen=True)
class Noise:
    """The noise of one call, and what it was asked for."""

    epsilon: float
    delta: float
    rounds: int
    n: int
    stayed: int
    threshold: int
    found: np.ndarray

    @property
    def right(self) -> float:
        return whole(self.epsilon, self.delta, self.rounds) * math.sqrt(self.stayed / self.threshold)

    def fits(self, deviation: float, failure: float) -> bool:
        """Whether the noise may have this deviation: a χ² test."""
        return chi2_fits(self.found / deviation, failure) if deviation > 0 else False

    def likelihood(self, deviation: float) -> float:
        """The logarithm of normal noise's density with this deviation, up to a constant."""
        return -self.found.size * math.log(deviation) - float((self.found**2).sum()) / (2 * deviation**2)


def chi2_fits(standard: np.ndarray, failure: float) -> bool:
    total, size = float((standard**2).sum()), standard.size
    return min(stats.chi2.cdf(total, size), stats.chi2.sf(total, size)) >= failure / 2


def _repeated(standard: list[np.ndarray]) -> bool:
    """Whether two sums have one noise, up to its size: for others the cosine is below 0.9, but for 1e-60 a pair."""
    units = [one[:100] / np.linalg.norm(one[:100]) for one in standard if len(one) >= 100 and one[:100].any()]
    return any(abs(float(one @ other)) > 0.9 for place, one in enumerate(units) for other in units[:place])


def _known(one: Noise) -> dict[str, float]:
    """Deviations that known mistakes give."""
    e, d, t = one.epsilon, one.delta, one.rounds
    once, share, stayed = analytic_noise_multiplier(e, d), one.threshold, one.stayed
    grown = math.sqrt(stayed / share)
    return {
        "add-remove": math.sqrt(t) * once * grown,
        "per-round": 2 * once * grown,
        "rounds-not-root": 2 * t * once * grown,
        "epsilon-divided": 2 * analytic_noise_multiplier(e / t, d) * grown,
        "epsilon-divided too": 2 * analytic_noise_multiplier(e / t, d / t) * grown,
        "no-margin": one.right / grown,
        "dropped-noise": one.right * math.sqrt(share / one.n),
        "whole-noise-each": one.right * math.sqrt(share),
        "divided-noise": one.right / math.sqrt(share),
        "classic": 2 * math.sqrt(t) * math.sqrt(2 * math.log(1.25 / d)) / e * grown,
    }


WORDS = {
    "add-remove": (
        "It is made for a device that is there or not, which moves the sum by 1.",
        "A device is replaced: v leaves and w arrives. How far apart can two vectors of norm 1 be?",
    ),
    "per-round": (
        "It is the noise of a single release; `rounds` does not enter.",
        "All rounds together are one long vector. How far does one device move that?",
    ),
    "rounds-not-root": (
        "It grows with `rounds` itself. That is more than needed.",
        "All rounds together are one long vector. How far does one device move that?",
    ),
    "epsilon-divided": (
        "It is that of `rounds` releases with epsilon/rounds each. That is more than needed.",
        "All rounds together are one long vector. How far does one device move that?",
    ),
    "no-margin": (
        "It does not grow with the number of devices. So each share is smaller where more are there, and once "
        "colluders take theirs off, less than the whole is left.",
        "`threshold` shares make the whole, however many take part. How many make it in yours?",
    ),
    "dropped-noise": (
        "In yours it takes the shares of all n devices to make the whole, and some may be missing or tell theirs.",
        "How many devices are sure to be in the sum, and to keep their share to themselves?",
    ),
    "whole-noise-each": ("Every device adds the whole noise.", "Variances add up. How large is one share?"),
    "divided-noise": (
        "Each device adds 1/threshold of the deviation, and deviations do not add up.",
        "Variances add up. How large is one share?",
    ),
    "classic": (
        "It follows σ = √(2 ln(1.25/δ))/ε, which is proven for ε < 1 only, and is more than needed there.",
        "`GaussianMechanism(epsilon, delta)` solves for the smallest σ. Where do you use it?",
    ),
}


def noise_wrong(calls: list[Noise], failure: float) -> Diagnosis | None:
    """What is wrong with the noise of these calls, if anything: its amount, its law, draws in common."""
    each = failure / (4 * len(calls))
    if any(one.found.std() == 0 and len(one.found) > 1 and one.found.any() for one in calls):
        return Diagnosis(
            "shared-noise", "All numbers of a sum share one draw of noise.", "How many draws do d numbers need?"
        )
    quiet = [one for one in calls if np.abs(one.found).max() < 1e-3 * one.right]
    if quiet:
        seen = f"At epsilon = {quiet[0].epsilon:.3g}, n = {quiet[0].n:,}, there is next to no noise in your sum."
        if len(quiet) == len(calls):
            return Diagnosis("no-noise", seen, "Where does the randomness come in, and how large is σ here?")
        seen += f" So it is in {len(quiet)} of {len(calls)} calls."
        return Diagnosis("no-noise", seen, "What does your noise depend on in those calls that it should not?")
    standard = [one.found / one.right for one in calls]
    if _repeated(standard):
        return Diagnosis(
            "same-noise", "Several sums hold the same noise.", "Do you draw it from the `rng` you are given?"
        )
    if not (all(one.fits(one.right, each) for one in calls) and chi2_fits(np.concatenate(standard), failure / 4)):
        return _amount(calls, each)
    runs = np.array([one.sum() / math.sqrt(one.size) for one in standard])
    if not chi2_fits(runs, failure / 4):
        return Diagnosis("linked-noise", "Numbers of one sum share noise.", "Does each number have a draw of its own?")
    if seen := shared(standard, failure, even=True):
        return Diagnosis("linked-noise", seen, "Does each number have a draw of its own, in each round?")
    ask = "The shares are normal, and so is their sum. Which law do you draw from?"
    if stats.kstest(np.concatenate(standard), "norm").pvalue < failure / 4:
        return Diagnosis("not-normal", "Your noise has the right deviation and is not normal.", ask)
    return noise_ends(np.concatenate(standard), failure / 4)


def _amount(calls: list[Noise], each: float) -> Diagnosis:
    known = [_known(one) for one in calls]
    pairs = list(zip(calls, known, strict=True))
    fitting = [name for name in known[0] if all(one.fits(of[name], each / 100) for one, of in pairs)]
    if fitting:
        name = max(fitting, key=lambda name: sum(one.likelihood(of[name]) for one, of in pairs))
        key = name.removesuffix(" too")
        one, ratio = max(
            ((one, of[name] / one.right) for one, of in pairs),
            key=lambda two: two[0].found.size * abs(math.log(two[1])),
        )
        what, ask = WORDS[key]
        return Diagnosis(key, f"{_seen(one, ratio)} {what}", ask)
    worst = max((one for one in calls if not one.fits(one.right, each)), key=_size, default=calls[0])
    key = "too-little-noise" if _ratio(worst) < 1 else "too-much-noise"
    ask = "Which deviation hides a device in all rounds together, and how large is one of `threshold` shares of it?"
    fine = sum(one.fits(one.right, each) for one in calls)
    if not fine:
        return Diagnosis(key, _seen(worst, _ratio(worst)), ask)
    seen = f"{_seen(worst, _ratio(worst))} In {fine} of {len(calls)} calls it may be right."
    return Diagnosis(key, seen, "What does your noise depend on, that it is right in some calls and not in others?")


def _ratio(one: Noise) -> float:
    return max(float(np.sqrt((one.found**2).mean())) / one.right, 1e-12)


def _size(one: Noise) -> float:
    return one.found.size * abs(math.log(_ratio(one)))


def _seen(one: Noise, ratio: float) -> str:
    return (
        f"With epsilon = {one.epsilon:.2g}, delta = {one.delta:.1g}, rounds = {one.rounds}, n = {one.n:,}, threshold = "
        f"{one.threshold:,} and {one.stayed:,} devices in the sum, your noise has about {ratio:.2g} times the "
        "right deviation."
    )
