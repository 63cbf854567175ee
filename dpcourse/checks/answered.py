"""What an answer returns where it should return something, and what it was handed: who stops or refuses is named."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn, ParamSpec, TypeVar

import numpy as np

from dpcourse.checks.answers import AnswerRaised
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.plain import only_numbers

P = ParamSpec("P")
T = TypeVar("T")


@contextmanager
def stops(kind: str, what: str, ask: str) -> Iterator[None]:
    """An answer that stops in here is `Refused` as "…-raises".

    >>> with stops("nobody", "With no message", "What is the sum of nothing?"):
    ...     raise AnswerRaised(ZeroDivisionError("division by zero"))
    Traceback (most recent call last):
    dpcourse.checks.diagnosis.Refused: With no message, your function stops with ZeroDivisionError: division by zero.
    """
    try:
        yield
    except AnswerRaised as raised:
        raise Refused(Diagnosis(f"{kind}-raises", f"{what}, your function stops with {raised}.", ask)) from None


def answered(kind: str, what: str, ask: str, call: Callable[P, T | None], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """What the call returns; `Refused` where the answer `stops`, or returns None ("…-refused")."""
    with stops(kind, what, ask):
        given = call(*args, **kwargs)
    if given is None:
        raise Refused(Diagnosis(f"{kind}-refused", f"{what}, you return None, and there is no reason to.", ask))
    return given


@dataclass
class HandedOver:
    """What a check hands an answer to call, and what it refused: that goes through the answer, which may say something
    else of it, or nothing.

    It can be called until the answer has returned (`heard`), and not in a later run.
    """

    wrong: Diagnosis | None = field(default=None, init=False)
    over: bool = field(default=False, init=False)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        call = cls.__call__

        @functools.wraps(call)
        def in_time(self: HandedOver, *arguments: Any, **keywords: Any) -> Any:
            if self.over:
                seen = "You call something that was handed to you in an earlier run."
                raise Refused(Diagnosis("too-late", seen, "What do you keep from one call to the next?"))
            return call(self, *arguments, **keywords)

        cls.__call__ = in_time  # type: ignore[method-assign]

    def refuse(self, key: str, seen: str, ask: str = "") -> NoReturn:
        self.wrong = self.wrong or Diagnosis(key, seen, ask)
        raise Refused(self.wrong)

    def numbers(self, given: Any) -> np.ndarray:
        """What an answer hands over, as floats; refused where it is more than numbers."""
        try:
            return np.array(only_numbers(given), dtype=float)
        except Refused as refused:
            self.wrong = self.wrong or refused.diagnosis
            raise


@contextmanager
def heard(handed: HandedOver) -> Iterator[None]:
    """The first that was refused in here is what is `Refused`, whatever the answer made of it."""
    handed.over = False
    try:
        yield
    except AnswerRaised:
        if handed.wrong is None:
            raise
    finally:
        handed.over = True
    if handed.wrong is not None:
        raise Refused(handed.wrong)
