"""Exercise 04.3: the exponential mechanism."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Trial, Wrong
from dpcourse.checks.cases import Audited, Frequencies, Mistake, either_order
from dpcourse.privacy import Guarantee

CLAIM = Guarantee(1.0)


def _at_one(answer: Answer, data: Any, rng: Generator) -> Any:
    return answer(*data, 1.0, rng=rng)


def _utilities(rng: Generator) -> tuple[list[str], np.ndarray, float, float]:
    names = [f"option {letter}" for letter in rng.permutation(list("ABCDE"))[:4]]
    sensitivity = float(rng.uniform(2.8, 3.3))  # where no two of the known mistakes give the same weights
    utilities = sensitivity * np.array([0.0, 1.2, 2.2, 3.0])[rng.permutation(4)]
    return names, utilities, sensitivity, float(rng.uniform(0.6, 0.75))


def _probabilities(
    data: tuple[list[str], np.ndarray, float, float],
    factor: float,
    sensitivity: float | None = None,
    epsilon: float | None = None,
) -> dict:
    names, utilities, delta, given = data
    exponent = (
        factor * (given if epsilon is None else epsilon) * utilities / (delta if sensitivity is None else sensitivity)
    )
    weights = np.exp(exponent - exponent.max())
    return dict(zip(names, weights / weights.sum(), strict=True))


def _argmax(data: tuple[list[str], np.ndarray, float, float]) -> dict:
    names, utilities, *_ = data
    return {name: float(u == utilities.max()) for name, u in zip(names, utilities, strict=True)}


def _extremes(answer: Answer, trial: Trial) -> Wrong | None:
    """Utilities of ±10^6 must not stop the function, whichever way they point."""
    rng = trial.rng
    for utilities in ([1e6, -1e6, 1e6], [-1e6, -1e6, -1e6], [1e6, 1e6 - 1, -1e6], [-1e6, 1e6, 0.0]):
        names = [f"{letter}{rng.integers(100)}" for letter in "xyz"]
        try:
            with np.errstate(all="ignore"):
                chosen = answer(names, np.array(utilities), 1.0, 1.0, rng=rng)
        except Exception as error:
            return Wrong(
                f"With utilities {utilities} your function stops ({error}). The utilities come from the data, so the "
                "crash is an answer about them.",
                "Subtract the largest exponent from all before you exponentiate: the probabilities stay the same.",
                "overflow",
            )
        best = [name for name, u in zip(names, utilities, strict=True) if u > max(utilities) - 100]
        if chosen not in best:
            if chosen in names and chosen == names[int(np.argmin(utilities))]:
                return Wrong("You prefer small utilities.", "The weight grows with the utility.", "sign-reversed")
            return Wrong(
                f"With utilities {utilities} you choose {chosen!r}: with exponents of that size something overflowed.",
                "Subtract the largest exponent from all before you exponentiate.",
                "overflow",
            )
    return None


def _many_losers(rng: Generator) -> tuple[Any, Any]:
    """One candidate falls and all others rise by the whole sensitivity: where a missing 2 shows."""
    names = [f"{i}" for i in range(20)]
    here, there = np.zeros(20), np.ones(20)
    place = int(rng.integers(20))
    here[place], there[place] = 1.0, 0.0
    return either_order((names, here, 1.0), (names, there, 1.0), rng)


def _is_choice(answer: Answer, trial: Trial) -> Wrong | None:
    names, utilities, sensitivity, epsilon = _utilities(trial.rng)
    chosen = answer(list(names), utilities.copy(), sensitivity, epsilon, rng=trial.rng)
    if chosen is None:
        return Wrong("Your function returns nothing (None).", "Is a `return` missing?", "returns-nothing")
    if not isinstance(chosen, str) or chosen not in names:
        return Wrong(f"You return {chosen!r}; one of the candidates is wanted.", "candidates[index]", "not-a-candidate")
    return None


EXPONENTIAL = (
    _is_choice,
    _extremes,
    Frequencies(
        lambda rng: (data := _utilities(rng), _probabilities(data, 0.5)),
        call=lambda answer, data, rng: [answer(*data, rng=rng)],
        runs=6000,
        mistakes=(
            Mistake(
                _argmax,
                Wrong("You always choose the best: no randomness, no privacy.", "Draw from the weights.", "argmax"),
            ),
            Mistake(
                lambda data: _probabilities(data, 1.0),
                Wrong(
                    "Your weights are exp(εu/Δ). One person can raise one utility and lower the others, so that the "
                    "weight and the sum of weights move against each other.",
                    "Each may take half of ε: exp(εu/2Δ).",
                    "missing-two",
                ),
            ),
            Mistake(
                lambda data: _probabilities(data, 0.5, epsilon=1.0),
                Wrong(
                    "The ε you are given does not enter: your weights are those of ε = 1.",
                    "exp(εu/2Δ): a smaller ε makes the weights more alike.",
                    "epsilon-ignored",
                ),
            ),
            Mistake(
                lambda data: _probabilities(data, 0.5, 1.0),
                Wrong(
                    "The sensitivity does not enter.", "exp(εu/2Δ): measure utilities in units of Δ.", "no-sensitivity"
                ),
            ),
            Mistake(
                lambda data: _probabilities(data, 0.5, 1 / data[2]),
                Wrong("You multiply by the sensitivity.", "Divide: exp(εu/2Δ).", "sensitivity-upside-down"),
            ),
            Mistake(
                lambda data: _probabilities(data, 0.0),
                Wrong("All candidates are equally likely.", "Where do the utilities come in?", "uniform"),
            ),
            Mistake(
                lambda data: _probabilities(data, -0.5),
                Wrong("You prefer small utilities.", "The weight grows with the utility.", "sign-reversed"),
            ),
            Mistake(
                lambda data: _probabilities(data, 0.25),
                Wrong("Your weights are exp(εu/4Δ): more noise than needed.", "One 2 is enough.", "two-twos"),
            ),
        ),
    ),
    Audited(
        _many_losers,
        CLAIM,
        call=_at_one,
        runs=2500,
        hint="One candidate fell and all others rose. Is there a 2 in your exponent?",
        key="missing-two",
    ),
)
