"""Cases that look at results one by one: type and shape, values."""

from __future__ import annotations

import copy
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer, Shape
from dpcourse.checks.base import Chance
from dpcourse.checks.cases.known import CONSTANT, Mistake, frozen
from dpcourse.checks.diagnosis import NOTHING, TWICE, Diagnosis, a


@dataclass(frozen=True)
class Returns:
    """The answer returns the right kind of thing.

    Parameters
    ----------
    inputs : callable
        ``inputs(rng) -> tuple`` of positional arguments, the generator left out.
    what : {"number", "integer", "array", "boolean", "any"}
        The kind of result. Integers count as numbers; NumPy scalars as the Python ones.
    shape : callable, optional
        ``shape(*arguments) -> tuple``, the shape an array must have.
    among : callable or sequence, optional
        The values allowed, or ``among(*arguments)`` that gives them.
    random : bool
        Whether the answer takes ``rng=`` and must use it: that it follows the generator (same seed, same result) and is
        not deaf to it. A right answer must then be unlikely (< 1e-9) to repeat itself in 20 calls.
    """

    inputs: Callable[[Generator], tuple[Any, ...]]
    what: str = "number"
    shape: Callable[..., tuple[int, ...]] | None = None
    among: Callable[..., Sequence[Any]] | Sequence[Any] | None = None
    random: bool = True

    @property
    def wanted(self) -> Shape | None:
        """The shape of a result, from the arguments; None where it may have any."""
        return self.shape if self.what == "array" else None if self.what == "any" else lambda *_: ()

    def __call__(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        for _ in range(3):
            arguments = frozen(self.inputs(chance.rng))
            result = self._run(answer, arguments, np.random.default_rng(1))
            wrong = self._judge(result, arguments)
            if wrong:
                return wrong
        return self._listens(answer, arguments, chance) if self.random else None

    def _run(self, answer: Answer, arguments: tuple[Any, ...], rng: Generator) -> Any:
        return answer(*copy.deepcopy(arguments), rng=rng) if self.random else answer(*copy.deepcopy(arguments))

    def _judge(self, result: Any, arguments: tuple[Any, ...]) -> Diagnosis | None:
        if result is None:
            return NOTHING
        array = np.asarray(result)
        if array.dtype == object and all(isinstance(x, numbers.Real) for x in array.flat):
            array = array.astype(float)  # Python's own numbers in an array of objects are numbers too
        if self.what == "array":
            if array.dtype.kind not in "biuf" or array.ndim == 0:
                strange = [x for x in array.flat if not isinstance(x, numbers.Real)] if array.ndim else []
                held = f" that holds {strange[0]!r}" if strange else ""
                seen = f"An array of numbers is wanted; you return {a(result)}{held}."
                return Diagnosis("wrong-type", seen, "Which line returns, and what does it hold there?")
            if self.shape is not None and array.shape != tuple(self.shape(*arguments)):
                wanted = tuple(self.shape(*arguments))
                seen = f"The result has shape {array.shape}, and {wanted} is wanted."
                return Diagnosis("wrong-shape", seen, "What should each number of the result belong to?")
        elif self.what != "any":
            kinds = {"number": numbers.Real, "integer": numbers.Integral, "boolean": bool | np.bool_}[self.what]
            if array.ndim > 0:
                values = "1 value" if array.size == 1 else f"{array.size} values"
                seen = f"One {self.what} is wanted; you return {a(result)} of {values}."
                return Diagnosis("wrong-shape", seen, "Which step makes one of them: a sum, a mean, a choice?")
            plain = array.item() if isinstance(result, np.ndarray) else result
            if not isinstance(plain, kinds) or (isinstance(plain, bool | np.bool_) and self.what != "boolean"):
                wanted_kind = {"integer": "An integer", "number": "A number"}.get(self.what, "True or False")
                seen = f"{wanted_kind} is wanted; you return {a(result)}."
                return Diagnosis("wrong-type", seen, "Which line returns, and what does it hold there?")
        if array.dtype.kind == "f" and np.isnan(array).any():
            return Diagnosis("nan", "The result holds NaN (not a number).", "Is something divided by zero?")
        if self.among is not None:
            allowed = self.among(*arguments) if callable(self.among) else self.among
            strange = [value for value in np.ravel(array).tolist() if value not in allowed]
            if strange:
                seen = f"The result holds {strange[0]!r}, which is not among the values allowed."
                return Diagnosis("outside", seen, "Which values may come out, and from which number do they count?")
        return None

    def _listens(self, answer: Answer, arguments: tuple[Any, ...], chance: Chance) -> Diagnosis | None:
        def output(arguments: tuple[Any, ...], seed: int) -> bytes:
            return np.asarray(self._run(answer, arguments, np.random.default_rng(seed))).tobytes()

        # A right answer that says one thing with probability 0.85 says it 120 times in a row with 3e-9.
        seeds = chance.rng.integers(2**32, size=120).tolist()
        if all(len({output(arguments, seed) for seed in some}) == 1 for some in (seeds[:20], seeds)):
            others = {output(frozen(self.inputs(chance.rng)), seed) for seed in seeds}
            if others == {output(arguments, seeds[0])}:
                return CONSTANT
            return Diagnosis(
                "not-random",
                "A hundred and twenty calls on the same data gave the same result.",
                "Where does the randomness come from? Draw it from `rng`, and do not seed a generator of your own.",
            )
        if len({output(arguments, seeds[0]) for _ in range(5)}) > 1:
            return TWICE
        return None


@dataclass(frozen=True)
class Value:
    """The answer is one number or one string.

    Parameters
    ----------
    expected : number or str
        Strings are compared without case and surrounding spaces.
    mistakes : sequence of Mistake
        `gives` is a wrong value.
    rtol : float
        How far off a number may be, relative to the right one; choose it with rounding in mind.
    """

    expected: Any
    mistakes: Sequence[Mistake] = ()
    rtol: float = 0.01

    def __call__(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        given = answer.value
        if isinstance(self.expected, str):
            if not isinstance(given, str):
                return Diagnosis("wrong-type", f"A string is wanted, and this is {a(given)}.")
        else:
            array = np.asarray(given)
            one = array.item() if array.size == 1 else None  # an array of one number is a number
            if isinstance(one, bool) or not isinstance(one, numbers.Real | Decimal):
                return Diagnosis("wrong-type", f"A number is wanted, and this is {a(given)}.")
            given = float(one)
        if self._same(given, self.expected):
            return None
        for mistake in self.mistakes:
            if self._same(given, mistake.gives):
                return mistake.diagnosis
        if isinstance(given, float) and 0 < self.expected < 1 and self._same(given, 100 * self.expected):
            return Diagnosis("percent", "That is a percentage.", "100% is 1: divide by 100.")
        return Diagnosis(
            "wrong-value",
            f"{given:.4g} is not it." if isinstance(given, float) else f"{given!r} is not it.",
            "Which formula did you use, and what does each letter in it stand for here?",
        )

    def _same(self, given: Any, wanted: Any) -> bool:
        if isinstance(wanted, str) or isinstance(given, str):
            return str(given).strip().casefold() == str(wanted).strip().casefold()
        return bool(np.isclose(given, wanted, rtol=self.rtol, atol=1e-12))


def holds_text(value: Any) -> bool:
    """Whether it is a string, or an array or sequence with one in it."""
    if isinstance(value, list | tuple):
        return not {float, int, bool}.issuperset(map(type, value)) and any(map(holds_text, value))
    array = np.asarray(value)
    if array.dtype.kind == "O" and (array.ndim or array is value):
        return any(map(holds_text, array.flat))
    return array.dtype.kind in "US"
