"""Grade one submission: run its cells in a process of its own, and each answer against its check."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib
import operator
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dpcourse.checks import clocks
from dpcourse.checks.answers import PackageUsed
from dpcourse.checks.base import Exercise
from dpcourse.checks.clocks import Clock, TimedOut, Trouble, time_limit
from dpcourse.checks.diagnosis import cut
from dpcourse.checks.kept import REMEMBERS, Kept, changed
from dpcourse.checks.registry import exercise
from dpcourse.grade import sandbox, staging, wire
from dpcourse.grade.student import Gone, Late, Student
from dpcourse.grade.submissions import Cell, Question, Reference, cells_of, matching, needed
from dpcourse.privacy import Guarantee

CELLS = 600.0  # seconds by the clock for all cells of a notebook, however often they are run; waiting does not count
AGAIN = 5.0  # seconds that the calls of one question took which are asked again; four are in any case
MOST_STOPPED = 8  # cells of a notebook that never end or end their process; what comes after them is not run
_NUMBERS = (int, float, str, tuple, np.ndarray, Guarantee)
MOST_CHECKS = 3  # of one question, at which it is looked for an answer
FROM_THE_START = "Run the notebook from its first cell."


@dataclass(frozen=True)
class Mark:
    """What one question got."""

    question: str
    title: str
    points: float
    of: float
    key: str
    seen: str = ""
    next: str = ""

    def __post_init__(self) -> None:
        for name in ("seen", "next"):  # not all of it comes from a check: what the wire says may be as long
            object.__setattr__(self, name, cut(getattr(self, name)))


def grade(path: Path, limits: sandbox.Limits, *, sandboxed: bool, rng: int | None = None) -> tuple[str, list[Mark]]:
    """The name of the notebook that was handed out, and a mark for each of its questions.

    Raises
    ------
    ValueError
        If the file is no notebook, or none of the course's.
    """
    cells = cells_of(path)
    known = matching(cells)
    if known is None:
        raise ValueError(f"{path.name} answers no exercise of the course")
    cells, marks, watch = needed(cells, known), dict[str, Mark](), _Watch()
    for rooms, questions in _by_rooms(known).items():
        with tempfile.TemporaryDirectory(prefix="dpcourse-") as folder:
            staging.stage(rooms, Path(folder) / "in")
            session = _Session(known, cells, rooms, Path(folder) / "in", limits, sandboxed, watch)
            try:
                for question in questions:
                    marks[question.id] = session.mark(question, rng)
                marks.update(session.once_more())
            finally:
                session.close()
                shutil.rmtree(folder, ignore_errors=True)
    return known.name, [marks[question.id] for question in known.questions]


def _by_rooms(known: Reference) -> dict[frozenset[str], list[Question]]:
    """Questions that may use the same rooms share a process."""
    imported = tuple(module.removeprefix("dpcourse.") for module, _ in known.imports)
    open_ = tuple(name for name in imported if name.split(".")[0] not in ("checks", "lessons"))
    found: dict[frozenset[str], list[Question]] = {}
    for question in known.questions:
        asked = exercise(question.id)
        rooms = staging.rooms_for(asked.allowed, () if asked.own_work else open_)
        found.setdefault(rooms, []).append(question)
    return found


def _provided(known: Reference) -> Iterator[tuple[str, dict[str, Any]]]:
    """What a notebook imports of a lesson, by module: of a whole project its numbers only, as its functions answer."""
    for module, names in known.imports:
        if not module.startswith("dpcourse.lessons"):
            continue
        for name in names:
            if name not in known.lessons:
                yield module, {name: getattr(importlib.import_module(module), name)}
                continue
            project = importlib.import_module(f"{module}.{name}")
            things = {public: getattr(project, public) for public in project.__all__}
            yield f"{module}.{name}", {key: thing for key, thing in things.items() if isinstance(thing, _NUMBERS)}


@dataclass
class _Watch:
    """How long the cells of a notebook have taken, in all its sessions."""

    seconds: float = 0.0

    @contextlib.contextmanager
    def running(self, process: int) -> Iterator[None]:
        began, line = time.monotonic(), clocks.time_in_line(process)
        try:
            yield
        finally:
            waited = max(clocks.time_in_line(process) - line, 0.0)  # for the processor, by no fault of theirs
            self.seconds += max(time.monotonic() - began - waited, 0.0)


class _Session:
    """A submission's process, started again where it ends; a cell that ended it is not run again."""

    def __init__(
        self,
        known: Reference,
        cells: list[Cell],
        rooms: frozenset[str],
        folder: Path,
        limits: sandbox.Limits,
        sandboxed: bool,
        watch: _Watch,
    ) -> None:
        self._watch = watch
        self._known, self._cells, self._rooms, self._folder = known, cells, rooms, folder
        self._limits, self._sandboxed = limits, sandboxed
        self._student: Student | None = None
        self._at = 0  # how many cells the process has run
        self._bad: dict[str, tuple[str, str]] = {}  # cells that raised or never ended: what they said
        self._used = self._line = 0.0  # by processes that were here before
        self._passed: list[tuple[Question, int, Kept]] = []  # what was answered, after so many cells

    def close(self) -> None:
        if self._student is not None:
            process = self._student.process.pid
            self._used += clocks.processor_time(process) or 0.0
            self._line += clocks.time_in_line(process)
            self._student.close()
            self._student = None

    def _clock(self) -> Clock:
        """Of the grader and the session's processes together, which is what a check takes at home."""

        def used() -> float:
            now = clocks.processor_time(self._student.process.pid) if self._student else 0.0
            return time.process_time() + self._used + (now or 0.0)

        return Clock(used, lambda: clocks.OWN.line() + self._line)

    def _fresh(self) -> Student:
        self.close()
        process = sandbox.start(self._folder, self._limits, sandboxed=self._sandboxed)
        try:
            self._student = Student(process, self._limits.seconds)
            for module, things in _provided(self._known):
                self._student.provide(module, things)
        except (Gone, Late) as error:  # before it ran a line of the student's
            raise Trouble(f"a process did not start: {error}") from error
        self._at = 0
        return self._student

    def _ready(self, upto: int) -> Student:
        """A process that has run the first `upto` cells, but for those that end it."""
        student = self._student or self._fresh()
        if self._at > upto:
            student = self._fresh()
        while self._at < upto:
            cell = self._cells[self._at]
            if not cell.source:
                self._at += 1
                continue
            if cell.label in self._bad and self._bad[cell.label][0] in ("hung", "died"):
                self._at += 1
                continue
            if len(self._lost_to_cells()) >= MOST_STOPPED:
                self._bad[cell.label] = ("hung", f"not run, because {MOST_STOPPED} cells had to be stopped")
                continue
            if self._watch.seconds > CELLS:
                self._bad[cell.label] = ("hung", f"not run, because this notebook's cells took {CELLS:.0f} seconds")
                continue
            try:
                with self._watch.running(student.process.pid):
                    student.run_cell(cell.source, cell.label)
                    student.run_cell("", cell.label)  # a cell may be done, and have left nobody who listens
                self._bad.pop(cell.label, None)
            except Late as late:
                advice = f"a cell may take {self._limits.seconds:g} seconds; try things out in a cell after the check"
                self._bad[cell.label] = ("hung", f"{late} ({advice})")
                student = self._fresh()
                continue
            except TimedOut:  # the check that asked for the cells ran out of its own time
                raise
            except (Gone, wire.WireError, MemoryError):  # what is left of the memory would not do for the rest
                self._bad[cell.label] = ("died", "the process ended: out of memory, or of its own will")
                student = self._fresh()
                continue
            except PackageUsed as used:
                said = (
                    f"dpcourse.{used} is not there: an answer may not use it, and neither may what stands in its cell"
                )
                self._bad[cell.label] = ("raised", said)
            except BaseException as error:
                self._bad[cell.label] = ("raised", f"{type(error).__name__}: {error}")
            if sandbox.address_space(student.process.pid) > 0.75 * self._limits.memory:
                self._bad[cell.label] = ("died", "it uses up the memory, which the other cells need too")
                student = self._fresh()
                continue
            self._at += 1
        return student

    def _lost_to_cells(self) -> list[str]:
        return [label for label, (how, _) in self._bad.items() if how in ("hung", "died")]

    def mark(self, question: Question, rng: int | None) -> Mark:
        """By the first check at which there is an answer: it may stand below the stub and its check, with another."""
        first, ends = self._span(question)
        without = []
        for upto in ends:
            found, there = self._mark(question, first, upto, rng)
            if there:
                return found
            without.append(found)
        return without[0]

    def _mark(self, question: Question, first: int, upto: int, rng: int | None) -> tuple[Mark, bool]:
        """What stands under an answer's name after so many cells, and whether anything does."""
        asked = dataclasses.replace(exercise(question.id), own_work=False)
        try:
            student = self._ready(upto)
            answer = student.answer(question.expression)
        except Trouble:
            raise
        except (Late, Gone) as error:
            self.close()
            said = f"Your notebook ended the process that ran it ({error})."
            return self._lost(question, asked, "raised", said), True
        except wire.WireError as error:
            self.close()
            return self._lost(question, asked, "wrong-type", f"Your answer cannot be used: {error}."), True
        except BaseException as error:
            return self._lost(question, asked, "raised", *self._no_answer(question, first, upto, error)), False
        clocked = dataclasses.replace(
            asked, clock=self._clock(), again=lambda: self._again(upto, question.expression), kept=(kept := Kept())
        )
        result = self._graded(clocked, answer, rng)
        got = question.points if result.passed else 0.0
        if result.passed:
            self._passed.append((question, upto, kept))
        told = result.key, result.diagnosis, result.next_step
        return Mark(question.id, asked.title, got, question.points, *told), result.key != "unanswered"

    def _again(self, upto: int, expression: str) -> Any:
        """The same answer, from a process that remembers no call of it."""
        self._fresh()
        return self._ready(upto).answer(expression)

    def once_more(self) -> Iterator[tuple[str, Mark]]:
        """New marks of answers that give something else when a process that remembers nothing is asked again."""
        if any(kept for _, _, kept in self._passed):
            self._fresh()
        for question, upto, kept in self._passed:
            if kept and not self._same(question, upto, kept):
                again = REMEMBERS
                yield question.id, self._lost(question, exercise(question.id), again.key, again.seen, again.ask)

    def _same(self, question: Question, upto: int, kept: Kept) -> bool:
        calls = kept.within(AGAIN, least=4)
        try:
            answer = self._ready(upto).answer(question.expression)
            # Who is much slower now gains nothing.
            with time_limit(sum(call.seconds for _, call in calls) + AGAIN, self._clock()):
                return not any(changed(call, functools.reduce(operator.getitem, path, answer)) for path, call in calls)
        except Trouble:
            raise
        except BaseException:  # it gave a result before
            self.close()
            return False

    def _graded(self, asked: Exercise, answer: Any, rng: int | None) -> Any:
        result = asked.grade(answer, rng=np.random.default_rng(rng))
        ended = self._student is None or self._student.process.poll() is not None
        if ended or result.key == "too-slow" or "MemoryError" in result.diagnosis:
            self.close()
        return result

    def _no_answer(self, question: Question, first: int, upto: int, error: BaseException) -> tuple[str, str]:
        """What is said where nothing stands under an answer's name, and what to do."""
        unknown = f"name {question.expression!r} is not defined"
        bad = [(i, self._bad[cell.label][1]) for i, cell in enumerate(self._cells[:upto]) if cell.label in self._bad]
        bad = [(i, reason) for i, reason in bad if unknown not in reason]  # in the cell of the check
        said = f"There is no answer under {question.expression!r}."
        if own := [reason for i, reason in bad if i >= first]:
            said, ask = f"{said} Its cell stopped: {own[0]}.", "Mend that cell, and run the notebook from its first."
        else:
            said, ask = f"{said} {type(error).__name__}: {error}.", FROM_THE_START
            if unknown in str(error):
                ask = f"Call your answer {question.expression}. {FROM_THE_START}"
        if bad and bad[0][0] < first:
            said = f"{said} Before it, {self._cells[bad[0][0]].label} stopped: {bad[0][1]}."
        return said, ask

    def _span(self, question: Question) -> tuple[int, list[int]]:
        """Where an answer begins, with the first cell of its id, and the checks after the last, at which it may end.

        A cell that is split or copied takes its id along, and what an answer calls may stand in one that has none.
        """
        places = [i for i, cell in enumerate(self._cells) if cell.grade_id == question.cell]
        ends = [i + 1 for i, cell in enumerate(self._cells) if question.id in cell.asks and i >= max(places, default=0)]
        if not ends:
            ends = [places[-1] + 1 if places else len(self._cells)]
        return (places[0] if places else max(ends[0] - 2, 0)), ends[:MOST_CHECKS]

    @staticmethod
    def _lost(question: Question, asked: Exercise, key: str, seen: str, ask: str = FROM_THE_START) -> Mark:
        return Mark(question.id, asked.title, 0.0, question.points, key, seen, ask)
