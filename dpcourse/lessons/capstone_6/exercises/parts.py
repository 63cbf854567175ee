"""Answers that are tuples of functions: one case for one of them."""

from __future__ import annotations

from dataclasses import dataclass

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Case, Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused, a


@dataclass(frozen=True)
class Part:
    """A case for one function of a tuple, its name said in front of what was seen."""

    names: tuple[str, ...]
    name: str
    case: Case

    def __call__(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        if not isinstance(answer.value, tuple | list) or len(answer.value) != len(self.names):
            return Diagnosis("wrong-shape", f"({', '.join(self.names)}) is wanted, and this is {a(answer.value)}.")
        led = f"`{self.name}`: "
        try:
            found = self.case(answer.part(self.names.index(self.name)), chance)
        except Refused as refused:
            raise Refused(refused.diagnosis.led_by(led)) from refused
        return found.led_by(led) if found else None
