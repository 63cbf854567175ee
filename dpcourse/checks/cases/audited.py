"""The case that attacks: neighbouring datasets, a claim, and an auditor who tries to refute it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Trial, Wrong
from dpcourse.checks.cases.known import Call, Pairs, frozen, plainly
from dpcourse.privacy import Guarantee


@dataclass(frozen=True)
class Audited:
    """The answer keeps its claim, as far as an auditor can see on neighbouring datasets drawn anew.

    Each pair is looked at twice, first with an eighth of the runs, where most mistakes show already. Every look has the
    same share of `trial.failure`, so over all of them together a right answer is accused with that probability at most.

    Parameters
    ----------
    pairs : callable
        ``pairs(rng) -> (data, neighbour)``: neighbours under the claim's relation, chosen where the mistakes people
        make show (the record at a bound, the rare category, the empty cell).
    claim : Guarantee
    runs : int
        Runs a side in the second look: half choose the event, half certify it.
    times : int
        Pairs drawn.
    call : callable
        ``call(answer, data, rng) -> output``.
    view : callable
        What the auditor sees of an output, such as one coordinate or a sum. It is post-processing, so it can only help
        the answer. Round floats here where the exercise draws them naively, or the auditor may find the hole in their
        low bits (lesson 14) before the mistake the exercise is about.
    hint : str
        The next step for an answer that is caught.
    key : str
        For tests.
    diagnose : callable, optional
        ``diagnose(answer, trial, audit_result) -> Wrong | None`` to name the mistake more closely.
    """

    pairs: Pairs
    claim: Guarantee
    runs: int = 4000
    times: int = 1
    call: Call = plainly
    view: Callable[[Any], Any] | None = None
    hint: str = "How much can one person change what you release, and is that in the scale of the noise?"
    key: str = "not-private"
    diagnose: Callable[[Answer, Trial, Any], Wrong | None] | None = None

    def __call__(self, answer: Answer, trial: Trial) -> Wrong | None:
        from dpcourse.audit import audit  # here, because only a check that audits needs it

        def mechanism(data: Any, rng: Generator) -> Any:
            output = self.call(answer, data, rng)
            return output if self.view is None else self.view(output)

        confidence = 1 - trial.failure / self.times / 2
        for _ in range(self.times):
            data, neighbour = (frozen(side) for side in self.pairs(trial.rng))
            for runs, rng in zip((max(self.runs // 8, 4), self.runs), trial.rng.spawn(2), strict=True):
                result = audit(mechanism, data, neighbour, claim=self.claim, runs=runs, confidence=confidence, rng=rng)
                if result.violated:
                    named = self.diagnose(answer, trial, result) if self.diagnose else None
                    return named or self._accuse(mechanism, data, neighbour, result, trial)
        return None

    def _accuse(self, mechanism: Any, data: Any, neighbour: Any, result: Any, trial: Trial) -> Wrong:
        alike = [
            len({np.asarray(mechanism(side, trial.rng)).tobytes() for _ in range(20)}) == 1
            for side in (data, neighbour)
        ]
        if all(alike):
            return Wrong(
                "The same data always give the same result, and one person more or less changes it: "
                "whoever knows all the others reads that person off.",
                "Where does the randomness come in?",
                "no-noise",
            )
        seen = "no ε at all" if not np.isfinite(result.epsilon_lower) else f"ε ≥ {result.epsilon_lower:.3g}"
        return Wrong(
            f"Your release tells two neighbouring datasets apart: {seen} at 99.9999% confidence, "
            f"you claim {self.claim}. "
            f"What gives it away: {result.event}.",
            self.hint,
            self.key,
        )


def either_order(here: Any, there: Any, rng: Generator) -> tuple[Any, Any]:
    """Both neighbours, in an order that an answer cannot count on."""
    return (here, there) if rng.random() < 0.5 else (there, here)
