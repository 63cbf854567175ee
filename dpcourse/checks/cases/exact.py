"""Cases that look at results one by one: type and shape, formulas, values."""

from __future__ import annotations

import copy
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import NOTHING, Trial, Wrong, a
from dpcourse.checks.cases.known import CONSTANT, Mistake, frozen


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

    def __call__(self, answer: Answer, trial: Trial) -> Wrong | None:
        for _ in range(3):
            arguments = frozen(self.inputs(trial.rng))
            result = self._run(answer, arguments, np.random.default_rng(1))
            wrong = self._judge(result, arguments)
            if wrong:
                return wrong
        return self._listens(answer, arguments, trial) if self.random else None

    def _run(self, answer: Answer, arguments: tuple[Any, ...], rng: Generator) -> Any:
        return answer(*copy.deepcopy(arguments), rng=rng) if self.random else answer(*copy.deepcopy(arguments))

    def _judge(self, result: Any, arguments: tuple[Any, ...]) -> Wrong | None:
        if result is None:
            return NOTHING
        array = np.asarray(result)
        if array.dtype == object and all(isinstance(x, numbers.Real) for x in array.flat):
            array = array.astype(float)  # Python's own numbers in an array of objects are numbers too
        if self.what == "array":
            if array.dtype.kind not in "biuf" or array.ndim == 0:
                strange = [x for x in array.flat if not isinstance(x, numbers.Real)] if array.ndim else []
                held = f" that holds {strange[0]!r}" if strange else ""
                return Wrong(f"An array of numbers is wanted; you return {a(result)}{held}.", "", "wrong-type")
            if self.shape is not None and array.shape != tuple(self.shape(*arguments)):
                wanted = tuple(self.shape(*arguments))
                return Wrong(f"The result has shape {array.shape}, and {wanted} is wanted.", "", "wrong-shape")
        elif self.what != "any":
            kinds = {"number": numbers.Real, "integer": numbers.Integral, "boolean": bool | np.bool_}[self.what]
            if array.ndim > 0:
                values = "1 value" if array.size == 1 else f"{array.size} values"
                return Wrong(f"One {self.what} is wanted; you return {a(result)} of {values}.", "", "wrong-shape")
            plain = array.item() if isinstance(result, np.ndarray) else result
            if not isinstance(plain, kinds) or (isinstance(plain, bool | np.bool_) and self.what != "boolean"):
                wanted_kind = {"integer": "An integer", "number": "A number"}.get(self.what, "True or False")
                return Wrong(f"{wanted_kind} is wanted; you return {a(result)}.", "", "wrong-type")
        if array.dtype.kind == "f" and np.isnan(array).any():
            return Wrong("The result holds NaN (not a number).", "Is something divided by zero?", "nan")
        if self.among is not None:
            allowed = self.among(*arguments) if callable(self.among) else self.among
            strange = [value for value in np.ravel(array).tolist() if value not in allowed]
            if strange:
                return Wrong(
                    f"The result holds {strange[0]!r}, which is not among the values allowed.", "", "wrong-value"
                )
        return None

    def _listens(self, answer: Answer, arguments: tuple[Any, ...], trial: Trial) -> Wrong | None:
        def output(arguments: tuple[Any, ...], seed: int) -> bytes:
            return np.asarray(self._run(answer, arguments, np.random.default_rng(seed))).tobytes()

        # A right answer that says one thing with probability 0.85 says it 120 times in a row with 3e-9.
        seeds = trial.rng.integers(2**32, size=120).tolist()
        if all(len({output(arguments, seed) for seed in some}) == 1 for some in (seeds[:20], seeds)):
            others = {output(frozen(self.inputs(trial.rng)), seed) for seed in seeds}
            if others == {output(arguments, seeds[0])}:
                return CONSTANT
            return Wrong(
                "A hundred and twenty calls on the same data gave the same result.",
                "Where does the randomness come from? Draw it from `rng`, and do not seed a generator of your own.",
                "not-random",
            )
        if len({output(arguments, seeds[0]) for _ in range(5)}) > 1:
            return Wrong(
                "Your function draws from a generator of its own: the same `rng` gave different results.",
                "Draw from the `rng` you are given (rng.random(), rng.laplace(), ...).",
                "own-generator",
            )
        return None


@dataclass(frozen=True)
class Equals:
    """A function without randomness equals the right one on inputs drawn anew.

    Parameters
    ----------
    inputs : callable
        ``inputs(rng) -> tuple`` of arguments.
    expected : callable
        The right function of the same arguments.
    mistakes : sequence of Mistake
        `gives` is a wrong function of the same arguments; whoever equals it on every input gets its diagnosis.
    rtol, atol : float
        Tolerances as in `numpy.allclose`.
    times : int
        How many inputs.
    """

    inputs: Callable[[Generator], tuple[Any, ...]]
    expected: Callable[..., Any]
    mistakes: Sequence[Mistake] = ()
    rtol: float = 1e-6
    atol: float = 1e-9
    times: int = 10

    def __call__(self, answer: Answer, trial: Trial) -> Wrong | None:
        drawn = [frozen(self.inputs(trial.rng)) for _ in range(self.times)]
        results = [answer(*copy.deepcopy(arguments)) for arguments in drawn]
        if any(result is None for result in results):
            return NOTHING
        bad = [i for i in range(self.times) if not self._same(results[i], self.expected(*drawn[i]))]
        if not bad:
            return None
        for mistake in self.mistakes:
            if all(self._same(results[i], mistake.gives(*drawn[i])) for i in range(self.times)):
                return mistake.wrong
        first = bad[0]
        shape = _shape_wrong(results[first], self.expected(*drawn[first]))
        if shape:
            return shape
        if holds_text(results[first]) and not holds_text(self.expected(*drawn[first])):
            return Wrong(
                f"Numbers are wanted, and this is text: {results[first]!r}.",
                "Return the number itself, without quotes and not formatted.",
                "wrong-type",
            )
        shown = ", ".join(_brief(argument) for argument in drawn[first])
        right = self.expected(*drawn[first])
        return Wrong(
            f"For {shown} your function gives {_brief(results[first])}; right is {_brief(right)}."
            + self._first_difference(results[first], right),
            "Work this one out by hand.",
            "wrong-value",
        )

    def _first_difference(self, got: Any, wanted: Any) -> str:
        """Where two arrays differ, if what is shown of them may look alike."""
        got, wanted = np.asarray(got), np.asarray(wanted)
        if got.ndim != 1 or got.shape != wanted.shape or len(got) < 2:
            return ""
        place = next((i for i in range(len(got)) if not self._same(got[i], wanted[i])), None)
        if place is None:
            return ""
        return f" They differ first at [{place}]: {_brief(got[place])} instead of {_brief(wanted[place])}."

    def _same(self, got: Any, wanted: Any) -> bool:
        if holds_text(got) != holds_text(wanted):  # NumPy would read the text "0.5" as a number
            return False
        try:
            got, wanted = np.asarray(got, dtype=float), np.asarray(wanted, dtype=float)
        except (TypeError, ValueError):
            return bool(np.array_equal(got, wanted))
        return got.shape == wanted.shape and np.allclose(got, wanted, rtol=self.rtol, atol=self.atol, equal_nan=True)


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

    def __call__(self, answer: Answer, trial: Trial) -> Wrong | None:
        given = answer.value
        if isinstance(self.expected, str):
            if not isinstance(given, str):
                return Wrong(f"A string is wanted, and this is {a(given)}.", "", "wrong-type")
        else:
            array = np.asarray(given)
            one = array.item() if array.size == 1 else None  # an array of one number is a number
            if isinstance(one, bool) or not isinstance(one, numbers.Real | Decimal):
                return Wrong(f"A number is wanted, and this is {a(given)}.", "", "wrong-type")
            given = float(one)
        if self._same(given, self.expected):
            return None
        for mistake in self.mistakes:
            if self._same(given, mistake.gives):
                return mistake.wrong
        if isinstance(given, float) and 0 < self.expected < 1 and self._same(given, 100 * self.expected):
            return Wrong("That is a percentage.", "100% is 1: divide by 100.", "percent")
        return Wrong(f"{given!r} is not it.", "Read the paragraph above the exercise again.", "wrong-value")

    def _same(self, given: Any, wanted: Any) -> bool:
        if isinstance(wanted, str) or isinstance(given, str):
            return str(given).strip().casefold() == str(wanted).strip().casefold()
        return bool(np.isclose(given, wanted, rtol=self.rtol, atol=1e-12))


def holds_text(value: Any) -> bool:
    """Whether it is a string, or an array or sequence with one in it."""
    if isinstance(value, list | tuple):
        return any(holds_text(member) for member in value)
    array = np.asarray(value)
    return array.dtype.kind in "US" or array.dtype.kind == "O" and any(isinstance(x, str | bytes) for x in array.flat)


def _shape_wrong(got: Any, wanted: Any) -> Wrong | None:
    """A sentence about one number where an array is wanted, the other way round, or the wrong number of them."""
    wanted = np.shape(wanted)

    def words(shape: tuple[int, ...]) -> str:
        return "one number" if shape == () else f"an array of shape {shape}"

    try:
        shape = np.shape(got)
    except ValueError:  # members of different lengths
        shape, given = None, f"{a(got)} of things of different shapes"
    else:
        given = words(shape) if shape or np.isscalar(got) and not isinstance(got, str) else a(got)
    if shape == wanted:
        return None
    return Wrong(
        f"Your function returns {given}; {words(wanted)} is wanted.",
        "Return what the exercise asks for, and nothing else.",
        "wrong-shape",
    )


def _brief(value: Any) -> str:
    array = np.asarray(value)
    if array.ndim == 0:
        return f"{array.item():.6g}" if array.dtype.kind == "f" else repr(array.item())
    flat = [_brief(member) for member in array[:6]]
    return "[" + ", ".join(flat) + (", ...]" if len(array) > 6 else "]")
