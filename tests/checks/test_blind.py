"""Right answers that return something else from some call on: refused, or a case does not see what it looks at.

Cases count, add up and compare; a result that is nothing, infinite or zero may look to them like no evidence at all.
Here it comes in the last tenth of all calls, or in the last two thirds, of every function of a right answer.
"""

import functools

import numpy as np
import pytest

from dpcourse.checks.registry import exercise
from tests.lessons.test_answers import RIGHT


def of_numbers(value):
    """The same result with other numbers: what is text, true or false stays."""

    def other(result):
        if isinstance(result, tuple | list):
            return type(result)(map(other, result))
        if isinstance(result, dict):
            return {key: part if key == "claim" else other(part) for key, part in result.items()}
        if isinstance(result, np.ndarray) and result.dtype.kind in "iuf":
            return np.full(result.shape, value)
        number = isinstance(result, int | float | np.number) and not isinstance(result, bool)
        return value if number else result

    return other


OTHERS = {
    "infinity": of_numbers(np.inf),
    "much": of_numbers(1e308),
    "zero": of_numbers(0.0),
    "nan": of_numbers(np.nan),
    "text": lambda result: "nan",
    "nothing": lambda result: [],
    "no rows": lambda result: [np.empty((0, *np.shape(result)))] if np.ndim(result) else [],
    "none": lambda result: None,
}


def same(one, other):
    """Whether numbers are the same, -0 and 0 too; anything else is, if it looks the same."""
    if isinstance(one, np.ndarray | float | int) and isinstance(other, np.ndarray | float | int):
        return np.array_equal(one, other)
    return repr(one) == repr(other)


class Turning:
    """A function that returns another result from some call on; `changed` counts those that were another."""

    def __init__(self, function, other=None, start=0):
        functools.update_wrapper(self, function)
        self._function, self._other, self._start, self.calls, self.changed = function, other, start, 0, 0

    def __call__(self, *arguments, **keywords):
        self.calls += 1
        result = self._function(*arguments, **keywords)
        if self._other is None or self.calls <= self._start:
            return result
        other = self._other(result)
        self.changed += not same(other, result)
        return other


def with_one(answer, place, function):
    """The answer with another function at this place of its parts; itself where it has none."""
    if isinstance(answer, tuple):
        return (*answer[:place], function, *answer[place + 1 :])
    return {**answer, place: function} if isinstance(answer, dict) else function


def functions():
    """(exercise, place, answer): the first right answer of each, for every function in it."""
    first = {}
    for id, answer in RIGHT:
        first.setdefault(id, answer)
    for id, answer in first.items():
        parts = (
            answer.items() if isinstance(answer, dict) else enumerate(answer if isinstance(answer, tuple) else [answer])
        )
        yield from ((id, place, answer) for place, part in parts if callable(part))


@pytest.mark.audit
@pytest.mark.parametrize(
    ("id", "place", "answer"), [pytest.param(*one, id=f"{one[0]}-{one[1]}") for one in functions()]
)
def test_what_is_no_result_is_seen_in_any_call(id, place, answer):
    part = answer[place] if isinstance(answer, tuple | dict) else answer
    plain = Turning(part)
    assert exercise(id).grade(with_one(answer, place, plain), rng=1)
    passed = set()
    for name, other in OTHERS.items():
        for share in (0.33, 0.9):
            turning = Turning(part, other, int(share * plain.calls))
            if exercise(id).grade(with_one(answer, place, turning), rng=1) and turning.changed:
                passed.add((name, share))
    assert passed == set()
