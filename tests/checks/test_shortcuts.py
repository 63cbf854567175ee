"""Shortcuts past a check: those that one process can stop are refused, with a sentence that says why."""

import inspect
import sys
import threading

import numpy as np
import pytest

from dpcourse.checks import Exercise, check
from dpcourse.checks.base import CheckResult
from dpcourse.lessons import capstone_1, capstone_7
from dpcourse.lessons.lesson_03.exercises.interval import _half_width
from dpcourse.mechanisms import LaplaceMechanism


def oracle(scale, level, cells):
    return _half_width(scale, level, cells)


def in_a_thread(flags, epsilon, rng):
    found = []
    work = threading.Thread(target=lambda: found.append(LaplaceMechanism(epsilon).release(float(flags.sum()), rng=rng)))
    work.start()
    work.join()
    return found[0] if found else 0.0


def profiler_off(flags, epsilon, rng):
    sys.setprofile(None)
    return LaplaceMechanism(epsilon).release(float(flags.sum()), rng=rng)


def reads_frames(flags, epsilon, rng):
    return sys._getframe(1).f_locals.get("truth", 0.0)


def reads_frames_through_inspect(flags, epsilon, rng):
    return inspect.currentframe().f_back.f_locals.get("truth", 0.0)


def clipped_by_the_project(weights, X, y, clip):
    return capstone_1.numbers.clipped_sum(weights, X, y, clip)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize(
    ("exercise", "answer", "key"),
    [
        ("03.5", oracle, "package-used"),
        ("03.5", _half_width, "package-used"),
        ("capstone 1.2", clipped_by_the_project, "package-used"),
        ("capstone 1.3", lambda *a: capstone_1.numbers.noise_multiplier(*a[:3]), "package-used"),
        ("capstone 7.4", capstone_7.item_model, "package-used"),
        ("00.2", in_a_thread, "package-used"),
        ("00.2", profiler_off, "not-an-answer"),
        ("00.2", reads_frames, "not-an-answer"),
    ],
)
def test_a_shortcut_is_refused(exercise, answer, key):
    assert check(exercise, answer, rng=0).key == key
    assert sys.getprofile() is None and threading.getprofile() is None


def test_a_projects_function_is_seen_though_its_value_is_remembered():
    right = capstone_1.numbers.noise_multiplier
    for epsilon in range(1, 100):
        right(epsilon / 10)
    for _ in range(3):
        assert check("capstone 1.3", lambda *a: right(*a[:3]), rng=0).key == "package-used"


def test_frames_read_through_inspect_hold_no_answer():
    assert not check("00.2", reads_frames_through_inspect, rng=0)


def test_a_patched_grade_changes_nothing(monkeypatch):
    monkeypatch.setattr(Exercise, "grade", lambda self, answer, rng=None: CheckResult(self.id, self.title, True))
    assert not check("00.2", lambda flags, epsilon, rng: 7.0, rng=0)


def test_what_an_exercise_hands_over_may_be_called():
    def moved(mechanism, data, neighbour, seeds):
        runs = [[mechanism(x, np.random.default_rng(s)) for s in seeds] for x in (data, neighbour)]
        return np.abs(np.array(runs[0]) - np.array(runs[1])).sum(axis=1).max()

    assert check("11.4", moved, rng=0)
