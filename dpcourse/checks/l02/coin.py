"""The exercise on a coin for any ε: how often it tells the truth, and an audit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Trial, Wrong
from dpcourse.checks.cases import Audited, Frequencies, Mistake
from dpcourse.checks.cases.known import CONSTANT
from dpcourse.privacy import Guarantee, Neighbours


def _question(rng: np.random.Generator) -> tuple[bool, float]:
    return bool(rng.random() < 0.5), float(rng.uniform(0.4, 2.0))


def _both(answer: Answer, epsilon: float, rng: np.random.Generator) -> list[str]:
    """Ask once somebody who means yes and once somebody who means no."""
    return [_heard(truth, bool(answer(truth, epsilon, rng=rng))) for truth in (True, False)]


def _heard(truth: bool, said: bool) -> str:
    return f"{'yes' if said else 'no'} from who means {'yes' if truth else 'no'}"


def _says(yes: Any, no: Any = None) -> Any:
    """A coin that says yes of a yes with probability ``yes(epsilon)``, and no of a no with ``no(epsilon)``."""
    no = yes if no is None else no

    def distribution(epsilon: float) -> dict[str, float]:
        said = {(True, True): yes(epsilon), (False, False): no(epsilon)}
        said |= {(True, False): 1 - said[True, True], (False, True): 1 - said[False, False]}
        return {_heard(*pair): chance / 2 for pair, chance in said.items()}

    return distribution


def _right(epsilon: float) -> float:
    return 1 / (1 + math.exp(-epsilon))


_COINS = (
    Mistake(
        _says(lambda epsilon: (1 + _right(epsilon)) / 2),
        Wrong(
            "When the coin says to lie, your answer is drawn afresh and is the truth half of the time. That makes "
            "the truth more likely than ε allows.",
            "With probability 1/(1 + e^ε) say the opposite of the truth.",
            "lie-may-be-true",
        ),
    ),
    Mistake(
        _says(lambda epsilon: 1 - _right(epsilon)),
        Wrong("You lie as often as you should tell the truth.", "Which is larger, e^ε or 1?", "upside-down"),
    ),
    Mistake(
        _says(lambda epsilon: 0.75),
        Wrong(
            "You tell the truth 75% of the time whatever ε is: that is the coin of the lesson, with ε = ln 3.",
            "The chance of the truth must follow ε.",
            "ignores-epsilon",
        ),
    ),
    Mistake(
        _says(lambda epsilon: 0.5),
        Wrong(
            "Your answers say nothing about the truth.", "A fair coin keeps every secret, and the count too.", "useless"
        ),
    ),
    Mistake(
        _says(lambda epsilon: 1.0),
        Wrong("You always tell the truth.", "Where is the coin?", "always-true"),
    ),
    Mistake(
        _says(lambda epsilon: 1 - math.exp(-epsilon)),
        Wrong(
            "You tell the truth with probability 1 − e^(−ε). The ratio of truth to lie is then e^ε − 1.",
            "The ratio has to be e^ε: truth + lie = 1 and truth/lie = e^ε.",
            "wrong-ratio",
        ),
    ),
    Mistake(
        _says(lambda epsilon: _right(epsilon / 2)),
        Wrong(
            "You spend half of ε: the ratio of truth to lie is e^(ε/2).",
            "One answer changes, and the ratio may be e^ε.",
            "half-epsilon",
        ),
    ),
    Mistake(
        _says(lambda epsilon: _right(2 * epsilon)),
        Wrong(
            "The ratio of truth to lie is e^(2ε): that is twice the ε allowed.",
            "Solve truth + lie = 1 and truth/lie = e^ε.",
            "double-epsilon",
        ),
    ),
    Mistake(
        _says(lambda epsilon: 1.0, _right),
        Wrong(
            "Whoever means yes always says yes, so a no gives away whoever says it.",
            "Both answers need the coin.",
            "one-sided",
        ),
    ),
    Mistake(
        _says(_right, lambda epsilon: 1.0),
        Wrong(
            "Whoever means no always says no, so a yes gives away whoever says it.",
            "Both answers need the coin.",
            "one-sided",
        ),
    ),
    Mistake(_says(lambda epsilon: 1.0, lambda epsilon: 0.0), CONSTANT),
    Mistake(_says(lambda epsilon: 0.0, lambda epsilon: 1.0), CONSTANT),
)


def _returns_boolean(answer: Answer, trial: Trial) -> Wrong | None:
    """A boolean comes back, drawn from the generator given. (A right coin may well repeat itself 20 times.)"""
    for seed in trial.rng.integers(2**32, size=40).tolist():
        truth, epsilon = _question(trial.rng)
        results = [answer(truth, epsilon, rng=np.random.default_rng(seed)) for _ in range(2)]
        for result in results:
            if result is None:
                return Wrong("Your function returns nothing (None).", "Is a `return` missing?", "returns-nothing")
            if not isinstance(result, bool | np.bool_):
                return Wrong(f"True or False is wanted; you return {result!r}.", "", "wrong-type")
        if results[0] != results[1]:
            return Wrong(
                "Your function draws from a generator of its own: the same `rng` gave different results.",
                "Draw from the `rng` you are given (rng.random()).",
                "own-generator",
            )
    return None


def _asked(around: float, runs: int) -> Frequencies:
    def at_some_epsilon(rng: np.random.Generator) -> tuple[float, dict[str, float]]:
        epsilon = float(around + rng.uniform(-0.05, 0.05))  # one that no answer can have been waiting for
        return epsilon, _says(_right)(epsilon)

    return Frequencies(
        inputs=at_some_epsilon,
        call=_both,
        runs=runs,
        mistakes=_COINS,
        hint="Solve truth + lie = 1 and truth/lie = e^ε.",
    )


COIN = (
    _returns_boolean,
    # Near ε = 1.6 the known mistakes lie 0.035 or more apart in their chance of the truth: 6000 askings separate them.
    # Only 1 − e^(−ε) comes near the right chance there, and near ε = 0.85 it does not.
    _asked(1.6, 6000),
    _asked(0.85, 8000),
    Audited(
        pairs=lambda rng: (True, False),
        claim=Guarantee(1.2, 0.0, Neighbours.REPLACE_ONE),
        runs=4000,
        call=lambda answer, truth, rng: bool(answer(truth, 1.2, rng=rng)),
        hint="The ratio of P[yes | yes] to P[yes | no] may be e^ε at most, and so may that of the noes.",
    ),
)
