"""Exercise notebooks: which questions there are, and what a student handed in."""

from __future__ import annotations

import ast
import csv
import dataclasses
import functools
import gc
import json
import re
import symtable
import sys
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LARGEST = 32 * 2**20  # bytes of a submission: pictures that were left in it included
MOST_CELLS = 5000  # of a submission
MOST_ADDED = 50  # statements of IPython in one of its cells
READ = 10**6  # characters of its cells, and a tenth of one of them: where there are more, they are not looked into
ROOT = Path(__file__).resolve().parents[2]
_GRADED = re.compile(r'check\("([\w ]+\.\d+)",\s*(.+)\)\s*$', re.MULTILINE)  # in what was handed out
_ASKED = re.compile(
    r"""check\(\s{0,99}["']([\w ]{1,30}\.\d{1,3})["']"""
)  # in what was handed in, which may be made to be searched for ever


@dataclass(frozen=True)
class Question:
    """One question of a reference notebook: its id, title-free points, and the expression that is its answer."""

    id: str
    expression: str
    cell: str  # the grade_id of the cell that holds the answer
    points: float


@dataclass(frozen=True)
class Reference:
    """An exercise notebook as it was handed out."""

    path: Path
    questions: tuple[Question, ...]
    imports: tuple[tuple[str, tuple[str, ...]], ...]  # from the package: module, names
    given: frozenset[str]  # what stands in the cells that hold no answer

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def lessons(self) -> tuple[str, ...]:
        """The lessons and projects that it imports whole, for what they compute and draw."""
        return tuple(name for module, names in self.imports if module == "dpcourse.lessons" for name in names)


def called(notebook: str, name: str) -> bool:
    """Whether a notebook is meant by the beginning of its name.

    >>> called("03_laplace_and_sensitivity_exercises", "03"), called("10_membership_inference_exercises", "1")
    (True, False)
    """
    return f"{notebook}_".startswith(f"{name}_")


@dataclass(frozen=True)
class Cell:
    """A code cell of a submission; `asks` are the questions whose checks it calls."""

    label: str
    source: str
    grade_id: str
    asks: frozenset[str] = frozenset()


def not_too_large(path: Path) -> None:
    if (size := path.stat().st_size) > LARGEST:
        raise ValueError(f"{path.name} has {size:,} bytes; up to {LARGEST:,} are read")


def plain(source: str) -> str:
    """Without what IPython adds to Python: `%magic`, `!command`, `help?`, and a cell that is indented as a whole.

    Only where Python stops at it: inside of brackets a line may begin with the operator %.

    >>> plain("%matplotlib inline\\n%time x = (7\\n  % 4)\\nfiles = !ls\\nmax?")
    'pass\\nx = (7\\n  % 4)\\nfiles = None\\npass'
    """
    for _ in range(min(MOST_ADDED, READ // 5 // max(len(source), 1))):  # of a long cell fewer: each is a parse
        try:
            _tree(source)
            break
        except IndentationError:
            if (dedented := textwrap.dedent(source)) == source:
                break
            source = dedented
        except SyntaxError as error:
            lines, at = source.split("\n"), (error.lineno or 0) - 1
            python = _python(lines[at]) if 0 <= at < len(lines) else None
            if python is None:
                break
            while lines[at].endswith("\\") and at + 1 < len(lines):
                del lines[at]
            source = "\n".join([*lines[:at], python, *lines[at + 1 :]])
        except (ValueError, RecursionError, MemoryError):
            break
    return source


def _python(line: str) -> str | None:
    """What is run in the place of a statement of IPython's; None where it is none."""
    text = line.strip()
    indent = line[: line.index(text)]
    if text.startswith("%time "):
        return indent + text.removeprefix("%time ").lstrip()
    if text.startswith(("%", "!", "?")) or text.endswith("?"):
        return f"{indent}pass"
    name, _, value = text.partition("=")
    return f"{indent}{name}= None" if value.lstrip().startswith(("%", "!")) else None


def _tree(source: str) -> ast.Module:
    """It is parsed and never compiled: a compiler doubles each `finally`, and those in it again."""
    with warnings.catch_warnings(action="ignore"):  # of what students escape
        return ast.parse(source)


def cells_of(path: Path) -> list[Cell]:
    """The code cells of a notebook; `ValueError` saying what is wrong with the file.

    None is parsed as Python: some are made so that it takes minutes.
    """
    not_too_large(path)
    try:
        cells, found = list(_parsed(path)["cells"]), list[Cell]()
        for cell in cells[:MOST_CELLS]:
            if cell["cell_type"] == "code":
                grade_id = cell.get("metadata", {}).get("nbgrader", {}).get("grade_id", "")
                named = grade_id if isinstance(grade_id, str) else ""  # what else it is, may take long to write
                source = "".join(cell["source"])
                label = f"code cell {len(found) + 1}"
                found.append(Cell(label, source, named, frozenset(_ASKED.findall(source))))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path.name} is no notebook: {type(error).__name__}: {error}") from None
    if len(cells) > MOST_CELLS:
        raise ValueError(f"{path.name} has {len(cells):,} cells; no more than {MOST_CELLS:,} are allowed")
    return found


def _parsed(path: Path) -> Any:
    """Its JSON. Meanwhile nothing is collected: of a million lists that would take most of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    finally:
        if collects:
            gc.enable()


@functools.cache
def points() -> dict[str, float]:
    """What each question is worth: notebooks/points.csv, the only place that says so."""
    with open(ROOT / "notebooks" / "points.csv", encoding="utf-8", newline="") as table:
        return {row["question"]: float(row["points"]) for row in csv.DictReader(table)}


@functools.cache
def reference(path: Path) -> Reference:
    """Read a notebook of `notebooks/exercises` (or a capstone's student form)."""
    questions, imports, given, answer = [], [], set(), ""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        source, marks = "".join(cell["source"]), cell["metadata"].get("nbgrader", {})
        if marks.get("solution"):
            answer = marks["grade_id"]
            continue
        given.add(plain(source))
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dpcourse."):
                imports.append((str(node.module), tuple(alias.name for alias in node.names)))
        asked = _GRADED.search(source)
        if asked and marks.get("grade"):
            if asked[1] not in points():
                raise ValueError(f"notebooks/points.csv does not say what {asked[1]} of {path.name} is worth")
            questions.append(Question(asked[1], asked[2], answer, points()[asked[1]]))
    return Reference(path, tuple(questions), tuple(imports), frozenset(given))


@functools.cache
def references() -> tuple[Reference, ...]:
    """All notebooks that were handed out: the lessons' exercises, and the projects."""
    notebooks = ROOT / "notebooks"
    paths = [*sorted(notebooks.glob("exercises/*.ipynb")), *sorted(notebooks.glob("capstones/student/*.ipynb"))]
    if not paths:
        raise FileNotFoundError(f"no exercise notebooks in {notebooks}: grade from a checkout of the course")
    return tuple(map(reference, paths))


def needed(cells: list[Cell], known: Reference) -> list[Cell]:
    """As plain Python, without the cells that were handed out, were not changed, and bind nothing an answer could read.

    They print and draw, which takes a project minutes and nobody looks at here. Of those that call a check an empty one
    is left in their place: up to there a notebook is run.
    """
    cells = [dataclasses.replace(cell, source=plain(cell.source)) for cell in cells]
    if sum(len(cell.source) for cell in cells) > READ:
        return cells
    names = [names_in(cell.source) for cell in cells]
    keep = [cell.source not in known.given for cell in cells]
    wanted = set[str]().union(*(re.findall(r"\w+", question.expression) for question in known.questions))
    wanted |= set[str]().union(*(reads for (_, reads), kept in zip(names, keep, strict=True) if kept))
    changed = True
    while changed:
        changed = False
        for i, (binds, reads) in enumerate(names):
            if not keep[i] and binds & wanted:
                keep[i] = changed = True
                wanted |= reads
    return [
        cell if kept else dataclasses.replace(cell, source="")
        for cell, kept in zip(cells, keep, strict=True)
        if kept or cell.asks
    ]


def names_in(source: str) -> tuple[set[str], set[str]]:
    """The names that a cell binds, or changes by an assignment, for the cells after it; and those it reads."""
    try:
        if len(source) > READ // 10:
            raise ValueError("too long to be looked into")
        tree = _tree(source)
        if sys.version_info >= (3, 12):  # its tables take what a list comprehension binds for the cell's
            source = ast.unparse(_Generators().visit(_tree(source)))
        with warnings.catch_warnings(action="ignore"):
            return _names_of(tree, symtable.symtable(source, "", "exec"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set(), set(re.findall(r"\w+", source))


class _Generators(ast.NodeTransformer):
    """Generator expressions in the place of comprehensions: their names are their own in every Python."""

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp) -> ast.AST:
        return ast.GeneratorExp(self.visit(node.elt), [self.visit(one) for one in node.generators])

    visit_SetComp = visit_ListComp

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        pair = ast.Tuple([self.visit(node.key), self.visit(node.value)], ast.Load())
        return ast.GeneratorExp(pair, [self.visit(one) for one in node.generators])


def _names_of(tree: ast.Module, table: symtable.SymbolTable) -> tuple[set[str], set[str]]:
    own = table.get_symbols()
    binds = {one.get_name() for one in own if one.is_assigned() or one.is_imported() or one.is_namespace()}
    reads = {one.get_name() for one in own if one.is_referenced()}
    for node in _outside_of_functions(tree):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            reads.add(node.target.id)
        elif isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            binds |= reads  # of an object that it did not bind, perhaps
    tables = table.get_children()
    while tables:
        inner = tables.pop()
        whose = inner.get_symbols()
        reads |= {one.get_name() for one in whose if one.is_referenced() and (one.is_global() or not one.is_local())}
        tables += inner.get_children()
    return binds, reads


def _outside_of_functions(tree: ast.AST) -> Iterator[ast.AST]:
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            todo += ast.iter_child_nodes(node)


def name_of(path: Path) -> str:
    """Which notebook a file is; "" for none."""
    try:
        known = matching(cells_of(path))
    except (OSError, ValueError):
        return ""
    return known.name if known else ""


def matching(cells: list[Cell]) -> Reference | None:
    """Which notebook this is: by the cells' ids, else by the checks they call. File names do not matter."""
    ids = {cell.grade_id for cell in cells if cell.grade_id}
    asked = set[str]().union(*(cell.asks for cell in cells))
    scores: list[tuple[int, Any]] = []
    for known in references():
        own = {question.cell for question in known.questions}
        scores.append((2 * len(ids & own) + len(asked & {q.id for q in known.questions}), known))
    best = max(scores, key=lambda pair: pair[0])
    return best[1] if best[0] else None
