"""Exercises 10.4 and 10.5: what a claim leaves of an accusation, and the attack that uses all of it."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.diagnosis import Diagnosis, a
from dpcourse.checks.once import anywhere, between, whole
from dpcourse.checks.scores import Asked, off_somewhere, score_of
from dpcourse.checks.vocabulary import Shared

# 10.4 What an accusation is worth


def _belief(rng: Generator) -> tuple[float, float]:
    return float(rng.uniform(0.2, 3)), float(rng.uniform(0.005, 0.4))


WORTH = Equals(
    _belief,
    wide=anywhere((1e-3, 12.0), (1e-6, 0.9)),
    expected=lambda e, p: p * math.exp(e) / (p * math.exp(e) + 1 - p),
    mistakes=(
        Mistake(
            "no-prior",
            lambda e, p: math.exp(e) / (1 + math.exp(e)),
            "You leave out how many are members at all. If one person in a hundred is a member, most of the accused "
            "are innocent even at ε = 3.",
            "For each accused member, how many accused others are there?",
        ),
        Mistake(
            "odds",
            lambda e, p: p * math.exp(e) / (1 - p),
            "Those are odds: members to others among the accused. A share is wanted.",
            "o/(1 + o).",
        ),
        Mistake(
            "probability-times",
            lambda e, p: min(p * math.exp(e), 1.0),
            "You multiply the *probability* by e^ε. It is the odds that grow by at most e^ε.",
            "Odds are p/(1 − p).",
        ),
        Mistake(
            "linear",
            lambda e, p: p * (1 + e) / (p * (1 + e) + 1 - p),
            "You take 1 + ε for e^ε.",
            "That is near only where ε is small.",
        ),
        Mistake(
            "upside-down",
            lambda e, p: p / (p + (1 - p) * math.exp(e)),
            "That is the smallest share, not the largest.",
            "TPR over FPR is at most e^ε.",
        ),
        Mistake("no-epsilon", lambda e, p: p, "That is the share before anybody is accused.", "Where does ε come in?"),
    ),
)

# 10.5 As good as the claim allows


def best_attack(answer: Answer, chance: Chance) -> Diagnosis | None:
    epsilon = float(chance.rng.uniform(0.5, 1.5))
    limit = 1 / (1 + math.exp(epsilon))
    # Nearly all who report “in” are to be accused, and most report it: so a coin that is off by 3% shows.
    fpr = float(chance.rng.uniform(0.65, 0.85)) * limit
    blocks = chance.rng.permutation([0] * 25 + [1] * 75)
    reports = np.repeat(blocks, 450)  # who asks the same again and again asks for many answers at once
    asked = int((reports == 0).sum()), int((reports == 1).sum())
    accused = np.empty(len(reports), dtype=bool)
    for i, report in enumerate(reports.tolist()):
        verdict = answer(report, fpr, epsilon, rng=chance.rng)
        if not isinstance(verdict, bool | np.bool_):
            ask = "Do you return a probability, or a 0 or 1? What does a comparison with rng.random() give?"
            return Diagnosis("wrong-type", f"True or False is wanted; you return {a(verdict)}.", ask)
        accused[i] = verdict
    seed = int(chance.rng.integers(2**32))
    coins = []
    for rng in (np.random.default_rng(seed), np.random.default_rng(seed)):
        coins.append([bool(answer(1, fpr, epsilon, rng=rng)) for _ in range(60)])
    if coins[0] != coins[1]:
        return Diagnosis(
            "own-coin", "The same `rng` gave different verdicts: your coin is not tossed with it.", "rng.random()"
        )
    rates = [accused[reports == report].mean() for report in (0, 1)]
    if rates[0] in (0, 1) and rates[1] in (0, 1):  # no coin, or one that always falls alike: then `fpr` decides
        verdicts = {bool(answer(1, share * limit, epsilon, rng=chance.rng)) for share in np.linspace(0.01, 0.99, 50)}
        if len(verdicts) > 1:
            return Diagnosis(
                "fixed-seed",
                "Your coin falls alike in every call: whether a report “in” is accused depends on `fpr` and `epsilon` "
                "alone.",
                "Do not seed a generator of your own: toss the coin with `rng`.",
            )
        if not accused.any():
            return Diagnosis(
                "never-accuses",
                f"In {len(reports):,} calls you accuse nobody: a false positive rate of 0, where {fpr:.1%} is allowed.",
                "Which reports are worth an accusation, and how often may you make one?",
            )
    counts = [int(accused[reports == report].sum()) for report in (0, 1)]
    right = fpr / limit  # how often a report of 1 should be accused, for a false positive rate of `fpr`
    known = (
        Mistake.told(_ALWAYS, (0.0, 1.0)),
        Mistake(
            "too-timid",
            (0.0, fpr),
            f"You accuse only {rates[1]:.1%} of the reports “in”. Somebody who was out seldom reports “in”, so your "
            f"false positive rate is {fpr * limit:.2%}, not {fpr:.1%}: you could accuse more.",
            "How often does somebody who was out report “in”? Choose the coin so that the product is `fpr`.",
        ),
        Mistake(
            "guesses",
            (fpr, fpr),
            "You accuse a share `fpr` of everybody and do not look at the report: TPR = FPR, the diagonal.",
            "Which report is more likely from somebody who was in?",
        ),
        Mistake("upside-down", (right, 0.0), "You accuse those who report “out”.", "Members report 1 more often."),
        Mistake(
            "too-many",
            (fpr, 1.0),
            "You accuse every report “in” and some of the others: the false positive rate is above `fpr`.",
            "At such a small `fpr` accuse nobody who reports “out”.",
        ),
        Mistake(
            "rate-for-coin",
            (0.0, min(fpr * math.exp(epsilon), 1.0)),
            "You accuse reports “in” with probability e^ε·fpr. That is the TPR you want, but members do not always "
            "report “in”.",
            "P[report 1 | out] = 1/(1 + e^ε). Choose the coin so that the product is `fpr`.",
        ),
    )

    def accuses(rates: tuple[float, float]) -> bool:
        return min(_unlikely(*seen) for seen in zip(counts, asked, rates, strict=True)) >= chance.failure / 2

    if accuses((0.0, right)):
        return None
    for mistake in known:
        if accuses(mistake.gives):
            return mistake.diagnosis
    seen = (
        f"You accuse {rates[1]:.1%} of the reports “in” and {rates[0]:.1%} of the reports “out”; at ε = {epsilon:.2g} "
        f"and a false positive rate of {fpr:.1%}, right is {right:.1%} and 0%."
    )
    if not counts[0]:
        seen += f" Your coin is {rates[1] / right:.2f} times the right one."
    return Diagnosis("wrong-frequency", seen, "Which reports should be accused first, and with which probability?")


_ALWAYS = Diagnosis(
    "always",
    "You accuse every report “in”. If half of the people were in, nobody guesses better. But the false positive rate "
    "is then 1/(1 + e^ε), and only `fpr` is allowed.",
    "Accuse such a report with a probability below 1: toss a coin.",
)


def accuses_everywhere(answer: Answer, chance: Chance) -> Diagnosis | None:
    """At any ε and any rate: of the reports “in” as many are accused as coins would, and none of the others."""
    answer.renew()
    rng, asked = chance.rng, []
    for _ in range(50):
        epsilon, share, many = between(rng, 0.1, 8.0), float(rng.random()), whole(rng, 10, 300)
        limit = 1 / (1 + math.exp(epsilon))
        fpr = share * limit
        if (written := float(f"{fpr:.1g}")) < limit and rng.random() < 0.5:
            fpr, share = written, written / limit
        if answer(0, fpr, epsilon, rng=rng):
            told = f"At ε = {epsilon:.2g} and a false positive rate of {fpr:.2g} you accuse somebody who reports “out”."
            return Shared.NOT_EVERYWHERE.seen(told, "Who reports “out” more often: who was in, or who was not?")
        if any(answer(1, 0.0, epsilon, rng=rng) for _ in range(5)):
            told = f"At ε = {epsilon:.2g} and a false positive rate of 0 you accuse somebody who reports “in”."
            return Shared.NOT_EVERYWHERE.seen(told, "How many of those who were not in may you accuse?")
        accused = sum(bool(answer(1, fpr, epsilon, rng=rng)) for _ in range(many))
        score = score_of(stats.binom(many, share), accused, rng)
        asked.append(Asked({"epsilon": epsilon, "fpr": fpr}, np.array([score])))
    if not (words := off_somewhere(asked, chance.failure / 2)):
        return _seldom(answer, chance)
    told = words.replace("your results are", "the numbers of reports “in” that you accuse are")
    told = told.replace(" calls with", " settings with")
    return Shared.NOT_EVERYWHERE.seen(told, "For which ε and which `fpr` does your coin do something else?")


def _seldom(answer: Answer, chance: Chance) -> Diagnosis | None:
    """At a rate so small that a coin in whole percent never falls, and which is below 1 in 10,000 itself."""
    epsilon, share, many = float(chance.rng.uniform(4.0, 8.0)), float(chance.rng.uniform(0.0025, 0.0045)), 12_000
    fpr = share / (1 + math.exp(epsilon))
    accused = sum(bool(answer(1, fpr, epsilon, rng=chance.rng)) for _ in range(many))
    if stats.binom.cdf(accused, many, share) >= chance.failure / 2:
        return None
    return Shared.NOT_EVERYWHERE.seen(
        f"At ε = {epsilon:.2g} and a false positive rate of {fpr:.2g} you accuse {accused} of {many:,} who report "
        f"“in”; about {many * share:.0f} should be.",
        "Is your probability rounded, or cut?",
    )


def _unlikely(count: int, runs: int, p: float) -> float:
    if p in (0.0, 1.0):
        return float(count == runs * p)
    return float(stats.binomtest(count, runs, p).pvalue)
