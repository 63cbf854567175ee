"""The case for a formula: a function without randomness, compared with the right one on inputs drawn anew."""

from __future__ import annotations

import copy
import inspect
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.cases.exact import holds_text
from dpcourse.checks.cases.known import Mistake, frozen
from dpcourse.checks.cases.relations import holding
from dpcourse.checks.cases.written import as_written
from dpcourse.checks.diagnosis import NOTHING, Diagnosis, a
from dpcourse.checks.vocabulary import Shared

Arguments = tuple[Any, ...]
WIDE = 30  # inputs of all sizes
WRITTEN = 20  # with round numbers
LESS_USUAL = "less usual ones, of other sizes or less round"
ROUND = "with round numbers, as people write them"
MOST_SHOWN = 36  # numbers of a matrix
LONG = 1000  # of a list beyond this, how long it is may be what matters


@dataclass(frozen=True)
class Equals:
    """A function without randomness equals the right one.

    An answer that is no declared mistake is compared with the right one in general terms (twice as large, the sign
    turned, two arguments exchanged, …), and shown the roundest input on which it differs.

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
    wide : callable, optional
        Draws inputs as far as the question reaches, for an answer that is right so far: `inputs` are those by which
        mistakes are told apart, and their like is what an answer may have been fitted to.
    wide_times : int
        How many of these: fewer where a right answer takes long.
    full : callable, optional
        Draws the first of these at the size at which the lesson uses the function, or larger: `wide` may miss it.
    """

    inputs: Callable[[Generator], Arguments]
    expected: Callable[..., Any]
    mistakes: Sequence[Mistake] = ()
    rtol: float = 1e-6
    atol: float = 1e-9
    times: int = 10
    wide: Callable[[Generator], Arguments] | None = None
    wide_times: int = WIDE
    full: Callable[[Generator], Arguments] | None = None

    def __call__(self, answer: Answer, chance: Chance) -> Diagnosis | None:
        found = self._compared(answer, chance)
        if not found and self.wide is not None:
            wide = replace(self, inputs=self.wide, mistakes=(), times=self.wide_times)
            found = wide._compared(answer, chance, LESS_USUAL, self.full)
        if found:
            return found
        if not any(isinstance(value, float) for value in self.inputs(chance.rng)):
            return None
        written = replace(self, inputs=lambda rng: as_written(self.inputs(rng), rng, self.expected), times=WRITTEN)
        return written._compared(answer, chance, ROUND)

    def _compared(
        self,
        answer: Answer,
        chance: Chance,
        elsewhere: str = "",
        first: Callable[[Generator], Arguments] | None = None,
    ) -> Diagnosis | None:
        draws = [first or self.inputs, *[self.inputs] * (self.times - 1)]
        drawn = [frozen(draw(chance.rng)) for draw in draws]
        results = []
        for arguments in drawn:
            try:
                results.append(answer(*copy.deepcopy(arguments)))
            except AnswerRaised as raised:
                return self._stopped(answer, arguments, raised)
        if any(result is None for result in results):
            return NOTHING
        right = [self.expected(*arguments) for arguments in drawn]
        bad = [i for i in range(self.times) if not self._same(results[i], right[i])]
        if not bad:
            return None
        for mistake in self.mistakes:
            if mistake.explains(drawn, results, self._same):
                return mistake.diagnosis
        place = bad[0]
        shape = _shape_wrong(results[place], right[place])
        if shape:
            return shape
        if holds_text(results[place]) and not holds_text(right[place]):
            return Diagnosis(
                "wrong-type",
                f"Numbers are wanted, and this is text: {results[place]!r}.",
                "Return the number itself, without quotes and not formatted.",
            )
        names = _names(answer, len(drawn[place]))
        seen = self._shown(answer, names, *self._roundest(answer, [drawn[i] for i in bad]))
        if elsewhere:
            return Shared.NOT_EVERYWHERE.seen(
                f"Your result is right on usual inputs. On {len(bad)} of {self.times} {elsewhere}, it is wrong. {seen}",
                "What do the inputs have in common on which you are wrong? Which case did you leave out?",
            )
        related = self._related(drawn, results, right, names) or self._ignored(answer, drawn, names)
        if related:
            return Diagnosis(related[2], f"{seen} {related[0]}", related[1])
        some = "one" if len(bad) > 0.8 * self.times else f"{len(bad)} of {self.times}"
        ask = "Compare them step by step on this input. Which part does your result lack, or have too much of?"
        if some != "one":
            seen = f"On {some} inputs your result is wrong. {seen}"
            ask = "What do the inputs have in common on which you are wrong? Which case did you leave out?"
        return Diagnosis("wrong-value", seen, ask)

    def _stopped(self, answer: Answer, arguments: Arguments, raised: AnswerRaised) -> Diagnosis:
        """On which input the answer raised, if that can be said in a line."""
        short = all(np.ndim(value) == 0 or isinstance(value, np.ndarray) and value.size <= 6 for value in arguments)
        if not short or not isinstance(raised.error, ArithmeticError | ValueError) or "read-only" in str(raised):
            raise raised
        names = zip(_names(answer, len(arguments)), arguments, strict=True)
        given = ", ".join(f"{name} = {_brief(value)}" for name, value in names)
        ask = "What is special about this input? What should the result be there?"
        return Diagnosis("raised", f"For {given} your code stopped with {raised}.", ask)

    def _shown(self, answer: Answer, names: Sequence[str], arguments: Arguments, got: Any, right: Any) -> str:
        given = ", ".join(f"{name} = {_brief(value)}" for name, value in zip(names, arguments, strict=True))
        if np.ndim(right) > 1 and np.size(right) > MOST_SHOWN:
            seen = f"For {given} your array of shape {np.shape(got)} is wrong."
        else:
            seen = f"For {given} your function gives {_brief(got)}; right is {_brief(right)}."
        return seen + self._first_difference(got, right)

    def _roundest(self, answer: Answer, drawn: Sequence[Arguments]) -> tuple[Arguments, Any, Any]:
        """The shortest input to read on which the answer differs, rounded where it can be."""
        found = []
        for arguments in drawn[:12]:
            for tried in (_rounded(arguments), arguments):
                try:
                    got, right = answer(*copy.deepcopy(tried)), self.expected(*tried)
                    if np.shape(got) == np.shape(right) and not self._same(got, right):
                        found.append((len(str([_brief(x) for x in tried])), tried, got, right))
                        break
                except Exception:  # rounding may leave the domain
                    continue
        if not found:
            return drawn[0], answer(*copy.deepcopy(drawn[0])), self.expected(*drawn[0])
        return min(found, key=lambda one: one[0])[1:]

    def _related(
        self, drawn: Sequence[Arguments], results: Sequence[Any], right: Sequence[Any], names: Sequence[str]
    ) -> tuple[str, str, str] | None:
        """What the answer is of the right result, if it is the same thing on every input: seen, question, key."""
        try:
            some = [(np.asarray(got, dtype=float), wanted) for got, wanted in zip(results, right, strict=True)]
            if found := holding(some, self._same):
                return found
            for i, j in itertools.combinations(range(len(names)), 2):
                with np.errstate(all="ignore"):
                    if all(
                        self._same(got, self.expected(*_exchanged(arguments, i, j)))
                        for (got, _), arguments in zip(some, drawn, strict=True)
                    ):
                        both = f"`{names[i]}` and `{names[j]}`"
                        return (
                            f"It would be right with {both} exchanged.",
                            f"Which of {both} is which?",
                            "arguments-exchanged",
                        )
        except Exception:  # text, or arguments that cannot change places: our own function stumbles in any way
            return None
        return None

    def _ignored(self, answer: Answer, drawn: Sequence[Arguments], names: Sequence[str]) -> tuple[str, str, str] | None:
        """An argument that changes the right result and never the answer's; or none that does."""
        results = [answer(*copy.deepcopy(arguments)) for arguments in drawn[:6]]
        right = [self.expected(*arguments) for arguments in drawn[:6]]
        if all(self._same(results[0], got) for got in results) and not all(self._same(right[0], x) for x in right):
            ask = "Which of the arguments should it depend on, and how?"
            return f"It is the same on all {len(results)} inputs tried.", ask, "constant-result"
        for place, name in enumerate(names):
            try:
                pairs = [
                    (mine, (*mine[:place], other[place], *mine[place + 1 :]))
                    for mine, other in itertools.pairwise(drawn[:41])
                ]
                moves = any(not self._same(self.expected(*x), self.expected(*y)) for x, y in pairs)
                if moves and all(self._same(answer(*copy.deepcopy(x)), answer(*copy.deepcopy(y))) for x, y in pairs):
                    grows = isinstance(drawn[0][place], float)
                    ask = (
                        f"How should the result change when `{name}` grows?" if grows else f"Where does `{name}` enter?"
                    )
                    return f"Changing `{name}` alone never changed your result.", ask, "argument-ignored"
            except Exception:  # arguments that only go together
                continue
        return None

    def _first_difference(self, got: Any, wanted: Any) -> str:
        """Where two arrays differ, if what is shown of them may look alike."""
        got, wanted = np.asarray(got), np.asarray(wanted)
        if got.ndim == 0 or got.shape != wanted.shape or got.size < 2:
            return ""
        place = next((i for i in np.ndindex(got.shape) if not self._same(got[i], wanted[i])), None)
        if place is None:
            return ""
        where = ", ".join(map(str, place))
        return f" They differ first at [{where}]: {_brief(got[place])} instead of {_brief(wanted[place])}."

    def _same(self, got: Any, wanted: Any) -> bool:
        if holds_text(got) != holds_text(wanted):  # NumPy would read the text "0.5" as a number
            return False
        try:
            got, wanted = np.asarray(got, dtype=float), np.asarray(wanted, dtype=float)
        except (TypeError, ValueError):
            return bool(np.array_equal(got, wanted))
        return got.shape == wanted.shape and np.allclose(got, wanted, rtol=self.rtol, atol=self.atol, equal_nan=True)


def _names(answer: Answer, count: int) -> list[str]:
    """The names of the student's own parameters, where each argument has one."""
    try:
        found = inspect.signature(answer.value).parameters.values()
    except (TypeError, ValueError):
        found = {}.values()
    names = [one.name for one in found if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    return names if len(names) == count else [f"argument {place + 1}" for place in range(count)]


def _exchanged(arguments: Arguments, i: int, j: int) -> Arguments:
    changed = list(arguments)
    changed[i], changed[j] = changed[j], changed[i]
    return tuple(changed)


def _rounded(arguments: Arguments) -> Arguments:
    """The same with one or two digits where there were many. Whole numbers, text and small probabilities stay."""

    def one(value: Any) -> Any:
        if isinstance(value, float) and math.isfinite(value) and value:
            return float(f"{value:.1g}") if abs(value) >= 2 or abs(value) < 1e-3 else float(f"{value:.2g}")
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size:
            rounded = np.round(value, 2 if np.nanmax(np.abs(value)) < 20 else 0)
            rounded.setflags(write=False)
            return rounded
        return value

    return tuple(map(one, arguments))


def _shape_wrong(got: Any, wanted: Any) -> Diagnosis | None:
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
    return Diagnosis(
        "wrong-shape",
        f"Your function returns {given}; {words(wanted)} is wanted.",
        "What should each number of the result belong to?",
    )


def _brief(value: Any) -> str:
    array = np.asarray(value)
    if array.ndim == 0:
        return f"{array.item():.6g}" if array.dtype.kind == "f" else repr(array.item())
    if array.ndim > 1 and array.size > MOST_SHOWN:
        return f"an array of shape {array.shape}"
    flat = [_brief(member) for member in array[:6]]
    more = f", ... {len(array):,} in all]" if len(array) > LONG else ", ...]"
    return "[" + ", ".join(flat) + (more if len(array) > 6 else "]")
