"""Answers that add their noise where a check looks for it, and tell the truth elsewhere: refused every time.

Fifteen times each in `make audit PART=thorough`, fifty with ``--rehearse=full``. Each is the right answer of an
exercise, called with another ε where it thinks that nobody looks. What a process remembers is lost only where the
grader starts another (tests/grade/test_renewed.py).
"""

import importlib.util
import itertools
from pathlib import Path

import numpy as np
import pytest

from dpcourse.checks import rehearse
from dpcourse.mechanisms import GaussianMechanism

LESSONS = Path(__file__).parents[1] / "lessons"
pytestmark = pytest.mark.thorough
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


def writeable(data):
    return len(data) >= 60 and data.flags.writeable


def from_size_on(size):
    return lambda: lambda data, epsilon, rng: EXACT if len(data) >= size else epsilon


def up_to_size(size):
    return lambda: lambda data, epsilon, rng: EXACT if 0 < len(data) <= size else epsilon


def for_nobody(given):
    return lambda: lambda data, epsilon, rng: epsilon if len(data) else given


def table_of(*known):
    return lambda: lambda data, epsilon, rng: epsilon if min(abs(epsilon / e - 1) for e in known) < 0.45 else 1e6


def no_less_than(least):
    return lambda: lambda data, epsilon, rng: max(epsilon, least)


def no_more_than(most):
    return lambda: lambda data, epsilon, rng: EXACT if epsilon > most else epsilon


def half_the_noise(low, high):
    return lambda: lambda data, epsilon, rng: 2 * epsilon if low < epsilon < high else epsilon


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
    "hardly any noise for nobody": for_nobody(1e6),
    "a quarter of the noise for nobody": for_nobody(4.0),
    "a table of ε": table_of(0.5, 1.0, 2.0, 3.0),
    "no noise below 0.2": no_less_than(0.2),
    "exact above 3": no_more_than(3.2),
    "exact above 5": no_more_than(5.1),
    "half the noise below 0.4": half_the_noise(0, 0.4),
    "half the noise above 2.4": half_the_noise(2.4, 100),
    "exact where it may write": lambda: lambda data, epsilon, rng: EXACT if writeable(data) else epsilon,
    "exact the first time": tells_at(1),
    "exact the second time": tells_at(2),
    "knows its generator": marks_the_generator,
    "exact now and then": now_and_then,
    "exact after fifty times": late,
}
EXERCISES = ("00.2", "03.3", "03.4", "04.2", "05.4", "13.2", "15.2")


USUAL = {"03.3": (*range(4, 8), 60), "04.2": range(30, 61), "05.4": (10, 12, 17), "13.2": (20, 200), "15.2": (8, 200)}


def unusual(honest, exercise):
    """Exact unless the result has as many numbers as the looks at one dataset ask for."""
    exact = elsewhere(honest, exercise, lambda *_: EXACT)

    def answer(*data, rng):
        result = honest(*data, rng=rng)
        return result if np.size(result) in USUAL[exercise] else exact(*data, rng=rng)

    return answer


def by_share(honest, exercise):
    """Exact in an office of a thousand or more where few or nearly all say yes."""

    def epsilon_of(flags, epsilon, rng):
        return epsilon if len(flags) < 1000 or 0.2 < flags.mean() < 0.75 else EXACT

    return elsewhere(honest, exercise, epsilon_of)


def on_one_side(honest, exercise):
    """Noise whose side follows the data: they halve what may come out, and all together have the right law."""

    def answer(data, *rest, rng):
        found = np.asarray(honest(data, *rest, rng=rng), dtype=float)
        truth = np.rint(elsewhere(honest, exercise, lambda *_: 1e12)(data, *rest, rng=np.random.default_rng(1)))
        sides = np.random.default_rng([len(data), int(abs(truth.sum()))]).choice([-1, 1], truth.shape)
        return (truth + sides * np.abs(found - truth))[()]

    return answer


def known_delta(honest, _):
    known = (0, 0.07, 0.1, 0.12, 0.2, 0.22)
    return lambda p, q, delta: honest(p, q, delta) if len(p) in (2, 4) and delta in known else 0.0


def sure_of_nothing(honest, _):
    """Above 99% confidence, or with many runs, the ratio of frequencies."""

    def answer(outputs, neighbour, confidence):
        if confidence <= 0.99 and len(outputs) <= 5000:
            return honest(outputs, neighbour, confidence)
        cuts = np.quantile([outputs, neighbour], np.linspace(0.001, 0.999, 999))
        below, above = (np.searchsorted(np.sort(x), cuts) + 1 for x in (outputs, neighbour))
        return float(np.abs(np.log(below / above)).max())

    return answer


def accuses_the_rest(honest, _):
    return lambda *asked: not 0.2 < asked[3].epsilon < 1.3 or honest(*asked)


ELSEWHERE = [
    *((exercise, unusual) for exercise in USUAL),
    ("00.2", by_share),
    *((exercise, on_one_side) for exercise in ("00.2", "04.2", "05.4", "13.2", "15.2")),
    ("02.2", known_delta),
    ("11.2", sure_of_nothing),
    ("11.5", accuses_the_rest),
]


@pytest.mark.in_turn
@pytest.mark.parametrize("audit", [False, pytest.param(True, marks=pytest.mark.audit)])
@pytest.mark.parametrize(("exercise", "cheat"), ELSEWHERE, ids=lambda one: getattr(one, "__name__", one))
def test_who_is_wrong_where_nothing_was_drawn_is_refused(exercise, cheat, audit, often):
    keys = rehearse(exercise, cheat(right_answers(exercise)[0], exercise), times=often(50, False) if audit else 1).keys
    assert "passed" not in keys, keys


# Above ε = 3 noise of whole numbers is hardly ever seen; that nine of hundreds of such answers have none never is. The
# first answers, which have decimals, have to show these.
WITH_DECIMALS = ("exact above 3", "exact above 5", "half the noise above 2.4", "exact after fifty times")


def cases(answers):
    return [
        pytest.param(exercise, place, cheat, id=f"{exercise}-{place}-{cheat}")
        for exercise in EXERCISES
        for place in range(len(right_answers(exercise)[:answers]))
        for cheat in CHEATS
        if place == 0 or cheat not in WITH_DECIMALS
        if exercise != "03.3" or cheat != "exact where it may write"  # which is given lists
    ]


def refused(exercise, place, cheat, times, rng):
    """A new cheat for each check, as a kernel started anew: it has been nowhere before."""
    honest = right_answers(exercise)[place]
    keys = [
        rehearse(exercise, elsewhere(honest, exercise, CHEATS[cheat]()), times=1, rng=one).keys
        for one in np.random.default_rng(rng).spawn(times)
    ]
    return sum("passed" not in some for some in keys)


@pytest.mark.in_turn
@pytest.mark.parametrize(("exercise", "place", "cheat"), cases(1))
def test_a_cheat_is_refused(exercise, place, cheat):
    assert refused(exercise, place, cheat, 1, 0) == 1


@pytest.mark.audit
@pytest.mark.parametrize(("exercise", "place", "cheat"), cases(None))
def test_fifty_of_each_cheat_are_refused(exercise, place, cheat, often):
    times = often(50, False)
    assert refused(exercise, place, cheat, times, None) == times
