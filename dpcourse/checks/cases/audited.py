"""The case that attacks: neighbouring datasets, a claim, and an auditor who tries to refute it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases.known import Call, Pairs, frozen, plainly
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.vocabulary import Shared
from dpcourse.privacy import Guarantee

if TYPE_CHECKING:
    from dpcourse.audit import AuditResult


ENOUGH, LIKELY = 3 / 8, 0.8  # where nothing is likely to be wrong after so many runs, the others are not asked for
SHARES = (1 / 8, ENOUGH, 1.0)  # of all runs, in each look


@dataclass(frozen=True)
class View:
    """One way to look at the outputs of `Audited`, which is post-processing and can only help the answer.

    Parameters
    ----------
    of : callable
        ``of(output) -> what the auditor sees``; None for all of it.
    hint, key, diagnose
        As in `Audited`, for an answer that this view catches.
    what : str
        What a diagnosis calls the thing seen.
    """

    of: Callable[[Any], Any] | None
    hint: str
    key: str = "not-private"
    diagnose: Callable[[Answer, Chance, Any], Diagnosis | None] | None = None
    what: str = "output"

    def shows(self, output: Any) -> Any:
        return output if self.of is None else self.of(output)


@dataclass(frozen=True)
class Audited:
    """The answer keeps its claim, as far as an auditor can see on neighbouring datasets drawn anew.

    Each pair is looked at with an eighth of the runs, where most mistakes show already, with three eighths, and with
    all. Every look through every view has the same share of `chance.failure`, so over all of them together a right
    answer is accused with that probability at most. It is seldom run so often: where three eighths do not even refute
    the claim at 80% confidence, in any view, all would hardly refute it at 1 − failure (of Laplace noise of 3/4 of the
    scale, at claim 1 and 5,000 runs, 15 in 400 were missed; where all runs were always made, 4).

    Parameters
    ----------
    pairs : callable
        ``pairs(rng) -> (data, neighbour)``: neighbours under the claim's relation, chosen where the mistakes people
        make show (the record at a bound, the rare category, the empty cell).
    claim : Guarantee
    runs : int
        Runs a side in the last look: half choose the event, half certify it. At a failure of 1e-7 Laplace noise
        of half the scale is refuted by 2,500 runs at claim 1, by 5,000 at 0.5: none was missed in 1,500 trials of each.
    times : int
        Pairs drawn.
    call : callable
        ``call(answer, data, rng) -> output``.
    view, what : callable, str
        What the auditor sees of an output, such as one coordinate or a sum, and what a diagnosis calls it.
        Round floats here where the exercise draws them naively, or the auditor may find the hole in their low bits
        (lesson 14) before the mistake the exercise is about.
    hint : str
        The next step for an answer that is caught.
    key : str
        For tests.
    diagnose : callable, optional
        ``diagnose(answer, chance, audit_result) -> Diagnosis | None`` to name the mistake more closely.
    also : tuple of View
        Further views of the same outputs: they cost no runs, and the answer's calls are what takes the time.
    """

    pairs: Pairs
    claim: Guarantee
    runs: int = 4000
    times: int = 1
    call: Call = plainly
    view: Callable[[Any], Any] | None = None
    hint: str = "How much can one person change what you release, and is that in the scale of the noise?"
    key: str = "not-private"
    diagnose: Callable[[Answer, Chance, Any], Diagnosis | None] | None = None
    also: tuple[View, ...] = ()
    what: str = "output"

    def __call__(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        from dpcourse.audit import audit_outputs  # here, because only a check that audits needs it
        from dpcourse.audit.certify import run
        from dpcourse.audit.parts import Raised

        views = (View(self.view, self.hint, self.key, self.diagnose, self.what), *self.also)
        confidence = 1 - chance.failure / (len(SHARES) * self.times * len(views))

        def looked_at(data: Any, rng: Generator) -> tuple[Any, ...]:
            output = self.call(answer, data, rng)
            return tuple(view.shows(output) for view in views)

        def seen(outputs: list[list[Any]], view: int, confidence: float) -> AuditResult:
            shown = ([o if isinstance(o, Raised) else o[view] for o in side] for side in outputs)
            return audit_outputs(*shown, claim=self.claim, confidence=confidence)

        for _ in range(self.times):
            pair = [frozen(side) for side in self.pairs(chance.rng)]
            # A child of the check's generator can be run backwards to all of its secrets.
            rng = np.random.default_rng(int(chance.rng.integers(2**63)))
            outputs: list[list[Any]] = [[], []]
            for share in SHARES:
                runs = max(round(self.runs * share), 4)
                for side, some in zip(pair, outputs, strict=True):
                    some += run(looked_at, side, runs - len(some), rng)
                for place, view in enumerate(views):
                    result = seen(outputs, place, confidence)
                    if result.violated:
                        named = view.diagnose(answer, chance, result) if view.diagnose else None
                        return named or self._accuse(answer, pair, view, result, chance)
                stopped = [o for side in outputs for o in side if isinstance(o, Raised)]
                if len(stopped) > runs:  # more than half of all outputs: there is little to be told apart
                    often, words = len(stopped) / 2 / runs, stopped[0].words.partition(", in line")[0]
                    told = f"On two neighbouring datasets your function stops in {often:.0%} of runs: {words}."
                    ask = "An error is an output too. What should your function return there?"
                    return Diagnosis("raised", told, ask)
                if share == ENOUGH and not any(seen(outputs, view, LIKELY).violated for view in range(len(views))):
                    break
        return None

    def _accuse(self, answer: Answer, pair: list[Any], view: View, result: Any, chance: Chance) -> Diagnosis:
        alike = [
            len({np.asarray(view.shows(self.call(answer, side, chance.rng))).tobytes() for _ in range(100)}) == 1
            for side in pair
        ]
        if all(alike):
            return Shared.NO_NOISE.seen(
                "The same data always give the same result, and one person more or less changes it. "
                "Boris, who knows all the others, reads that person off.",
                "Where does the randomness come in?",
            )
        seen = "no ε at all holds" if not np.isfinite(result.epsilon_lower) else f"ε ≥ {result.epsilon_lower:.3g}"
        return Diagnosis(
            view.key,
            f"An auditor tells two neighbouring datasets apart: {seen}, and {self.claim} is wanted. "
            f"What gives it away: {_pointers(result.strongest.signs, pair).replace('output', view.what)}.",
            view.hint,
        )


def _pointers(signs: tuple[str, str], pair: list[Any]) -> str:
    """Which outputs Boris takes for a sign of which dataset."""
    here, there = (_size(side) for side in pair)
    if here is None or there is None or here == there:
        names = ["one dataset", "the other"] if all(signs) else ["one of the two"] * 2
    else:
        names = ["the larger dataset", "the smaller dataset"]
        names = names if here > there else names[::-1]
    return " and ".join(f"“{sign}” points to {name}" for sign, name in zip(signs, names, strict=True) if sign)


def _size(side: Any) -> int | None:
    """How many records a dataset has: the first argument's length, if it has one."""
    records = side[0] if isinstance(side, tuple) and side else side
    return len(records) if hasattr(records, "__len__") and not isinstance(records, str) else None


def either_order(here: Any, there: Any, rng: Generator) -> tuple[Any, Any]:
    """Both neighbours, in an order that an answer cannot count on."""
    return (here, there) if rng.random() < 0.5 else (there, here)
