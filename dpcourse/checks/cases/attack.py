"""The case in which the student attacks: our broken release, and what the student hands in to break its claim."""

from __future__ import annotations

import math
import numbers
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused, a
from dpcourse.privacy import Guarantee, Neighbours

_WHICH_NEIGHBOURS = "For which two neighbours does this release do something that its noise does not cover?"


@dataclass(frozen=True)
class Attack:
    """A broken release is run on what the student hands in, and must be caught breaking its claim.

    The auditor certifies: a pair or an event that breaks nothing passes with probability `chance.failure` at most. For
    the other side, that a right answer is never refused, choose `shows` well below what right answers reach.

    Parameters
    ----------
    release : callable
        ``release(data, rng) -> output``, broken on purpose. It gets a list of plain records. Round floats in it, or
        their low bits (lesson 14) break every claim on every pair. With ``release.batch`` as in `dpcourse.audit.audit`.
    claim : Guarantee
        What the release claims. Its `neighbours` is the relation that the student's pair has to keep.
    shows : float
        The ε (at the claim's δ) that must be certified; more than the claim's.
    wants : {"pair", "event", "attack"}
        What the answer is: ``(data, neighbour)``; a function ``event(output) -> bool``; or all three in a tuple,
        ``(data, neighbour, event)``.
    pair : tuple, optional
        The two datasets, where only an event is wanted.
    domain : callable, optional
        ``domain(records) -> str | None``: what is outside of the declared domain, as a sentence ("Wages are between 0
        and 200, and yours holds 10,000.").
    runs : int
        On either dataset. For a pair, half of them choose the event and half certify it.
    look : callable, optional
        ``look(data, neighbour) -> Diagnosis | None``: why this pair shows too little, in the words of the exercise.
    question : str
        The question asked where `look` says nothing; a general one unless given.

    Examples
    --------
    >>> from dpcourse.checks import Exercise
    >>> def noisy_sum(data, rng):  # the sensitivity, 10, is not in the scale
    ...     return round(sum(data) + rng.laplace(0, 1.0), 2)
    >>> exercise = Exercise("99.1", "A sum without its sensitivity", (Attack(noisy_sum, Guarantee(1.0), shows=3),))
    >>> exercise.grade(([], [10]), rng=0)
    Exercise 99.1, A sum without its sensitivity: passed.
    >>> exercise.grade(([3], [10]), rng=0).key
    'not-neighbours'
    """

    release: Callable[[Any, Generator], Any]
    claim: Guarantee
    shows: float
    wants: Literal["pair", "event", "attack"] = "pair"
    pair: tuple[Any, Any] | None = None
    domain: Callable[[list[Any]], str | None] = lambda records: None
    runs: int = 10_000
    look: Callable[[list[Any], list[Any]], Diagnosis | None] = lambda data, neighbour: None
    question: str = ""

    def __call__(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        if self.pair is not None:
            data, neighbour = self.pair
        else:
            data, neighbour = self._pair(answer)
        if self.wants == "pair":
            return self._attack_by_pair(data, neighbour, chance)
        event = answer if self.wants == "event" else answer.part(2)
        if not callable(event.value):
            what = f"The event is {a(event.value)}, and a function of one output is wanted."
            return Diagnosis(
                "not-a-function", what, "Write event(output): True where the output points to one of the two."
            )
        return self._attack_by_event(event, data, neighbour, chance)

    def _pair(self, answer: Answer) -> tuple[list[Any], list[Any]]:
        """The student's datasets as lists of plain records, if they are neighbours in the domain."""
        size = 2 if self.wants == "pair" else 3
        names = "(data, neighbour)" if size == 2 else "(data, neighbour, event)"
        if not isinstance(answer.value, tuple | list) or len(answer.value) != size:
            held = f" of {len(answer.value)}" if isinstance(answer.value, tuple | list) else ""
            seen = f"{names} is wanted, a tuple of {size}, and this is {a(answer.value)}{held}."
            raise Refused(Diagnosis("wrong-shape", seen, "Do you hand in whole datasets, one after the other?"))
        sides = [_records(answer.part(place).value, name) for place, name in enumerate(("data", "neighbour"))]
        for records, name in zip(sides, ("data", "neighbour"), strict=True):
            outside = self.domain(records)
            if outside:
                raise Refused(
                    Diagnosis(
                        "out-of-domain",
                        f"`{name}` is outside of what the release is for. {outside}",
                        "A claim is about the declared domain only. What does the exercise say about the records?",
                    )
                )
        wrong = not_neighbours(sides[0], sides[1], self.claim.neighbours)
        if wrong:
            raise Refused(wrong)
        return sides[0], sides[1]

    def _attack_by_pair(self, data: list[Any], neighbour: list[Any], chance: Chance) -> Diagnosis | None:
        from dpcourse.audit import audit  # here, because only a check that audits needs it

        confidence = 1 - chance.failure
        result = audit(
            self.release, data, neighbour, claim=self.claim, runs=self.runs, confidence=confidence, rng=chance.rng
        )
        if result.epsilon_lower >= self.shows:
            return None
        return self._too_weak(
            f"Your pair shows {_epsilon(result.epsilon_lower)}", result.epsilon_lower, data, neighbour
        )

    def _too_weak(self, shows: str, epsilon: float, data: list[Any], neighbour: list[Any]) -> Diagnosis:
        """The pair is one, and it proves too little."""
        seen = f"{shows}, where {self.claim} is claimed."
        if epsilon > self.claim.epsilon:
            seen += f" The claim is broken, but ε ≥ {self.shows:g} is asked for."
        key = "too-weak" if epsilon > self.claim.epsilon else "claim-holds"
        closer = self.look(data, neighbour)
        if closer is None:
            return Diagnosis(key, seen, self.question or _WHICH_NEIGHBOURS)
        return closer.led_by(f"{seen} ")

    def _attack_by_event(self, event: Answer, data: Any, neighbour: Any, chance: Chance) -> Diagnosis | None:
        from dpcourse.audit import audit_outputs, certified_epsilon
        from dpcourse.audit.certify import run

        outputs = [run(self.release, side, self.runs, chance.rng) for side in (data, neighbour)]
        # In an order of their own, so that an event that counts its calls learns nothing.
        order = chance.rng.permutation(2 * self.runs)
        both = [*outputs[0], *outputs[1]]
        happened = np.empty(2 * self.runs, dtype=bool)
        for place in order:
            happened[place] = _truth(event(both[place]), both[place])
        hits = happened[: self.runs].sum(), happened[self.runs :].sum()
        sides = [
            certified_epsilon(np.array(one), np.array(other), self.runs, self.claim.delta, chance.failure / 4)
            for one, other in (hits, hits[::-1])
        ]
        by_event, by_complement = (max(float(side[kind]) for side in sides) for kind in (0, 1))
        if by_event >= self.shows:
            return None
        seen = f"Your event happens in {hits[0]:,} of {self.runs:,} runs on one dataset, in {hits[1]:,} on the other"
        if by_complement >= self.shows:
            return Diagnosis(
                "complement",
                f"{seen}: it separates them by when it does *not* happen, which shows ε ≥ {by_complement:.3g}.",
                "Which outputs does one dataset give often, and the other hardly ever? Is your event turned around?",
            )
        if sum(hits) in (0, 2 * self.runs):
            often = "always" if sum(hits) else "never"
            ask = "Print a few outputs. For which of them is it True?"
            return Diagnosis(f"{often}-happens", f"Your event {often} happens, on both datasets.", ask)
        if 0 < sum(hits) < 60 and min(hits) == 0:
            return Diagnosis(
                "too-rare",
                f"{seen}: too rarely to prove ε ≥ {self.shows:g}.",
                "Is there a larger event around it that the other dataset hardly ever gives?",
            )
        found = audit_outputs(*outputs, claim=self.claim, confidence=1 - chance.failure)
        wrong = self._too_weak(f"{seen}: that shows {_epsilon(by_event)}", by_event, data, neighbour)
        if found.epsilon_lower < self.shows:
            return wrong  # the student's own pair may have no such event
        better = f"There is an event that shows ε ≥ {found.epsilon_lower:.2g} on the same outputs."
        ask = self.question or "Draw both histograms. Where is one of them many times as high as the other?"
        separates = "separates-nothing" if by_event < 0.1 else wrong.key
        return Diagnosis(separates, f"{wrong.seen} {better}", ask)


def not_neighbours(data: Sequence[Any], neighbour: Sequence[Any], relation: Neighbours) -> Diagnosis | None:
    """Why two lists of records are not neighbours; the order of records does not matter."""
    here, there = Counter(data), Counter(neighbour)
    gone, come = list((here - there).elements()), list((there - here).elements())
    if not gone and not come:
        how = "in another order" if list(data) != list(neighbour) else "in the same order"
        return Diagnosis(
            "same-data",
            f"`data` and `neighbour` hold the same records, {how}.",
            "Neighbours differ in one record. Which one is it?",
        )
    replaced = len(gone) == len(come) == 1
    if replaced if relation is Neighbours.REPLACE_ONE else len(gone) + len(come) == 1:
        return None
    seen = f"Only in `data`: {_shown(gone)}. Only in `neighbour`: {_shown(come)}."
    if relation is Neighbours.REPLACE_ONE:
        return Diagnosis(
            "not-neighbours",
            f"These are not neighbours: one record is replaced by another, and no other differs. {seen}",
            "Which one record do you change?",
        )
    return Diagnosis(
        "not-neighbours",
        f"These are not neighbours: one of them holds all records of the other, and one more. {seen}",
        "Replacing a record removes one and adds one. Which one record do you add?"
        if replaced
        else "Which one record do you add?",
    )


def _shown(records: list[Any]) -> str:
    if not records:
        return "nothing"
    return ", ".join(str(record) for record in records[:3]) + (f" and {len(records) - 3} more" if records[3:] else "")


def _epsilon(value: float) -> str:
    return "no ε at all" if math.isinf(value) else f"ε ≥ {value:.2g}" if value >= 0.01 else "nothing"


def _records(dataset: Any, name: str) -> list[Any]:
    """A dataset as a list of plain records: numbers, strings, booleans, or tuples of them."""
    if isinstance(dataset, str | bytes | Mapping) or not hasattr(dataset, "__iter__"):
        raise Refused(Diagnosis("wrong-type", f"`{name}` is {a(dataset)}, and a list of records is wanted."))
    return [_plain(record, name) for record in dataset]


def _plain(record: Any, name: str) -> Any:
    if isinstance(record, np.generic):
        record = record.item()
    if isinstance(record, bool | str | int | float):
        return record
    if isinstance(record, numbers.Real):
        return float(record)
    if isinstance(record, tuple | list | np.ndarray):
        return tuple(_plain(member, name) for member in record)
    raise Refused(
        Diagnosis("wrong-type", f"`{name}` holds {a(record)}, which is no record.", "Numbers, text or tuples.")
    )


def _truth(happened: Any, output: Any) -> bool:
    if isinstance(happened, bool | np.bool_) or (isinstance(happened, int) and happened in (0, 1)):
        return bool(happened)
    raise Refused(
        Diagnosis(
            "wrong-type",
            f"For the output {output!r} your event is {happened!r}; True or False is wanted.",
            "An event is a yes-or-no question about one output.",
        )
    )
