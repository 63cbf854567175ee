"""Who handed in what: a class as it lies in a folder."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpcourse.grade.people import person
from dpcourse.grade.submissions import LARGEST, called, not_too_large

DEEPEST = 20  # folders within a student's
COPIES = 100  # files of one student that are looked at, the newest,
TOGETHER = 128 * 2**20  # of so many bytes in all: an older copy is graded only when all that are newer have been read


@dataclass(frozen=True)
class Submission:
    """One file of one student."""

    student: str
    path: Path
    newer: tuple[Path, ...] = ()  # of the same student's files, the newest first


def submissions(folder: Path) -> list[Submission]:
    """The notebooks of a class: a folder a student, or one file a student.

    Raises
    ------
    ValueError
        If there are none.
    """
    found, known = [], dict[tuple[str, bool], str]()
    for place in sorted(folder.iterdir()):
        if _folder(place) and not place.name.startswith("."):
            found += [Submission(place.name, path) for path in _notebooks(place)]
        elif place.suffix == ".ipynb" and _plain(place):
            # Canvas and Moodle may hand out a file a file: those with one number are one student's. Nobody else's file
            # is, whatever it is called.
            _, moodle, canvas = person(place.stem)
            name = place.name if _folder(folder / place.stem) else place.stem
            student = known.setdefault((canvas or moodle, moodle == place.stem), name)
            found.append(Submission(student, place))
    if not found:
        raise ValueError(f"{folder} holds no notebooks: one folder a student is wanted, or one notebook a student")
    return _by_age(found)


def _notebooks(folder: Path) -> list[Path]:
    """The notebooks of one student, at most so many folders deep; what the system cannot open is left out."""
    found, left = [], [(folder, 0)]
    while left:
        place, depth = left.pop()
        try:
            for path in place.iterdir():
                if _folder(path):
                    if depth < DEEPEST and path.name != ".ipynb_checkpoints":
                        left.append((path, depth + 1))
                elif path.suffix == ".ipynb" and _plain(path):
                    found.append(path)
        except OSError:  # a path that is too long, a folder that may not be read
            continue
    return sorted(found)


def _by_age(found: list[Submission]) -> list[Submission]:
    """Each with the files of its student that are newer, as many as count."""
    mine: dict[str, list[Path]] = {}
    for one in sorted(found, key=lambda one: modified(one.path), reverse=True):
        mine.setdefault(one.student, []).append(one.path)
    places = {path: place for paths in mine.values() for place, path in enumerate(paths)}
    newest = {student: tuple(paths[:COPIES]) for student, paths in mine.items()}
    return [dataclasses.replace(one, newer=newest[one.student][: places[one.path]]) for one in found]


def modified(path: Path) -> float:
    """When a file was written, in seconds since 1970; 0 where it cannot be known."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _read(path: Path) -> int:
    """How many bytes of a file are read: none where it is too large, or cannot be opened."""
    try:
        size = path.stat().st_size
    except OSError:
        return 0
    return size if size <= LARGEST else 0


def digest_of(path: Path) -> str:
    """Which file it is, by what is in it; `ValueError` where it is too large to be looked at."""
    not_too_large(path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _plain(path: Path) -> bool:
    """A file of its own: a link may lead to another student's, and a pipe has no end."""
    return not path.is_symlink() and path.is_file()  # asked first: a link's target may have a name that is too long


def _folder(path: Path) -> bool:
    return not path.is_symlink() and path.is_dir()


def looked_at(one: Submission) -> bool:
    """Whether this file is opened: not where too many newer ones are there, or they and it are too large together."""
    return len(one.newer) < COPIES and sum(map(_read, (*one.newer, one.path))) <= TOGETHER


def not_looked_at(files: int) -> str:
    """What a student is told of so many files that are not opened, beside the name of the first."""
    others = f", nor are {files - 1:,} other files" if files > 1 else ""
    return f"not looked at{others}: only your {COPIES} newest files are, of {TOGETHER // 2**20} MB together"


def not_graded(one: Submission, names: Mapping[Path, Any], assigned: Sequence[str]) -> str:
    """Why this file is not graded: nobody was set its notebook, or a newer file of it counts. "" if it is graded.

    Parameters
    ----------
    names : mapping
        Which notebook a file is, by path. Nothing stands against a file that is not there, or is none.
    assigned : sequence of str
        Beginnings of the notebooks that were set; all, if there are none.
    """
    known = names.get(one.path, "")
    if known and assigned and not any(called(known, name) for name in assigned):
        return f"not counted: {known} was not set"
    newer = [path for path in one.newer if known and names.get(path) == known]
    return f"not graded: {newer[0].name} is newer" if newer else ""
