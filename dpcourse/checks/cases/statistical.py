"""Cases that look at many runs: usefulness, averages, frequencies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases.known import CONSTANT, Call, Pairs, frozen, plainly
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.vocabulary import Shared


@dataclass(frozen=True)
class Useful:
    """The answer is close to the truth often enough.

    It is refused only if the share of good runs is below `at_least` beyond doubt (one-sided Clopper–Pearson), so choose
    `within` and `at_least` such that the best mechanism reaches more than `at_least`.

    Parameters
    ----------
    pairs : callable
        ``pairs(rng) -> (data, neighbour)``, the factory of the audit: one of the two is drawn for every run.
    truth : callable
        ``truth(data) -> number or array``.
    within : float or callable
        The error still called good; ``within(data)`` where it depends on the data.
    at_least : float
        The share of runs that must be good.
    runs : int
        Answers drawn, each on data drawn anew.
    error : callable
        ``error(output, truth) -> number``; the largest absolute difference unless given.
    call : callable
        ``call(answer, data, rng) -> output``, where the answer takes more than data and rng.
    hint : str
        The next step for an answer that is too noisy.
    """

    pairs: Pairs
    truth: Callable[[Any], Any]
    within: float | Callable[[Any], float]
    at_least: float = 0.9
    runs: int = 1000
    error: Callable[[Any, Any], float] | None = None
    call: Call = plainly
    hint: str = "Is there more noise than the claim asks for? What is the smallest scale that keeps it?"

    def __call__(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        rng = chance.rng
        drawn = [frozen(pair) for pair in (self.pairs(rng) for _ in range(20))]
        truths = [tuple(self.truth(data) for data in pair) for pair in drawn]
        sides = zip(rng.integers(20, size=self.runs), rng.integers(2, size=self.runs), strict=True)
        good, errors, results, right = 0, [], [], []
        for which, side in sides:
            data, truth = drawn[which][side], truths[which][side]
            output = self.call(answer, data, rng)
            errors.append(float(_distance(output, truth) if self.error is None else self.error(output, truth)))
            # A NaN error is not within anything, so it counts as a bad run.
            good += bool(errors[-1] <= (self.within(data) if callable(self.within) else self.within))
            results.append(output)
            right.append(truth)
        # The upper Clopper–Pearson bound on the share of good runs.
        if good == self.runs or stats.beta.ppf(1 - chance.failure, good + 1, self.runs - good) >= self.at_least:
            return None
        if len({np.asarray(output).tobytes() for output in results}) == 1:
            return CONSTANT
        if _unrelated(results, right):
            return Shared.IGNORES_DATA.seen(
                "Your results do not follow the data: where the truth is larger, they are not."
            )
        near = "" if callable(self.within) else f" of {self.within:g}"
        return Diagnosis(
            "not-useful",
            f"Only {good / self.runs:.0%} of your results lie within the allowed error{near}; "
            f"at least {self.at_least:.0%} should."
            + (f" Half of them miss the truth by {np.nanmedian(errors):.3g} or more." if np.nanmedian(errors) else ""),
            self.hint,
        )


def _distance(output: Any, truth: Any) -> float:
    got, wanted = np.asarray(output, dtype=float), np.asarray(truth, dtype=float)
    if got.shape != wanted.shape:
        raise ValueError(f"a result of shape {got.shape} where {wanted.shape} is wanted")
    return float(np.max(np.abs(got - wanted), initial=0.0))


def _unrelated(results: list[Any], truths: list[Any]) -> bool:
    """Whether single numbers are uncorrelated with their truths (which only chooses the words of a diagnosis)."""
    got, wanted = np.asarray(results), np.asarray(truths)
    if got.ndim != 1 or got.dtype.kind not in "biuf" or wanted.shape != got.shape or wanted.dtype.kind not in "biuf":
        return False
    if not np.isfinite(got).all() or np.ptp(wanted) == 0 or np.ptp(got) == 0:
        return False
    return abs(stats.spearmanr(got, wanted).statistic) < 4 / np.sqrt(len(got))
