"""Write notebooks/exercises/ from notebooks/solutions/, and the students' capstones, with the answers removed.

    python tools/make_exercises.py           # write
    python tools/make_exercises.py --check   # exit 1 and name what is out of step

Answers stand between `### BEGIN SOLUTION` and `### END SOLUTION` in cells that carry nbgrader's metadata, one region a
cell; nbgrader's own preprocessors find and remove them. Only the stub left behind is ours, because nbgrader's raises,
and an exercise notebook has to reach its last cell before anything is answered: every name that the region bound, and
that something outside of it reads, becomes `name = ...`. A cell tagged `solution` is left out whole.

A capstone's reference form, notebooks/capstones/N_name.ipynb, holds the answers; what students are given has the same
name in notebooks/capstones/student/.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import sys
from pathlib import Path
from textwrap import dedent, indent

import nbformat
from nbconvert.preprocessors import TagRemovePreprocessor
from nbgrader.preprocessors import CheckCellMetadata, ClearHiddenTests, ClearOutput, ClearSolutions
from nbgrader.utils import is_solution

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


def split(source: str) -> tuple[str, str]:
    """The code around the solution region, `...` in its place, and the region (the whole cell if none is marked)."""
    outside: list[str] = []
    region: list[str] = []
    inside = False
    for line in source.split("\n"):
        if BEGIN in line:
            if region:
                raise RuntimeError(f"one solution region a cell, please:\n{source}")
            outside.append(line.partition("#")[0] + "...")
            inside = True
        elif END in line:
            inside = False
        else:
            (region if inside else outside).append(line)
    return ("\n".join(outside), dedent("\n".join(region))) if region else ("...", source)


def bound_names(code: str) -> list[str]:
    """The names that `code` binds in its own scope, in order."""
    names: list[str] = []

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.append(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.append(node.id)
        elif not isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            for child in ast.iter_child_nodes(node):
                visit(child)

    # The region may be the body of a function, so it is read as one: `return` is legal there.
    for statement in ast.parse("def region():\n" + indent(code, "    ") + "\n    pass").body[0].body:
        visit(statement)
    return list(dict.fromkeys(names))


def read_names(code: str) -> set[str]:
    """The names that `code` reads."""
    return {n.id for n in ast.walk(ast.parse(code)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


class ClearSolutionsToStubs(ClearSolutions):
    """nbgrader's ClearSolutions, leaving a stub that runs instead of one that raises."""

    def preprocess(self, nb, resources):
        self.read_outside = set()
        for cell in nb.cells:
            if cell.cell_type == "code":
                self.read_outside |= read_names(split(cell.source)[0] if is_solution(cell) else cell.source)
        return super().preprocess(nb, resources)

    def preprocess_cell(self, cell, resources, cell_index):
        if cell.cell_type == "code" and is_solution(cell):
            # In the body of a function a name is the function's own, whoever else reads one like it.
            inside = any(BEGIN in line and line.startswith(" ") for line in cell.source.split("\n"))
            bound = [] if inside else bound_names(split(cell.source)[1])
            names = [name for name in bound if name in self.read_outside]
            stub = [f"{name} = ..." for name in names] or ["..."]
            self.code_stub = {"python": "\n".join(["# Your answer here", *stub])}
        return super().preprocess_cell(cell, resources, cell_index)


def make_exercise(solution: Path) -> str:
    """The text of the exercise notebook for one solutions notebook."""
    notebook = nbformat.read(solution, as_version=4)
    resources: dict = {}
    for preprocessor in (
        CheckCellMetadata(),
        TagRemovePreprocessor(remove_cell_tags={"solution"}, enabled=True),
        ClearSolutionsToStubs(),
        ClearHiddenTests(),
        ClearOutput(),
    ):
        notebook, resources = preprocessor.preprocess(notebook, resources)
    for number, cell in enumerate(notebook.cells):
        cell.id = hashlib.sha256(f"{solution.stem} {number}".encode()).hexdigest()[:10]
    nbformat.validate(notebook)
    return nbformat.writes(notebook) + "\n"


def exercises(notebooks: Path = NOTEBOOKS) -> dict[Path, str]:
    """What notebooks/exercises/ and notebooks/capstones/student/ have to hold: path → text."""
    wanted = {}
    for solution in sorted(notebooks.glob("solutions/*_solutions.ipynb")):
        name = solution.name.replace("_solutions.ipynb", "_exercises.ipynb")
        wanted[notebooks / "exercises" / name] = make_exercise(solution)
    for reference in sorted(notebooks.glob("capstones/*.ipynb")):
        wanted[reference.parent / "student" / reference.name] = make_exercise(reference)
    return wanted


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if anything would change")
    check = parser.parse_args().check

    wanted = exercises()
    made = [path for folder in ("exercises", "capstones/student") for path in NOTEBOOKS.glob(f"{folder}/*.ipynb")]
    present = {path: path.read_text(encoding="utf-8") for path in made}
    stale = sorted(path for path in present.keys() | wanted.keys() if present.get(path) != wanted.get(path))
    for path in stale:
        name = path.relative_to(NOTEBOOKS.parent).as_posix()
        if check:
            print(f"{name} is out of step with its solutions: run tools/make_exercises.py")
        elif path in wanted:
            path.parent.mkdir(exist_ok=True)
            path.write_text(wanted[path], encoding="utf-8", newline="\n")
            print(f"wrote {name}")
        else:
            path.unlink()
            print(f"removed {name}: it has no solutions")
    if not stale:
        print(f"{len(wanted)} student notebooks in step with their solutions")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
