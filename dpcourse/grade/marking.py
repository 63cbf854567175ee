"""Grade one submission: run its cells in a process of its own, and each answer against its check."""

from __future__ import annotations

import dataclasses
import functools
import operator
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dpcourse.checks.base import Exercise
from dpcourse.checks.clocks import Trouble, time_limit
from dpcourse.checks.diagnosis import cut
from dpcourse.checks.kept import REMEMBERS, Kept, changed
from dpcourse.checks.registry import exercise
from dpcourse.grade import sandbox, staging, wire
from dpcourse.grade.running import Running, Watch
from dpcourse.grade.student import Gone, Late
from dpcourse.grade.submissions import Question, Reference, cells_of, matching, needed

AGAIN = 5.0  # seconds that the calls of one question took which are asked again; four are in any case
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
    cells, marks, watch = needed(cells, known), dict[str, Mark](), Watch()
    for rooms, questions in _by_rooms(known).items():
        with tempfile.TemporaryDirectory(prefix="dpcourse-") as folder:
            staging.stage(rooms, Path(folder) / "in")
            running = Running(known, cells, Path(folder) / "in", limits, sandboxed, watch)
            session = _Session(running)
            try:
                for question in questions:
                    marks[question.id] = session.mark(question, rng)
                marks.update(session.once_more())
            finally:
                running.close()
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


class _Session:
    """The answers of a notebook that runs, against their checks."""

    def __init__(self, running: Running) -> None:
        self._running = running
        self._passed: list[tuple[Question, int, Kept]] = []  # what was answered, after so many cells

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
            student = self._running.ready(upto)
            answer = student.answer(question.expression)
        except Trouble:
            raise
        except (Late, Gone) as error:
            self._running.close()
            said = f"Your notebook ended the process that ran it ({error})."
            return self._lost(question, asked, "raised", said), True
        except wire.WireError as error:
            self._running.close()
            return self._lost(question, asked, "wrong-type", f"Your answer cannot be used: {error}."), True
        except BaseException as error:
            return self._lost(question, asked, "raised", *self._no_answer(question, first, upto, error)), False
        clocked = dataclasses.replace(
            asked,
            clock=self._running.clock(),
            again=lambda: self._again(upto, question.expression),
            kept=(kept := Kept()),
        )
        result = self._graded(clocked, answer, rng)
        got = question.points if result.passed else 0.0
        if result.passed:
            self._passed.append((question, upto, kept))
        told = result.key, result.diagnosis, result.next_step
        # Who is called more than once has answered: a look at inputs and a refusal would buy another try.
        return Mark(question.id, asked.title, got, question.points, *told), result.key != "unanswered" or kept.many > 1

    def _again(self, upto: int, expression: str) -> Any:
        """The same answer, from a process that remembers no call of it."""
        self._running.fresh()
        return self._running.ready(upto).answer(expression)

    def once_more(self) -> Iterator[tuple[str, Mark]]:
        """New marks of answers that give something else when a process that remembers nothing is asked again."""
        if any(kept for _, _, kept in self._passed):
            self._running.fresh()
        for question, upto, kept in self._passed:
            if kept and not self._same(question, upto, kept):
                again = REMEMBERS
                yield question.id, self._lost(question, exercise(question.id), again.key, again.seen, again.ask)

    def _same(self, question: Question, upto: int, kept: Kept) -> bool:
        calls = kept.within(AGAIN, least=4)
        try:
            answer = self._running.ready(upto).answer(question.expression)
            # Who is much slower now gains nothing.
            with time_limit(sum(call.seconds for _, call in calls) + AGAIN, self._running.clock()):
                return not any(changed(call, functools.reduce(operator.getitem, path, answer)) for path, call in calls)
        except Trouble:
            raise
        except BaseException:  # it gave a result before
            self._running.close()
            return False

    def _graded(self, asked: Exercise, answer: Any, rng: int | None) -> Any:
        result = asked.grade(answer, rng=np.random.default_rng(rng))
        if self._running.ended or result.key == "too-slow" or "MemoryError" in result.diagnosis:
            self._running.close()
        return result

    def _no_answer(self, question: Question, first: int, upto: int, error: BaseException) -> tuple[str, str]:
        """What is said where nothing stands under an answer's name, and what to do."""
        unknown = f"name {question.expression!r} is not defined"
        stopped, before = self._running.bad, self._running.cells[:upto]
        bad = [(i, stopped[cell.label][1]) for i, cell in enumerate(before) if cell.label in stopped]
        bad = [(i, reason) for i, reason in bad if unknown not in reason]  # in the cell of the check
        said = f"There is no answer under {question.expression!r}."
        if own := [reason for i, reason in bad if i >= first]:
            said, ask = f"{said} Its cell stopped: {own[0]}.", "Mend that cell, and run the notebook from its first."
        else:
            said, ask = f"{said} {type(error).__name__}: {error}.", FROM_THE_START
            if unknown in str(error):
                ask = f"Call your answer {question.expression}. {FROM_THE_START}"
        if bad and bad[0][0] < first:
            said = f"{said} Before it, {before[bad[0][0]].label} stopped: {bad[0][1]}."
        return said, ask

    def _span(self, question: Question) -> tuple[int, list[int]]:
        """Where an answer begins, with the first cell of its id, and the checks after the last, at which it may end.

        A cell that is split or copied takes its id along, and what an answer calls may stand in one that has none.
        """
        cells = self._running.cells
        places = [i for i, cell in enumerate(cells) if cell.grade_id == question.cell]
        ends = [i + 1 for i, cell in enumerate(cells) if question.id in cell.asks and i >= max(places, default=0)]
        if not ends:
            ends = [places[-1] + 1 if places else len(cells)]
        return (places[0] if places else max(ends[0] - 2, 0)), ends[:MOST_CHECKS]

    @staticmethod
    def _lost(question: Question, asked: Exercise, key: str, seen: str, ask: str = FROM_THE_START) -> Mark:
        return Mark(question.id, asked.title, 0.0, question.points, key, seen, ask)
