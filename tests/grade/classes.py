"""Classes whose grades are known before they are graded.

    python -m tests.grade.classes FOLDER                  # sixty students, sixteen lessons
    python -m dpcourse.grade FOLDER --out GRADES
    python -m tests.grade.classes FOLDER --graded GRADES   # names every point that is not as constructed

Of sixty submissions to a lesson 24 are right, 15 half right, 6 empty, 9 broken and 6 hostile; who hands in which
changes from lesson to lesson. A right answer is the one of the solutions. What takes its place is wrong in every
exercise, and costs the questions whose answers call it as well, and no others. Grade them under bubblewrap only.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from dpcourse.grade.submissions import ROOT, Reference, names_in, points, references
from tests.grade.attacks import ATTACKS

SHARES = {"right": 24, "half": 15, "empty": 6, "broken": 9, "hostile": 6}  # of sixty
# In place of an answer called NAME. No exercise takes one of them.
WRONG = (
    "NAME = ...",
    "NAME = lambda *a, **k: None",
    "NAME = 'wrong'",
    "def NAME(*a, **k):\n    raise ValueError('no')",
)
BREAKS = {
    "syntax": "def NAME(:",
    "error": "NAME = 1 / 0",
    "loop": "while True:\n    pass",
    "exit": "import os\nos._exit(1)",
    "two gigabytes": "NAME = bytearray(2**31)",
    "recursion": "def NAME(*a, **k):\n    return NAME(*a, **k)",
    "deleted": "import os, shutil\nshutil.rmtree(os.getcwd(), ignore_errors=True)\nNAME = ...",
    "foreign": "%matplotlib inline\n!ls\nNAME = 'ü∑名'",
}
NAMES = ("Ana", "Bruno Ü", "陈-chen", "=Dora", "O'Neil", "Fatima_1")


def source(known: Reference) -> Path:
    """The notebook with the answers."""
    if known.path.parent.name == "student":
        return known.path.parents[1] / known.path.name
    return ROOT / "notebooks" / "solutions" / known.path.name.replace("_exercises", "_solutions")


def dependents(known: Reference) -> dict[str, set[str]]:
    """Question -> the questions, itself among them, whose answers read a name that its answer binds."""
    cells = {}
    for cell in json.loads(source(known).read_text(encoding="utf-8"))["cells"]:
        mark = cell["metadata"].get("nbgrader", {})
        if mark.get("solution"):
            cells[mark["grade_id"]] = names_in("".join(cell["source"]))
    reads = {q.id: cells[q.cell][1] for q in known.questions}
    binds = {q.id: set(re.findall(r"\w+", q.expression)) | cells[q.cell][0] for q in known.questions}
    found = {one: {other for other in reads if one == other or binds[one] & reads[other]} for one in binds}
    for _ in found:  # and those who read theirs
        found = {one: set().union(*(found[other] for other in some)) for one, some in found.items()}
    return found


def submission(known: Reference, changes: Mapping[str, str]) -> str:
    """The solutions as a notebook that is handed in, with other answers to the questions in `changes`."""
    notebook = json.loads(source(known).read_text(encoding="utf-8"))
    cells = {question.cell: question for question in known.questions}
    for cell in notebook["cells"]:
        question = cells.get(cell["metadata"].get("nbgrader", {}).get("grade_id", ""))
        if question and question.id in changes:
            names = re.findall(r"\w+", question.expression)
            text = changes[question.id]
            each = [text.replace("NAME", name) for name in names] if len(text.split("\n")) < 3 else []
            cell["source"] = "\n".join(each) or text.replace("NAME", names[0])
        cell.update({"outputs": [], "execution_count": None} if cell["cell_type"] == "code" else {})
    return json.dumps(notebook, ensure_ascii=False)


def constructed(known: Reference, kind: str, rng: np.random.Generator) -> tuple[str, dict[str, float]]:
    """A submission of one kind, and the points it has to get."""
    ids, lost, after = [question.id for question in known.questions], set[str](), dependents(known)
    if kind == "empty":
        return known.path.read_text(encoding="utf-8"), dict.fromkeys(ids, 0.0)
    if kind == "broken" and rng.random() < 0.1:
        whole = submission(known, {})
        return whole[: len(whole) // 2], {}
    changes: dict[str, str] = {}
    if kind == "half":
        chosen = rng.choice(ids, size=max(1, len(ids) // 2), replace=False)
        changes = {one: WRONG[rng.integers(len(WRONG))] for one in chosen}
    elif kind == "broken":
        chosen = rng.choice(ids, size=rng.integers(1, 3), replace=False)
        changes = {one: list(BREAKS.values())[rng.integers(len(BREAKS))] for one in chosen}
    elif kind == "hostile":
        attack = list(ATTACKS.values())[rng.integers(len(ATTACKS))]
        changes = {str(rng.choice(ids)): attack.replace("noisy_count", "NAME")}
    for one in changes:
        lost |= after[one]
    return submission(known, changes), {one: 0.0 if one in lost else points()[one] for one in ids}


def make(folder: Path, known: tuple[Reference, ...], students: int, rng: np.random.Generator) -> None:
    """A class of students, and next to its folder what each has to get: ``FOLDER.json``."""
    expected: dict[str, dict[str, float]] = {}
    kinds = [kind for kind, share in SHARES.items() for _ in range(round(share * students / 60))]
    kinds += ["right"] * (students - len(kinds))
    for one in known:
        for number, kind in enumerate(rng.permutation(kinds[:students])):
            name = f"{NAMES[number % len(NAMES)]} {number:02}"
            text, wanted = constructed(one, str(kind), rng)
            (folder / name).mkdir(parents=True, exist_ok=True)
            (folder / name / f"{one.name}.ipynb").write_text(text, encoding="utf-8")
            expected.setdefault(name, {}).update(wanted)
    folder.with_suffix(".json").write_text(json.dumps(expected, ensure_ascii=False, indent=1), encoding="utf-8")


def differences(folder: Path, grades: Path) -> list[str]:
    """Every point in the table that is not as constructed, and every total."""
    expected = json.loads(folder.with_suffix(".json").read_text(encoding="utf-8"))
    with open(grades / "grades.csv", encoding="utf-8", newline="") as table:
        found = {row["student"].removeprefix("'"): row for row in csv.DictReader(table)}
    said = [f"students: {sorted(expected.keys() ^ found.keys())}"] if expected.keys() != found.keys() else []
    for student, wanted in expected.items():
        got = found.get(student, {})
        for question, value in {**wanted, "total": sum(wanted.values())}.items():
            if float(got.get(question, "nan")) != value:
                said.append(f"{student}: {question} is {got.get(question)}, constructed as {value:g}")
    return said


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--students", type=int, default=60)
    parser.add_argument(
        "--only", default="[0-9][0-9]_", help="a pattern of the notebooks' names (default: all lessons)"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--graded", type=Path, help="compare with these grades instead")
    asked = parser.parse_args()
    if asked.graded:
        said = differences(asked.folder, asked.graded)
        print("\n".join(said) or "every point is as constructed")
        return int(bool(said))
    known = tuple(one for one in references() if re.match(asked.only, one.name))
    make(asked.folder, known, asked.students, np.random.default_rng(asked.seed))
    print(f"{asked.students} students, {len(known)} notebooks each, in {asked.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
