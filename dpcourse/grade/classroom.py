"""A whole class: every submission once, in parallel, and resumable after any stop."""

from __future__ import annotations

import concurrent.futures
import concurrent.futures.process
import contextlib
import dataclasses
import errno
import gc
import hashlib
import json
import multiprocessing
import os
import shutil
import tempfile
import time
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
    not_looked_at,
    not_set,
    older_copy,
    submissions,
)
from dpcourse.grade.marking import Mark, grade
from dpcourse.grade.people import printable

FREE = 16 * 2**20  # bytes that must be left on its disk after a notebook, or what it got may be the disk's fault
LOOK = 2.0  # seconds after which the progress bar says again who is waited for
LONGEST = 300.0  # seconds of the grader's own processor time for one notebook, whatever is asked of it
LATEST = 2700.0  # seconds by the clock for one notebook: more than its cells and eight sleepy questions can take


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
    kept = out / "graded"
    kept.mkdir(parents=True, exist_ok=True)
    limits = dataclasses.replace(limits, hidden=(folder.resolve(), out.resolve()))
    todo, done, left_out = [], [], dict[str, list[str]]()
    for one in submissions(folder):
        if not looked_at(one):
            left_out.setdefault(one.student, []).append(one.path.name)
            continue
        try:
            digest = digest_of(one.path)
        except (OSError, ValueError) as error:
            said = error.strerror if isinstance(error, OSError) else error
            done.append(Graded(one.student, one.path.name, "", error=f"{one.path.name} cannot be read: {said}"))
            continue
        name = hashlib.sha256(os.fsencode(f"{one.student}\0{one.path.relative_to(folder)}")).hexdigest()[:24]
        place = kept / f"{name}.json"
        before = read(place)
        if before is not None and before.digest == digest:
            done.append(before)
        else:
            todo.append((dataclasses.replace(one, assigned=tuple(assigned)), digest, place))
    done += [Graded(student, names[0], "", error=not_looked_at(len(names))) for student, names in left_out.items()]
    left = Counter(one.student for one, _, _ in todo)
    with tqdm(total=len(todo) + len(done), initial=len(done), unit="notebook") as bar:
        for graded in _all(todo, workers, limits, sandboxed, lambda names: bar.set_postfix_str(names)):
            done.append(graded)
            bar.update()
            left[graded.student] -= 1
            if not left[graded.student]:
                ready(done, graded.student)
    return sorted(done, key=lambda graded: (graded.student, graded.file))


def _all(
    todo: list, workers: int, limits: sandbox.Limits, sandboxed: bool, say: Callable[[str], Any]
) -> Iterator[Graded]:
    """Graded submissions as they are ready. One that ends its worker costs itself, after a second try alone."""
    left, troubled = list(todo), []
    while left:
        lost = []
        for job, graded in _pooled(left, workers, limits, sandboxed, say):
            if graded is None:
                lost.append(job)
            elif graded.again:
                troubled.append(job)
            else:
                yield graded
        # Which one it was, nobody says: so those that had begun are tried one by one, and then the rest goes on.
        begun = [job for job in lost if _started(job[2]).exists()] or lost[:1]
        for job in begun:
            yield _alone(job, limits, sandboxed, say)
        tried = {job[2] for job in begun}
        left = [job for job in lost if job[2] not in tried]
    for job in troubled:  # the trouble may be that of a worker to which a notebook before it left no memory or files
        yield _alone(job, limits, sandboxed, say)


def _alone(job: Any, limits: sandbox.Limits, sandboxed: bool, say: Callable[[str], Any]) -> Graded:
    """Graded by a worker of its own."""
    ((_, graded),) = _pooled([job], 1, limits, sandboxed, say)
    if graded is None:
        graded = Graded(job[0].student, job[0].path.name, job[1], error="grading it ended the grader")
        _kept(graded, job[2])
    return graded


def _pooled(
    jobs: list, workers: int, limits: sandbox.Limits, sandboxed: bool, say: Callable[[str], Any]
) -> Iterator[tuple[Any, Graded | None]]:
    """Each job with what it got; None where a worker ended before it was done. `say` is told who is waited for."""
    context = multiprocessing.get_context("spawn")
    with (
        tempfile.TemporaryDirectory(prefix="dpcourse-", ignore_cleanup_errors=True) as folder,
        concurrent.futures.ProcessPoolExecutor(
            workers, context, initializer=process.prepared, initargs=(folder,)
        ) as pool,
    ):
        running = {pool.submit(_fresh, job[0], job[1], job[2], limits, sandboxed): job for job in jobs}
        while running:
            ready, _ = concurrent.futures.wait(running, LOOK, concurrent.futures.FIRST_COMPLETED)
            for future in ready:
                job = running.pop(future)
                try:
                    yield job, future.result()
                except Exception:  # the pool is broken, or what came back of it cannot be read
                    yield job, None
            say(_waited_for(running.values()))


def _waited_for(jobs: Iterable[Any]) -> str:
    """Students whose notebooks have begun, and since when."""
    found = []
    for one, _, place in jobs:
        with contextlib.suppress(OSError):
            found.append(f"{printable(one.student)} {time.time() - _started(place).stat().st_mtime:.0f} s")
    return "; ".join(found)


def _started(place: Path) -> Path:
    """A file that is there while a notebook is being graded."""
    return place.with_suffix(".started")


def _fresh(one: Submission, digest: str, place: Path, limits: sandbox.Limits, sandboxed: bool) -> Graded:
    """Graded, unless those before it have left this worker too little: then others take its place."""
    process.end_if_worn()
    return _one(one, digest, place, limits, sandboxed)


def _one(one: Submission, digest: str, place: Path, limits: sandbox.Limits, sandboxed: bool) -> Graded:
    _touched(_started(place))
    process.end_after(LONGEST, LATEST)
    keep = True
    try:
        why = not_set(one) or older_copy(one)
        if why:
            keep, graded = False, Graded(one.student, one.path.name, digest, error=why)
        else:
            notebook, marks = grade(one.path, limits, sandboxed=sandboxed)
            if shutil.disk_usage(tempfile.gettempdir()).free < FREE:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            graded = Graded(one.student, one.path.name, digest, notebook, tuple(marks))
    except ValueError as error:
        graded = Graded(one.student, one.path.name, digest, error=str(error))
    except (OSError, Trouble) as error:  # the grader's own, such as a full disk: graded when it is asked for again
        said = f"could not be graded now ({getattr(error, 'strerror', None) or error}): grade the class again"
        keep, graded = False, Graded(one.student, one.path.name, digest, error=said, again=True)
    except (KeyboardInterrupt, MemoryError):  # by who grades; or tried once more alone, as one that ended its worker is
        process.end_after(0, 0)
        raise
    except BaseException as error:  # whatever it was, it is this notebook's, and the class goes on
        graded = Graded(
            one.student, one.path.name, digest, error=f"could not be graded: {type(error).__name__}: {error}"
        )
    gc.collect()  # what a notebook handed over may hang on circles, and the next one has its memory
    process.end_after(0, 0)
    graded = dataclasses.replace(graded, modified=modified(one.path))
    if keep:
        _kept(graded, place)
    _started(place).unlink(missing_ok=True)
    return graded


def _kept(graded: Graded, place: Path) -> None:
    """Stored, unless the disk is full: then it is graded when it is asked for again."""
    with contextlib.suppress(OSError):
        write(graded, place)
        _started(place).unlink(missing_ok=True)


def _touched(place: Path) -> None:
    with contextlib.suppress(OSError):
        place.touch()


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
