"""The same asked otherwise, by name or with numbers of another type (an ε of 1 or 1.0, data of double or of single
precision), gives the same result."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.diagnosis import TWICE, Diagnosis
from dpcourse.checks.kept import Call, Kept, Path, alike, as_kept, copied

MOST = 8  # calls that are asked again: at ε = 1 one number of discrete Laplace noise is 0 in all of them once in 480
MORE = 16  # times that one of them is asked with the same types: a yes or no is the same by chance half of the time
PATIENT = 0.5  # seconds that the calls took which are asked with another generator
QUICK = 0.3  # seconds that these calls took: a whole training is not asked again
CLOSE = 1e-3  # of the largest number: what single precision may cost
FAR = 0.01  # of the numbers may be farther: a draw that falls on the other side of a limit
Asked = Callable[..., Any]


def of_other_types(answer: Answer, call: str, kept: Kept) -> Diagnosis | None:
    """Some of the calls again, by name or with the same numbers of other types, and generators of the same state."""
    for path in dict.fromkeys(path for path, _ in kept):
        some = kept.within(QUICK, path=path)[:MOST]
        found = with_or_without_a_point(answer, call, some) or in_single_precision(answer, some)
        if found or (found := unlocked(answer, some) or by_name(answer, call, some)):
            return found
    return None


def deaf(answer: Answer, restless: Callable[..., bool], kept: Kept) -> Diagnosis | None:
    """Some calls again, with another generator, of an answer that has forgotten them: see `Exercise.restless`."""
    calls = [one for one in kept.within(PATIENT) if _draws(one[1]) and one[1].result is not None]
    if not (calls := [(path, one) for path, one in calls if restless(one.result, *one.arguments)]):
        return None
    answer.renew()
    for path, one in calls:
        arguments, keywords = copied(one.arguments), copied(one.keywords)
        given = _asked(answer, path)(*map(_another, arguments), **{name: _another(keywords[name]) for name in keywords})
        if alike(one.result, given):
            seen = "Asked the same with another generator, your function gave exactly the same."
            ask = "Whoever guesses the data sees whether it is so. Where do your draws come from?"
            return Diagnosis("own-generator", seen, ask)
    return None


def _another(value: Any) -> Any:
    return np.random.default_rng(value.integers(2**63)) if isinstance(value, np.random.Generator) else value


def with_or_without_a_point(answer: Answer, call: str, kept: Sequence[tuple[Path, Call]]) -> Diagnosis | None:
    """Some of the calls again, with ε = 1 and ε = 1.0: the same but for its type, so right answers give the same.

    Where they differ, more often with 1.0: who gives two results there as well does not follow the type.
    """
    for path, one in kept:
        place = _place(call, path)
        if place is None or not isinstance(_epsilon(one, place), float):
            continue
        function = _asked(answer, path)
        whole, pointed = (function(*given, **named) for given, named in _written(one, place))
        if not alike(whole, pointed):
            more = _written(one, place, (1.0,) * MORE)
            if not all(alike(pointed, function(*given, **named)) for given, named in more):
                return TWICE
            seen = "Asked the same with `epsilon` as 1 and as 1.0, and with generators of the same state, your function"
            ask = "Which line does something else with the int 1 than with the float 1.0?"
            return Diagnosis("whole-epsilon", f"{seen} gave two results.", ask)
    return None


def in_single_precision(answer: Answer, kept: Sequence[tuple[Path, Call]]) -> Diagnosis | None:
    """Some of the calls again, with numbers that single precision holds, their arrays in it or not: about the same.

    One call may give something else, where a draw falls on the other side of a limit. Bounds are such numbers, too:
    else data that are clipped in single precision may lie beyond them.
    """
    apart = 0
    for path, one in kept:
        if not _draws(one) or not any(map(_double, one.arguments)):
            continue
        function = _asked(answer, path)

        def asked(kind: type, one: Call = one, function: Asked = function) -> Any:
            arguments = [_held(value, kind) for value in copied(one.arguments)]
            return function(*arguments, **{name: _held(value, kind) for name, value in copied(one.keywords).items()})

        double, single = asked(np.float64), asked(np.float32)
        if not _close(double, single):
            if not all(alike(double, asked(np.float64)) for _ in range(MORE)):
                return TWICE
            apart += 1
    if apart < 2:
        return None
    seen = f"In {apart} calls your function gave results that are far apart for the same data as float64 and as float32"
    ask = "Which line depends on the type of the data?"
    return Diagnosis("single-precision", f"{seen}, with generators of the same state.", ask)


def unlocked(answer: Answer, kept: Sequence[tuple[Path, Call]]) -> Diagnosis | None:
    """Some of the calls again, with arrays that may be written to, as nearly all arrays may."""
    for path, one in kept:
        if not any(isinstance(value, np.ndarray) and not value.flags.writeable for value in one.arguments):
            continue
        function = _asked(answer, path)
        first, again = (function(*copied(one.arguments), **copied(one.keywords)) for _ in range(2))
        arguments = [value.copy() if isinstance(value, np.ndarray) else value for value in copied(one.arguments)]
        if alike(first, again) and not alike(first, function(*arguments, **copied(one.keywords))):
            state = ", and with generators of the same state," if _draws(one) else ","
            seen = f"Asked the same with a read-only array and with one that can be changed{state} your function gave"
            ask = "Where does your function change an array that it was given, or behave differently when it cannot?"
            return Diagnosis("writeable", f"{seen} two results.", ask)
    return None


def by_name(answer: Answer, call: str, kept: Sequence[tuple[Path, Call]]) -> Diagnosis | None:
    """Some of the calls again, with all arguments by the names that the exercise has for them.

    Who calls them otherwise is not asked.
    """
    for path, one in kept:
        names = _names(call, path)
        if not one.arguments or len(names) < len(one.arguments):
            continue
        function = _asked(answer, path)
        try:
            named = dict(zip(names, copied(one.arguments), strict=False)) | copied(one.keywords)
            given = function(**named)
        except AnswerRaised as raised:
            if isinstance(raised.error, TypeError):
                continue
            raise
        placed = (function(*copied(one.arguments), **copied(one.keywords)) for _ in range(MORE))
        if not alike(given, first := next(placed)) and all(alike(first, other) for other in placed):
            seen = "Asked the same with arguments in their places and by their names, your function gave two results."
            return Diagnosis("by-name", seen, "Which line does something else with an argument that comes by its name?")
    return None


def _draws(call: Call) -> bool:
    given = (*call.arguments, *call.keywords.values())
    return any(isinstance(value, np.random.Generator) for value in given)


def _double(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == np.float64


def _held(value: Any, kind: type) -> Any:
    """An array as single precision holds it, in it or not; so a number, unless it is too large or too small for it."""
    if _double(value):
        return value.astype(np.float32).astype(kind)
    if not isinstance(value, float):
        return value
    with np.errstate(over="ignore"):
        held = float(np.float32(value))
    return held if np.isfinite(held) and (held or not value) else value


def _close(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_close(one[key], other[key]) for key in one)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_close, one, other))
    first, second = np.asarray(one), np.asarray(other)
    if "O" in first.dtype.kind + second.dtype.kind or first.dtype.kind not in "biuf" or first.shape != second.shape:
        return alike(one, other)
    first, second = first.astype(float), second.astype(float)
    room = CLOSE * np.abs(first[np.isfinite(first)]).max(initial=0)
    return bool((~np.isclose(first, second, rtol=0, atol=room, equal_nan=True)).mean() <= FAR) if first.size else True


def _asked(answer: Answer, path: Path) -> Asked:
    """Such a part of the answer, whose results are as kept ones are."""
    part = functools.reduce(Answer.part, path, answer)
    return lambda *arguments, **keywords: as_kept(part(*arguments, **keywords))


def _names(call: str, path: Path = ()) -> list[str]:
    """The arguments of a function, or of such a part of the answer.

    >>> _names("noisy_count(flags, epsilon, rng)"), _names("(learned, report(epsilon, rng))", (1,))
    (['flags', 'epsilon', 'rng'], ['epsilon', 'rng'])
    """
    parts = re.findall(r"\w+(?:\([^()]*\))?", call.removeprefix("("))
    part = path[0] if len(path) == 1 else None if path else 0
    return re.findall(r"\w+", parts[part])[1:] if isinstance(part, int) and part < len(parts) else []


def _place(call: str, path: Path = ()) -> int | None:
    """Which argument is called epsilon, where one is the generator."""
    names = _names(call, path)
    return names.index("epsilon") if {"epsilon", "rng"} <= set(names) else None


def _epsilon(call: Call, place: int) -> object:
    return call.keywords.get("epsilon", call.arguments[place] if place < len(call.arguments) else None)


def _written(call: Call, place: int, values: Sequence[float] = (1, 1.0)) -> Iterator[tuple[tuple, dict]]:
    for value in values:
        arguments, keywords = list(copied(call.arguments)), copied(call.keywords)
        if "epsilon" in keywords:
            keywords["epsilon"] = value
        else:
            arguments[place] = value
        yield tuple(arguments), keywords
