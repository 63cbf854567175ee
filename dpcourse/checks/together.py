"""A case that asks several questions and judges the answers together: mistakes alike in one may differ in another."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance, Diagnosis
from dpcourse.checks.cases.known import Mistake, frozen

Law = Mapping[Any, float]


@dataclass(frozen=True)
class Together:
    """Outputs from finite sets occur as often as they should, on several inputs; the likeliest mistake is named.

    Every output's count is tested exactly (binomial, Bonferroni over outputs and inputs).

    Parameters
    ----------
    inputs : callable
        ``inputs(rng) -> (questions, laws)``: a sequence of data, and for each its dict of output → probability.
    call : callable
        ``call(answer, question, rng) -> output``.
    runs : int
        Calls for each question.
    mistakes : sequence of Mistake
        ``gives(questions)`` are the laws a known mistake has.
    words : callable
        ``words(question, output) -> str``: "Of twelve values … none is above", to begin a sentence with.
    hint, key : str
        For an answer that no mistake explains.
    """

    inputs: Callable[[Generator], tuple[Sequence[Any], Sequence[Law]]]
    call: Callable[[Answer, Any, Generator], Hashable]
    runs: int
    mistakes: Sequence[Mistake]
    words: Callable[[Any, Any], str]
    hint: str
    key: str = "wrong-frequency"

    def __call__(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        questions, laws = self.inputs(chance.rng)
        counts = []
        for question in questions:
            asked = frozen(question)
            counts.append(Counter(self.call(answer, asked, chance.rng) for _ in range(self.runs)))
        worst = self._against(laws, counts, chance.failure)
        if worst is None:
            return None
        known = [(mistake.gives(questions), mistake.diagnosis) for mistake in self.mistakes]
        fitting = [one for one in known if self._against(one[0], counts, chance.failure) is None]
        if fitting:
            return max(fitting, key=lambda one: self._likelihood(one[0], counts))[1]
        place, output = worst
        return Diagnosis(
            self.key,
            f"{self.words(questions[place], output)} in {counts[place][output] / self.runs:.1%} of {self.runs:,} "
            f"calls; right is {laws[place].get(output, 0):.1%}.",
            self.hint,
        )

    @staticmethod
    def _likelihood(laws: Sequence[Law], counts: Sequence[Counter[Hashable]]) -> float:
        """The logarithm, of laws that leave nothing seen impossible."""
        return sum(
            n * math.log(law[output]) for law, seen in zip(laws, counts, strict=True) for output, n in seen.items()
        )

    def _against(
        self, laws: Sequence[Law], counts: Sequence[Counter[Hashable]], failure: float
    ) -> tuple[int, Hashable] | None:
        """The question and the output whose count these laws cannot explain, or None."""
        chances: dict[tuple[int, Hashable], float] = {}
        for place, (law, seen) in enumerate(zip(laws, counts, strict=True)):
            for output in {**law, **seen}:
                p = min(max(law.get(output, 0.0), 0.0), 1.0)
                chances[place, output] = float(stats.binomtest(seen[output], self.runs, p).pvalue)
        worst = min(chances, key=lambda one: chances[one])
        return worst if chances[worst] < failure / len(chances) else None
