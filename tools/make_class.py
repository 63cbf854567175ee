"""Lay out a course directory for nbgrader, from the solutions and the projects.

    python tools/make_class.py COURSE          # then, inside COURSE, the commands of nbgrader's documentation:
    nbgrader generate_assignment 03_laplace_and_sensitivity
    nbgrader autograde 03_laplace_and_sensitivity
    nbgrader generate_feedback 03_laplace_and_sensitivity
    nbgrader export --exporter=dpcourse.grade.export.QuestionExporter

Points come from notebooks/points.csv. The hidden part of a graded cell imports `check` afresh, so that a student's own
`check` counts for nothing, and its error is the diagnosis. It runs in the student's own kernel all the same: whoever
wants to can fool it, which `python -m dpcourse.grade` does not allow.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import nbformat
from make_exercises import BEGIN, END, bound_names, read_names, split
from nbconvert.preprocessors import ClearOutputPreprocessor, TagRemovePreprocessor
from nbgrader.utils import is_grade, is_solution

from dpcourse.grade.submissions import points

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
CONFIG = '''"""Settings of this class: see nbgrader's documentation, "Configuration options"."""

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "dpcourse"
c.ClearSolutions.code_stub = {"python": "..."}
c.ClearSolutions.enforce_metadata = True
# A check stops an answer after a minute of computing, four by the clock, and says so; a cell asks for two checks.
c.ExecutePreprocessor.timeout = 600
c.ExecutePreprocessor.interrupt_on_timeout = True
'''
CHECKED = re.compile(r"^result = check\((?P<asked>.+)\)$", re.MULTILINE)
GRADED = """result = check({asked})
print(result)
### BEGIN HIDDEN TESTS
from dpcourse.checks import check as check_afresh
result = check_afresh({asked})
assert result, f"{{result.diagnosis}} {{result.next_step}}"
### END HIDDEN TESTS"""


def source_of(solution: Path) -> nbformat.NotebookNode:
    """A solutions notebook as nbgrader wants its source: stubs that run, points, and tests that say what they saw."""
    notebook = nbformat.read(solution, as_version=4)
    removed = TagRemovePreprocessor(remove_cell_tags={"solution"}, enabled=True).preprocess(notebook, {})[0]
    notebook = ClearOutputPreprocessor().preprocess(removed, {})[0]
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    read = set().union(*(read_names(split(c.source)[0] if is_solution(c) else c.source) for c in code))
    for cell in code:
        if is_solution(cell):
            names = [name for name in bound_names(split(cell.source)[1]) if name in read]
            # Before the region, which nbgrader replaces by `...`: so every name is there from the first run on.
            cell.source = "".join(f"{name} = ...\n" for name in names) + marked(cell.source)
        elif is_grade(cell):
            asked = CHECKED.search(cell.source)
            if asked is None:
                raise ValueError(f"{solution.name}: no `result = check(…)` in\n{cell.source}")
            cell.source = GRADED.format(asked=asked["asked"])
            cell.metadata.nbgrader.points = points()[asked["asked"].split('"')[1]]
    return notebook


def marked(source: str) -> str:
    """An answer between its marks: a cell without any is a solution from end to end."""
    return source if BEGIN in source else f"{BEGIN}\n{source}\n{END}"


def assignments() -> dict[str, Path]:
    """What is handed out, by the name it gets: 03_laplace_and_sensitivity, capstone_1_cross_fab_yield."""
    lessons, projects = (
        sorted(NOTEBOOKS.glob("solutions/*_solutions.ipynb")),
        sorted(NOTEBOOKS.glob("capstones/*.ipynb")),
    )
    named = {path.stem.removesuffix("_solutions"): path for path in lessons}
    return named | {f"capstone_{path.stem}": path for path in projects}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("course", type=Path, help="the course directory: new, or one that this tool made")
    course = parser.parse_args().course
    config = course / "nbgrader_config.py"
    if course.exists() and any(course.iterdir()) and not config.exists():
        parser.error(f"{course} holds other things")
    course.mkdir(parents=True, exist_ok=True)
    if not config.exists():
        config.write_text(CONFIG, encoding="utf-8")
    for name, solution in assignments().items():
        target = course / "source" / name / f"{name}.ipynb"
        target.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(source_of(solution), target)
        print(f"wrote {target.relative_to(course)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
