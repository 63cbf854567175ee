"""Capstone 5.5: what two seeds of one study differ by, and whether this noise has the right size and law."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.vocabulary import Shared
from dpcourse.mechanisms.additive.gaussian import analytic_noise_multiplier


@dataclass(frozen=True)
class Seen:
    """What two seeds of one study differ by, shape (rounds, hospitals, d), rounds without a sum, and the plan."""

    differences: np.ndarray
    fell: list[bool]
    plan: dict[str, Any]

    @property
    def noise(self) -> np.ndarray:
        """Differences of two draws, scaled to the deviation of one."""
        return self.differences / math.sqrt(2)

    def ratio(self) -> float:
        """Variance of one hospital's noise, in units of what a share needs for a single round."""
        plan = self.plan
        whole = plan["reach"] * plan["clip"] * analytic_noise_multiplier(plan["epsilon"], plan["delta"])
        return float((self.noise**2).mean()) * plan["shares"] / whole**2


KNOWN = (  # what the ratio is of that of right noise: shares, hospitals, reach and rounds are handed in
    (
        "divided-noise",
        lambda s, h, k, t: 1 / s,
        "The whole deviation is divided by `shares`.",
        "What adds up, deviations or variances?",
    ),
    (
        "counts-dropouts",
        lambda s, h, k, t: s / h,
        "It is right if the noise of all hospitals arrives.",
        "How many hospitals' noise has to be enough, by the plan?",
    ),
    ("one-hospital", lambda s, h, k, t: 1 / k**2, "It is right for a patient in one hospital.", "How many may it be?"),
    (
        "root-of-hospitals",
        lambda s, h, k, t: 1 / k,
        "It is right for a change of √reach clips.",
        "Which way may parts in two hospitals point?",
    ),
    ("one-round", lambda s, h, k, t: 1 / t, "It is right for one round.", "What do all rounds cost together?"),
    ("whole-noise-each", lambda s, h, k, t: s, "Every hospital adds all of it.", "How many shares make the whole?"),
)


def amount(seen: list[Seen], level: float, before: int = 0) -> Diagnosis | None:
    """Variances of some thousand numbers in each study, 2% off in a right answer, and of all studies together.

    `before`: how many studies were found right already.
    """
    ratios = np.array([one.ratio() / (len(one.fell) - sum(one.fell)) for one in seen])  # rounds that gave a sum
    generous = np.array([one.ratio() / len(one.fell) for one in seen])
    sizes = np.array([one.differences.size for one in seen])
    wide = 6 * np.sqrt(2 / sizes)
    enough = [stats.chi2.cdf(n * ratio, n) >= level / 4 for n, ratio in zip(sizes, ratios, strict=True)]
    together = float((sizes * ratios).sum())
    if all(enough) and stats.chi2.cdf(together, sizes.sum()) >= level / 4 and (generous < 1.35 * (1 + wide)).all():
        return None
    worst = int(np.abs(np.log(ratios)).argmax())
    plan, (rounds, many, _) = seen[worst].plan, seen[worst].differences.shape

    def told(ratio: float) -> str:
        return (
            f"In {rounds} rounds, with epsilon = {plan['epsilon']:.2g}, shares = {plan['shares']}, reach = "
            f"{plan['reach']} and {many} hospitals, each hospital's noise has {ratio:.2g} times the variance that it "
            "has to have"
        )

    for key, of, what, ask in KNOWN:
        factors = np.array(
            [of(one.plan["shares"], one.differences.shape[1], one.plan["reach"], len(one.fell)) for one in seen]
        )
        if (np.abs(generous / factors - 1) < wide).all():
            return Diagnosis(key, f"{told(generous[worst])}. {what}", ask)
    fine = int(((ratios > 0.7) & (generous < 1.4)).sum()) + before
    others, ask = "", "Does it cover `reach` clips in all rounds that gave a sum?"
    if fine and not 0.7 < ratios[worst] < 1.4:
        others = f"; in {fine} other {'study' if fine == 1 else 'studies'} it is about right"
        ask = "What does your noise depend on besides the plan?"
    if ratios[worst] < 1 or not all(enough):
        return Shared.TOO_LITTLE_NOISE.seen(f"{told(ratios[worst])}{others}.", ask)
    ask = "For how many rounds and shares, and for which `reach` and `epsilon`, is it made?"
    return Shared.TOO_MUCH_NOISE.seen(f"{told(generous[worst])}{others}.", ask)


def law(seen: list[Seen], level: float) -> Diagnosis | None:
    """Normal noise: excess kurtosis, which halves in differences (Laplace noise has 1.5), and Kolmogorov's test."""
    x = np.concatenate([(one.noise / one.noise.std()).ravel() for one in seen])
    far = abs(float(stats.kurtosis(x))) > 8 * math.sqrt(24 / len(x))
    if not far and stats.kstest(x, stats.norm.cdf).pvalue >= level:
        return None
    beyond = float((np.abs(x) > 3 * x.std()).mean())
    told = "Your noise has the right size, and is not normal. Of the difference of two draws "
    told += f"{beyond:.2%} lie beyond 3 deviations; of normal noise 0.27%."
    return Diagnosis("not-normal", told, "For which law of noise is its size computed?")
