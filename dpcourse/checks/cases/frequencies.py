"""The case for a law: outputs from finite sets, which occur as often as they should on several questions."""

from __future__ import annotations

import itertools
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
from dpcourse.checks.links import Draws, linked, mapped
from dpcourse.checks.vocabulary import Shared

Law = Mapping[Any, float]


@dataclass(frozen=True)
class Frequencies:
    """Outputs from finite sets occur as often as they should; of the mistakes that fit, the likeliest is named.

    Questions are judged together: mistakes alike in one may differ in another. Every output's count is tested exactly
    (binomial, Bonferroni over outputs and questions). Last, whether outputs hang together (`links`).

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
        outputs = [
            self._asked(answer, frozen(question), often, chance.rng)
            for question, often in zip(questions, runs, strict=True)
        ]
        counts = [Counter(itertools.chain.from_iterable(some)) for some in outputs]
        worst = _against(laws, counts, 0.9 * chance.failure)
        if worst is None:
            single = [(law, some) for law, some in zip(laws, outputs, strict=True) if len(some[0]) == 1]
            places = [_places([one for (one,) in some], law, chance.rng) for law, some in single]
            where = linked(list(map(Draws.of_places, places)), 0.05 * chance.failure)
            where = where or (mapped(places, 0.05 * chance.failure) if places else "")
            return Shared.LINKED_NOISE.seen(f"What comes out hangs together: {where}.") if where else None
        known = [(mistake.gives(questions), mistake.diagnosis) for mistake in self.mistakes]
        fitting = [one for one in known if _against(one[0], counts, chance.failure) is None]
        if fitting:
            return max(fitting, key=lambda one: _likelihood(one[0], counts))[1]
        place, output = worst
        return Diagnosis(
            "wrong-frequency",
            f"{self.words(questions[place], output)} in {_percent(counts[place][output] / counts[place].total())} of "
            f"{counts[place].total():,} draws; right is {_percent(laws[place].get(output, 0))}.",
            self.hint,
        )

    def _asked(self, answer: Answer, question: Any, runs: int, rng: Generator) -> list[list[Hashable]]:
        outputs: list[list[Hashable]] = []
        for _ in range(runs):
            output = self.call(answer, question, rng)
            outputs.append(output.ravel().tolist() if isinstance(output, np.ndarray) else [output])
            some = len(outputs[-1])
            if not some or some != len(outputs[0]):
                seen = f"Asked the same, you return {some} results in one call, and in others another number."
                raise Refused(Diagnosis("wrong-shape", seen, "What decides the shape of your result?"))
        return outputs


def _percent(share: float) -> str:
    """With as many digits as it takes to tell it from nothing.

    >>> _percent(0.25), _percent(0.00012), _percent(0.0)
    ('25.0%', '0.012%', '0.0%')
    """
    return f"{share:.1%}" if share >= 0.001 or not share else f"{100 * share:.2g}%"


def _places(outputs: Sequence[Hashable], law: Law, rng: Generator) -> np.ndarray:
    """Where each output lies in a law, one after the other: uniform between 0 and 1 if they are of it."""
    ends = dict(zip(law, np.cumsum(list(law.values())).tolist(), strict=True))
    return np.array([ends[output] - rng.random() * law[output] for output in outputs])


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
