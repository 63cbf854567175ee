"""Calls that are kept, and asked again: which ones, what is kept of them, and who gives something else."""

import collections
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from dpcourse.checks.kept import LARGEST, MOST, Kept, NotPlain, alike, changed, copied
from dpcourse.privacy import Guarantee


def kept(function, *calls):
    """The calls of a function that are kept."""
    found = Kept()
    for arguments in calls:
        call = found.before((), arguments, {})
        result = function(*arguments)
        if call is not None:
            call.keep(result)
    return [call for _, call in found]


def noisy(x, rng):
    return x + rng.normal(size=len(x))


def questions(times=5):
    return [(np.arange(4.0) + k, np.random.default_rng(k)) for k in range(times)]


def test_who_draws_from_the_generator_gives_the_same_again():
    calls = kept(noisy, *questions())
    assert [call.number for call in calls] == [5, 4, 3, 2, 1]
    assert not any(changed(call, noisy) for call in calls)


def foreseen():
    """Noise from seeds of its own, the same for the same state of the generator."""
    known = {}

    def answer(x, rng):
        state = str(rng.bit_generator.state)
        rng.random()
        return x + np.random.default_rng([2026, known.setdefault(state, len(known))]).normal(size=len(x))

    return answer


def test_who_draws_from_seeds_of_his_own_does_not():
    calls, again = kept(foreseen(), *questions()), foreseen()
    assert sum(changed(call, again) for call in calls) == 4  # the third of five is the third both times


class Own(list):
    """A list of a class of its own."""


@pytest.mark.parametrize(
    "dressed",
    [
        lambda x: Own(x.tolist()),
        lambda x: [Fraction(one) for one in x],
        lambda x: (x, print),
        lambda x: {"x": x, "y": ...},
    ],
    ids=["own class", "fractions", "a function beside", "an ellipsis beside"],
)
def test_whatever_a_result_is_it_is_asked_again(dressed):
    answer, again = foreseen(), foreseen()
    calls = kept(lambda *given: dressed(answer(*given)), *questions())
    assert sum(changed(call, lambda *given: dressed(again(*given))) for call in calls) == 4

    def honest(*given):
        return dressed(noisy(*given))

    assert not any(changed(call, honest) for call in kept(honest, *questions()))


def later(times):
    """Right so many times, and without noise afterwards."""
    calls = iter(range(10**6))
    return lambda x, rng: noisy(x, rng) if next(calls) < times else x


def test_who_behaves_at_first_does_not():
    calls, again = kept(later(3), *questions()), later(3)
    assert [changed(call, again) for call in calls] == [True, True, False, True, True]


def test_who_is_handed_no_generator_may_draw_numbers_but_not_count():
    own = np.random.default_rng(3)

    def guess(x):
        return x + own.normal()

    assert not any(changed(call, guess) for call in kept(guess, (1.0,), (2.0,)))
    counted = iter(range(100))
    calls = kept(lambda x: x + (next(counted) > 2), *[(float(k),) for k in range(6)])
    assert [changed(call, lambda x: x) for call in calls] == [True, True, True, False, False, False]


def test_any_call_is_kept_as_likely_as_any_other():
    """800 times 32 of 128 calls: a fourth of each, within 5.3 deviations, which 128 of them are with probability
    1e-5."""
    seen = collections.Counter()
    for _ in range(800):
        seen.update(call.number for call in kept(lambda x: x, *[(k,) for k in range(128)]))
    assert sum(seen.values()) == 800 * MOST
    assert max(abs(seen[k + 1] - 200) for k in range(128)) < 5.3 * (800 * 0.25 * 0.75) ** 0.5


def test_what_is_done_to_an_argument_is_not_done_to_what_is_kept():
    def sorts(x):
        x.sort()
        return x

    x = np.array([3.0, 1.0, 2.0])
    (call,) = kept(sorts, (x,))
    x[:] = 7
    assert call.arguments[0].tolist() == [3, 1, 2] and call.result.tolist() == [1, 2, 3]


def test_a_copy_is_as_locked_as_what_is_copied():
    x = np.arange(3)
    x.flags.writeable = False
    assert not copied([x])[0].flags.writeable


@pytest.mark.parametrize(
    "value",
    [len, [print], {"f": abs}, np.zeros(LARGEST // 8 + 1), "x" * (LARGEST + 1)],
    ids=["function", "list", "dict", "large", "long"],
)
def test_what_cannot_be_handed_over_again_is_not_kept(value):
    with pytest.raises(NotPlain):
        copied(value)


@pytest.mark.parametrize(
    "value",
    [
        None,
        "text",
        b"bytes",
        3,
        10**40,
        True,
        (1, [2.0, {"a": {3, 4}}]),
        np.float64(2),
        np.array(["a", "b"]),
        np.array(3.0, dtype=object),
        np.array([1, None, "a"], dtype=object),
        pd.DataFrame({"a": [1, 2], "b": ["x", None]}),
        pd.Series([1.0, np.nan], index=["a", "b"]),
        Guarantee(1.0, 1e-6),
    ],
    ids=str,
)
def test_a_copy_is_alike(value):
    assert alike(value, copied(value))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1.0, 1.0 + 1e-12, True),
        (np.array([0.0, 1e9]), np.array([1e-3, 1e9]), True),
        (np.array([0, 10**9]), np.array([1, 10**9]), False),
        (1.0, 1.001, False),
        ([1, 2], [1, 2, 3], False),
        ([[1.0, 1e-12]], [[1.0 + 1e-12, 1e-12]], True),
        ([[1.0, 1e-12]], [[1.0, 2e-12]], False),
        ([float("nan"), float("inf")], [float("nan"), float("inf")], True),
        (np.zeros(2), np.zeros(3), False),
        ({"a": 1}, {"b": 1}, False),
        (float("nan"), float("nan"), True),
        ("a", "b", False),
        (None, 0, False),
        (10**40, 10**40 + 1, False),
    ],
    ids=str,
)
def test_last_digits_are_no_difference(one, other, same):
    assert alike(one, other) is same


def test_who_is_slow_in_some_calls_does_not_choose_which_are_asked_again():
    """The last calls took a second each, as an answer's that knows when it is asked last."""
    calls = Kept()
    for number in range(30):
        one = calls.before((), (number,), {})
        one.keep(number)
        one.seconds = 1.0 if number > 20 else 0.001
    numbers = [call.number for _, call in calls.within(2.5, least=4)]
    assert numbers == sorted(numbers, reverse=True) and numbers[2:] == list(range(21, 0, -1))
    assert len(calls.within(0.0, least=4)) == 4 and calls.within(9.0, path=(1,)) == []
