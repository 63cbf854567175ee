"""Cases that look at many runs: usefulness, averages, frequencies."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance, Diagnosis
from dpcourse.checks.cases.known import CONSTANT, Call, Mistake, Pairs, frozen, plainly
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
            f"at least {self.at_least:.0%} should. "
            f"Half of them miss the truth by {np.nanmedian(errors):.3g} or more.",
            self.hint,
        )


@dataclass(frozen=True)
class Unbiased:
    """The answer is right on average, coordinate by coordinate.

    A Student-t test at `chance.failure` over the coordinates; it needs results whose tails are not heavy and a few
    hundred runs to hold its level.

    Parameters
    ----------
    inputs : callable
        ``inputs(rng) -> (data, truth)``, drawn once.
    call : callable
        ``call(answer, data, rng) -> number or array`` shaped like the truth.
    runs : int
    mistakes : sequence of Mistake
        ``gives(data, truth)`` is the expectation a known mistake has; the nearest one within the test's own band
        speaks.
    """

    inputs: Callable[[Generator], tuple[Any, Any]]
    call: Call = plainly
    runs: int = 1000
    mistakes: Sequence[Mistake] = ()
    hint: str = "What is the expectation of what you compute? Write it down, and solve for the truth."

    def __call__(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        data, truth = self.inputs(chance.rng)
        data, truth = frozen(data), np.asarray(truth, dtype=float)
        results = np.array([np.asarray(self.call(answer, data, chance.rng), dtype=float) for _ in range(self.runs)])
        if results.shape[1:] != truth.shape:
            return Diagnosis("wrong-shape", f"The result has shape {results.shape[1:]}, and {truth.shape} is wanted.")
        mean = results.mean(axis=0)
        band = stats.t.isf(chance.failure / (2 * max(truth.size, 1)), self.runs - 1) * (
            results.std(axis=0, ddof=1) / np.sqrt(self.runs)
        ) + 1e-9 * np.abs(truth)
        if (np.abs(mean - truth) <= band).all():
            return None
        fits = [
            (float(np.max(np.abs(mean - wanted) / np.maximum(band, 1e-300))), index)
            for index, wanted in enumerate(
                np.asarray(mistake.gives(data, truth), dtype=float) for mistake in self.mistakes
            )
        ]
        if fits and min(fits)[0] <= 1:
            return self.mistakes[min(fits)[1]].diagnosis
        worst = np.unravel_index(np.argmax(np.abs(mean - truth) / np.maximum(band, 1e-300)), truth.shape)
        return Diagnosis(
            "biased",
            f"On average over {self.runs:,} runs you give {mean[worst]:.4g} where the truth is {truth[worst]:.4g}; "
            f"chance explains a difference of {band[worst]:.2g} at most.",
            self.hint,
        )


@dataclass(frozen=True)
class Frequencies:
    """Outputs from a finite set occur as often as they should.

    Parameters
    ----------
    inputs : callable
        ``inputs(rng) -> (data, probabilities)`` with probabilities a dict of output → probability.
    call : callable
        ``call(answer, data, rng) -> sequence of outputs`` (one, or many at once).
    runs : int
        Calls.
    mistakes : sequence of Mistake
        ``gives(data)`` is the dict a known mistake has; if the frequencies do not contradict it, its diagnosis is
        given.
    """

    inputs: Callable[[Generator], tuple[Any, Mapping[Any, float]]]
    call: Call = plainly
    runs: int = 1
    mistakes: Sequence[Mistake] = ()
    hint: str = "Which probability should each output have? Add them up: they must give 1."

    def __call__(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        data, wanted = self.inputs(chance.rng)
        data = frozen(data)
        counts: dict[Hashable, int] = {}
        for _ in range(self.runs):
            for output in np.ravel(np.asarray(self.call(answer, data, chance.rng))).tolist():
                counts[output] = counts.get(output, 0) + 1
        total = sum(counts.values())
        if not total:
            return Diagnosis(
                "returns-nothing", "Your function returns nothing.", "One output for each person is wanted."
            )
        worst = self._against(wanted, counts, total, chance.failure)
        if worst is None:
            return None
        fitting = [m for m in self.mistakes if self._against(m.gives(data), counts, total, chance.failure) is None]
        if fitting:
            return fitting[0].diagnosis
        return Diagnosis(
            "wrong-frequency",
            f"{worst!r} comes out {counts.get(worst, 0) / total:.1%} of the time; right is {wanted.get(worst, 0):.1%}.",
            self.hint,
        )

    @staticmethod
    def _against(
        wanted: Mapping[Any, float], counts: dict[Hashable, int], total: int, failure: float
    ) -> Hashable | None:
        """The output whose count these probabilities cannot explain (exact binomial, Bonferroni), or None."""
        impossible = [output for output in counts if wanted.get(output, 0) <= 0]
        if impossible:
            return impossible[0]
        tests = {o: stats.binomtest(counts.get(o, 0), total, min(p, 1.0)).pvalue for o, p in wanted.items()}
        worst = min(tests, key=tests.__getitem__)
        return worst if tests[worst] < failure / len(tests) else None


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
