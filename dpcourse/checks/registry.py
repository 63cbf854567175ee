"""Exercises by id, `check`, and what this session has seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpcourse.checks.base import CheckResult, Exercise
from dpcourse.registry import find

_grade = Exercise.grade  # as it was imported: putting another in its place afterwards changes nothing


@dataclass
class _Session:
    """What this kernel has seen: exercise id → passed at least once."""

    seen: dict[str, bool] = field(default_factory=dict)


_session = _Session()


@dataclass(frozen=True, repr=False)
class Progress:
    """The exercises tried in this session."""

    passed: tuple[str, ...]
    open: tuple[str, ...]

    def __repr__(self) -> str:
        if not self.passed and not self.open:
            return "No exercise checked yet in this session."
        lines = [f"Passed in this session: {', '.join(self.passed) or 'none'}."]
        if self.open:
            lines.append(f"Still open: {', '.join(self.open)}.")
        return "\n".join(lines)


def exercises(lesson: str) -> dict[str, Exercise]:
    """The exercises of a lesson ("03") or a project ("capstone 2") by id; empty where it has none."""
    kind, number = ("capstone", lesson[9:]) if lesson.startswith("capstone ") else ("lesson", lesson)
    module = find(f"{kind}_{number}", "exercises") if number.isdigit() else None
    return {exercise.id: exercise for exercise in module.EXERCISES} if module else {}


def exercise(exercise_id: str) -> Exercise:
    """The exercise with this id; `ValueError` naming those there are."""
    if not isinstance(exercise_id, str):
        raise TypeError(f"exercise_id must be a string such as '03.2', got {exercise_id!r}")
    lesson = exercise_id.partition(".")[0]
    known = exercises(lesson)
    if exercise_id not in known:
        there = ", ".join(known) or "none"
        where = lesson if lesson.startswith("capstone ") else f"lesson {lesson}"
        raise ValueError(f"exercise_id {exercise_id!r} is not known; {where} has: {there}")
    return known[exercise_id]


def check(exercise_id: str, answer: Any = ..., *, rng: np.random.Generator | int | None = None) -> CheckResult:
    """Check an answer by running it and trying to break it.

    Parameters
    ----------
    exercise_id : str
        Such as "03.2", or "capstone 2.1" for a project's first milestone.
    answer : object
        The function itself, or the number or string asked for.
    rng : Generator or int, optional
        For tests. By default every check draws its data from fresh entropy.

    Returns
    -------
    CheckResult
        True exactly if the answer passed. A right answer fails with probability 1e-6 at most.

    Raises
    ------
    TypeError, ValueError
        If there is no such exercise. Nothing the answer does raises.

    Notes
    -----
    Refused are an answer that calls what it is asked to write (directly, in a thread it starts, or from the module of
    the exercise itself), one that switches off the profiler that watches it, and one that reads the frames of its
    caller. Not stopped, because check and answer share one process: another function under the name `check`, the
    package's code copied into the notebook, a thread that was started before, or memory read and written by any other
    way. A mark that counts has to be given by a process of the grader's own, on answers only.

    Examples
    --------
    >>> check("00.1", ...)
    Exercise 00.1, How far off at ε = 0.5: not answered yet.
      Next: Replace the ... by your answer and run the cell again.
    """
    result = _grade(exercise(exercise_id), answer, rng=rng)
    _session.seen[exercise_id] = _session.seen.get(exercise_id, False) or result.passed
    return result


def progress() -> Progress:
    """Which exercises have passed in this session, and which were tried and have not."""
    passed = tuple(sorted(key for key, good in _session.seen.items() if good))
    return Progress(passed, tuple(sorted(set(_session.seen) - set(passed))))
