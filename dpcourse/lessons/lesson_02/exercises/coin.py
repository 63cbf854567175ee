"""The exercise on a coin for any ε: how often it tells the truth, and an audit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Audited, Frequencies, Mistake
from dpcourse.checks.diagnosis import TWICE, Diagnosis
from dpcourse.checks.everywhere import Everywhere, Setting, among, any_epsilon
from dpcourse.checks.once import whole
from dpcourse.checks.rare import MANY, rare_lies, too_rare
from dpcourse.checks.vocabulary import Shared
from dpcourse.privacy import Guarantee, Neighbours


def _question(rng: np.random.Generator) -> tuple[bool, float]:
    return bool(rng.random() < 0.5), float(rng.uniform(0.4, 2.0))


def _says(yes: Any, no: Any = None) -> Any:
    """A coin that says yes of a yes with probability ``yes(epsilon)``, and no of a no with ``no(epsilon)``."""
    no = yes if no is None else no

    def laws(questions: Sequence[tuple[float, bool]]) -> list[dict[bool, float]]:
        chances = [yes(epsilon) if truth else 1 - no(epsilon) for epsilon, truth in questions]
        return [{True: chance, False: 1 - chance} for chance in chances]

    return laws


def _right(epsilon: float) -> float:
    return 1 / (1 + math.exp(-epsilon))


_CONSTANT = Diagnosis(
    "constant",
    "Your coin gives the same answer in every run, whatever Ana's answer is.",
    "A constant keeps every secret and says nothing. Where does Ana's answer come in?",
)

_COINS = (
    Mistake(
        "lie-may-be-true",
        _says(lambda epsilon: (1 + _right(epsilon)) / 2),
        "When the coin says to lie, your answer is drawn afresh and is the truth half of the time. That makes "
        "the truth more likely than ε allows.",
        "How often does she really lie, all in all?",
    ),
    Mistake(
        "upside-down",
        _says(lambda epsilon: 1 - _right(epsilon)),
        "You lie as often as you should tell the truth.",
        "Which is larger, e^ε or 1?",
    ),
    Mistake(
        "ignores-epsilon",
        _says(lambda epsilon: 0.75),
        "You tell the truth 75% of the time whatever ε is: that is the coin of the lesson, with ε = ln 3.",
        "Should she tell the truth more often or less at a larger ε?",
    ),
    Mistake(
        "rounded-laplace",
        _says(lambda epsilon: 1 - math.exp(-epsilon / 2) / 2),
        "You tell the truth with probability 1 − e^(−ε/2)/2. That is what Laplace noise of scale 1/ε gives, added "
        "to 0 or 1 and rounded. It is private, and less often the truth than ε allows.",
        "How large is the ratio of truth to lie, and how large may it be?",
    ),
    Mistake(
        "useless",
        _says(lambda epsilon: 0.5),
        "Your answers say nothing about the truth.",
        "How often may the truth come out at this ε?",
    ),
    Mistake("always-true", _says(lambda epsilon: 1.0), "You always tell the truth.", "Where is the coin?"),
    Mistake(
        "wrong-ratio",
        _says(lambda epsilon: 1 - math.exp(-epsilon)),
        "You tell the truth with probability 1 − e^(−ε). The ratio of truth to lie is then e^ε − 1.",
        "Which ratio does the definition allow? And what do the two probabilities add up to?",
    ),
    Mistake(
        "half-epsilon",
        _says(lambda epsilon: _right(epsilon / 2)),
        "You spend half of ε: the ratio of truth to lie is e^(ε/2).",
        "Which ratio does the definition allow?",
    ),
    Mistake(
        "double-epsilon",
        _says(lambda epsilon: _right(2 * epsilon)),
        "The ratio of truth to lie is e^(2ε): that is twice the ε allowed.",
        "Which ratio does the definition allow?",
    ),
    Mistake(
        "one-sided",
        _says(lambda epsilon: 1.0, _right),
        "A yes is always told as a yes. So only people whose answer is no ever say no, and a no gives them away.",
        "Which of the two answers has no coin?",
    ),
    Mistake(
        "one-sided",
        _says(_right, lambda epsilon: 1.0),
        "A no is always told as a no. So only people whose answer is yes ever say yes, and a yes gives them away.",
        "Which of the two answers has no coin?",
    ),
    Mistake.told(_CONSTANT, _says(lambda epsilon: 1.0, lambda epsilon: 0.0)),
    Mistake.told(_CONSTANT, _says(lambda epsilon: 0.0, lambda epsilon: 1.0)),
)


def _returns_boolean(answer: Answer, chance: Chance) -> Diagnosis | None:
    """True or False comes back, or 1 or 0, drawn from the generator given. (A right coin may repeat itself.)"""
    for seed in chance.rng.integers(2**32, size=40).tolist():
        truth, epsilon = _question(chance.rng)
        results = [answer(truth, epsilon, rng=np.random.default_rng(seed)) for _ in range(2)]
        for result in results:
            if result is None:
                return Diagnosis("returns-nothing", "Your function returns nothing (None).", "Is a `return` missing?")
            whole = isinstance(result, bool | np.bool_ | int | np.integer)
            if not whole or result not in (0, 1):
                hint = "`not answer` is the opposite; ~True is −2." if whole else ""
                return Diagnosis("wrong-type", f"True or False is wanted; you return {result!r}.", hint)
        if results[0] != results[1]:
            return TWICE
    return None


def _questions(rng: np.random.Generator) -> tuple[list[tuple[float, bool]], list[dict[bool, float]]]:
    """Near ε = 1.6 and 0.85, at values that no answer can have been waiting for; once a yes, once a no.

    Every two of the known mistakes lie 0.035 or more apart in their chance of the truth at one of the two.
    """
    questions = [(float(around + rng.uniform(-0.05, 0.05)), truth) for around in (1.6, 0.85) for truth in (True, False)]
    return questions, _says(_right)(questions)


def _at_any_epsilon(rng: np.random.Generator) -> Setting:
    truth, epsilon = bool(rng.random() < 0.5), any_epsilon(rng, float(rng.choice([0.05, 1.0])))
    if rng.random() < 0.1:
        epsilon = whole(rng, 1, 5)  # an int, as people write it

    def law(epsilon: float) -> np.ndarray:  # of the truth, and of the lie
        return np.array([_right(epsilon), 1 - _right(epsilon)])

    judge = among((truth, not truth), law(epsilon), 0, narrow=law(4 * epsilon), wide=law(epsilon / 4))
    return Setting((truth, epsilon), {"ε": epsilon}, judge)


def _rarely(answer: Answer, chance: Chance) -> Diagnosis | None:
    truth, (epsilon, share) = bool(chance.rng.random() < 0.5), rare_lies(chance.rng)
    lies = sum(bool(answer(truth, epsilon, rng=chance.rng)) != truth for _ in range(MANY))
    if stats.binom.sf(lies - 1, MANY, share) < chance.failure / 2:
        return Shared.NOT_EVERYWHERE.seen(
            f"At ε = {epsilon:.3g} you lie in {lies} of {MANY:,} reports; about {MANY * share:.0f} should be lies.",
            "Your coin follows ε below. Up to which ε does it, and what happens to your probability above?",
        )
    return too_rare(lies, share, epsilon, chance.failure / 2)


COIN = (
    _returns_boolean,
    Frequencies(
        _questions,
        call=lambda answer, question, rng: bool(answer(question[1], question[0], rng=rng)),
        runs=7000,
        mistakes=_COINS,
        words=lambda question, said: (
            f"At ε = {question[0]:.2f}, if Ana's answer is {'yes' if question[1] else 'no'}, your coin says "
            f"{'yes' if said else 'no'}"
        ),
        hint="How many times as likely as the lie may the truth be? And what do the two add up to?",
    ),
    Audited(
        pairs=lambda rng: (True, False),
        claim=Guarantee(1.2, 0.0, Neighbours.REPLACE_ONE),
        runs=4000,
        call=lambda answer, truth, rng: bool(answer(truth, 1.2, rng=rng)),
        hint="How many times as likely may a yes be with one answer of Ana's as with the other? And a no?",
    ),
    Everywhere(
        _at_any_epsilon,
        settings=5000,
        often=4000,
        asked=(1,),
        exact="your coin said the truth",
        ask="You were asked at many ε. Does your coin follow ε everywhere?",
    ),
    _rarely,
)
