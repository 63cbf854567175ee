"""The copy of `dpcourse` that a student's process gets: without the checks, and without what the question asks for."""

from __future__ import annotations

import ast
import functools
import shutil
from pathlib import Path

from dpcourse.datasets.adult.load import TWIN, data_file

PACKAGE = Path(__file__).resolve().parents[1]
ALWAYS = ("privacy", "datasets")

# `from dpcourse.checks import check` has to work in there; what it says counts for nothing.
CHECKS = '''"""Stands in for the checks while a class is graded."""


class _Later:
    passed, key = True, "passed"
    diagnosis = next_step = exercise = title = ""

    def __bool__(self):
        return True

    def __repr__(self):
        return "graded later"


def check(*arguments, **keywords):
    return _Later()


progress = check_environment = check
'''


def _place(room: str) -> Path:
    """A room's folder or file; "federated.accounting" is one module of a room."""
    place = PACKAGE.joinpath(*room.split("."))
    return place if place.is_dir() else place.with_suffix(".py")


@functools.cache
def _needs(room: str) -> frozenset[str]:
    """The rooms that a room imports, itself among them, and theirs."""
    place = _place(room)
    files = list(place.rglob("*.py")) if place.is_dir() else [place]
    found = set[str]()
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module] if node.module != "dpcourse" else [f"dpcourse.{a.name}" for a in node.names]
            found |= {name.split(".")[1] for name in names if name.startswith("dpcourse.")}
    others = {name for name in found - {room} if _place(name).exists()}
    return frozenset({room}).union(*map(_needs, others))


def rooms_for(allowed: tuple[str, ...], imported: tuple[str, ...] = ()) -> frozenset[str]:
    """The rooms a question needs: what it allows, what its notebook imports, and what these import."""
    wanted = {*ALWAYS, *allowed, *(name.split(".")[0] for name in imported)}
    return frozenset().union(*map(_needs, wanted))


def stage(rooms: frozenset[str], folder: Path) -> Path:
    """Lay out `folder` with those rooms of the package and the worker; no lesson's, since some of them hold answers."""
    package = folder / "dpcourse"
    package.mkdir(parents=True)
    shutil.copy2(PACKAGE / "__init__.py", package)
    for room in sorted(rooms):
        source = _place(room)
        target = package / source.relative_to(PACKAGE)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
            continue
        if source.parent != PACKAGE:  # one module of a room, whose other names are looked up when they are asked for
            target.parent.mkdir(exist_ok=True)
            shutil.copy2(source.parent / "__init__.py", target.parent)
        shutil.copy2(source, target)
    (package / "data").mkdir()
    shutil.copy2(data_file(TWIN), package / "data")  # what `load_adult` reads in there
    (package / "checks").mkdir()
    (package / "checks" / "__init__.py").write_text(CHECKS, encoding="utf-8")
    shutil.copytree(PACKAGE / "grade" / "wire", folder / "wire", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("folders.py", "worker.py"):
        shutil.copy2(PACKAGE / "grade" / name, folder)
    for name in ("beside.py", "forms.py"):
        shutil.copy2(PACKAGE / "checks" / name, folder)
    return folder
