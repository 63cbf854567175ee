"""Answers that add their noise where a check looks for it, and tell the truth elsewhere: refused, fifty of fifty.

Each is the right answer of an exercise, called with another ε where it thinks that nobody looks. What a process
remembers is lost only where the grader starts another (tests/grade/test_renewed.py).
"""

import importlib.util
import itertools
from pathlib import Path

import numpy as np
import pytest

from dpcourse.checks import rehearse
from dpcourse.mechanisms import GaussianMechanism

LESSONS = Path(__file__).parents[1] / "lessons"
MARK = 0xDEADBEEF
SIGMA = GaussianMechanism(1.0, 1e-5).sigma  # what 04.2 is given at ε = 1


def right_answers(exercise):
    path = LESSONS / f"lesson_{exercise[:2]}" / "test_exercises.py"
    spec = importlib.util.spec_from_file_location("answers", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    known = module.RIGHT.items() if isinstance(module.RIGHT, dict) else module.RIGHT
    return [answer for id, some in known for answer in (some if isinstance(some, list) else [some]) if id == exercise]


def elsewhere(honest, exercise, epsilon_of):
    """`honest`, at the ε that ``epsilon_of(data, epsilon, rng)`` gives; 04.2 is given a scale in place of ε."""

    def answer(data, *rest, rng):
        *public, last = rest
        asked = SIGMA / last if exercise == "04.2" else last
        used = epsilon_of(data, asked, rng)
        given = last if used == asked else SIGMA / used if exercise == "04.2" else used
        return honest(data, *public, given, rng=rng)

    return answer


EXACT = 1e13


def from_size_on(size):
    return lambda: lambda data, epsilon, rng: EXACT if len(data) >= size else epsilon


def up_to_size(size):
    return lambda: lambda data, epsilon, rng: EXACT if 0 < len(data) <= size else epsilon


def table_of(*known):
    return lambda: lambda data, epsilon, rng: epsilon if min(abs(epsilon / e - 1) for e in known) < 0.45 else 1e6


def no_less_than(least):
    return lambda: lambda data, epsilon, rng: max(epsilon, least)


def no_more_than(most):
    return lambda: lambda data, epsilon, rng: EXACT if epsilon > most else epsilon


def tells_at(number):
    """The truth the so-manieth time that a dataset is asked about."""

    def made():
        times = {}

        def epsilon_of(data, epsilon, rng):
            key = data.tobytes() if isinstance(data, np.ndarray) else tuple(data)
            times[key] = times.get(key, 0) + 1
            return EXACT if times[key] == number else epsilon

        return epsilon_of

    return made


def marks_the_generator():
    """Noise only from generators that were here before, which it knows by a number left in a spare word."""

    def epsilon_of(data, epsilon, rng):
        state = rng.bit_generator.state
        known = state["uinteger"] == MARK
        rng.bit_generator.state = {**state, "uinteger": MARK}
        return epsilon if known else EXACT

    return epsilon_of


def now_and_then():
    calls = itertools.count(1)
    return lambda data, epsilon, rng: EXACT if next(calls) % 20 == 0 else epsilon


def late():
    """Right for whoever asks less than fifty times."""
    times = {}

    def epsilon_of(data, epsilon, rng):
        key = data.tobytes() if isinstance(data, np.ndarray) else tuple(data)
        times[key] = times.get(key, 0) + 1
        return EXACT if 50 < times[key] < 60 else epsilon

    return epsilon_of


CHEATS = {
    "exact from 3,000 records on": from_size_on(3000),
    "exact from 12,000 records on": from_size_on(12_000),
    "exact from 45,000 records on": from_size_on(45_000),
    "exact up to ten records": up_to_size(10),
    "a table of ε": table_of(0.5, 1.0, 2.0, 3.0),
    "no noise below 0.2": no_less_than(0.2),
    "exact above 3": no_more_than(3.2),
    "exact the first time": tells_at(1),
    "exact the second time": tells_at(2),
    "knows its generator": marks_the_generator,
    "exact now and then": now_and_then,
    "exact after fifty times": late,
}
EXERCISES = ("00.2", "03.3", "04.2", "05.4", "13.2", "15.2")


def cases(answers):
    """Above ε = 3 noise of whole numbers is hardly ever seen: the first answers, with decimals, have to show theirs."""
    return [
        pytest.param(exercise, place, cheat, id=f"{exercise}-{place}-{cheat}")
        for exercise in EXERCISES
        for place in range(len(right_answers(exercise)[:answers]))
        for cheat in CHEATS
        if place == 0 or cheat != "exact above 3"
    ]


def refused(exercise, place, cheat, times, rng):
    """A new cheat for each check, as a kernel started anew: it has been nowhere before."""
    honest = right_answers(exercise)[place]
    keys = [
        rehearse(exercise, elsewhere(honest, exercise, CHEATS[cheat]()), times=1, rng=one).keys
        for one in np.random.default_rng(rng).spawn(times)
    ]
    return sum("passed" not in some for some in keys)


@pytest.mark.parametrize(("exercise", "place", "cheat"), cases(1))
def test_a_cheat_is_refused(exercise, place, cheat):
    assert refused(exercise, place, cheat, 1, 0) == 1


@pytest.mark.audit
@pytest.mark.parametrize(("exercise", "place", "cheat"), cases(None))
def test_fifty_of_each_cheat_are_refused(exercise, place, cheat):
    assert refused(exercise, place, cheat, 50, None) == 50
