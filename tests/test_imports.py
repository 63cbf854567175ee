"""Imports only go down the floors, and `import dpcourse` stays light."""

from __future__ import annotations

import ast
import functools
import json
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.pace import in_time

PACKAGE = Path(__file__).resolve().parents[1] / "dpcourse"

FLOORS = {
    -1: {"datasets"},
    0: {"privacy", "accounting"},
    1: {"mechanisms"},
    2: {"learning", "pate", "federated", "synthetic", "queries", "local", "budget"},
    3: {"attacks", "audit", "gauntlet"},
    4: {"plots"},
    5: {"widgets", "checks", "registry"},
    6: {"pipeline", "flower_app"},
    7: {"lessons"},
    8: {"grade"},
}
FLOOR_OF = {room: floor for floor, rooms in FLOORS.items() for room in rooms}

MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@functools.cache
def imports(path: Path) -> frozenset[str]:
    """Every module named by an import statement of `path`, wherever in the file it stands; relative ones resolved."""
    package = ("dpcourse", *path.relative_to(PACKAGE).parent.parts)
    named: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join([*package[: len(package) - node.level + 1], *filter(None, [node.module])])
            # `from dpcourse import plots` names a room as much as `import dpcourse.plots` does.
            named |= {base} if base != "dpcourse" else {f"dpcourse.{alias.name}" for alias in node.names}
    return frozenset(named)


def rooms_imported(path: Path) -> set[str]:
    return {name.split(".")[1] for name in imports(path) if name.startswith("dpcourse.")}


def test_every_room_has_a_floor():
    assert {room_of(path) for path in MODULES} <= FLOOR_OF.keys()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_only_go_down(path):
    here = FLOOR_OF[room_of(path)]
    upward = {room for room in rooms_imported(path) if FLOOR_OF.get(room, here) > here}
    assert not upward, f"{path.name} is on floor {here} and imports {upward}"


def test_only_the_registry_knows_the_lessons():
    """A module found by its name is an import too."""
    knowing = {
        room_of(path)
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "dpcourse.lessons" in node.value
    }
    assert knowing <= {"registry", "lessons", "grade"}


def lesson_rooms_imported(path: Path) -> set[str]:
    return {name.split(".")[2] for name in imports(path) if name.startswith("dpcourse.lessons.")}


def test_a_lesson_imports_no_other_lesson():
    for path in MODULES:
        if room_of(path) == "lessons" and path.parent.name != "lessons":
            own = path.relative_to(PACKAGE / "lessons").parts[0]
            assert {room for room in lesson_rooms_imported(path) if room.startswith("lesson_")} <= {own}, path


def test_rooms_do_not_import_each_other_in_a_circle():
    graph: dict[str, set[str]] = {}
    for path in MODULES:
        graph.setdefault(room_of(path), set()).update(rooms_imported(path) - {room_of(path)})
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_nothing_uses_pyplot(path):
    assert not {name for name in imports(path) if name.startswith(("matplotlib.pyplot", "pylab"))}


def in_fresh_interpreter(code: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60, cwd=PACKAGE.parent
    )
    return result.stdout


def test_import_loads_nothing_heavy():
    heavy = {"pandas", "sklearn", "matplotlib", "ipywidgets", "aif360"}
    loaded = set(json.loads(in_fresh_interpreter("import dpcourse, json, sys; print(json.dumps(list(sys.modules)))")))
    assert "dpcourse" in loaded
    assert not heavy & loaded


def test_import_costs_little_more_than_numpy():
    """Under 0.4 s of processor time: on a busy machine the clock on the wall measures the others.

    The fastest of several runs is what the import costs, files in the cache.
    """
    code = "import numpy, time; t = time.process_time(); import dpcourse; print(time.process_time() - t)"
    seconds = []
    while len(seconds) < 7 and min(seconds, default=1) >= 0.4:
        seconds.append(float(in_fresh_interpreter(code)))
    assert in_time(min(seconds), 0.4)
