"""What cases share: how an answer is called, data it cannot change, and mistakes that are known by name."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Wrong

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
    """A known wrong answer: its formula, value or distribution, and the diagnosis of whoever made it."""

    gives: Any
    wrong: Wrong


CONSTANT = Wrong(
    "Your function gives the same result on every dataset and in every run.",
    "A constant keeps every secret and answers nothing: let the data in, and then the randomness.",
    "constant",
)
