"""What cases share: how an answer is called, data it cannot change, and mistakes that are known by name."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.vocabulary import Shared

Call = Callable[[Answer, Any, Generator], Any]
Pairs = Callable[[Generator], tuple[Any, Any]]


def plainly(answer: Answer, data: Any, rng: Generator) -> Any:
    """The usual call: data, and the generator by name."""
    return answer(data, rng=rng)


def frozen(data: Any) -> Any:
    """A copy of `data` whose arrays refuse to be written to, so that an answer that changes its input is noticed."""
    if isinstance(data, np.ndarray):
        data = data.copy()
        data.setflags(write=False)
        return data
    if isinstance(data, tuple) and not hasattr(data, "_fields"):
        return tuple(frozen(member) for member in data)
    return copy.deepcopy(data)


@dataclass(frozen=True)
class Mistake:
    """A known wrong answer.

    Parameters
    ----------
    key : str or Shared
        Its name; one of the shared vocabulary brings its question along.
    gives : object
        Its formula, value or distribution, as the case it is declared in wants it.
    seen, ask : str
        What whoever made it is told, and asked.
    """

    key: str | Shared
    gives: Any
    seen: str
    ask: str = ""

    @classmethod
    def told(cls, diagnosis: Diagnosis, gives: Any) -> Mistake:
        """One of several mistakes that get the same diagnosis."""
        return cls(diagnosis.key, gives, diagnosis.seen, diagnosis.ask)

    @property
    def diagnosis(self) -> Diagnosis:
        if isinstance(self.key, Shared):
            return self.key.seen(self.seen, self.ask)
        return Diagnosis(self.key, self.seen, self.ask)

    def explains(
        self, drawn: Sequence[tuple[Any, ...]], results: Sequence[Any], same: Callable[[Any, Any], bool]
    ) -> bool:
        """Whether its formula gives these results on all inputs; it may stop at some, such as 0 or 1."""
        try:
            return all(same(got, self.gives(*arguments)) for arguments, got in zip(drawn, results, strict=True))
        except ArithmeticError:
            return False


CONSTANT = Diagnosis(
    "constant",
    "Your function gives the same result on every dataset and in every run.",
    "A constant keeps every secret and answers nothing: let the data in, and then the randomness.",
)
