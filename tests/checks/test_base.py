"""The check itself: true iff passed, never raises because of an answer, and says what is wrong.

The cases here have no chance in them, unless a docstring says so.
"""

import contextlib
import signal
import statistics
import sys
import time
import warnings

import numpy as np
import pandas as pd
import pytest

from dpcourse.checks import CheckResult, Diagnosis, Exercise, check, progress, registry
from dpcourse.checks.answers import Answer, PackageUsed, watch_package
from dpcourse.checks.clocks import Clock, TimedOut, time_limit
from dpcourse.checks.diagnosis import Refused
from dpcourse.checks.registry import exercise, exercises

NOT_TWICE = Diagnosis("not-twice", "It is not twice the number.", "Multiply by two.")


def doubled(answer, chance):
    number = int(chance.rng.integers(1, 100))
    return None if answer(number) == 2 * number else NOT_TWICE


TWICE = Exercise("99.1", "Twice", (doubled,), call="twice(number)")


def test_a_right_answer_passes_and_its_repr_is_always_the_same():
    result = TWICE.grade(lambda number: 2 * number)
    assert isinstance(result, CheckResult) and result and result.passed and result.key == "passed"
    assert repr(result) == "Exercise 99.1, Twice: passed."


def test_a_wrong_answer_gets_diagnosis_and_next_step():
    result = TWICE.grade(lambda number: number)
    assert not result and result.key == "not-twice"
    assert "Seen: It is not twice the number." in repr(result) and "Next: Multiply by two." in repr(result)


def raising(number):
    raise RuntimeError("gone {wrong}")


def exiting(number):
    sys.exit(3)


def stub(number):
    return ...


def empty(number):
    """Twice the number."""
    ...


def not_implemented(number):
    raise NotImplementedError


def recursing(number):
    return recursing(number)


class Hostile:
    """Everything about it raises."""

    def __call__(self, number):
        return self

    def __eq__(self, other):
        raise ValueError("no comparison")

    __hash__ = None

    def __repr__(self):
        raise ValueError("no repr")


@pytest.mark.parametrize(
    ("answer", "key"),
    [
        (..., "unanswered"),
        (None, "unanswered"),
        (stub, "unanswered"),
        ((raising, empty), "unanswered"),
        (empty, "unanswered"),
        (not_implemented, "unanswered"),
        (7, "not-a-function"),
        ("twice", "not-a-function"),
        ((1, 2), "raised"),
        (raising, "raised"),
        (exiting, "raised"),
        (recursing, "raised"),
        (lambda: 3, "raised"),
        (lambda number: "x", "not-twice"),
        (lambda number: None, "not-twice"),
        (Hostile(), "unusable"),
        (pd.Series([pd.Series(["f", exiting], index=["co_name", "co_lines"])], index=["__code__"]), "not-a-function"),
    ],
)
def test_nothing_an_answer_does_raises(answer, key):
    result = TWICE.grade(answer)
    assert not result and result.key == key and repr(result)


def test_an_error_is_shown_with_its_line_and_the_call():
    text = repr(TWICE.grade(raising))
    assert "RuntimeError: gone {wrong}, in line" in text and "of raising" in text
    assert "twice(number)" in repr(TWICE.grade(lambda: 3))


def test_the_line_shown_is_the_students_own():
    """Not one of NumPy's compiled modules, nor of Python's library."""

    def choosing(number):
        return np.random.default_rng(1).choice(3, p=[1, 1, 1])

    def averaging(number):
        return statistics.mean([])

    def listing(number):
        return [1 / part for part in (0, number)]

    for answer in (choosing, averaging, listing):
        text = TWICE.grade(answer).diagnosis
        assert f"in line {answer.__code__.co_firstlineno + 1} of {answer.__name__}." in text


def test_hints_on_errors_that_are_common():
    def without_noise(answer, chance):
        for seed in chance.rng.integers(2**62, size=20):  # by name and in its place: see forms
            answer(3, rng=np.random.default_rng(seed))

    by_name = Exercise("99.8", "By name", (without_noise,), call="f(number, rng)")
    assert "`rng` is passed by name" in by_name.grade(lambda number, generator: 3).next_step
    assert "shapes" in TWICE.grade(lambda number: np.ones(3) + np.ones(2)).next_step


def test_printing_instead_of_returning():
    def wants_a_number(answer, chance):
        return None if isinstance(answer(1), int) else Diagnosis("wrong-type", "Not a number.")

    def stumbles(answer, chance):
        return None if answer.part(0)(1) + 1 == 3 else Diagnosis("wrong", "no")

    single = Exercise("99.9", "Printed", (wants_a_number,), call="f(number)")
    assert single.grade(print).key == "returns-nothing"
    assert single.grade(lambda number: "text").key == "wrong-type"
    assert Exercise("99.10", "Printed", (stumbles,), call="f(number)").grade((print,)).key == "returns-nothing"


def test_a_helper_of_a_case_may_refuse():
    def refuses(answer, chance):
        raise Refused(NOT_TWICE)

    assert Exercise("99.11", "Refused", (refuses,), call="f()").grade(lambda: 1).key == "not-twice"


def test_an_endless_loop_is_stopped_and_the_interrupt_handler_is_back():
    def endless(number):
        while True:
            try:
                number += 1
            except Exception:
                pass

    before, start = signal.getsignal(signal.SIGINT), time.perf_counter()
    result = Exercise("99.2", "Loop", (doubled,), call="f(x)", seconds=0.2).grade(endless)
    assert result.key == "too-slow" and "called once" in result.diagnosis
    assert time.perf_counter() - start < 5
    assert signal.getsignal(signal.SIGINT) is before


def test_time_limit_leaves_quick_code_alone():
    for _ in range(50):
        with time_limit(5):
            pass
    with pytest.raises(TimedOut), time_limit(0.01):
        while True:
            pass


@pytest.mark.parametrize("then", ["goes on", "raises"])
def test_who_catches_the_limit_does_not_escape_it(then):
    """As SQLite does, when it calls a function of Python."""

    def loops():
        try:
            while True:
                pass
        except BaseException:
            if then == "raises":
                raise ValueError("something else") from None

    with pytest.raises(TimedOut), time_limit(0.01):
        loops()


def test_who_catches_the_limit_is_not_called_again():
    calls = []

    def late(x):
        calls.append(x)
        with contextlib.suppress(BaseException):
            while True:
                pass
        return x

    def case(answer, chance):
        for x in range(1000):
            answer(x)

    assert Exercise("99.1", "A test", (case,), call="f(x)", seconds=0.05).grade(late, rng=0).key == "too-slow"
    assert len(calls) == 1


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="a sleep is not interrupted here")
def test_who_sleeps_is_stopped_by_the_wall_clock():
    start = time.perf_counter()
    with pytest.raises(TimedOut) as late, time_limit(0.1):
        time.sleep(60)
    assert 0.4 <= late.value.seconds < 3 and time.perf_counter() - start < 5


def test_a_busy_machine_stops_nobody():
    start = time.perf_counter()
    with time_limit(0.5, Clock(lambda: start, lambda: 0.0)):  # other programs have the processor
        while time.perf_counter() < start + 1:
            pass
    with pytest.raises(TimedOut), time_limit(0.05, Clock(lambda: start, lambda: 0.0)):  # but not for ever
        while True:
            pass


def test_time_in_line_is_no_sleep():
    with time_limit(0.05, Clock(lambda: 0.0, time.perf_counter)):
        time.sleep(0.5)
    with pytest.raises(TimedOut) as late, time_limit(0.05, Clock(lambda: 0.0, lambda: time.perf_counter() / 2)):
        time.sleep(60)
    assert 0.2 <= late.value.seconds < 1  # of twice as many by the wall clock


def test_prints_and_warnings_of_an_answer_do_not_reach_the_lesson(capsys):
    def loud(number):
        print("hello")
        print("there", file=sys.stderr)
        warnings.warn("careful", stacklevel=1)
        return 2 * number

    assert TWICE.grade(loud)
    assert capsys.readouterr() == ("", "")


def test_changing_the_data_is_recognised():
    def first_is_zero(values):
        values[0] = 0
        return values

    def frozen_array(answer, chance):
        values = np.arange(3.0)
        values.setflags(write=False)
        answer(values)

    assert Exercise("99.3", "Change", (frozen_array,), call="f(values)").grade(first_is_zero).key == "changes-data"


def test_calling_the_package_is_recognised_however_it_is_reached():
    from dpcourse.mechanisms import LaplaceMechanism
    from dpcourse.mechanisms.sampling import discrete_laplace

    made_before = LaplaceMechanism(1.0)
    renamed = discrete_laplace

    def inside(number):
        from dpcourse.mechanisms import GeometricMechanism

        return GeometricMechanism(1.0).release(number)

    def swallowed(number):
        try:
            return LaplaceMechanism(1.0)
        except BaseException:
            return 2 * number

    answers = [
        lambda number: made_before.release(number),
        made_before.release,
        lambda number: renamed(3, 1),
        inside,
        swallowed,
    ]
    for answer in answers:
        assert TWICE.grade(answer).key == "package-used"
    allowed = Exercise("99.4", "Twice", (doubled,), call="twice(number)", allowed=("mechanisms", "accounting"))
    assert allowed.grade(made_before.release).key == "not-twice"
    free = Exercise("99.5", "Twice", (doubled,), call="twice(number)", own_work=False)
    assert free.grade(made_before.release).key == "not-twice"


def test_watching_restores_the_profiler_and_lets_harmless_rooms_run():
    from dpcourse.privacy import Guarantee

    def profiler(frame, event, argument):
        return None

    sys.setprofile(profiler)
    try:
        with watch_package():
            Guarantee(1.0)
        assert sys.getprofile() is profiler
        with pytest.raises(PackageUsed), watch_package():
            from dpcourse.mechanisms import LaplaceMechanism

            LaplaceMechanism(1.0)
        assert sys.getprofile() is profiler
    finally:
        sys.setprofile(None)


def test_a_function_where_a_value_is_wanted():
    assert check("00.1", lambda: 6).key == "not-a-value"


def test_parts_of_an_answer():
    def both(answer, chance):
        return None if answer.part("add")(1, 2) == 3 and answer.part("name").value == "x" else Diagnosis("wrong", "no")

    pair = Exercise("99.6", "Pair", (both,), call="…")
    assert pair.grade({"add": lambda a, b: a + b, "name": "x"})
    assert pair.grade({"add": ..., "name": "x"}).key == "unanswered"
    assert pair.grade({"name": "x"}).key == "raised"


def test_unknown_exercises_are_refused_by_name():
    with pytest.raises(ValueError, match="00.9.*00.1, 00.2, 00.3"):
        check("00.9", 1)
    with pytest.raises(ValueError, match="none"):
        check("nonsense", 1)
    with pytest.raises(TypeError, match="2"):
        check(2, 1)
    assert exercises("98") == {} and exercise("00.1").title


def test_progress_remembers_what_passed(monkeypatch):
    monkeypatch.setattr(registry, "_session", registry._Session())
    assert repr(progress()) == "No exercise checked yet in this session."
    check("00.1", 1.0)
    assert progress().open == ("00.1",) and progress().passed == ()
    check("00.1", 9.21)
    check("00.1", 1.0)
    check("00.2", ...)
    assert progress().passed == ("00.1",) and progress().open == ("00.2",)
    assert repr(progress()) == "Passed in this session: 00.1.\nStill open: 00.2."


def test_every_check_draws_fresh_data_unless_told():
    seen = []

    def record(answer, chance):
        seen.append(int(chance.rng.integers(2**62)))

    recorder = Exercise("99.7", "Record", (record,), call="f()")
    for rng in (None, None, 1, 1):
        recorder.grade(lambda: 0, rng=rng)
    assert len(set(seen)) == 3 and seen[2] == seen[3]


def test_a_part_of_an_answer_is_the_same_part_each_time_so_that_its_first_calls_are_watched_and_no_more():
    def first(x):
        return x

    answer = Answer((first, first))
    for _ in range(20):
        answer.part(0)(1)
    assert (answer.part(0).calls, answer.part(1).calls, answer.silent) == (20, 0, False)


def test_parts_of_an_answer_that_was_renewed_are_new():
    answer = Answer(("old",), again=lambda: ("new",))
    assert answer.part(0).value == "old"
    answer.renew()
    assert answer.part(0).value == "new"
