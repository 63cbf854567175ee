"""A notebook's cells in a process of their own."""

from __future__ import annotations

import contextlib
import importlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dpcourse.checks import clocks
from dpcourse.checks.answers import PackageUsed
from dpcourse.checks.clocks import Clock, TimedOut, Trouble
from dpcourse.grade import sandbox, wire
from dpcourse.grade.student import Gone, Late, Student
from dpcourse.grade.submissions import Cell, Reference
from dpcourse.privacy import Guarantee

CELLS = 600.0  # seconds for all cells of a notebook, however often they are run: by the clock, or of processors
MOST_STOPPED = 8  # cells of a notebook that never end or end their process; what comes after them is not run
_NUMBERS = (int, float, str, tuple, np.ndarray, Guarantee)


@dataclass
class Watch:
    """How long the cells of a notebook have taken, in all its sessions.

    By the clock, without the time in line for a processor that others had; where all its threads together have computed
    for longer, so long: then it may have been its own threads that it waited for.
    """

    seconds: float = 0.0

    @contextlib.contextmanager
    def running(self, process: int) -> Iterator[None]:
        began, line, used = time.monotonic(), clocks.time_in_line(process), clocks.processor_time(process) or 0.0
        try:
            yield
        finally:
            waited = max(clocks.time_in_line(process) - line, 0.0)
            computed = (clocks.processor_time(process) or 0.0) - used
            self.seconds += max(time.monotonic() - began - waited, computed, 0.0)


class Running:
    """A notebook that runs as far as it is asked to, in a process that is started again where it ends.

    A cell that ended it is not run again.

    Attributes
    ----------
    cells : list of Cell
        All of the notebook's.
    bad : dict
        Of cells that raised or never ended, by label, which of it it was, and what they said.
    """

    def __init__(
        self, known: Reference, cells: list[Cell], folder: Path, limits: sandbox.Limits, sandboxed: bool, watch: Watch
    ) -> None:
        self._known, self.cells, self._folder = known, cells, folder
        self._limits, self._sandboxed, self._watch = limits, sandboxed, watch
        self._student: Student | None = None
        self._at = 0  # how many cells the process has run
        self.bad: dict[str, tuple[str, str]] = {}
        self._used = self._line = 0.0  # by processes that were here before

    @property
    def ended(self) -> bool:
        return self._student is None or self._student.process.poll() is not None

    def close(self) -> None:
        if self._student is not None:
            process = self._student.process.pid
            self._used += clocks.processor_time(process) or 0.0
            self._line += clocks.time_in_line(process)
            self._student.close()
            self._student = None

    def clock(self) -> Clock:
        """Of the grader and the notebook's processes together, which is what a check takes at home."""

        def used() -> float:
            now = clocks.processor_time(self._student.process.pid) if self._student else 0.0
            return time.process_time() + self._used + (now or 0.0)

        return Clock(used, lambda: clocks.OWN.line() + self._line)

    def fresh(self) -> Student:
        """A process that has run no cell."""
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

    def ready(self, upto: int) -> Student:
        """A process that has run the first `upto` cells, but for those that end it."""
        student = self._student or self.fresh()
        if self._at > upto:
            student = self.fresh()
        while self._at < upto:
            cell = self.cells[self._at]
            if not cell.source:
                self._at += 1
                continue
            if cell.label in self.bad and self.bad[cell.label][0] in ("hung", "died"):
                self._at += 1
                continue
            if len(self._lost_to_cells()) >= MOST_STOPPED:
                self.bad[cell.label] = ("hung", f"not run, because {MOST_STOPPED} cells had to be stopped")
                continue
            if self._watch.seconds > CELLS:
                self.bad[cell.label] = ("hung", f"not run, because this notebook's cells took {CELLS:.0f} seconds")
                continue
            try:
                with self._watch.running(student.process.pid):
                    student.run_cell(cell.source, cell.label)
                    student.run_cell("", cell.label)  # a cell may be done, and have left nobody who listens
                self.bad.pop(cell.label, None)
            except Late as late:
                advice = f"a cell may take {self._limits.seconds:g} seconds; try things out in a cell after the check"
                self.bad[cell.label] = ("hung", f"{late} ({advice})")
                student = self.fresh()
                continue
            except TimedOut:  # the check that asked for the cells ran out of its own time
                raise
            except (Gone, wire.WireError, MemoryError):  # what is left of the memory would not do for the rest
                self.bad[cell.label] = ("died", "the process ended: out of memory, or of its own will")
                student = self.fresh()
                continue
            except PackageUsed as used:
                said = (
                    f"dpcourse.{used} is not there: an answer may not use it, and neither may what stands in its cell"
                )
                self.bad[cell.label] = ("raised", said)
            except BaseException as error:
                self.bad[cell.label] = ("raised", f"{type(error).__name__}: {error}")
            if sandbox.address_space(student.process.pid) > 0.75 * self._limits.memory:
                self.bad[cell.label] = ("died", "it uses up the memory, which the other cells need too")
                student = self.fresh()
                continue
            self._at += 1
        return student

    def _lost_to_cells(self) -> list[str]:
        return [label for label, (how, _) in self.bad.items() if how in ("hung", "died")]


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
