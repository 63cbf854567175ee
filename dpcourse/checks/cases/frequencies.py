"""The case for a law: outputs from finite sets, which occur as often as they should on several questions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases.known import Call, Mistake, frozen, plainly
from dpcourse.checks.diagnosis import Diagnosis, Refused

Law = Mapping[Any, float]


@dataclass(frozen=True)
class Frequencies:
    """Outputs from finite sets occur as often as they should; of the mistakes that fit, the likeliest is named.

    Questions are judged together: mistakes alike in one may differ in another. Every output's count is tested exactly
    (binomial, Bonferroni over outputs and questions).

    Parameters
    ----------
    inputs : callable
        ``inputs(rng) -> (questions, laws)``: a sequence of data, and for each its dict of output → probability.
    runs : int or sequence of int
        Calls for each question: as many for all, or so many for each.
    call : callable
        ``call(answer, question, rng)``: an output, or an array of independent ones.
    mistakes : sequence of Mistake
        ``gives(questions)`` are the laws a known mistake has.
    words : callable
        ``words(question, output) -> str``: "Of twelve values … none is above", to begin a sentence with.
    hint : str
        For an answer that no mistake explains.
    """

    inputs: Callable[[Generator], tuple[Sequence[Any], Sequence[Law]]]
    runs: int | Sequence[int]
    hint: str
    call: Call = plainly
    mistakes: Sequence[Mistake] = ()
    words: Callable[[Any, Any], str] = lambda question, output: f"{output!r} comes out"

    def __call__(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        questions, laws = self.inputs(chance.rng)
        runs = [self.runs] * len(questions) if isinstance(self.runs, int) else self.runs
        counts = [
            self._counted(answer, frozen(question), often, chance.rng)
            for question, often in zip(questions, runs, strict=True)
        ]
        worst = _against(laws, counts, chance.failure)
        if worst is None:
            return None
        known = [(mistake.gives(questions), mistake.diagnosis) for mistake in self.mistakes]
        fitting = [one for one in known if _against(one[0], counts, chance.failure) is None]
        if fitting:
            return max(fitting, key=lambda one: _likelihood(one[0], counts))[1]
        place, output = worst
        return Diagnosis(
            "wrong-frequency",
            f"{self.words(questions[place], output)} in {counts[place][output] / counts[place].total():.1%} of "
            f"{counts[place].total():,} draws; right is {laws[place].get(output, 0):.1%}.",
            self.hint,
        )

    def _counted(self, answer: Answer, question: Any, runs: int, rng: Generator) -> Counter[Hashable]:
        counts: Counter[Hashable] = Counter()
        for turn in range(1, runs + 1):
            output = self.call(answer, question, rng)
            some = output.ravel().tolist() if isinstance(output, np.ndarray) else [output]
            counts.update(some)
            if not some or counts.total() != turn * len(some):
                seen = f"Asked the same, you return {len(some)} results in one call, and in others another number."
                raise Refused(Diagnosis("wrong-shape", seen, "What decides the shape of your result?"))
        return counts


def for_each(law: Callable[[Any], Law]) -> Callable[[Sequence[Any]], list[Law]]:
    """What `inputs` and mistakes give, from the law of one question."""
    return lambda questions: [law(question) for question in questions]


def _likelihood(laws: Sequence[Law], counts: Sequence[Counter[Hashable]]) -> float:
    """The logarithm, of laws that leave nothing seen impossible."""
    return sum(n * math.log(law[output]) for law, seen in zip(laws, counts, strict=True) for output, n in seen.items())


def _against(laws: Sequence[Law], counts: Sequence[Counter[Hashable]], failure: float) -> tuple[int, Hashable] | None:
    """The question and the output whose count these laws cannot explain, or None."""
    chances: dict[tuple[int, Hashable], float] = {}
    for place, (law, seen) in enumerate(zip(laws, counts, strict=True)):
        for output in {**law, **seen}:
            p = min(max(law.get(output, 0.0), 0.0), 1.0)
            chances[place, output] = float(stats.binomtest(seen[output], seen.total(), p).pvalue)
    worst = min(chances, key=lambda one: chances[one])
    return worst if chances[worst] < failure / len(chances) else None
