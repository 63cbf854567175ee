"""A whole class: every submission once, in parallel, and resumable after any stop."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import functools
import hashlib
import json
import os
import shutil
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from dpcourse.checks.clocks import Trouble
from dpcourse.checks.diagnosis import cut
from dpcourse.grade import process, sandbox
from dpcourse.grade.handed_in import (
    Submission,
    digest_of,
    looked_at,
    modified,
    not_graded,
    not_looked_at,
    submissions,
)
from dpcourse.grade.marking import Mark, grade
from dpcourse.grade.people import printable
from dpcourse.grade.process import Ended
from dpcourse.grade.submissions import name_of

FREE = 16 * 2**20  # bytes that must be left on its disk after a notebook, or what it got may be the disk's fault
Job = tuple[Submission, str, Path]  # with the digest of its file, and where its grade is kept
Names = dict[Path, str | Ended]  # which notebook a file is; or how its process ended, where that was not found out


@dataclass(frozen=True)
class Graded:
    """What a submission got; `error` where it was no notebook of the course."""

    student: str
    file: str
    digest: str
    notebook: str = ""
    marks: tuple[Mark, ...] = ()
    error: str = ""
    modified: float = 0.0  # when the file was written, in seconds since 1970
    again: bool = False  # whether it has to be graded again, for a reason that is the grader's

    def __post_init__(self) -> None:
        object.__setattr__(self, "error", cut(self.error))

    @property
    def total(self) -> float:
        return sum(mark.points for mark in self.marks)


def grade_class(
    folder: Path,
    out: Path,
    *,
    workers: int,
    limits: sandbox.Limits,
    sandboxed: bool,
    assigned: Sequence[str] = (),
    ready: Callable[[list[Graded], str], Any] = lambda done, student: None,
) -> list[Graded]:
    """Grade what has not been graded; results are kept in `out` one by one, each written in one move.

    A submission is graded again only when its file has changed; what was not `assigned` is not graded at all.
    ``ready(done, student)`` is called with all that is graded so far when the last notebook of a student is.
    """
    (out / "graded").mkdir(parents=True, exist_ok=True)
    limits = dataclasses.replace(limits, hidden=(folder.resolve(), out.resolve()))
    files, left_out = list[Submission](), dict[str, list[str]]()
    for one in submissions(folder):
        if looked_at(one):
            files.append(one)
        else:
            left_out.setdefault(one.student, []).append(one.path.name)
    todo, done = _todo(files, folder, out / "graded")
    done += [Graded(student, names[0], "", error=not_looked_at(len(names))) for student, names in left_out.items()]
    with tqdm(total=len(todo) + len(done), initial=len(done), unit="notebook") as bar:
        say = bar.set_postfix_str
        names = _names(_to_be_named(files, todo, bool(assigned)), workers, say)
        todo, refused = _counting(todo, names, assigned)
        done += refused
        bar.update(len(refused))
        left = Counter(one.student for one, _, _ in todo)
        for graded in _all(todo, workers, limits, sandboxed, say):
            done.append(graded)
            bar.update()
            left[graded.student] -= 1
            if not left[graded.student]:
                ready(done, graded.student)
    return sorted(done, key=lambda graded: (graded.student, graded.file))


def _todo(files: list[Submission], folder: Path, kept: Path) -> tuple[list[Job], list[Graded]]:
    """What has not been graded, and what has, or cannot be read."""
    todo, done = [], []
    for one in files:
        try:
            digest = digest_of(one.path)
        except (OSError, ValueError) as error:
            said = error.strerror if isinstance(error, OSError) else error
            done.append(Graded(one.student, one.path.name, "", error=f"{one.path.name} cannot be read: {said}"))
            continue
        name = hashlib.sha256(os.fsencode(f"{one.student}\0{one.path.relative_to(folder)}")).hexdigest()[:24]
        before = read(kept / f"{name}.json")
        if before is not None and before.digest == digest:
            done.append(dataclasses.replace(before, modified=modified(one.path)))  # handed in anew, as it was
        else:
            todo.append((one, digest, kept / f"{name}.json"))
    return todo, done


def _to_be_named(files: list[Submission], todo: list[Job], all_of_them: bool) -> list[Submission]:
    """The files of which one has to know which notebook they are: which of a student's count, or whether it was set."""
    waiting, many = {one.student for one, _, _ in todo}, Counter(one.student for one in files)
    return [one for one in files if one.student in waiting and (all_of_them or many[one.student] > 1)]


def _counting(todo: list[Job], names: Names, assigned: Sequence[str]) -> tuple[list[Job], list[Graded]]:
    """What is to be graded, and why the others are not: for what is in other files, or for good."""
    counting, refused = [], []
    for job in todo:
        one, digest, place = job
        name = names.get(one.path, "")
        why = name.value if isinstance(name, Ended) else not_graded(one, names, assigned)
        if not why:
            counting.append(job)
            continue
        refused.append(Graded(one.student, one.path.name, digest, error=why))
        if isinstance(name, Ended):
            _kept(refused[-1], place)
    return counting, refused


def _names(files: list[Submission], workers: int, say: Callable[[str], Any]) -> Names:
    """Which notebook each file is. Each is parsed once, in a process of its own."""
    jobs = [(one,) for one in files]
    return {job[0].path: name for job, name in _twice(_name, jobs, workers, say)}


def _name(job: tuple[Submission]) -> str:
    return name_of(job[0].path)


def _all(
    todo: list[Job], workers: int, limits: sandbox.Limits, sandboxed: bool, say: Callable[[str], Any]
) -> Iterator[Graded]:
    """Graded submissions as they are ready. One that ends its process costs itself."""
    one = functools.partial(_one, limits=limits, sandboxed=sandboxed)
    for job, graded in _twice(one, todo, workers, say, alone=functools.partial(one, alone=True)):
        if isinstance(graded, Ended):
            graded = Graded(job[0].student, job[0].path.name, job[1], error=graded.value)
            _kept(graded, job[2])
        yield graded


def _twice(
    function: Callable[[Any], Any],
    jobs: list[Any],
    workers: int,
    say: Callable[[str], Any],
    alone: Callable[[Any], Any] | None = None,
) -> Iterator[Any]:
    """As `process.each`. What came to nothing is tried once more `alone`, unless it computed for as long as it may.

    Those beside it may have left it no memory, files or processes, or no processor.
    """

    def told(waited: list[tuple[Any, float]]) -> None:
        say("; ".join(f"{printable(job[0].student)} {seconds:.0f} s" for job, seconds in waited))

    again = []
    for job, found in process.each(function, jobs, workers, told):
        if found in (Ended.BEFORE, Ended.LATE) or getattr(found, "again", False):
            again.append(job)
        else:
            yield job, found
    for job in again:
        yield from process.each(alone or function, [job], 1, told)


def _one(job: Job, limits: sandbox.Limits, sandboxed: bool, alone: bool = False) -> Graded:
    one, digest, place = job
    keep = True
    try:
        notebook, marks = grade(one.path, limits, sandboxed=sandboxed)
        if shutil.disk_usage(tempfile.gettempdir()).free < FREE:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        graded = Graded(one.student, one.path.name, digest, notebook, tuple(marks))
    except ValueError as error:
        graded = Graded(one.student, one.path.name, digest, error=str(error))
    except (OSError, Trouble) as error:  # the grader's own, such as a full disk: graded when it is asked for again
        what = getattr(error, "strerror", None) or error
        if alone and isinstance(error.__cause__, RuntimeError) and _has_threads():
            said = f"could not be graded: while it ran, alone, the grader had no thread left ({what})"
            graded = Graded(one.student, one.path.name, digest, error=said)
        else:
            said = f"could not be graded now ({what}): grade the class again"
            keep, graded = False, Graded(one.student, one.path.name, digest, error=said, again=True)
    except (KeyboardInterrupt, MemoryError):  # by who grades; or tried once more alone
        raise
    except BaseException as error:  # whatever it was, it is this notebook's, and the class goes on
        graded = Graded(
            one.student, one.path.name, digest, error=f"could not be graded: {type(error).__name__}: {error}"
        )
    graded = dataclasses.replace(graded, modified=modified(one.path))
    if keep:
        _kept(graded, place)
    return graded


def _has_threads() -> bool:
    """Whether one can be started. Where that was so only while a notebook ran, the notebook took all there were."""
    try:
        threading.Thread(target=bool).start()
    except RuntimeError:
        return False
    return True


def _kept(graded: Graded, place: Path) -> None:
    """Stored, unless the disk is full: then it is graded when it is asked for again."""
    with contextlib.suppress(OSError):
        write(graded, place)


def write(graded: Graded, place: Path) -> None:
    """In one move, so that a file is whole or not there."""
    draft = place.with_suffix(f".{os.getpid()}")
    text = json.dumps(dataclasses.asdict(graded), indent=1)  # ASCII: names of files need not be text
    draft.write_text(text, encoding="ascii")
    os.replace(draft, place)


def read(place: Path) -> Graded | None:
    """What was stored, or None."""
    try:
        found = json.loads(place.read_text(encoding="utf-8"))
        return Graded(**{**found, "marks": tuple(Mark(**mark) for mark in found["marks"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def latest(graded: Iterable[Graded]) -> dict[str, dict[str, Graded]]:
    """By student and notebook, the newest file: the best of many would let a student try every number."""
    found: dict[str, dict[str, Graded]] = {}
    for one in graded:
        mine = found.setdefault(one.student, {})
        if one.notebook and (one.notebook not in mine or one.modified > mine[one.notebook].modified):
            mine[one.notebook] = one
    return found
